// SPDX-License-Identifier: Apache-2.0
// The chosen fault, of whichever side it is, and what the other side has in its place.
import {makeDetail} from '../details/detail.js';
import {faultLines} from '../shared/describe.js';
import {make} from '../shared/dom.js';
import {countText, timeText} from '../shared/format.js';
import {visibleText} from '../shared/visible.js';
import {AFTER, BEFORE, SIDE_NAMES} from './sides.js';

/**
 * @typedef {import('./diffdata.js').DiffData} DiffData
 * @typedef {import('./diffstore.js').DiffStore} DiffStore
 */

/** @param {DiffData} diff @param {DiffStore} store @param {HTMLElement} element */
export function makePairDetail(diff, store, element) {
	element.querySelector('h2')?.remove();
	element.removeAttribute('aria-labelledby');
	element.setAttribute('aria-label', 'One fault');
	const twin = make('p', {class: 'twin', role: 'status'});
	const parts = [BEFORE, AFTER].map((side) => make('div', {}, make('p', {class: 'of-side'}, SIDE_NAMES[side]), make('h2', {}, 'One fault')));
	element.append(twin, ...parts);
	// The detail moves the focus into itself, so it has to be seen by then.
	const show = () => {
		const {fault} = store.choice;
		element.hidden = fault === null;
		if (!fault)
			return;
		const other = 1 - fault.side;
		const index = diff.differences.twinOf(fault.side, fault.index);
		twin.replaceChildren();
		if (index < 0) {
			twin.append(`No fault at this place ${SIDE_NAMES[other]}.`);
			return;
		}
		const data = diff.sides[other];
		twin.append(make('button', {type: 'button', class: 'button', click: () => store.set({fault: {side: other, index}})},
			`The same place ${SIDE_NAMES[other]}`),
		visibleText(` fault ${countText(index + 1)}, at ${timeText(data.timeNs(index))}: ${faultLines(data, index).slice(0, 3).join('; ')}`));
	};
	show();
	for (const side of store.sides)
		side.listen((changed) => {
			if (changed.has('fault'))
				show();
		});
	[BEFORE, AFTER].forEach((side) => makeDetail(diff.sides[side], store.sides[side], parts[side]));
}
