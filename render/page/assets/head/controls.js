// SPDX-License-Identifier: Apache-2.0
// What is shown: object, process, colours, search, and the filters in force as chips to take away.
import {byId, make} from '../shared/dom.js';
import {countText, nounText, sizeText, timeText} from '../shared/format.js';
import {makeHelp, showHelp} from '../shared/keys.js';
import {SELECTING, drawOn, selectedMarks} from '../selection/selected.js';
import {chip, makeSearch, picker} from '../shared/pickers.js';
import {COLORS, FILTER_WORDS} from '../selection/store.js';
import {makeThemePicker} from '../shared/theme.js';
import {objectName} from '../data/words.js';
import {shortName} from '../shared/describe.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 */

/** Objects that faulted, most faults first. @param {Data} data @returns {[string, string][]} */
function objectOptions(data) {
	/** @type {{name: string, faults: number}[]} */
	const objects = data.header.objects;
	return objects.map((object, index) => ({object, index}))
		.filter(({object, index}) => object.faults > 0 || index === data.header.main_object)
		.sort((a, b) => b.object.faults - a.object.faults)
		.map(({object, index}) => [String(index), `${shortName(object.name)} (${countText(object.faults)})`]);
}

/** @param {Data} data @returns {[string, string][]} */
function processOptions(data) {
	/** @type {Map<number, {name: string, faults: number}>} */
	const processes = new Map();
	const threads = data.columns.combination_thread;
	data.combinationFaults().forEach((faults, c) => {
		const {pid, tid, comm} = data.header.threads[threads[c]];
		const row = processes.get(pid) || {name: comm || '?', faults: 0};
		row.faults += faults;
		if (pid === tid && comm)
			row.name = comm;
		processes.set(pid, row);
	});
	return [['', `all ${processes.size}`],
		...[...processes].sort((a, b) => b[1].faults - a[1].faults).map(([pid, row]) =>
			/** @type {[string, string]} */ ([String(pid), `${row.name} ${pid} (${countText(row.faults)})`]))];
}

/** @type {{marks: Uint8Array, object: number, counts: [number, number]} | null} */
let latestLeft = null;

/** How many faults filters leave, in all and in the object shown. @param {Data} data @param {Store} store @returns {[number, number]} */
function countLeft(data, store) {
	const marks = selectedMarks(data, store);
	const {object} = store.choice;
	if (latestLeft && latestLeft.marks === marks && latestLeft.object === object)
		return latestLeft.counts;
	const objects = data.columns.combination_object;
	let left = 0;
	let own = 0;
	for (let i = 0; i < data.count; i++) {
		if (!marks[i])
			continue;
		left += data.weight(i);
		if (objects[data.combination[i]] === object)
			own += data.weight(i);
	}
	latestLeft = {marks, object, counts: [left, own]};
	return latestLeft.counts;
}

/** What to say of them; nothing while ranges alone narrow the view. @param {Data} data @param {Store} store */
function leftText(data, store) {
	const {filter, process, search, object} = store.choice;
	if (Object.keys(filter).length === 0 && process === null && !search)
		return '';
	const [left, own] = countLeft(data, store);
	return `filters leave ${nounText(left, 'fault')}, ${countText(own)} in ${shortName(objectName(data, object))}`;
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
function makeChips(data, store, element) {
	element.setAttribute('role', 'group');
	element.setAttribute('aria-label', 'Active filters');
	drawOn(store, [...SELECTING, 'object', 'time', 'place'], () => {
		const {choice} = store;
		const pageSize = data.header.page_size;
		const chips = FILTER_WORDS.filter((word) => word in choice.filter).map((word) =>
			chip(`${word}: ${word === 'finding' ? data.header.findings[choice.filter[word]]?.title ?? '?' : choice.filter[word]}`, 'filter by ', () => store.toggle(word, choice.filter[word])));
		if (choice.process !== null)
			chips.push(chip(`process: ${choice.process}`, 'filter by ', () => store.set({process: null})));
		if (choice.search)
			chips.push(chip(`search: ${choice.search}`, '', () => store.set({search: ''})));
		if (choice.time)
			chips.push(chip(`time: ${timeText(choice.time[0])} to ${timeText(choice.time[1])}`, 'range of ', () => store.set({time: null})));
		if (choice.place)
			chips.push(chip(`place: ${sizeText(Math.round(choice.place[0]) * pageSize)} to ${sizeText(Math.round(choice.place[1]) * pageSize)}`,
				'range of ', () => store.set({place: null})));
		const hadFocus = element.contains(document.activeElement);
		element.hidden = chips.length === 0;
		if (chips.length > 0) {
			chips.push(make('button', {type: 'button', class: 'button', click: () => store.reset()}, 'Clear all'));
			element.replaceChildren(...chips, make('span', {class: 'muted', role: 'status'}, leftText(data, store)));
		}
		// What had the focus is gone: the next thing to do is to search or filter again.
		if (hadFocus)
			(/** @type {HTMLElement | null} */ (element.querySelector('button')) || byId('search')).focus();
	});
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeControls(data, store, element) {
	const objects = picker('object', 'Object', objectOptions(data),
		(value) => store.set({object: Number(value), place: null, fault: null}));
	const colors = picker('color', 'Colour by', COLORS.map((word) => [word, word]), (value) => store.set({color: value}));
	const options = processOptions(data);
	const processes = picker('process', 'Process', options, (value) => store.set({process: value ? Number(value) : null}));
	const search = makeSearch(store);
	makeHelp();
	element.append(objects.label, ...options.length > 2 ? [processes.label] : [], colors.label, search.label, makeThemePicker(),
		make('button', {type: 'button', class: 'button', id: 'help-button', 'aria-label': 'Help: keys and mouse', title: 'Keys and mouse (?)', click: showHelp}, '?'));
	drawOn(store, ['object', 'color', 'process', 'search'], () => {
		objects.select.value = String(store.choice.object);
		colors.select.value = store.choice.color;
		processes.select.value = String(store.choice.process ?? '');
		if (document.activeElement !== search.input)
			search.input.value = store.choice.search;
	});
	makeChips(data, store, byId('chips'));
}
