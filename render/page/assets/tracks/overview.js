// SPDX-License-Identifier: Apache-2.0
// The whole time of the command in one lane, what its end waited for; a part of it is brushed to be shown below.
import {contextOf} from './fittext.js';
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

/** Its element, and what draws it anew where something in it changed. @param {TrackPicture} tracks */
export function makeOverview(tracks) {
	const {view, sides, store} = tracks;
	/** What to draw of each thread, by side. */
	const steps = sides.map(({data, processes}) => criticalSteps(data, processes));
	const height = steps.length > 1 ? SIDE_HEIGHT * steps.length + 1 : OVERVIEW_HEIGHT;
	const lane = make('canvas', {class: 'overview-lane', 'aria-hidden': 'true'});
	const range = make('canvas', {class: 'overview-range', 'aria-hidden': 'true', title: 'Drag to show a part of the time, double-click to show all'});
	const element = make('div', {class: 'overview'}, lane, range);
	element.style.height = `${height}px`;
	/** Where the brush began and where it is, in pixels of the canvas. @type {{from: number, to: number} | null} */
	let brush = null;
	let scale = new TimeScale(0, 1, 1, []);
	/** Of what the lane was drawn. */
	let drawn = '';

	/** What is shown below, or brushed, over the lane. */
	const drawRange = () => {
		const {plot} = tracks;
		const context = contextOf(range, lane.width / (devicePixelRatio || 1), height);
		const ends = brush ? [Math.min(brush.from, brush.to), Math.max(brush.from, brush.to)] : view.timeShown().map((time) => plot.x + scale.place(time));
		const [left, right] = ends.map((x) => Math.min(Math.max(x, plot.x), plot.x + plot.width));
		context.fillStyle = token('paper');
		context.globalAlpha = 0.6;
		context.fillRect(plot.x, 0, left - plot.x, height);
		context.fillRect(right, 0, plot.x + plot.width - right, height);
		context.globalAlpha = 1;
		context.strokeStyle = token('accent');
		context.lineWidth = 2;
		context.strokeRect(left + 1, 1, Math.max(right - left - 2, 1), height - 2);
	};

	const drawLane = (/** @type {number} */ width, /** @type {Gap[]} */ gaps) => {
		const {plot} = tracks;
		const [first, end] = view.span();
		scale = new TimeScale(first, end, plot.width, gaps);
		const context = contextOf(lane, width, height);
		for (const {data, store: {ownTime: own}, choosing, index} of sides) {
			const sideScale = new TimeScale(own(first), own(end), plot.width, gaps.map(([from, to]) => [own(from), own(to)]));
			if (choosing)
				drawSteps({data, plot, scale: sideScale}, context, {y: 1 + index * SIDE_HEIGHT, height: height / sides.length - 3}, steps[index], choosing);
		}
		context.fillStyle = token('soft');
		context.textAlign = 'right';
		context.fillText(timeText(end - first), plot.x - 6, height / 2);
		for (const piece of scale.pieces.filter(({isGap}) => isGap)) {
			context.clearRect(plot.x + piece.place, 0, piece.length, height);
			context.fillText('…', plot.x + piece.place + piece.length / 2 + 5, height / 2);
		}
	};

	range.addEventListener('pointerdown', (event) => {
		if (event.button !== 0)
			return;
		range.setPointerCapture(event.pointerId);
		brush = {from: event.offsetX, to: event.offsetX};
	});
	range.addEventListener('pointermove', (event) => {
		if (!brush)
			return;
		brush.to = event.offsetX;
		drawRange();
	});
	range.addEventListener('pointerup', () => {
		const was = brush;
		brush = null;
		if (was && Math.abs(was.to - was.from) >= LEAST_BRUSH)
			view.setTime(scale.timeAt(Math.min(was.from, was.to) - tracks.plot.x), scale.timeAt(Math.max(was.from, was.to) - tracks.plot.x));
		else
			drawRange();
	});
	range.addEventListener('pointercancel', () => {
		brush = null;
		drawRange();
	});
	range.addEventListener('dblclick', () => store.set({time: null}));
	return {element, draw: (/** @type {number} */ width) => {
		const gaps = gapsWithin(view.gaps(), ...view.span());
		const {filter, search, process, ownScales} = store.choice;
		const key = JSON.stringify([width, gaps.length, filter, search, process, ownScales, isDark(), devicePixelRatio]);
		if (key !== drawn)
			drawLane(width, gaps);
		drawn = key;
		drawRange();
	}};
}
