// SPDX-License-Identifier: Apache-2.0
// The timeline: x is time, y the place in the file by sections, one mark a fault.
import {BAND_BESIDE, BAND_BSS, BAND_FILE, fileAxis, pageAtY} from './bands.js';
import {faultLines, shortName} from '../shared/describe.js';
import {make} from '../shared/dom.js';
import {nounText, sizeText, timeText} from '../shared/format.js';
import {Gestures} from './gestures.js';
import {listenForKeys} from '../shared/keys.js';
import {makeScheme, mixColors} from '../shared/palette.js';
import {initializerSpans, phasesOf} from './phases.js';
import {firstText, paintRaster, rasterize} from './raster.js';
import {SELECTING, drawOn, selectedMarks} from '../selection/selected.js';
import {isDark, onTheme, token} from '../shared/theme.js';
import {TimeScale, busyOf, gapsShown} from './timescale.js';
import {AXIS_HEIGHT, FONT, INIT_HEIGHT, PHASE_HEIGHT, drawBars, drawBreaks, drawMajor, drawPhases, drawRows, drawStrip, drawTimeAxis} from './timelineparts.js';
import {hideTooltip, showTooltip} from '../shared/tooltip.js';
import {View} from './view.js';
import {objectName} from '../data/words.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 * @typedef {import('./bands.js').Axis} Axis
 * @typedef {import('./bands.js').Row} Row
 * @typedef {import('./raster.js').Raster} Raster
 * @typedef {{x: number, y: number, width: number, height: number}} Box
 */


/** What is left of the colour of marks that do not stand out, where others do. */
export const PALE = 0.4;

/** Cells that many marks need not share, in pixels of the page. @param {number} faults */
function cellSize(faults) {
	return faults < 20000 ? 4 : faults < 200000 ? 3 : 2;
}

/** All the time of the command, in ns: from exec to its end, whatever faulted. @param {Data} data @returns {[number, number]} */
export function spanOf(data) {
	const {first_ns: first, end_ns: end} = data.header.faults;
	return data.count > 0 ? [Math.min(data.timeNs(0), first), Math.max(data.timeNs(data.count - 1) + data.unitNs, end)] : [first, Math.max(end, first + data.unitNs)];
}

export class Timeline {
	/**
	 * @param {Data} data @param {Store} store @param {HTMLElement} element
	 * @param {View} view the part of time and place that is shown
	 * @param {() => Axis} axisOf the places of the object that is chosen
	 */
	constructor(data, store, element, view, axisOf) {
		this.data = data;
		this.store = store;
		this.view = view;
		this.axisOf = axisOf;
		this.canvas = make('canvas', {class: 'picture', tabindex: '0', role: 'img'});
		this.overlay = make('canvas', {class: 'overlay', 'aria-hidden': 'true'});
		this.frame = make('div', {class: 'canvas'}, this.canvas, this.overlay);
		this.hint = make('p', {class: 'muted hint'});
		element.append(this.frame, this.hint);
		/** @type {Row[]} */
		this.rows = [];
		/** @type {Raster | null} */
		this.raster = null;
		/** @type {Box} */
		this.plot = {x: 0, y: 0, width: 1, height: 1};
		/** Of what is drawn. */
		this.scale = new TimeScale(0, 1, 1, []);
		/** @type {ReturnType<typeof initializerSpans>} */
		this.initializers = [];
		/** What to say of a section that only the other side of a comparison has. */
		this.absent = '';
		this.ask = () => {};
		/** Where things are is known of what is drawn: draw what a frame is awaited for. */
		this.settle = () => {};
	}

	/** Draw, now and whenever something changes. */
	start() {
		const {store} = this;
		({ask: this.ask, settle: this.settle} = drawOn(store, [...SELECTING, 'object', 'color', 'time', 'place'], () => this.draw()));
		drawOn(store, ['fault'], () => this.drawOverlay(null));
		new ResizeObserver(() => this.ask()).observe(this.frame);
		onTheme(this.ask);
		this.gestures = new Gestures(this);
		return this;
	}

	/** The time that is shown, in units of the trace. @returns {[number, number]} */
	timeShown() {
		const [first, end] = this.view.timeShown();
		return [first / this.data.unitNs, end / this.data.unitNs];
	}

	// ---- Drawing ----

	/** What depends on the object and the process alone. */
	prepare() {
		const {object, process} = this.store.choice;
		this.axis = this.axisOf();
		this.view.length = this.axis.length;
		this.phases = phasesOf(this.data, object, process);
		this.initializers = initializerSpans(this.data, process);
		return this.axis;
	}

	/** Sizes in pixels of the page. */
	measure() {
		const width = Math.max(this.frame.clientWidth, 280);
		const height = Math.round(Math.min(Math.max(innerHeight * 0.72, 430), 760));
		const hasStrip = width >= 760 && this.view.length > 0;
		const strip = {x: 56, y: PHASE_HEIGHT + INIT_HEIGHT, width: hasStrip ? 24 : 0,
			height: height - PHASE_HEIGHT - INIT_HEIGHT - AXIS_HEIGHT};
		const gutter = width >= 600 ? 104 : 78;
		const labels = hasStrip ? strip.x + strip.width + 22 : 0;
		const bars = width >= 900 ? 170 : 0;
		this.strip = strip;
		this.labels = {x: labels, y: strip.y, width: gutter, height: strip.height};
		this.plot = {x: labels + gutter, y: strip.y, width: width - labels - gutter - bars - 4, height: strip.height};
		this.bars = {x: width - bars, y: strip.y, width: bars, height: strip.height};
		return {width, height};
	}

	/** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height @returns {CanvasRenderingContext2D} */
	contextOf(canvas, width, height) {
		const ratio = devicePixelRatio || 1;
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.height = `${height}px`;
		const context = canvas.getContext('2d');
		if (!context)
			throw new Error('no canvas');
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.clearRect(0, 0, width, height);
		context.font = FONT;
		context.textBaseline = 'middle';
		return context;
	}

	draw() {
		const {data, store} = this;
		const axis = this.prepare();
		const {width, height} = this.measure();
		const context = this.contextOf(this.canvas, width, height);
		this.rows = axis.rows(this.view.store.choice.place, this.plot.height);
		this.scheme = makeScheme(data, store.choice.color);
		const [first, end] = this.timeShown();
		const [from, to] = this.view.timeShown();
		this.scale = new TimeScale(from, to, this.plot.width, gapsShown(this.view.gaps(), from, to, this.plot.width));
		const ratio = devicePixelRatio || 1;
		const isStressed = this.isStressed();
		const cell = Math.max(Math.round(cellSize(data.count) * ratio), 1);
		this.raster = rasterize(data, axis.bands, {first, end, width: this.plot.width, height: this.plot.height,
			pieces: this.scale.piecesIn(data.unitNs),
			rows: this.rows, isStressed}, this.scheme, this.marksShown(), cell / ratio, this.raster);
		drawRows(this, context);
		drawTimeAxis(this, context);
		drawBreaks(this, context);
		const inks = this.scheme.colors.map((pair) => pair[Number(isDark())]);
		const colors = isStressed ? [...inks.map((ink) => mixColors(ink, token('band-odd'), PALE)), ...inks] : inks;
		context.save();
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.beginPath();
		context.rect(this.plot.x * ratio, this.plot.y * ratio, this.plot.width * ratio, this.plot.height * ratio);
		context.clip();
		paintRaster(context, this.raster, cell, colors, token('ghost'), [token('around'), token('ahead')], Math.round(this.plot.x * ratio), Math.round(this.plot.y * ratio));
		context.restore();
		drawMajor(this, context);
		drawPhases(this, context);
		if (this.strip && this.strip.width > 0)
			drawStrip(this, context);
		if (this.bars && this.bars.width > 0)
			drawBars(this, context);
		this.describe();
		this.drawOverlay(null);
	}

	/** Whether some marks stand out from the others. */
	isStressed() {
		return false;
	}

	/** By entry: 0 where filters leave it out, 2 where it stands out. @returns {Uint8Array} */
	marksShown() {
		return selectedMarks(this.data, this.store);
	}

	/** The parts of @row that have no page in the file of this timeline. @param {Row} _row @returns {[number, number][]} */
	emptyParts(_row) {
		return [];
	}

	/** @param {number} time in units of the trace */
	xOfTime(time) {
		return this.plot.x + this.scale.place(time * this.data.unitNs);
	}

	/** The part of the time shown, but for gaps, that lies left of @x of the canvas. @param {number} x */
	busyPart(x) {
		const [first, end] = this.view.busyShown();
		return (busyOf(this.view.gaps(), this.scale.timeAt(x - this.plot.x)) - first) / (end - first || 1);
	}

	/** What the picture leaves out, in words. */
	gapsText() {
		const {gaps} = this.scale;
		return gaps.length === 0 ? '' : `${timeText(gaps.reduce((sum, [from, to]) => sum + to - from, 0))} without faults left out. `;
	}

	/** Say in words what the picture shows. */
	describe() {
		const {data, store, raster} = this;
		if (!raster)
			return;
		const [first, end] = this.timeShown();
		const top = this.rows.filter((row) => row.kind !== BAND_BESIDE && row.faults > 0)
			.sort((a, b) => b.faults - a.faults).slice(0, 3)
			.map((row) => `${shortName(row.label)} ${nounText(row.faults, 'fault')}`);
		const name = shortName(objectName(data, store.choice.object));
		this.canvas.setAttribute('aria-label', `Timeline of the page faults of ${name}, by time and place in the file. `
			+ `${nounText(raster.shown, 'fault')} shown, from ${timeText(first * data.unitNs)} to ${timeText(end * data.unitNs)}. ${this.gapsText()}`
			+ (top.length ? `Most: ${top.join(', ')}. ` : '') + 'The tables below have the same numbers.');
		const {place: range} = this.view.store.choice;
		const place = range ? `, ${sizeText((range[1] - range[0]) * data.header.page_size)} of the file` : '';
		this.hint.textContent = `${nounText(raster.shown, 'fault')} in ${timeText((end - first) * data.unitNs)}${place}. ${this.gapsText()}`
			+ (matchMedia('(pointer: coarse)').matches
				? 'Drag to move through time, two fingers zoom; tap a mark for its details, a section’s name to filter.'
				: 'Drag to zoom, wheel zooms time, Shift+wheel the file; click a mark for its details, a section’s name to filter.')
			+ (data.columns.read_entry.length ? ' Green areas: pages read from storage.' : '');
	}

	/** What moves without the faults being drawn again. @param {Box | null} drag */
	drawOverlay(drag) {
		const width = Math.max(this.frame.clientWidth, 280);
		const context = this.contextOf(this.overlay, width, this.canvas.height / (devicePixelRatio || 1));
		const {fault} = this.store.choice;
		const spot = fault === null ? null : this.spotOf(fault);
		if (spot) {
			context.strokeStyle = token('accent');
			context.lineWidth = 2;
			context.beginPath();
			context.arc(spot.x, spot.y, 8, 0, 2 * Math.PI);
			context.stroke();
		}
		if (drag) {
			context.fillStyle = token('accent');
			context.globalAlpha = 0.18;
			context.fillRect(drag.x, drag.y, drag.width, drag.height);
			context.globalAlpha = 1;
			context.strokeStyle = token('accent');
			context.strokeRect(drag.x, drag.y, drag.width, drag.height);
		}
	}

	/** Where entry @i is drawn; null: it is not. @param {number} i */
	spotOf(i) {
		const {axis, plot} = this;
		if (!axis || i >= this.data.count)
			return null;
		const {bands} = axis;
		const band = bands.bandOf[i];
		const row = this.rows.find((each) => band >= each.firstBand && band < each.endBand);
		const x = this.xOfTime(this.data.time[i] + 0.5);
		if (!row || x < plot.x || x > plot.x + plot.width)
			return null;
		const part = (bands.items[band].first + bands.at[i] - row.first) / (row.end - row.first);
		return part < 0 || part > 1 ? null : {x, y: plot.y + row.top + row.height * part};
	}

	// ---- Pointing ----

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
		if (!labels || !strip || y < plot.y || y > plot.y + plot.height)
			return '';
		if (x >= plot.x && x <= plot.x + plot.width)
			return 'plot';
		if (x >= labels.x && x < plot.x)
			return 'label';
		return x >= strip.x && x < strip.x + strip.width ? 'strip' : '';
	}

	/** @param {number} x @param {number} y of the canvas @param {PointerEvent} event */
	point(x, y, event) {
		const part = this.partAt(x, y);
		const row = this.rowAt(y);
		this.canvas.style.cursor = part === 'plot' ? 'crosshair' : part === 'label' && row?.section ? 'pointer' : 'default';
		const where = part === 'plot' ? this.cellAt(x, y, 8) : -1;
		if (where >= 0 && this.raster) {
			const lines = faultLines(this.data, this.raster.entry[where] - 1);
			showTooltip(this.raster.faults[where] > 1 ? [...lines, firstText(this.raster, where)] : lines, event.clientX, event.clientY);
		} else if (part === 'label' && row) {
			showTooltip([shortName(row.label), `${nounText(row.faults, 'fault')} in all`
				+ (row.kind === BAND_BESIDE ? '' : `, ${sizeText((row.end - row.first) * this.data.header.page_size)}`),
			row.section ? 'click to show only these' : ''].filter(Boolean), event.clientX, event.clientY);
		} else {
			hideTooltip();
		}
	}

	/** @param {number} x @param {number} y of the canvas @param {boolean} isTouch fingers point less exactly */
	click(x, y, isTouch) {
		const part = this.partAt(x, y);
		const where = part === 'plot' ? this.cellAt(x, y, isTouch ? 20 : 8) : -1;
		const row = this.rowAt(y);
		if (part === 'plot')
			this.store.set({fault: where >= 0 && this.raster ? this.raster.entry[where] - 1 : null});
		else if (part === 'label' && row?.section && (row.kind === BAND_FILE || row.kind === BAND_BSS))
			this.store.toggle('section', row.section);
	}

	/** Show what the dragged @box encloses; a flat one leaves the place as it is. @param {Box} box */
	zoomTo(box) {
		const {plot} = this;
		const timeAt = (/** @type {number} */ x) => this.scale.timeAt(x - plot.x);
		const low = pageAtY(this.rows, box.y - plot.y);
		const high = pageAtY(this.rows, box.y + box.height - plot.y);
		if (box.height >= 24 && box.height < plot.height * 0.9 && low !== null && high !== null && high > low)
			this.view.setPlace(low, high);
		if (box.width >= 8)
			this.view.setTime(timeAt(box.x), timeAt(box.x + box.width));
	}
}

/** A timeline that shares its view with no other. @param {Data} data @param {Store} store @param {HTMLElement} element */
export function ownTimeline(data, store, element) {
	/** @type {Axis | null} */
	let axis = null;
	let axisObject = -1;
	return new Timeline(data, store, element, new View(store, () => spanOf(data), () => data.header.faults.gaps), () => {
		if (!axis || axisObject !== store.choice.object)
			axis = fileAxis(data, store.choice.object);
		axisObject = store.choice.object;
		return axis;
	}).start();
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeTimeline(data, store, element) {
	const timeline = ownTimeline(data, store, element);
	element.querySelector('h2')?.after(timeline.view.makeTools());
	listenForKeys(() => timeline.view, store, () => timeline, [timeline]);
}
