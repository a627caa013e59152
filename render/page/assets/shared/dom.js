// SPDX-License-Identifier: Apache-2.0
// Making elements. Text becomes text nodes only, so that no name of a trace can become markup, and as a reader can trust it:
// characters that are not seen, or that turn the direction of what follows, are written out.
// Names of any length stand on one line: what does not fit is left out in the middle, since the ends of names tell most. The whole
// text stays in the page, for copying, searching and reading aloud.

/** What is not seen, or turns what follows around. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** @text with what cannot be seen written out: "\x1b", "\u202e". @param {string} text */
export function visibleText(text) {
	return text.replace(UNSEEN, (character) => {
		const code = character.charCodeAt(0);
		return code < 0x80 ? '\\x' + code.toString(16).padStart(2, '0') : '\\u' + code.toString(16).padStart(4, '0');
	});
}

/**
 * An element with @attributes and @children. An attribute that is false or null is left out; one
 * that is a function listens to the event of its name.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Object<string, any>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (typeof value === 'function')
			element.addEventListener(name, value);
		else if (value !== false && value !== null && value !== undefined)
			element.setAttribute(name, value === true ? '' : String(value));
	}
	for (const child of children)
		if (child !== null)
			element.append(typeof child === 'string' ? visibleText(child) : child);
	return element;
}

/** Terms and what is to be said of them. @param {[string, string | Node | null][]} pairs what is '' or null is left out */
export function factList(pairs) {
	return make('dl', {}, ...pairs.filter(([, text]) => text).flatMap(([term, text]) => [make('dt', {}, term), make('dd', {}, text)]));
}

/** The element with @id, which page.html has. @param {string} id @returns {HTMLElement} */
export function byId(id) {
	const element = document.getElementById(id);
	if (!element)
		throw new Error(`no element ${id}`);
	return element;
}

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
