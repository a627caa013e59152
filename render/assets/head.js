// SPDX-License-Identifier: Apache-2.0
// The head of the page: what was recorded, how many faults, and all that may be missing.
import {make} from './dom.js';
import {countText, timeText} from './format.js';
import {objectName} from './words.js';
import {drawOn} from './selected.js';

/**
 * @typedef {import('./data.js').Data} Data
 * @typedef {import('./store.js').Store} Store
 */

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeHead(data, store, element) {
	const title = make('h1');
	const facts = make('p', {class: 'facts'});
	element.append(title, facts);
	drawOn(store, ['object'], () => {
		const object = data.header.objects[store.choice.object];
		title.textContent = `Page faults of ${objectName(data, store.choice.object)}`;
		if (object)
			facts.textContent = `${countText(object.faults)} of ${countText(data.header.faults.total)}`
				+ ` faults, ${countText(object.major)} major, ${timeText(object.duration_ns)} in them`;
	});
}
