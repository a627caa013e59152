// SPDX-License-Identifier: Apache-2.0
// Tables of the order of one file's code: how closely it lies together on both sides, and which functions
// moved. docs/diff.md, "Order in the file", has the words.
import {changeClass, changeMark, changeShare, changeText, medianText, sizesText, verdictText} from './change.js';
import {countText, nounText, sizeText} from '../shared/format.js';
import {wordColumn} from '../drawer/tablekinds.js';
import {SortedTable} from '../drawer/sortedtable.js';

/** Figures of the order: key, title, what it says, how it is written. @type {[string, string, string, (n: number) => string][]} */
const FIGURES = [
	['functions', 'Functions', 'seen to run: at a faulting instruction or on its call stack', medianText],
	['code_pages', 'Code pages', 'spanned by these functions', medianText],
	['code_bytes', 'Code bytes', 'of these functions', sizeText],
	['area', 'Area', 'under the page-fault curve: less is better, for code of the same size', medianText],
	['least_area', 'Least area', 'the smallest possible with any order of these functions', medianText],
	['same', 'Steps: same page', 'faults on the same page as the previous fault of this process in the file', medianText],
	['next', 'Steps: next', 'up to 16 pages ahead', medianText],
	['forward', 'Steps: forward', 'further ahead', medianText],
	['backward', 'Steps: backward', 'before the previous fault', medianText],
	['random', 'Steps: random', 'forward or backward: read-ahead does not predict them', medianText],
];

/** The order of the file that is shown; null: it is no file. @param {DiffData} diff @param {Store} store */
function localityOf(diff, store) {
	return diff.diff.objects[store.choice.object]?.locality ?? null;
}

/** Is there anything to say of the order of any file? @param {DiffData} diff */
export function hasOrder(diff) {
	return diff.diff.objects.some(({locality}) => locality);
}

/** How large the difference is beside what was before. @param {(row: number) => Numbers} numbers @returns {SortedColumn} */
export function shareColumn(numbers) {
	return {key: 'share', title: '%', isPlace: true, show: (row) => changeShare(numbers(row).before, numbers(row).after), value: (row) => {
		const {before, after} = numbers(row);
		return before === after ? 0 : before === 0 ? Infinity : (after - before) / before;
	}};
}

/** @param {(row: number) => Numbers} numbers @returns {SortedColumn} */
export function verdictColumn(numbers) {
	return {...wordColumn('verdict', 'Verdict', (row) => numbers(row).verdict), show: (row) => verdictText(numbers(row).verdict, numbers(row).p)};
}

export function orderTable(/** @type {DiffData} */ diff, /** @type {DiffStore} */ store) {
	const figure = (/** @type {number} */ row) => /** @type {Figure} */ (localityOf(diff, store)[FIGURES[row][0]]);
	/** @param {'before' | 'after'} side @param {string} title @returns {SortedColumn} */
	const number = (side, title) => ({key: side, title, isPlace: true, value: (row) => figure(row)[side], show: (row) => FIGURES[row][3](figure(row)[side])});
	const packing = (/** @type {any} */ side) => side?.packing === null || side?.packing === undefined ? 'unknown' : side.packing.toFixed(2);
	return new SortedTable(store, {id: 'order', title: 'Order',
		columns: [
			wordColumn('name', 'Figure', (row) => FIGURES[row][1]), number('before', 'Before'), number('after', 'After'),
			{key: 'difference', title: 'Difference', value: (row) => Math.abs(figure(row).difference), show: (row) => changeText(FIGURES[row][3], figure(row).difference),
				mark: (row, text) => [changeMark(text, figure(row).difference, figure(row).verdict)]},
			shareColumn(figure),
			...diff.diff.can_tell ? [verdictColumn(figure)] : [],
			{...wordColumn('meaning', 'Meaning', (row) => FIGURES[row][2]), isProse: true},
		],
		rows: () => localityOf(diff, store) ? [...FIGURES.keys()] : [],
		firstKey: () => '',
		// Figures are no filters.
		isRest: () => true,
		isQuiet: (row) => changeClass(figure(row).difference, figure(row).verdict) === 'quiet',
		statusText: () => {
			const {before, after} = localityOf(diff, store);
			return `${diff.nameOf(store.choice.object)}: packing ${packing(before)} → ${packing(after)}. Packing is the least area divided by the area: 1 is code laid out in the order of first use.`;
		}});
}

/** "84 → 3", "25" for no change. @param {number | string} before @param {number | string} after */
function arrowText(before, after) {
	const text = (/** @type {number | string} */ each) => typeof each === 'number' ? medianText(each) : each;
	return before === after ? text(after) : `${text(before)} → ${text(after)}`;
}

export function movedTable(/** @type {DiffData} */ diff, /** @type {DiffStore} */ store) {
	const moves = () => /** @type {Move[]} */ (localityOf(diff, store)?.moved ?? []);
	/** @param {'faults' | 'place' | 'page' | 'first_use' | 'size'} key @param {string} title @param {string} help @returns {SortedColumn} */
	const number = (key, title, help) => ({key, title, isPlace: true, help: help && `${help}; sorted by magnitude of the change`,
		value: (row) => Math.abs(moves()[row].after[key] - moves()[row].before[key]),
		show: (row) => arrowText(moves()[row].before[key], moves()[row].after[key])});
	/** @param {string} key @param {string} title @param {(move: Move) => string} value */
	const words = (key, title, value) => wordColumn(key, title, (row) => value(moves()[row]));
	return new SortedTable(store, {id: 'moved', title: 'Moved',
		columns: [
			words('name', 'Function', (move) => move.function),
			{...number('faults', 'Faults', 'that mapped its code to run it'), mark: (row, text) => {
				const change = moves()[row].after.faults - moves()[row].before.faults;
				return [change === 0 ? text : changeMark(text, change, 'unknown')];
			}},
			number('place', 'Place', 'by address, among functions that ran on both sides'),
			number('page', 'Page', 'of its first byte'),
			number('first_use', 'First use', 'rank among functions by first use'),
			{...number('size', 'Size', ''), show: (row) => sizesText(moves()[row].before.size, moves()[row].after.size)},
			words('section', 'Section', (move) => arrowText(move.before.section ?? '', move.after.section ?? '')),
			words('address', 'Address', (move) => arrowText(move.before.vaddr, move.after.vaddr)),
		],
		rows: () => [...moves().keys()],
		firstKey: () => 'faults',
		isPressed: (row) => store.choice.filter.function === moves()[row].function,
		press: (row) => store.toggle('function', moves()[row].function),
		statusText: () => `${diff.nameOf(store.choice.object)}: ${countText(moves().length)} of the ${nounText(localityOf(diff, store).matched, 'function')} seen to run on both sides moved.`});
}
