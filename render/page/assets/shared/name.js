// SPDX-License-Identifier: Apache-2.0
// Names of any length on one line: what does not fit is left out in the middle, since the ends of
// names tell most. The whole text stays in the page, for copying, searching and reading aloud.
import {make, visibleText} from './dom.js';

/** Characters at the end that always stay in sight. */
const TAIL = 14;

/** Titles longer than this help nobody. */
const TITLE = 2000;

/** @param {string} name @returns {HTMLElement} */
export function elidedName(name) {
	const text = visibleText(name);
	let cut = text.length > 2 * TAIL ? text.length - TAIL : text.length;
	// Not within a character of two units.
	if (cut < text.length && (text.charCodeAt(cut) & 0xfc00) === 0xdc00)
		cut--;
	return make('span', {class: 'name', title: text.length > TITLE ? text.slice(0, TITLE) + '…' : text},
		make('span', {class: 'name-head'}, text.slice(0, cut)),
		cut < text.length ? make('span', {class: 'name-tail'}, text.slice(cut)) : null);
}
