// SPDX-License-Identifier: Apache-2.0
// A canvas on which x is time, with another above it for what moves without the rest being drawn again.
import {make} from '../shared/dom.js';
import {timeText} from '../shared/format.js';
import {TimeScale, busyOf} from './timescale.js';

export const FONT = '11px system-ui, sans-serif';

export class Board {
	/** @param {HTMLElement} element @param {View} view the part of time and place that is shown @param {Cut[]} cuts that there are */
	constructor(element, view, cuts) {
		this.view = view;
		this.cuts = cuts;
		this.canvas = make('canvas', {class: 'picture', tabindex: '0', role: 'img'});
		this.overlay = make('canvas', {class: 'overlay', 'aria-hidden': 'true'});
		this.frame = make('div', {class: 'canvas'}, this.canvas, this.overlay);
		element.append(this.frame);
		/** Where time is drawn. @type {Box} */
		this.plot = {x: 0, y: 0, width: 1, height: 1};
		/** Of what is drawn. */
		this.scale = new TimeScale(0, 1, 1, []);
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

	/** The part of the time shown, but for gaps, that lies left of @x of the canvas. @param {number} x */
	busyPart(x) {
		const [first, end] = this.view.busyShown();
		return (busyOf(this.view.gaps(), this.scale.timeAt(x - this.plot.x)) - first) / (end - first || 1);
	}

	/** Why the gap at @time is left out, in words. @param {number} time in ns */
	gapText(time) {
		const label = this.cuts.find(([first, end]) => time >= first && time < end)?.[2] ?? '';
		return label === 'no faults' ? 'without faults' : label === 'late' ? 'waiting for a processor'
			: label === 'child outside' ? 'waiting for a child outside' : `waiting (${label})`;
	}

	/** What the picture leaves out, in words. */
	gapsText() {
		const {gaps} = this.scale;
		const reasons = [...new Set(gaps.map(([from]) => this.gapText(from)))];
		return gaps.length === 0 ? '' : `${timeText(gaps.reduce((sum, [from, to]) => sum + to - from, 0))} ${reasons.join(', ')} left out. `;
	}
}
