// SPDX-License-Identifier: Apache-2.0
// Canvases to draw on, and text that has less room than it needs.
import {shortName} from '../shared/format.js';

export const FONT = '11px system-ui, sans-serif';

/** @canvas made as large as given, in pixels of the page, and cleared. @param {HTMLCanvasElement} canvas @param {number} width @param {number} height @returns {CanvasRenderingContext2D} */
export function contextOf(canvas, width, height) {
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

/** As much of @text as @width has room for. @param {CanvasRenderingContext2D} context @param {string} text @param {number} width */
export function fitText(context, text, width) {
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
