// SPDX-License-Identifier: Apache-2.0
// What is shown of a comparison: the file, colours, search, and the filters in force as chips to take away.
import {changeShare} from './change.js';
import {shortName} from '../shared/describe.js';
import {metricsOf} from './diffrows.js';
import {byId, make} from '../shared/dom.js';
import {countText, timeText} from '../shared/format.js';
import {makeHelp, showHelp} from '../shared/keys.js';
import {chip, makeSearch, picker} from '../shared/pickers.js';
import {drawOn, selectedMarks} from '../selection/selected.js';
import {FILTER_WORDS} from '../selection/store.js';
import {makeThemePicker} from '../shared/theme.js';
import {AFTER, BEFORE, SIDE_NAMES} from './sides.js';

/**
 * @typedef {import('./diffdata.js').DiffData} DiffData
 * @typedef {import('./diffdata.js').DiffRow} DiffRow
 * @typedef {import('./diffstore.js').DiffStore} DiffStore
 */

/** Threads and processes of two runs are not the same ones. */
const DIFF_COLORS = ['initiator', 'mechanism', 'access', 'kind'];

/** Objects that faulted, most faults first; with the faults of the runs shown. @param {DiffData} diff @returns {[string, string][]} */
function pairOptions(diff) {
	const faultsOf = (/** @type {number} */ side, /** @type {number} */ object) =>
		diff.sides[side].header.objects[diff.objectOn(side, object)]?.faults ?? 0;
	return diff.diff.objects.map((/** @type {any} */ object, /** @type {number} */ index) =>
		({index, label: object.label, before: faultsOf(BEFORE, index), after: faultsOf(AFTER, index)}))
		.filter((/** @type {any} */ each) => each.before + each.after > 0)
		.sort((/** @type {any} */ a, /** @type {any} */ b) => Math.max(b.before, b.after) - Math.max(a.before, a.after))
		.map((/** @type {any} */ each) => [String(each.index),
			`${shortName(each.label)} (${countText(each.before)} → ${countText(each.after)})`]);
}

/** Faults that filters and search leave on a side. @param {DiffData} diff @param {DiffStore} store @param {number} side */
function faultsLeft(diff, store, side) {
	const data = diff.sides[side];
	const marks = selectedMarks(data, store.sides[side]);
	let left = 0;
	for (let i = 0; i < data.count; i++)
		left += marks[i] * data.weight(i);
	return left;
}

/** @param {DiffData} diff @param {DiffStore} store */
function sidesLeftText(diff, store) {
	const {filter, search} = store.choice;
	if (Object.keys(filter).length === 0 && !search)
		return '';
	const [before, after] = [BEFORE, AFTER].map((side) => faultsLeft(diff, store, side));
	const share = changeShare(before, after);
	return `filters leave ${countText(before)} → ${countText(after)} faults${share ? ` (${share})` : ''}`;
}

/** The filters in force. @param {DiffData} diff @param {DiffStore} store @returns {HTMLElement[]} */
function chipsOf(diff, store) {
	const {choice} = store;
	const chips = FILTER_WORDS.filter((word) => word in choice.filter).map((word) => {
		const value = choice.filter[word];
		const text = word === 'finding' ? diff.diff.findings?.[value]?.title ?? '?' : value;
		return chip(`${word}: ${text}`, 'filter by ', () => store.toggle(word, value));
	});
	if (choice.search)
		chips.push(chip(`search: ${choice.search}`, '', () => store.set({search: ''})));
	for (const side of choice.ownScales ? [BEFORE, AFTER] : [BEFORE]) {
		const range = choice.time[side];
		if (range)
			chips.push(chip(`time${choice.ownScales ? ` ${SIDE_NAMES[side]}` : ''}: ${range.map(timeText).join(' to ')}`, 'range of ',
				() => store.set({time: store.timesWith(side, null)})));
	}
	if (choice.place)
		chips.push(chip(`place: ${store.placeText()}`, 'range of ', () => store.set({place: null})));
	return chips;
}

/** @param {DiffData} diff @param {DiffStore} store @param {HTMLElement} element */
function makeDiffChips(diff, store, element) {
	element.setAttribute('role', 'group');
	element.setAttribute('aria-label', 'Active filters');
	drawOn(store, ['filter', 'search', 'ownScales', 'time', 'place'], () => {
		const chips = chipsOf(diff, store);
		const hadFocus = element.contains(document.activeElement);
		element.hidden = chips.length === 0;
		if (chips.length > 0)
			element.replaceChildren(...chips,
				make('button', {type: 'button', class: 'button', click: () => store.reset()}, 'Clear all'),
				make('span', {class: 'muted', role: 'status'}, sidesLeftText(diff, store)));
		// What had the focus is gone: the next thing to do is to search or filter again.
		if (hadFocus)
			(chips[0] || byId('search')).focus();
	});
}

/** @param {DiffData} diff @param {DiffStore} store @param {HTMLElement} element */
export function makeDiffControls(diff, store, element) {
	const objects = picker('object', 'File', pairOptions(diff), (value) => store.set({object: Number(value)}));
	const colors = picker('color', 'Colour by', DIFF_COLORS.map((word) => [word, word]), (value) => store.set({color: value}));
	const metrics = picker('metric', 'Compare', metricsOf(diff).map(({key, title}) => [key, title]), (value) => store.set({metric: value}));
	const search = makeSearch(store);
	makeHelp([['T', 'separate time scales, or one for both sides']]);
	element.append(objects.label, metrics.label, colors.label, search.label, makeThemePicker(),
		make('button', {type: 'button', class: 'button', id: 'help-button', 'aria-label': 'Help: keys and mouse',
			title: 'Keys and mouse (?)', click: showHelp}, '?'));
	drawOn(store, ['object', 'color', 'metric', 'search'], () => {
		metrics.select.value = store.choice.metric;
		objects.select.value = String(store.choice.object);
		colors.select.value = store.choice.color;
		if (document.activeElement !== search.input)
			search.input.value = store.choice.search;
	});
	makeDiffChips(diff, store, byId('chips'));
}
