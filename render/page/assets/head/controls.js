// SPDX-License-Identifier: Apache-2.0
// The first line: what was recorded, what numbers go by, the search, and what to take along.
import {byId, make} from '../shared/dom.js';
import {copyText} from '../shared/copy.js';
import {shortName} from '../shared/format.js';
import {listenForKeys, showHelp} from '../shared/keys.js';
import {drawOn} from '../selection/selected.js';
import {METRIC_NAMES} from '../selection/store.js';
import {listenToTheme} from '../shared/theme.js';

/** The metric after the one that is chosen. @param {Store} store */
function nextMetric(store) {
	store.set({metric: METRIC_NAMES[(METRIC_NAMES.indexOf(store.choice.metric) + 1) % METRIC_NAMES.length], sort: ''});
}

function listenToMetrics(/** @type {Store} */ store) {
	/** @type {NodeListOf<HTMLElement>} */
	const buttons = document.querySelectorAll('.metrics button');
	for (const button of buttons)
		button.addEventListener('click', () => store.set({metric: button.dataset.metric, sort: ''}));
	drawOn(store, ['metric'], () => {
		for (const button of buttons)
			button.setAttribute('aria-pressed', String(button.dataset.metric === store.choice.metric));
	});
}

function listenToSearch(/** @type {Store} */ store) {
	/** @type {number | undefined} */
	let timer;
	const input = /** @type {HTMLInputElement} */ (byId('search'));
	const search = () => store.set({search: input.value.trim()});
	input.addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(search, 150);
	});
	input.addEventListener('keydown', (event) => {
		if (event.key !== 'Enter')
			return;
		clearTimeout(timer);
		search();
	});
	drawOn(store, ['search'], () => {
		if (document.activeElement !== input)
			input.value = store.choice.search;
	});
}

export function makeControls(/** @type {string} */ title, /** @type {Store} */ store, /** @type {HTMLElement} */ element) {
	element.prepend(make('h1', {title}, shortName(title)));
	listenToMetrics(store);
	listenToSearch(store);
	listenToTheme();
	listenForKeys({'m': () => nextMetric(store), 'y': () => copyText(location.href, byId('link')), '?': showHelp});
}
