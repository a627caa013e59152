// SPDX-License-Identifier: Apache-2.0
// The head of a comparison.
import {make} from './dom.js';
import {countText} from './format.js';

/**
 * @typedef {import('./diffdata.js').DiffData} DiffData
 * @typedef {import('./diffstore.js').DiffStore} DiffStore
 */

/** @param {DiffData} diff @param {DiffStore} _store @param {HTMLElement} element */
export function makeDiffHead(diff, _store, element) {
	const {faults} = diff.diff.total;
	element.append(make('h1', {}, 'Two recordings compared'),
		make('p', {class: 'headline'}, `${countText(faults.before)} → ${countText(faults.after)} faults`));
}
