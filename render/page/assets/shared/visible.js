// SPDX-License-Identifier: Apache-2.0
// Text from files and processes as a reader can trust it: characters that are not seen, or that turn the
// direction of what follows, are written out.

/** What is not seen, or turns what follows around. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** @text with what cannot be seen written out: "\x1b", "\u202e". @param {string} text */
export function visibleText(text) {
	return text.replace(UNSEEN, (character) => {
		const code = character.charCodeAt(0);
		return code < 0x80 ? '\\x' + code.toString(16).padStart(2, '0') : '\\u' + code.toString(16).padStart(4, '0');
	});
}
