// SPDX-License-Identifier: Apache-2.0
// One of the two timelines of a comparison: it shares time, places and crosshair with the other. On a scale of
// its own a line below says how much time the width is.
import {pageAtY} from '../tracks/bandrows.js';
import {BAND_BESIDE, BAND_FILE} from '../tracks/bands.js';
import {Board, FONT} from '../tracks/board.js';
import {drawTimeAxis, drawTimeLines} from '../tracks/boardparts.js';
import {shortName} from '../shared/describe.js';
import {FilePlot} from '../tracks/fileplot.js';
import {countText, hexText, nounText, timeText} from '../shared/format.js';
import {drawSpanLane} from '../tracks/lanes.js';
import {makeScheme} from '../shared/palette.js';
import {initializerSpans, phasesOf} from '../tracks/phases.js';
import {SELECTING, selectedMarks} from '../selection/selected.js';
import {token} from '../shared/theme.js';
import {hideTooltip, showTooltip} from '../shared/tooltip.js';
import {widthText} from './pairscale.js';
import {objectName} from '../data/words.js';
import {SIDE_NAMES} from './sides.js';

/**
 * @typedef {import('../tracks/bandrows.js').Row} Row
 * @typedef {import('./pairtimelines.js').PairTimelines} PairTimelines
 * @typedef {import('../tracks/board.js').Box} Box
 */

const PHASE_HEIGHT = 20;
const INIT_HEIGHT = 15;
const AXIS_HEIGHT = 24;
const COUNT_WIDTH = 48;
/** Of the line that says how much time the width is. */
const WIDTH_HEIGHT = 20;

/** From this width of the window on both stand beside each other. */
export const BESIDE = '(min-width: 1100px)';

export class PairTimeline extends Board {
	/** @param {PairTimelines} both @param {number} side @param {HTMLElement} element */
	constructor(both, side, element) {
		const {diff, store, views} = both;
		super(diff.sides[side], store.sides[side], element, views[side]);
		this.both = both;
		this.side = side;
		this.absent = `not in ${SIDE_NAMES[side]}`;
		/** @type {FilePlot} */
		this.file = new FilePlot(this);
		/** Of which marks the stressed ones were made. @type {Uint8Array | null} */
		this.marksOf = null;
		/** @type {Uint8Array | null} */
		this.stressedMarks = null;
	}

	start() {
		this.startOn([...SELECTING, 'object', 'color', 'time', 'place']);
	}

	measure() {
		const width = Math.max(this.frame.clientWidth, 280);
		const height = Math.round(matchMedia(BESIDE).matches ? Math.min(Math.max(innerHeight * 0.72, 430), 760)
			: Math.min(Math.max(innerHeight * 0.55, 340), 560));
		const y = PHASE_HEIGHT + INIT_HEIGHT;
		const gutter = width >= 480 ? 104 : 78;
		this.plot = {x: gutter, y, width: width - gutter - COUNT_WIDTH - 4, height: height - y - AXIS_HEIGHT};
		return {width, height: this.both.store.choice.ownScales ? height + WIDTH_HEIGHT : height};
	}

	draw() {
		const {data, store, both} = this;
		const axis = both.store.axis().axes[this.side];
		this.view.length = axis.length;
		const {width, height} = this.measure();
		const {plot} = this;
		const context = this.contextOf(this.canvas, width, height);
		this.makeScale();
		drawTimeAxis(this, context, plot.y + plot.height + 14);
		this.file.place(axis, {plot, labels: {...plot, x: 0, width: plot.x}, strip: {...plot, x: 0, width: 0},
			sums: {...plot, x: width - COUNT_WIDTH - 2, width: COUNT_WIDTH}});
		this.file.draw(context, {place: both.store.choice.place, scheme: makeScheme(data, store.choice.color), marks: this.marksShown(),
			isStressed: this.isStressed(), amountOf: (i) => data.weight(i), sumText: countText, emptyParts: (row) => this.emptyParts(row), absent: this.absent});
		this.drawPhases(context);
		if (both.store.choice.ownScales)
			this.drawWidth(context);
		this.describe();
		this.drawOverlay(null);
	}

	/** What the program was busy with, and when initializers ran. @param {CanvasRenderingContext2D} context */
	drawPhases(context) {
		const {data, plot} = this;
		const phases = phasesOf(data, this.store.choice.object);
		const initializers = initializerSpans(data, null);
		context.textAlign = 'right';
		context.fillStyle = token('soft');
		if (phases.length > 0)
			context.fillText('phases', plot.x - 6, PHASE_HEIGHT / 2);
		if (initializers.length > 0)
			context.fillText('initializers of', plot.x - 6, PHASE_HEIGHT + INIT_HEIGHT / 2 - 1);
		drawSpanLane(this, context, phases.map(({name, first, end}) =>
			({first, end, labels: [`${name} ${timeText((end - first) * data.unitNs)}`, name]})), 0, PHASE_HEIGHT);
		drawSpanLane(this, context, initializers.map(({object, first, end}) => ({first, end, labels: [objectName(data, object)]})),
			PHASE_HEIGHT, INIT_HEIGHT - 1);
		drawTimeLines(this, context, phases.slice(1).map(({first}) => ({time: first, name: ''})));
	}

	/** How much time the width is. */
	widthText() {
		return widthText(this.view.timeShown(), this.both.views[1 - this.side].timeShown());
	}

	/** The same, along a line as long. @param {CanvasRenderingContext2D} context */
	drawWidth(context) {
		const {plot} = this;
		const y = plot.y + plot.height + AXIS_HEIGHT + WIDTH_HEIGHT / 2;
		context.font = `bold ${FONT}`;
		const text = this.widthText();
		const half = context.measureText(text).width / 2 + 6;
		const middle = plot.x + plot.width / 2;
		context.fillStyle = token('accent');
		context.fillRect(plot.x, y - 6, 2, 12);
		context.fillRect(plot.x, y - 1, middle - half - plot.x, 2);
		context.fillRect(middle + half, y - 1, middle - half - plot.x, 2);
		context.fillRect(plot.x + plot.width - 2, y - 6, 2, 12);
		context.fillStyle = token('ink');
		context.textAlign = 'center';
		context.fillText(text, middle, y);
		context.font = FONT;
	}

	isStressed() {
		const {choice} = this.both.store;
		return choice.stress && !('on' in choice.filter) && this.both.knowsAlone();
	}

	/** What only this side touched stands out. */
	marksShown() {
		const marks = selectedMarks(this.data, this.store);
		if (!this.isStressed())
			return marks;
		if (this.marksOf !== marks) {
			const alone = this.both.diff.differences.alone()[this.side];
			this.marksOf = marks;
			this.stressedMarks = marks.map((mark, i) => mark + (mark & alone[i]));
		}
		return this.stressedMarks ?? marks;
	}

	/** @param {Row} row @returns {[number, number][]} */
	emptyParts(row) {
		const axis = this.both.store.axis();
		/** @type {[number, number][]} */
		const parts = [];
		for (let b = row.firstBand; b < row.endBand && row.kind !== BAND_BESIDE; b++) {
			const {first, end} = axis.items[b];
			const from = Math.max(first + (axis.sizeOn(this.side, b) ?? 0), row.first);
			if (from < Math.min(end, row.end))
				parts.push([from, Math.min(end, row.end)]);
		}
		return parts;
	}

	describe() {
		const {data, store, side, file: {raster, rows}} = this;
		if (!raster)
			return;
		const [first, end] = this.view.timeShown();
		const top = rows.filter((row) => row.kind !== BAND_BESIDE && row.faults > 0)
			.sort((a, b) => b.faults - a.faults).slice(0, 3)
			.map((row) => `${shortName(row.label)} ${nounText(row.faults, 'fault')}`);
		const lacking = rows.filter((row) => row.isAbsent).map((row) => shortName(row.label));
		const name = store.choice.object < data.header.objects.length ? objectName(data, store.choice.object) : '';
		this.canvas.setAttribute('aria-label', `Timeline ${SIDE_NAMES[side]}: ${name ? `the page faults of ${shortName(name)}` : 'the file is not on this side'}, `
			+ `by time and place. ${nounText(raster.shown, 'fault')} shown, from ${timeText(first)} to ${timeText(end)}${
				this.both.store.choice.ownScales ? ', on its own scale of time' : ''}. `
			+ (top.length ? `Most: ${top.join(', ')}. ` : '') + (lacking.length ? `${this.absent}: ${lacking.join(', ')}. ` : '')
			+ 'The tables below have the numbers for both sides.');
		this.both.tell(side, raster.shown, this.isStressed() ? raster.standOut : null);
	}

	/** @returns {FilePlot | null} */
	fileAt() {
		return this.file;
	}

	/** @returns {FilePlot | null} */
	chosenFile() {
		return this.file;
	}

	/** @param {number} x @param {number} y */
	partAt(x, y) {
		return this.file.partAt(x, y);
	}

	/** @param {number} x @param {number} y @param {boolean} isTouch */
	click(x, y, isTouch) {
		this.file.click(x, y, isTouch);
	}

	/** @param {number} i */
	spotOf(i) {
		return this.file.spotOf(i);
	}

	/** @param {number} x @param {number} y @param {PointerEvent} event */
	point(x, y, event) {
		const {plot} = this;
		const lines = this.file.linesAt(x, y);
		this.canvas.style.cursor = this.file.cursorAt(x, y);
		if (lines.length > 0)
			showTooltip(lines, event.clientX, event.clientY);
		else
			hideTooltip();
		this.both.pointAt(this.partAt(x, y) !== 'plot' ? null : {x: (x - plot.x) / plot.width, y: (y - plot.y) / plot.height});
	}

	/** What lies at @y of the plot, by its section. @param {number} y @returns {string} */
	placeText(y) {
		const row = this.file.rows.find((each) => y >= each.top && y < each.top + each.height);
		if (!row)
			return '';
		const place = row.kind === BAND_FILE ? pageAtY(this.file.rows, y) : null;
		const axis = this.both.store.axis();
		const at = place === null ? null : axis.bandAt(place);
		if (!at)
			return shortName(row.label);
		const {label} = axis.items[at.index];
		const size = axis.sizeOn(this.side, at.index);
		if (size === null)
			return `${shortName(label)}: ${this.absent}`;
		const offset = Math.floor(at.page * this.data.header.page_size);
		return at.page > size ? `${shortName(label)} ends before` : `${shortName(label)} +${hexText(offset - offset % this.data.header.page_size)}`;
	}

	/** @param {Box | null} drag */
	drawOverlay(drag) {
		const context = super.drawOverlay(drag);
		const {plot} = this;
		const twin = this.both.twinOn(this.side);
		const spot = twin === null ? null : this.spotOf(twin);
		if (spot) {
			context.strokeStyle = token('accent');
			context.lineWidth = 2;
			context.setLineDash([3, 3]);
			context.beginPath();
			context.arc(spot.x, spot.y, 8, 0, 2 * Math.PI);
			context.stroke();
			context.setLineDash([]);
		}
		const {cross} = this.both;
		if (!cross)
			return context;
		const x = Math.round(plot.x + cross.x * plot.width) + 0.5;
		const y = Math.round(plot.y + cross.y * plot.height) + 0.5;
		context.strokeStyle = token('soft');
		context.lineWidth = 1;
		context.beginPath();
		context.moveTo(x, plot.y);
		context.lineTo(x, plot.y + plot.height);
		context.moveTo(plot.x, y);
		context.lineTo(plot.x + plot.width, y);
		context.stroke();
		const [first, end] = this.view.timeShown();
		this.drawTag(context, timeText(first + (end - first) * cross.x), x, plot.y + plot.height + 12, 'center');
		this.drawTag(context, this.placeText(cross.y * plot.height), cross.x > 0.5 ? plot.x + 4 : plot.x + plot.width - 4,
			cross.y > 0.1 ? y - 11 : y + 11, cross.x > 0.5 ? 'left' : 'right');
		return context;
	}

	/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} x @param {number} y @param {'left' | 'center' | 'right'} align */
	drawTag(context, text, x, y, align) {
		const width = context.measureText(text).width + 10;
		const left = Math.min(Math.max(align === 'left' ? x : align === 'right' ? x - width : x - width / 2, 0), this.frame.clientWidth - width);
		context.fillStyle = token('ink');
		context.fillRect(left, y - 9, width, 18);
		context.fillStyle = token('paper');
		context.textAlign = 'left';
		context.fillText(text, left + 5, y);
	}
}
