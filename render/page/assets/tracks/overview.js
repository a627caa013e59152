// SPDX-License-Identifier: Apache-2.0
// The whole time of the command in one lane, what its end waited for; a part of it is brushed to be shown below.
import {drawSteps} from './lanes.js';
import {criticalSteps} from './processes.js';
import {make} from '../shared/dom.js';
import {timeText} from '../shared/format.js';
import {isDark, token} from '../shared/theme.js';
import {TimeScale, gapsWithin} from './timescale.js';

/** Of the whole, and of each of two sides. */
const OVERVIEW_HEIGHT = 16;
const SIDE_HEIGHT = 12;
/** A brush that is narrower is a click, in pixels. */
const LEAST_BRUSH = 3;

export class Overview {
	constructor(/** @type {TrackPicture} */ tracks) {
		this.tracks = tracks;
		/** What to draw of each thread, by side. */
		this.steps = tracks.sides.map(({data, processes}) => criticalSteps(data, processes));
		this.height = this.steps.length > 1 ? SIDE_HEIGHT * this.steps.length + 1 : OVERVIEW_HEIGHT;
		/** Where the brush began and where it is, in pixels of the canvas. @type {{from: number, to: number} | null} */
		this.brush = null;
		this.scale = new TimeScale(0, 1, 1, []);
		this.lane = make('canvas', {class: 'overview-lane', 'aria-hidden': 'true'});
		this.canvas = make('canvas', {class: 'overview-range', 'aria-hidden': 'true', title: 'Drag to show a part of the time, double-click to show all'});
		this.element = make('div', {class: 'overview'}, this.lane, this.canvas);
		this.element.style.height = `${this.height}px`;
		/** Of what the lane was drawn. */
		this.key = '';
		const {canvas} = this;
		canvas.addEventListener('pointerdown', (event) => {
			if (event.button !== 0)
				return;
			canvas.setPointerCapture(event.pointerId);
			this.brush = {from: event.offsetX, to: event.offsetX};
		});
		canvas.addEventListener('pointermove', (event) => {
			if (!this.brush)
				return;
			this.brush.to = event.offsetX;
			this.drawRange();
		});
		canvas.addEventListener('pointerup', () => this.endBrush());
		canvas.addEventListener('pointercancel', () => {
			this.brush = null;
			this.drawRange();
		});
		canvas.addEventListener('dblclick', () => tracks.store.set({time: null}));
	}

	endBrush() {
		const {brush, tracks: {plot, view}} = this;
		this.brush = null;
		if (brush && Math.abs(brush.to - brush.from) >= LEAST_BRUSH)
			view.setTime(this.scale.timeAt(Math.min(brush.from, brush.to) - plot.x), this.scale.timeAt(Math.max(brush.from, brush.to) - plot.x));
		else
			this.drawRange();
	}

	/** Draw the lane anew if something in it changed, and what is shown of it. @param {number} width of the tracks below it */
	draw(width) {
		const {tracks: {view, sides, plot, store: {choice}}, height} = this;
		const gaps = gapsWithin(view.gaps(), ...view.span());
		const key = JSON.stringify([width, gaps.length, choice.filter, choice.search, choice.process, choice.ownScales, isDark(), devicePixelRatio]);
		if (key !== this.key) {
			this.key = key;
			const [first, end] = view.span();
			this.scale = new TimeScale(first, end, plot.width, gaps);
			const context = this.tracks.contextOf(this.lane, width, height);
			for (const {data, store, choosing, index} of sides) {
				const own = (/** @type {number} */ time) => store.ownTime(time);
				const scale = new TimeScale(own(first), own(end), plot.width, gaps.map(([from, to]) => [own(from), own(to)]));
				if (choosing)
					drawSteps({data, plot, scale}, context, {y: 1 + index * SIDE_HEIGHT, height: height / sides.length - 3}, this.steps[index], choosing);
			}
			context.fillStyle = token('soft');
			context.textAlign = 'right';
			context.fillText(timeText(end - first), plot.x - 6, height / 2);
			for (const piece of this.scale.pieces.filter(({isGap}) => isGap)) {
				context.clearRect(plot.x + piece.place, 0, piece.length, height);
				context.fillText('…', plot.x + piece.place + piece.length / 2 + 5, height / 2);
			}
		}
		this.drawRange();
	}

	/** What is shown below, or brushed, over the lane. */
	drawRange() {
		const {canvas, brush, lane, height, tracks: {plot, view}} = this;
		const context = this.tracks.contextOf(canvas, lane.width / (devicePixelRatio || 1), height);
		const [first, end] = view.timeShown();
		const from = brush ? Math.min(brush.from, brush.to) : plot.x + this.scale.place(first);
		const to = brush ? Math.max(brush.from, brush.to) : plot.x + this.scale.place(end);
		const [left, right] = [from, to].map((x) => Math.min(Math.max(x, plot.x), plot.x + plot.width));
		context.fillStyle = token('paper');
		context.globalAlpha = 0.6;
		context.fillRect(plot.x, 0, left - plot.x, height);
		context.fillRect(right, 0, plot.x + plot.width - right, height);
		context.globalAlpha = 1;
		context.strokeStyle = token('accent');
		context.lineWidth = 2;
		context.strokeRect(left + 1, 1, Math.max(right - left - 2, 1), height - 2);
	}
}
