// SPDX-License-Identifier: Apache-2.0
// What is shown: crumbs from all files to what is chosen, chips of what else narrows it, and what is left.
import {byId, make} from '../shared/dom.js';
import {countText, nounText, sizeText, timeText, shortName} from '../shared/format.js';
import {SELECTING, drawOn} from '../selection/selected.js';
import {FILTER_WORDS, filterWithout} from '../selection/store.js';
import {sumSelection} from '../selection/sums.js';
import {lastPart} from '../data/words.js';

/** From the largest to the smallest. */
const CRUMBS = ['file', 'section', 'symbol'];

function makeCrumbs(/** @type {Store} */ store) {
	const {filter} = store.choice;
	const crumb = (/** @type {string} */ text, /** @type {string[]} */ left, /** @type {boolean} */ isLast) =>
		make('li', {}, isLast ? make('span', {'aria-current': 'true', title: text}, shortName(text))
			: make('button', {type: 'button', class: 'crumb', title: text, click: () => store.set({filter: filterWithout(filter, left), fault: null, place: null})}, shortName(text)));
	const chosen = CRUMBS.filter((word) => word in filter);
	return make('ol', {}, crumb('All files', CRUMBS, chosen.length === 0),
		...chosen.map((word, i) => crumb(word === 'file' ? lastPart(filter[word]) : filter[word], chosen.slice(i + 1), i === chosen.length - 1)));
}

/** @param {string} text @param {string} what is said before it to those who hear it @param {() => void} remove */
function chip(text, what, remove) {
	const shown = shortName(text);
	return make('button', {type: 'button', class: 'chip', 'aria-label': `Remove ${what}${shown}`, click: remove},
		shown, make('span', {'aria-hidden': 'true'}, ' ×'));
}

function makeChips(/** @type {Store} */ store, /** @type {(place: [number, number]) => string} */ placeText) {
	const {choice} = store;
	const chips = FILTER_WORDS.filter((word) => word in choice.filter).map((word) =>
		chip(`${word}: ${word === 'file' ? lastPart(choice.filter[word]) : choice.filter[word]}`, 'filter by ', () => store.toggle(word, choice.filter[word])));
	if (choice.process !== null)
		chips.push(chip(`process: ${choice.process}`, 'filter by ', () => store.set({process: null})));
	if (choice.search)
		chips.push(chip(`search: ${choice.search}`, '', () => store.set({search: ''})));
	if (choice.time)
		chips.push(chip(`time: ${timeText(choice.time[0])} to ${timeText(choice.time[1])}`, 'range of ', () => store.set({time: null})));
	if (choice.place)
		chips.push(chip(`place: ${placeText(choice.place)}`, 'range of ', () => store.set({place: null})));
	if (chips.length > 0)
		chips.push(make('button', {type: 'button', class: 'button', click: () => store.reset()}, 'Clear all'));
	return chips;
}

/** What is left on each side, by every metric. @param {Data[]} sides @param {Store} store */
function leftText(sides, store) {
	const sums = sides.map((data, side) => sumSelection(data, store.sides[side]));
	const text = (/** @type {'time' | 'bytes' | 'faults' | 'pages'} */ metric, /** @type {(n: number) => string} */ show) =>
		sums.some((sum) => sum[metric] > 0) || metric === 'faults' ? sums.map((sum) => show(sum[metric])).join(' → ') : '';
	const noun = (/** @type {'faults' | 'pages'} */ metric) => nounText(sums[sums.length - 1][metric], metric.slice(0, -1)).replace(/^.* /, ' ');
	return [text('faults', countText) + noun('faults'), text('time', timeText), text('bytes', sizeText) && `${text('bytes', sizeText)} read`,
		`${text('pages', countText) || '0'}${noun('pages')}`].filter(Boolean).join(', ');
}

/** @param {Data[]} sides @param {Store} store @param {HTMLElement} element @param {(place: [number, number]) => string} placeText */
export function makeScope(sides, store, element, placeText) {
	const crumbs = make('nav', {id: 'crumbs', 'aria-label': 'Files, sections, symbols'});
	const chips = make('div', {id: 'chips', role: 'group', 'aria-label': 'Active filters'});
	const left = make('span', {id: 'left', class: 'muted', role: 'status', title: 'Own time of all threads selected: running, or waiting for storage'});
	element.append(crumbs, chips, left);
	drawOn(store, [...SELECTING, 'object', 'time', 'place'], () => {
		const hadFocus = element.contains(document.activeElement);
		crumbs.replaceChildren(makeCrumbs(store));
		chips.replaceChildren(...makeChips(store, placeText));
		// What had the focus is gone: the next thing to do is to search or filter again.
		if (hadFocus)
			(/** @type {HTMLElement | null} */ (element.querySelector('button')) || byId('search')).focus();
	});
	drawOn(store, SELECTING, () => left.replaceChildren(leftText(sides, store)), ['time', 'place', 'object']);
}
