// SPDX-License-Identifier: Apache-2.0
// A canvas on which x is time, with another above it for what moves without the rest being drawn again.
import {hideTooltip} from '../shared/tooltip.js';
import {make} from '../shared/dom.js';
import {timeText} from '../shared/format.js';
import {drawOn} from '../selection/selected.js';
import {onTheme, token} from '../shared/theme.js';
import {Gestures} from './gestures.js';
import {TimeScale, busyOf, gapsWithin} from './timescale.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 * @typedef {import('./fileplot.js').FilePlot} FilePlot
 * @typedef {import('./view.js').View} View
 * @typedef {{x: number, y: number, width: number, height: number}} Box
 */

export const FONT = '11px system-ui, sans-serif';

export class Board {
	/**
	 * @param {Data} data @param {Store} store @param {HTMLElement} element
	 * @param {View} view the part of time and place that is shown
	 */
	constructor(data, store, element, view) {
		this.data = data;
		this.store = store;
		this.view = view;
		this.canvas = make('canvas', {class: 'picture', tabindex: '0', role: 'img'});
		this.overlay = make('canvas', {class: 'overlay', 'aria-hidden': 'true'});
		this.frame = make('div', {class: 'canvas'}, this.canvas, this.overlay);
		element.append(this.frame);
		/** Where time is drawn. @type {Box} */
		this.plot = {x: 0, y: 0, width: 1, height: 1};
		/** Of what is drawn. */
		this.scale = new TimeScale(0, 1, 1, []);
		this.ask = () => {};
		/** Where things are is known of what is drawn: draw what a frame is awaited for. */
		this.settle = () => {};
	}

	/** Draw, now and whenever one of @words changes. @param {string[]} words */
	startOn(words) {
		const {store} = this;
		({ask: this.ask, settle: this.settle} = drawOn(store, words, () => this.draw()));
		drawOn(store, ['fault'], () => this.drawOverlay(null));
		new ResizeObserver(() => this.ask()).observe(this.frame);
		onTheme(this.ask);
		this.gestures = new Gestures(this);
	}

	draw() {}

	/** The file's part of the picture at @_y of the canvas. @param {number} _y @returns {FilePlot | null} */
	fileAt(_y) {
		return null;
	}

	/** The one whose place is shown. @returns {FilePlot | null} */
	chosenFile() {
		return null;
	}

	/** Make @_file the one whose place is shown. @param {FilePlot} _file */
	choose(_file) {}

	/** Where a point of the canvas is; time is dragged in a 'plot'. @param {number} _x @param {number} _y @returns {string} */
	partAt(_x, _y) {
		return '';
	}

	/** @param {number} _x @param {number} _y of the canvas @param {PointerEvent} _event */
	point(_x, _y, _event) {
		hideTooltip();
	}

	/** @param {number} _x @param {number} _y of the canvas @param {boolean} _isTouch fingers point less exactly */
	click(_x, _y, _isTouch) {}

	/** Where entry @_i is drawn; null: it is not. @param {number} _i @returns {{x: number, y: number} | null} */
	spotOf(_i) {
		return null;
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

	/** Make the scale of the time shown. */
	makeScale() {
		const [from, to] = this.view.timeShown();
		this.scale = new TimeScale(from, to, this.plot.width, gapsWithin(this.view.gaps(), from, to));
		[this.scale.zero] = this.view.span();
	}

	/** The time that is shown, in units of the trace. @returns {[number, number]} */
	timeShown() {
		const [first, end] = this.view.timeShown();
		return [first / this.data.unitNs, end / this.data.unitNs];
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

	/** Why the gap at @time is left out, in words. @param {number} time in ns */
	gapText(time) {
		/** @type {[number, number, string] | undefined} */
		const cut = this.data.header.cuts.find((/** @type {[number, number, string]} */ [first, end]) => time >= first && time < end);
		const label = cut?.[2] ?? '';
		return label === 'no faults' ? 'without faults' : label === 'late' ? 'waiting for a processor'
			: label === 'child outside' ? 'waiting for a child outside' : `waiting: ${label}`;
	}

	/** What the picture leaves out, in words. */
	gapsText() {
		const {gaps} = this.scale;
		const reasons = [...new Set(gaps.map(([from]) => this.gapText(from)))];
		return gaps.length === 0 ? '' : `${timeText(gaps.reduce((sum, [from, to]) => sum + to - from, 0))} ${reasons.join(', ')} left out. `;
	}

	/** What moves without the faults being drawn again. @param {Box | null} drag */
	drawOverlay(drag) {
		const width = Math.max(this.frame.clientWidth, 280);
		const context = this.contextOf(this.overlay, width, this.canvas.height / (devicePixelRatio || 1));
		const {fault} = this.store.choice;
		const spot = fault === null ? null : this.spotOf(fault);
		context.strokeStyle = context.fillStyle = token('accent');
		if (spot) {
			context.lineWidth = 2;
			context.beginPath();
			context.arc(spot.x, spot.y, 8, 0, 2 * Math.PI);
			context.stroke();
		}
		if (drag) {
			context.globalAlpha = 0.18;
			context.fillRect(drag.x, drag.y, drag.width, drag.height);
			context.globalAlpha = 1;
			context.strokeRect(drag.x, drag.y, drag.width, drag.height);
		}
		return context;
	}

	/** Show what the dragged @box encloses; one that is flat, or not within one file, leaves the place as it is. @param {Box} box */
	zoomTo(box) {
		const {plot, view} = this;
		const file = this.fileAt(box.y);
		if (file && file === this.fileAt(box.y + box.height))
			file.zoomTo(box);
		if (box.width >= 8)
			view.setTime(this.scale.timeAt(box.x - plot.x), this.scale.timeAt(box.x + box.width - plot.x));
	}
}
