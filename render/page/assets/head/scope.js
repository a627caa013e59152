// SPDX-License-Identifier: Apache-2.0
// What is shown: crumbs from all files to what is chosen, chips of what else narrows it, and what is left.
import {shortName} from '../shared/describe.js';
import {byId, make} from '../shared/dom.js';
import {nounText, sizeText, timeText} from '../shared/format.js';
import {chip} from '../shared/pickers.js';
import {SELECTING, drawOn} from '../selection/selected.js';
import {FILTER_WORDS, filterWithout} from '../selection/store.js';
import {sumSelection} from '../selection/sums.js';
import {lastPart} from '../data/words.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 */

/** From the largest to the smallest. */
const CRUMBS = ['file', 'section', 'symbol'];

/** @param {Store} store */
function makeCrumbs(store) {
	const {filter} = store.choice;
	const crumb = (/** @type {string} */ text, /** @type {string[]} */ left, /** @type {boolean} */ isLast) =>
		make('li', {}, isLast ? make('span', {'aria-current': 'true', title: text}, shortName(text))
			: make('button', {type: 'button', class: 'crumb', title: text, click: () => store.set({filter: filterWithout(filter, left), fault: null, place: null})}, shortName(text)));
	const chosen = CRUMBS.filter((word) => word in filter);
	return make('ol', {}, crumb('All files', CRUMBS, chosen.length === 0),
		...chosen.map((word, i) => crumb(word === 'file' ? lastPart(filter[word]) : filter[word], chosen.slice(i + 1), i === chosen.length - 1)));
}

/** @param {Data} data @param {Store} store */
function makeChips(data, store) {
	const {choice} = store;
	const pageSize = data.header.page_size;
	const chips = FILTER_WORDS.filter((word) => word in choice.filter).map((word) =>
		chip(`${word}: ${word === 'file' ? lastPart(choice.filter[word]) : choice.filter[word]}`, 'filter by ', () => store.toggle(word, choice.filter[word])));
	if (choice.process !== null)
		chips.push(chip(`process: ${choice.process}`, 'filter by ', () => store.set({process: null})));
	if (choice.search)
		chips.push(chip(`search: ${choice.search}`, '', () => store.set({search: ''})));
	if (choice.time)
		chips.push(chip(`time: ${timeText(choice.time[0])} to ${timeText(choice.time[1])}`, 'range of ', () => store.set({time: null})));
	if (choice.place)
		chips.push(chip(`place: ${sizeText(Math.round(choice.place[0]) * pageSize)} to ${sizeText(Math.round(choice.place[1]) * pageSize)}`,
			'range of ', () => store.set({place: null})));
	if (chips.length > 0)
		chips.push(make('button', {type: 'button', class: 'button', click: () => store.reset()}, 'Clear all'));
	return chips;
}

/** What is left, by every metric. @param {Data} data @param {Store} store */
function leftText(data, store) {
	const {faults, time, bytes, pages} = sumSelection(data, store);
	return `${nounText(faults, 'fault')}, ${time > 0 ? `${timeText(time)}, ` : ''}${bytes > 0 ? `${sizeText(bytes)} read, ` : ''}${nounText(pages, 'page')}`;
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeScope(data, store, element) {
	const crumbs = make('nav', {id: 'crumbs', 'aria-label': 'Files, sections, symbols'});
	const chips = make('div', {id: 'chips', role: 'group', 'aria-label': 'Active filters'});
	const left = make('span', {id: 'left', class: 'muted', role: 'status'});
	element.append(crumbs, chips, left);
	drawOn(store, [...SELECTING, 'object', 'time', 'place'], () => {
		const hadFocus = element.contains(document.activeElement);
		crumbs.replaceChildren(makeCrumbs(store));
		chips.replaceChildren(...makeChips(data, store));
		left.textContent = leftText(data, store);
		left.title = 'Own time of all threads selected: running, or waiting for storage';
		// What had the focus is gone: the next thing to do is to search or filter again.
		if (hadFocus)
			(/** @type {HTMLElement | null} */ (element.querySelector('button')) || byId('search')).focus();
	});
}
