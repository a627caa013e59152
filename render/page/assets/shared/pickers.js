// SPDX-License-Identifier: Apache-2.0
// Parts of the controls: the search, chips of what is in force.
import {shortName} from './describe.js';
import {make} from './dom.js';

/** @param {{set: (change: {search: string}) => void}} store */
export function makeSearch(store) {
	/** @type {number | undefined} */
	let timer;
	const input = make('input', {type: 'search', id: 'search', placeholder: 'symbol, function, section', autocomplete: 'off', spellcheck: 'false',
		input: () => {
			clearTimeout(timer);
			timer = setTimeout(() => store.set({search: input.value.trim()}), 150);
		},
		keydown: (/** @type {KeyboardEvent} */ event) => {
			if (event.key !== 'Enter')
				return;
			clearTimeout(timer);
			store.set({search: input.value.trim()});
		}});
	return {input, label: make('label', {class: 'search'}, make('span', {}, 'Search'), input)};
}

/** @param {string} text @param {string} what is said before it to those who hear it @param {() => void} remove */
export function chip(text, what, remove) {
	const shown = shortName(text);
	return make('button', {type: 'button', class: 'chip', 'aria-label': `Remove ${what}${shown}`, click: remove},
		shown, make('span', {'aria-hidden': 'true'}, ' ×'));
}
