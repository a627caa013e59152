// SPDX-License-Identifier: Apache-2.0
// The first line: what was recorded, what numbers go by, the search, and what to take along.
import {make, visibleText} from '../shared/dom.js';
import {copyText} from '../shared/copy.js';
import {shortName} from '../shared/describe.js';
import {listenForOwnKeys, makeHelp, showHelp} from '../shared/keys.js';
import {drawOn} from '../selection/selected.js';
import {METRIC_NAMES} from '../selection/store.js';
import {METRIC_TEXTS} from '../selection/sums.js';
import {makeThemePicker} from '../shared/theme.js';
/** @import {Store} from '../selection/store.js' */

/** The metric after the one that is chosen. @param {Store} store */
function nextMetric(store) {
	store.set({metric: METRIC_NAMES[(METRIC_NAMES.indexOf(store.choice.metric) + 1) % METRIC_NAMES.length], sort: ''});
}

/** @param {Store} store */
function makeMetrics(store) {
	const buttons = METRIC_NAMES.map((metric) => make('button', {type: 'button', 'data-metric': metric,
		title: `Weigh by ${METRIC_TEXTS[metric].help} (M: next)`, click: () => store.set({metric, sort: ''})}, metric));
	drawOn(store, ['metric'], () => {
		for (const button of buttons)
			button.setAttribute('aria-pressed', String(button.dataset.metric === store.choice.metric));
	});
	return make('div', {class: 'metrics', role: 'group', 'aria-label': 'Weigh by'}, ...buttons);
}

/** @param {Store} store */
function makeSearch(store) {
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

/** @param {string} title @param {Store} store @param {HTMLElement} element @param {string[][]} [keys] of this page alone */
export function makeControls(title, store, element, keys = []) {
	const search = makeSearch(store);
	const link = make('button', {type: 'button', class: 'button', id: 'link', title: 'Copy a link to this view (Y)',
		click: () => copyText(location.href, link)}, 'Link');
	makeHelp([['M', 'weigh by the next metric'], ['C', 'show or leave out stretches in which all wait'], ['Y', 'copy a link to this view'], ['Z', 'zoom to what is selected'], ['[ ]', 'tables: previous and next tab'],
		['1 to 9', 'tables: this tab; ↓ to its rows'], ...keys]);
	listenForOwnKeys({'m': () => nextMetric(store), 'y': () => link.click()});
	element.append(make('h1', {title}, visibleText(shortName(title))), makeMetrics(store), search.label, link,
		make('details', {class: 'fold'}, make('summary', {class: 'button'}, 'Save'), make('div', {class: 'menu', id: 'save'})), makeThemePicker(),
		make('button', {type: 'button', class: 'button', id: 'help-button', 'aria-label': 'Help: keys and mouse', title: 'Keys and mouse (?)', click: showHelp}, '?'));
	drawOn(store, ['search'], () => {
		if (document.activeElement !== search.input)
			search.input.value = store.choice.search;
	});
}
