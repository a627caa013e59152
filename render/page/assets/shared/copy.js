// SPDX-License-Identifier: Apache-2.0
// Texts into the clipboard, and files that the page offers to keep.
import {make} from './dom.js';

/** How long a button says that it has done it. */
const DONE_MS = 1200;

/** Copy @text, and let @button say so. @param {string} text @param {HTMLElement} button */
export async function copyText(text, button) {
	const was = button.dataset.text ?? button.textContent ?? '';
	button.dataset.text = was;
	const isCopied = await navigator.clipboard.writeText(text).then(() => true, () => false);
	button.replaceChildren(isCopied ? 'Copied' : 'Not copied');
	setTimeout(() => button.replaceChildren(was), DONE_MS);
}

/** @param {string} text @param {string} what it is, to those who hear it */
export function copyButton(text, what) {
	return make('button', {type: 'button', class: 'copy', title: `Copy ${what}`, 'aria-label': `Copy ${what}`,
		click: (/** @type {MouseEvent} */ event) => copyText(text, /** @type {HTMLElement} */ (event.currentTarget))}, 'Copy');
}

/** A command alone on its line, to be copied. @param {string} text */
export function commandLine(text) {
	return make('div', {class: 'command'}, make('code', {title: text}, text), copyButton(text, 'the command'));
}

/** A name that every file system takes. @param {string} name @param {string} extension */
export function fileNameOf(name, extension) {
	return `elfault-${name.replace(/[^\w.-]+/g, '_').slice(0, 60)}${extension}`;
}

/** Offer @blob as a file. @param {Blob} blob @param {string} name */
export function saveBlob(blob, name) {
	const link = make('a', {href: URL.createObjectURL(blob), download: name});
	link.click();
	// The browser reads it after this returns.
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
