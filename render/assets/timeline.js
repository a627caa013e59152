// SPDX-License-Identifier: Apache-2.0
// The timeline: x is time, y the place in the file by sections, one mark a fault.
import {BAND_BESIDE, BAND_BSS, BAND_FILE, makeBands, makeRows, pageAtY, yOfPage} from './bands.js';
import {faultLines, shortName} from './describe.js';
import {make} from './dom.js';
import {countText, nounText, percentText, sizeText, timeText} from './format.js';
import {Gestures} from './gestures.js';
import {listenForKeys} from './keys.js';
import {drawPages, makePages} from './pages.js';
import {makeScheme} from './palette.js';
import {findPhases, initializerSpans} from './phases.js';
import {paintRaster, rasterize} from './raster.js';
import {sizeTicks, timeTicks} from './scale.js';
import {SELECTING, drawOn, selectedMarks} from './selected.js';
import {isDark, onTheme, token} from './theme.js';
import {hideTooltip, showTooltip} from './tooltip.js';
import {objectName} from './words.js';

/**
 * @typedef {import('./data.js').Data} Data
 * @typedef {import('./store.js').Store} Store
 * @typedef {import('./bands.js').Bands} Bands
 * @typedef {import('./bands.js').Row} Row
 * @typedef {import('./pages.js').Pages} Pages
 * @typedef {import('./raster.js').Raster} Raster
 * @typedef {import('./palette.js').Scheme} Scheme
 * @typedef {{x: number, y: number, width: number, height: number}} Box
 */

const PHASE_HEIGHT = 20;
const INIT_HEIGHT = 15;
const AXIS_HEIGHT = 24;
const FONT = '11px system-ui, sans-serif';
const BOLD = 'bold ' + FONT;
/** Neither time nor place can be zoomed in further. */
const LEAST_NS = 2000;
const LEAST_PAGES = 2;

/** Cells that many marks need not share, in pixels of the page. @param {number} faults */
function cellSize(faults) {
	return faults < 20000 ? 4 : faults < 200000 ? 3 : 2;
}

/** As much of @text as @width has room for. @param {CanvasRenderingContext2D} context @param {string} text @param {number} width */
function fitText(context, text, width) {
	const whole = shortName(text);
	if (context.measureText(whole).width <= width)
		return whole;
	let low = 0;
	let high = whole.length;
	while (low < high - 1) {
		const middle = low + high >> 1;
		if (context.measureText(whole.slice(0, middle) + '…').width <= width)
			low = middle;
		else
			high = middle;
	}
	return low > 0 ? whole.slice(0, low) + '…' : '';
}

export class Timeline {
	/** @param {Data} data @param {Store} store @param {HTMLElement} element */
	constructor(data, store, element) {
		this.data = data;
		this.store = store;
		this.canvas = make('canvas', {class: 'picture', tabindex: '0', role: 'img'});
		this.overlay = make('canvas', {class: 'overlay', 'aria-hidden': 'true'});
		this.frame = make('div', {class: 'canvas'}, this.canvas, this.overlay);
		this.hint = make('p', {class: 'muted hint'});
		element.append(this.frame, this.hint);
		element.querySelector('h2')?.after(this.makeTools());
		/** All times there are, in units of the trace. */
		this.span = [0, 1];
		if (data.count > 0)
			this.span = [data.time[0], data.time[data.count - 1] + 1];
		/** @type {number | null} */
		this.object = null;
		/** What phases were found for. */
		this.phaseKey = '';
		/** @type {Row[]} */
		this.rows = [];
		/** @type {Raster | null} */
		this.raster = null;
		/** @type {Box} */
		this.plot = {x: 0, y: 0, width: 1, height: 1};
		this.initializers = initializerSpans(data);
		this.ask = drawOn(store, [...SELECTING, 'object', 'color', 'time', 'place'], () => this.draw());
		drawOn(store, ['fault'], () => this.drawOverlay(null));
		new ResizeObserver(() => this.ask()).observe(this.frame);
		onTheme(this.ask);
		this.gestures = new Gestures(this);
	}

	/** Buttons for what wheel, drag and keys do. */
	makeTools() {
		const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ act) =>
			make('button', {type: 'button', class: 'button', 'aria-label': label, title: label, click: act}, text);
		return make('div', {class: 'tools', role: 'group', 'aria-label': 'Time and place shown'},
			button('+', 'Zoom in', () => this.zoomTime(0.5, 0.5)),
			button('−', 'Zoom out', () => this.zoomTime(2, 0.5)),
			button('←', 'Earlier', () => this.panTime(-0.25)),
			button('→', 'Later', () => this.panTime(0.25)),
			button('↑', 'Towards the start of the file', () => this.panPlace(-0.25)),
			button('↓', 'Towards the end of the file', () => this.panPlace(0.25)),
			button('Show all', 'Show all of time and file (0)', () => this.showAll()));
	}

	// ---- What is shown ----

	/** The time that is shown, in units of the trace. @returns {[number, number]} */
	timeShown() {
		const {time} = this.store.choice;
		return time ? [time[0] / this.data.unitNs, time[1] / this.data.unitNs]
			: [this.span[0], this.span[1]];
	}

	/** @param {number} first @param {number} end in units of the trace */
	setTime(first, end) {
		const least = LEAST_NS / this.data.unitNs;
		const width = Math.min(Math.max(end - first, least), this.span[1] - this.span[0]);
		const from = Math.min(Math.max(first, this.span[0]), this.span[1] - width);
		const isAll = width >= this.span[1] - this.span[0];
		this.store.set({time: isAll ? null : [Math.round(from * this.data.unitNs), Math.round((from + width) * this.data.unitNs)]});
	}

	/** Scale the time shown by @factor, around @at of its width. @param {number} factor @param {number} at */
	zoomTime(factor, at) {
		const [first, end] = this.timeShown();
		const fixed = first + (end - first) * at;
		this.setTime(fixed - (fixed - first) * factor, fixed + (end - fixed) * factor);
	}

	/** @param {number} part of the width */
	panTime(part) {
		const [first, end] = this.timeShown();
		this.setTime(first + (end - first) * part, end + (end - first) * part);
	}

	/** @returns {[number, number]} */
	placeShown() {
		return this.store.choice.place || [0, this.pageCount()];
	}

	pageCount() {
		return this.pages ? this.pages.states.length : 0;
	}

	/** @param {number} first @param {number} end pages of the file */
	setPlace(first, end) {
		const count = this.pageCount();
		if (count === 0)
			return;
		const width = Math.min(Math.max(end - first, LEAST_PAGES), count);
		const from = Math.min(Math.max(first, 0), count - width);
		this.store.set({place: width >= count ? null : [from, from + width]});
	}

	/** The same for the place; in, to what is seen around @y of the plot. @param {number} factor @param {number} y */
	zoomPlace(factor, y) {
		const [first, end] = this.placeShown();
		const at = pageAtY(this.rows, y) ?? (first + end) / 2;
		const low = factor < 1 ? pageAtY(this.rows, y - y * factor) ?? first : at - (at - first) * factor;
		const fileEnd = yOfPage(this.rows, end);
		const high = factor < 1 ? pageAtY(this.rows, y + (fileEnd - y) * factor) ?? end : at + (end - at) * factor;
		this.setPlace(Math.min(low, high), Math.max(low, high));
	}

	/** @param {number} part of what is shown */
	panPlace(part) {
		const [first, end] = this.placeShown();
		this.setPlace(first + (end - first) * part, end + (end - first) * part);
	}

	showAll() {
		this.store.set({time: null, place: null});
	}

	// ---- Drawing ----

	/** What depends on the object and the process alone. */
	prepare() {
		const {object, process} = this.store.choice;
		if (this.object !== object) {
			this.object = object;
			this.pages = makePages(this.data, object);
			this.bands = makeBands(this.data, object, this.pages);
			this.phaseKey = '';
		}
		const key = `${process}`;
		if (this.phaseKey !== key) {
			this.phaseKey = key;
			this.phases = findPhases(this.data, object, process);
		}
	}

	/** Sizes in pixels of the page. */
	measure() {
		const width = Math.max(this.frame.clientWidth, 280);
		const height = Math.round(Math.min(Math.max(innerHeight * 0.72, 430), 760));
		const hasStrip = width >= 760 && this.pageCount() > 0;
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
		this.prepare();
		const {data, store, bands, pages} = this;
		if (!bands || !pages)
			return;
		const {width, height} = this.measure();
		const context = this.contextOf(this.canvas, width, height);
		this.rows = makeRows(bands, pages, store.choice.place, this.plot.height);
		this.scheme = makeScheme(data, store.choice.color);
		const [first, end] = this.timeShown();
		const ratio = devicePixelRatio || 1;
		const marks = selectedMarks(data, store);
		const cell = Math.max(Math.round(cellSize(data.count) * ratio), 1);
		this.raster = rasterize(data, bands, {first, end, width: this.plot.width, height: this.plot.height,
			rows: this.rows}, this.scheme, marks, cell / ratio, this.raster);
		this.drawRows(context);
		this.drawTimeAxis(context);
		const theme = Number(isDark());
		context.save();
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.beginPath();
		context.rect(this.plot.x * ratio, this.plot.y * ratio, this.plot.width * ratio, this.plot.height * ratio);
		context.clip();
		paintRaster(context, this.raster, cell, this.scheme.colors.map((pair) => pair[theme]),
			token('ghost'), token('around'), Math.round(this.plot.x * ratio), Math.round(this.plot.y * ratio));
		context.restore();
		this.drawMajor(context);
		this.drawPhases(context);
		if (this.strip && this.strip.width > 0)
			this.drawStrip(context);
		if (this.bars && this.bars.width > 0)
			this.drawBars(context);
		this.describe();
		this.drawOverlay(null);
	}

	/** @param {CanvasRenderingContext2D} context */
	drawRows(context) {
		const {labels, plot} = this;
		if (!labels)
			return;
		const most = Math.max(...this.rows.filter((row) => row.kind === BAND_FILE).map((row) => row.faults));
		this.rows.forEach((row, i) => {
			context.fillStyle = token(i % 2 ? 'band-odd' : 'band-even');
			context.fillRect(labels.x, labels.y + row.top, labels.width + plot.width, row.height);
			if (row.height < 9)
				return;
			const isMost = row.kind === BAND_FILE && row.faults === most && most > 0;
			context.font = isMost ? BOLD : FONT;
			context.fillStyle = token(row.kind === BAND_BESIDE || row.faults === 0 ? 'soft' : 'ink');
			context.textAlign = 'right';
			context.fillText(fitText(context, row.label, labels.width - 8), labels.x + labels.width - 6,
				labels.y + row.top + row.height / 2);
		});
		context.font = FONT;
	}

	/** @param {CanvasRenderingContext2D} context */
	drawTimeAxis(context) {
		const {plot} = this;
		const [first, end] = this.timeShown();
		const unit = this.data.unitNs;
		context.textAlign = 'center';
		context.fillStyle = token('soft');
		context.strokeStyle = token('line');
		for (const tick of timeTicks(first * unit, end * unit, Math.max(plot.width / 110, 2))) {
			const x = Math.round(this.xOfTime(tick.value / unit)) + 0.5;
			context.beginPath();
			context.moveTo(x, plot.y);
			context.lineTo(x, plot.y + plot.height + 4);
			context.stroke();
			const half = context.measureText(tick.label).width / 2;
			context.fillText(tick.label, Math.min(Math.max(x, plot.x + half), plot.x + plot.width - half),
				plot.y + plot.height + 14);
		}
	}

	/** @param {number} time in units of the trace */
	xOfTime(time) {
		const [first, end] = this.timeShown();
		return this.plot.x + (time - first) / (end - first) * this.plot.width;
	}

	/** @param {CanvasRenderingContext2D} context */
	drawMajor(context) {
		const {raster, plot} = this;
		if (!raster)
			return;
		const {cell} = raster;
		context.strokeStyle = token('ink');
		context.lineWidth = 1;
		context.beginPath();
		for (let where = 0; where < raster.major.length; where++)
			if (raster.major[where])
				context.rect(plot.x + where % raster.columns * cell - 0.5,
					plot.y + Math.floor(where / raster.columns) * cell - 0.5, cell + 1, cell + 1);
		context.stroke();
	}

	/** A labelled stretch of time above the plot. @param {CanvasRenderingContext2D} context @param {number} first @param {number} end @param {number} y @param {number} height @param {string[]} labels the first that fits is shown @param {string} fill */
	drawSpan(context, first, end, y, height, labels, fill) {
		const {plot} = this;
		const left = Math.max(this.xOfTime(first), plot.x);
		const right = Math.min(this.xOfTime(end), plot.x + plot.width);
		if (right < plot.x || left > plot.x + plot.width)
			return;
		context.fillStyle = fill;
		context.fillRect(left, y, Math.max(right - left, 1), height - 1);
		const room = right - left - 6;
		const text = labels.find((label) => context.measureText(label).width <= room)
			?? fitText(context, labels[labels.length - 1], room);
		context.fillStyle = token('ink');
		context.textAlign = 'center';
		if (text.length > 3)
			context.fillText(text, (left + right) / 2, y + height / 2);
	}

	/** @param {CanvasRenderingContext2D} context */
	drawPhases(context) {
		const {plot, phases, labels} = this;
		if (!phases || !labels)
			return;
		const unit = this.data.unitNs;
		context.textAlign = 'right';
		context.fillStyle = token('soft');
		if (phases.length > 0)
			context.fillText('phases', plot.x - 6, PHASE_HEIGHT / 2);
		if (this.initializers.length > 0)
			context.fillText('initializers of', plot.x - 6, PHASE_HEIGHT + INIT_HEIGHT / 2 - 1);
		phases.forEach((span, i) => {
			this.drawSpan(context, span.first, span.end, 0, PHASE_HEIGHT,
				[`${span.name} ${timeText((span.end - span.first) * unit)}`, span.name], token(i % 2 ? 'phase-odd' : 'phase-even'));
			const x = Math.round(this.xOfTime(span.first)) + 0.5;
			if (i === 0 || x < plot.x || x > plot.x + plot.width)
				return;
			context.strokeStyle = token('soft');
			context.setLineDash([2, 3]);
			context.beginPath();
			context.moveTo(x, 0);
			context.lineTo(x, plot.y + plot.height);
			context.stroke();
			context.setLineDash([]);
		});
		this.initializers.forEach((span, i) => {
			this.drawSpan(context, span.first, span.end, PHASE_HEIGHT, INIT_HEIGHT - 1,
				[shortName(objectName(this.data, span.object))], token(i % 2 ? 'phase-odd' : 'phase-even'));
		});
	}

	/** The whole file to scale, and how its places spread over the rows. @param {CanvasRenderingContext2D} context */
	drawStrip(context) {
		const {strip, labels, pages} = this;
		if (!strip || !labels || !pages)
			return;
		const count = pages.states.length;
		const {page_size: pageSize} = this.data.header;
		const yOf = (/** @type {number} */ page) => strip.y + page / count * strip.height;
		this.rows.forEach((row, i) => {
			if (row.kind !== BAND_FILE)
				return;
			context.fillStyle = token(i % 2 ? 'band-odd' : 'band-even');
			context.beginPath();
			context.moveTo(strip.x + strip.width, yOf(row.first));
			context.lineTo(labels.x, labels.y + row.top);
			context.lineTo(labels.x, labels.y + row.top + row.height);
			context.lineTo(strip.x + strip.width, yOf(row.end));
			context.fill();
		});
		drawPages(context, pages, 0, count, strip, ['page-cold', 'page-around', 'page-faulted', 'page-written'].map(token), true);
		context.strokeStyle = token('line');
		context.strokeRect(strip.x + 0.5, strip.y + 0.5, strip.width - 1, strip.height - 1);
		const {place} = this.store.choice;
		if (place) {
			context.strokeStyle = token('accent');
			context.lineWidth = 2;
			context.strokeRect(strip.x, yOf(place[0]), strip.width, Math.max(yOf(place[1]) - yOf(place[0]), 2));
			context.lineWidth = 1;
		}
		context.textAlign = 'right';
		context.fillStyle = token('soft');
		context.fillText('the file', strip.x + strip.width, strip.y - 8);
		for (const tick of sizeTicks(0, count * pageSize, strip.height / 60)) {
			const y = yOf(tick.value / pageSize);
			if (y < strip.y + strip.height - 4)
				context.fillText(tick.label, strip.x - 4, Math.max(y, strip.y + 5));
		}
	}

	/** How many faults each row has in the time shown, by colour. @param {CanvasRenderingContext2D} context */
	drawBars(context) {
		const {bars, raster, scheme} = this;
		if (!bars || !raster || !scheme)
			return;
		const theme = Number(isDark());
		const groupCount = raster.groupCount;
		const rows = this.rows.map((row) => {
			const groups = new Array(groupCount).fill(0);
			for (let b = row.firstBand; b < row.endBand; b++)
				for (let group = 0; group < groupCount; group++)
					groups[group] += raster.bandGroups[b * groupCount + group];
			return {row, groups, faults: groups.reduce((sum, each) => sum + each, 0)};
		});
		const most = Math.max(...rows.filter(({row}) => row.kind !== BAND_BESIDE).map(({faults}) => faults), 1);
		const own = rows.reduce((sum, {row, faults}) => sum + (row.kind === BAND_BESIDE ? 0 : faults), 0);
		context.textAlign = 'left';
		context.fillStyle = token('soft');
		context.fillText('faults', bars.x + 4, bars.y - 8);
		for (const {row, groups, faults} of rows) {
			if (row.height < 9 || faults === 0)
				continue;
			const y = bars.y + row.top + row.height / 2;
			let x = bars.x + 4;
			if (row.kind !== BAND_BESIDE)
				groups.forEach((count, group) => {
					const part = 62 * count / most;
					context.fillStyle = scheme.colors[group]?.[theme] || token('ghost');
					context.fillRect(x, y - 5, part, 10);
					x += part;
				});
			context.textAlign = 'right';
			context.fillStyle = token(row.kind === BAND_BESIDE ? 'soft' : 'ink');
			context.fillText(countText(faults), bars.x + 118, y);
			if (row.kind !== BAND_BESIDE)
				context.fillText(percentText(faults, own), bars.x + 166, y);
		}
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
			+ `${nounText(raster.shown, 'fault')} shown, from ${timeText(first * data.unitNs)} to ${timeText(end * data.unitNs)}. `
			+ (top.length ? `Most: ${top.join(', ')}. ` : '') + 'The tables below have the same numbers.');
		const place = store.choice.place
			? `, ${sizeText((store.choice.place[1] - store.choice.place[0]) * data.header.page_size)} of the file` : '';
		this.hint.textContent = `${nounText(raster.shown, 'fault')} in ${timeText((end - first) * data.unitNs)}${place}. `
			+ (matchMedia('(pointer: coarse)').matches
				? 'Drag to move through time, two fingers zoom; tap a mark for its details, a section’s name to filter.'
				: 'Drag to zoom, wheel zooms time, Shift+wheel the file; click a mark for its details, a section’s name to filter.');
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
		const {bands, plot} = this;
		if (!bands || i >= this.data.count)
			return null;
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
			const more = this.raster.faults[where];
			showTooltip(more > 1 ? [...lines, `the first of ${countText(more)} faults here`] : lines, event.clientX, event.clientY);
		} else if (part === 'label' && row) {
			showTooltip([shortName(row.label), `${nounText(row.faults, 'fault')} in all`
				+ (row.kind === BAND_BESIDE ? '' : `, ${sizeText((row.end - row.first) * this.data.header.page_size)}`),
			row.section ? 'click to see only these' : ''].filter(Boolean), event.clientX, event.clientY);
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
		const [first, end] = this.timeShown();
		const timeAt = (/** @type {number} */ x) => first + (x - plot.x) / plot.width * (end - first);
		const low = pageAtY(this.rows, box.y - plot.y);
		const high = pageAtY(this.rows, box.y + box.height - plot.y);
		if (box.height >= 24 && box.height < plot.height * 0.9 && low !== null && high !== null && high > low)
			this.setPlace(low, high);
		if (box.width >= 8)
			this.setTime(timeAt(box.x), timeAt(box.x + box.width));
	}
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeTimeline(data, store, element) {
	const timeline = new Timeline(data, store, element);
	listenForKeys(timeline);
}
