// SPDX-License-Identifier: Apache-2.0
// One file on a board: x is time, y the place in it by sections, a mark each fault.
import {pageAtY, BAND_BESIDE, BAND_BSS, BAND_FILE} from './bands.js';
import {faultLines} from '../details/faultfacts.js';
import {countText, nounText, sizeText, shortName} from '../shared/format.js';
import {rasterize, standsOut} from './raster.js';
import {paintBars, paintCells} from './rasterpaint.js';
import {token, causeColors, mixColors} from '../shared/theme.js';
import {inksOf} from './textures.js';
import {drawRows, drawStrip, drawSums} from './boardparts.js';

/** What is left of the colour of marks that do not stand out, where others do. */
const PALE = 0.4;

/** Cells that many marks need not share, in pixels of the page. @param {number} faults */
function cellSize(faults) {
	return faults < 20000 ? 4 : faults < 200000 ? 3 : 2;
}

export class FilePlot {
	/** @param {Side} side @param {number} object of the page */
	constructor(side, object) {
		this.side = side;
		this.object = object;
		/** @type {Axis | null} */
		this.axis = null;
		/** @type {Row[]} */
		this.rows = [];
		/** @type {Raster | null} */
		this.raster = null;
		this.plot = {x: 0, y: 0, width: 1, height: 1};
		/** Of the names of sections. */
		this.labels = this.plot;
		/** Of the whole file to scale; 0 wide: not drawn. */
		this.strip = this.plot;
		/** Of the sums of rows. */
		this.sums = this.plot;
	}

	/** @param {CanvasRenderingContext2D} context @param {Axis} axis @param {{plot: Box, labels: Box, strip: Box, sums: Box}} boxes @param {Shown} shown */
	draw(context, axis, boxes, shown) {
		Object.assign(this, boxes);
		this.axis = axis;
		const {side, side: {data}, plot} = this;
		const {isStressed} = shown;
		const {combination_initiator: causes} = data.columns;
		this.rows = axis.rows(shown.place, plot.height);
		const [first, end] = side.timeShown();
		const ratio = devicePixelRatio || 1;
		const pixels = Math.max(Math.round(cellSize(data.count) * ratio), 1);
		const raster = rasterize(data, axis.bands, {first, end, width: plot.width, height: plot.height,
			pieces: side.scale.piecesIn(data.unitNs), rows: this.rows, amountOf: shown.amountOf}, shown.marks, pixels / ratio, this.raster);
		this.raster = raster;
		drawRows(this, context, shown);
		context.save();
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.beginPath();
		const [left, top] = [Math.round(plot.x * ratio), Math.round(plot.y * ratio)];
		context.rect(left, top, plot.width * ratio, plot.height * ratio);
		context.clip();
		const inks = causeColors(data);
		const pale = isStressed ? inks.map((ink) => mixColors(ink, token('band-odd'), PALE)) : inks;
		const painting = {context, raster, pixels, left, top, colorOf: (/** @type {number} */ where) =>
			(standsOut(raster, where) ? inks : pale)[causes[data.combination[raster.entry[where] - 1]]]};
		paintCells(painting, token('ghost'), [token('around'), token('ahead')]);
		paintBars(painting, inksOf(context, token('paper'), ratio), token('ink'), data,
			(unit) => side.scale.place(unit * data.unitNs) * ratio);
		context.restore();
		if (this.strip.width > 0)
			drawStrip(this, context, shown.place);
		if (this.sums.width > 0)
			drawSums(this, context, shown.sumText);
	}

	/** Where entry @i is drawn; null: it is not. @param {number} i */
	spotOf(i) {
		const {axis, plot, side} = this;
		if (!axis || i >= side.data.count)
			return null;
		const {bands} = axis;
		const band = bands.bandOf[i];
		const row = this.rows.find((each) => band >= each.firstBand && band < each.endBand);
		const x = side.xOfTime(side.data.time[i] + 0.5);
		if (!row || x < plot.x || x > plot.x + plot.width)
			return null;
		const part = (bands.items[band].first + bands.at[i] - row.first) / (row.end - row.first);
		return part < 0 || part > 1 ? null : {x, y: plot.y + row.top + row.height * part};
	}

	/** The cell that has faults next to (@x, @y) of the canvas; -1: none within @pixels. @param {number} x @param {number} y @param {number} pixels */
	cellAt(x, y, pixels) {
		const {raster, plot} = this;
		if (!raster)
			return -1;
		const size = raster.cell;
		const column = Math.floor((x - plot.x) / size);
		const line = Math.floor((y - plot.y) / size);
		const reach = Math.ceil(pixels / size);
		let best = -1;
		let nearest = Infinity;
		for (let l = Math.max(line - reach, 0); l <= Math.min(line + reach, raster.lines - 1); l++)
			for (let c = Math.max(column - reach, 0); c <= Math.min(column + reach, raster.columns - 1); c++) {
				const distance = (l - line) ** 2 + (c - column) ** 2;
				if (distance < nearest && raster.entry[l * raster.columns + c] > 0) {
					nearest = distance;
					best = l * raster.columns + c;
				}
			}
		return best;
	}

	/** The row at @y of the canvas. @param {number} y */
	rowAt(y) {
		return this.rows.find((row) => y - this.plot.y >= row.top && y - this.plot.y < row.top + row.height);
	}

	/** Where a point of the canvas is. @param {number} x @param {number} y @returns {'plot' | 'label' | 'strip' | ''} */
	partAt(x, y) {
		const {plot, labels, strip} = this;
		if (y < plot.y || y > plot.y + plot.height)
			return '';
		if (x >= plot.x && x <= plot.x + plot.width)
			return 'plot';
		if (x >= labels.x && x < plot.x)
			return 'label';
		return x >= strip.x && x < strip.x + strip.width ? 'strip' : '';
	}

	/** What to say of (@x, @y) of the canvas; none: nothing. @param {number} x @param {number} y @returns {string[]} */
	linesAt(x, y) {
		const {raster, side: {data}} = this;
		const part = this.partAt(x, y);
		const row = this.rowAt(y);
		const where = part === 'plot' ? this.cellAt(x, y, 8) : -1;
		if (where >= 0 && raster) {
			const lines = faultLines(data, raster.entry[where] - 1);
			return raster.faults[where] > 1 ? [...lines, `dearest of ${countText(raster.faults[where])} faults here`] : lines;
		}
		if (part !== 'label' || !row)
			return [];
		return [shortName(row.label), `${nounText(row.faults, 'fault')} in all`
			+ (row.kind === BAND_BESIDE ? '' : `, ${sizeText((row.end - row.first) * data.header.page_size)}`),
		row.section ? 'click to show only these' : ''].filter(Boolean);
	}

	/** The cursor there. @param {number} x @param {number} y */
	cursorAt(x, y) {
		const part = this.partAt(x, y);
		return part === 'plot' ? 'crosshair' : part === 'label' && this.rowAt(y)?.section ? 'pointer' : 'default';
	}

	/** @param {number} x @param {number} y of the canvas @param {boolean} isTouch fingers point less exactly */
	click(x, y, isTouch) {
		const part = this.partAt(x, y);
		const where = part === 'plot' ? this.cellAt(x, y, isTouch ? 20 : 8) : -1;
		const row = this.rowAt(y);
		const {store} = this.side;
		if (part === 'plot')
			store.set({fault: where >= 0 && this.raster ? this.raster.entry[where] - 1 : null});
		else if (part === 'label' && row?.section && (row.kind === BAND_FILE || row.kind === BAND_BSS))
			store.toggle('section', row.section);
	}

	/** The place that the dragged @box encloses; null: it is flat. @param {Box} box @returns {[number, number] | null} */
	placeIn(box) {
		const {plot} = this;
		const low = pageAtY(this.rows, box.y - plot.y);
		const high = pageAtY(this.rows, box.y + box.height - plot.y);
		return box.height >= 24 && box.height < plot.height * 0.9 && low !== null && high !== null && high > low ? [low, high] : null;
	}
}
