// SPDX-License-Identifier: Apache-2.0
// Text on a canvas that has less room than it needs.
import {shortName} from '../shared/format.js';

export const FONT = '11px system-ui, sans-serif';

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
