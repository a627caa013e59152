// SPDX-License-Identifier: Apache-2.0
// The box beside the pointer that says what is under it.
import {make} from './dom.js';

/** @type {HTMLElement | null} */
let box = null;

/** Show @lines beside (@x, @y) of the window; the first is the heading. @param {string[]} lines @param {number} x @param {number} y */
export function showTooltip(lines, x, y) {
	if (!box) {
		box = make('div', {id: 'tooltip', 'aria-hidden': 'true'});
		document.body.append(box);
	}
	box.replaceChildren(...lines.map((line, i) => make(i === 0 ? 'strong' : 'span', {}, line)));
	box.hidden = false;
	const {width, height} = box.getBoundingClientRect();
	const left = x + 14 + width > innerWidth ? x - 14 - width : x + 14;
	const top = y + 14 + height > innerHeight ? y - 14 - height : y + 14;
	box.style.left = `${Math.max(left, 4)}px`;
	box.style.top = `${Math.max(top, 4)}px`;
}

export function hideTooltip() {
	if (box)
		box.hidden = true;
}
