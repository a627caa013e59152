// SPDX-License-Identifier: Apache-2.0
// Names of any length on one line: what does not fit is left out in the middle, since the ends of
// names tell most. The whole text stays in the page, for copying, searching and reading aloud.
import {make} from './dom.js';

/** Characters at the end that always stay in sight. */
const TAIL = 14;

/** Titles longer than this help nobody. */
const TITLE = 2000;

/** What is not seen, or turns what follows around. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** @text with what cannot be seen written out: "\x1b", "\u202e". @param {string} text */
export function visibleText(text) {
	return text.replace(UNSEEN, (character) => {
		const code = character.charCodeAt(0);
		return code < 0x100 ? '\\x' + code.toString(16).padStart(2, '0') : '\\u' + code.toString(16).padStart(4, '0');
	});
}

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
