// SPDX-License-Identifier: Apache-2.0
// The tables of a comparison: before, after and difference by each word. Without a selection they hold the
// numbers of `elfault diff`; with one they count it in the two runs that are shown. Rows are filters.
import {METRICS, changeClass, changeMark, changeText, sizesText, verdictText} from './change.js';
import {csvField} from '../data/csv.js';
import {choiceOf, isRowChosen, metricOf, metricsOf, objectLabel, rowName, toggleChosen, tallyOf, isNarrowed} from './diffrows.js';
import {make} from '../shared/dom.js';
import {countText, nounText} from '../shared/format.js';
import {hasOrder, movedTable, orderTable, shareColumn, verdictColumn} from './ordertables.js';
import {fileNameOf, saveBlob} from '../shared/copy.js';
import {showTabs} from '../drawer/tabs.js';
import {numberColumn, wordColumn} from '../drawer/tablekinds.js';
import {SortedTable} from '../drawer/sortedtable.js';
import {AFTER, BEFORE, SIDE_NAMES} from '../data/recordings.js';

/** Every table: its word, title, what it is about. */
const DIFF_TABLES = [
	['cause', 'Causes', 'An initiator on a section of a file.'],
	['initiator', 'Initiators', 'Why the code ran.'],
	['mechanism', 'Mechanisms', 'What the kernel did.'],
	['object', 'Files', 'Every file and kind of memory touched.'],
	['section', 'Sections', 'Touched sections and their sizes.'],
	['function', 'Functions', 'Whose instruction touched a page.'],
	['symbol', 'Symbols', 'What was touched.'],
	['initializer', 'Initializers', 'Functions that run before main, and the faults inside them.'],
];

/** A difference as a bar to the left or right of the middle. @param {number} part from -1 to 1 @param {string} kind class */
function changeBar(part, kind) {
	const bar = make('span', {class: 'change-part'});
	const width = Math.min(Math.abs(part), 1) * 50;
	bar.style.width = `${width}%`;
	bar.style.left = `${part < 0 ? 50 - width : 50}%`;
	return make('span', {class: `change-bar change ${kind}`, 'aria-hidden': 'true'}, bar);
}

/** Bytes of a section on both sides; null: it is not there. @param {DiffData} diff @param {DiffRow} row @returns {[number | null, number | null]} */
function sectionSizes(diff, row) {
	const sizes = [BEFORE, AFTER].map((side) => {
		if (row.object_id === null || row.section === null)
			return null;
		const layout = diff.sides[side].header.objects[diff.objectOn(side, row.object_id)]?.layout ?? [];
		const section = layout.find((each) => each.name === row.section);
		return section ? section.vaddr === null ? section.file_size : section.memory_size : null;
	});
	return [sizes[BEFORE], sizes[AFTER]];
}

/** The same of a file. @param {DiffData} diff @param {DiffRow} row @returns {[number | null, number | null]} */
function fileSizes(diff, row) {
	const {before, after} = row.object_id === null ? {before: null, after: null} : diff.diff.objects[row.object_id];
	return before?.size || after?.size ? [before && before.size, after && after.size] : [null, null];
}

/** @param {DiffData} diff @param {DiffStore} store @param {string} word @param {string} title @param {string} about */
function diffTable(diff, store, word, title, about) {
	/** @type {DiffRow[]} */
	const all = diff.diff['by_' + word];
	const tally = tallyOf(diff, store, word);
	let metric = metricsOf(diff)[0];
	/** What the selection leaves, by side; null: nothing is narrowed. @type {SideTally[] | null} */
	let selected = null;
	/** Of the rows that are listed. */
	let mostChange = 1;

	/** What the row has now. @param {number} row @param {Metric} [of] @returns {Numbers} */
	const numbers = (row, of = metric) => {
		if (!selected)
			return all[row][of.key];
		const [before, after] = selected.map((side) => side[of.key]?.[row] ?? NaN);
		return {before, after, verdict: before === after ? 'same' : 'unknown', p: 1};
	};
	const changeOf = (/** @type {number} */ row) => numbers(row).after - numbers(row).before;
	const show = (/** @type {number} */ n) => metric.show(n);
	const choice = (/** @type {number} */ row) => choiceOf(diff, word, all[row]);
	const [, major] = METRICS;
	const sizes = word === 'section' ? sectionSizes : word === 'object' ? fileSizes : null;
	/** Sorted by how much changed. @param {string} key @param {string} name @param {(row: number) => [number | null, number | null]} both @param {(before: number | null, after: number | null) => string} text @returns {SortedColumn} */
	const changed = (key, name, both, text) => ({key, title: name, help: 'sorted by magnitude of the change', isPlace: true, value: (row) => {
		const [before, after] = both(row);
		return Math.abs((after ?? 0) - (before ?? 0));
	}, show: (row) => text(...both(row))});

	/** @type {SortedTable} */
	const table = new SortedTable(store, {
		id: title.toLowerCase(), title, about,
		columns: [
			wordColumn('name', title.replace(/s$/, ''), (row) => rowName(diff, word, all[row])),
			numberColumn('before', 'Before', (row) => numbers(row).before, show),
			numberColumn('after', 'After', (row) => numbers(row).after, show),
			{key: 'difference', title: 'Difference', help: 'sorted by magnitude; real differences first', show: (row) => changeText(show, changeOf(row)),
				value: (row) => Math.abs(changeOf(row)) + (numbers(row).verdict === 'real' ? 1e15 : 0),
				mark: (row, text) => [changeBar(changeOf(row) / mostChange || 0, changeClass(changeOf(row), numbers(row).verdict)), changeMark(text, changeOf(row), numbers(row).verdict)]},
			shareColumn(numbers),
			...diff.diff.can_tell ? [{...verdictColumn(numbers), help: 'whether the difference exceeds noise: Mann-Whitney’s test',
				show: (/** @type {number} */ row) => selected ? '' : verdictText(numbers(row).verdict, numbers(row).p)}] : [],
			...diff.diff.total.major.before + diff.diff.total.major.after > 0 ? [changed('major', 'Major', (row) => [numbers(row, major).before, numbers(row, major).after],
				(before, after) => before === 0 && after === 0 ? '' : `${countText(before ?? 0)} → ${countText(after ?? 0)}`)] : [],
			...['initiator', 'mechanism', 'object'].includes(word) ? [] : [wordColumn('object', 'In', (row) => objectLabel(diff, all[row]))],
			...sizes ? [changed('size', 'Size', (row) => sizes(diff, all[row]), sizesText)] : [],
			...word === 'initializer' ? [wordColumn('source', 'Source', (row) => all[row].source ?? '')] : [],
			...word === 'cause' && all.some((row) => row.explanation) ? [{...wordColumn('explanation', 'Layout', (row) => all[row].explanation ?? '', 'what changed in how the file is laid out'), isProse: true}] : [],
		],
		prepare: () => {
			metric = metricOf(diff, store.choice.metric);
			selected = isNarrowed(store) ? tally() : null;
		},
		rows: () => [...all.keys()].filter((row) => !selected || selected[BEFORE].faults[row] + selected[AFTER].faults[row] > 0 || isRowChosen(store, choice(row))),
		measure: (rows) => {
			mostChange = rows.reduce((most, row) => Math.max(most, Math.abs(changeOf(row)) || 0), 0) || 1;
		},
		firstKey: () => 'difference',
		isPressed: (row) => isRowChosen(store, choice(row)),
		press: (row) => toggleChosen(store, choice(row)),
		isQuiet: (row) => changeClass(changeOf(row), numbers(row).verdict) === 'quiet',
		order: (a, b) => Math.max(numbers(b).before, numbers(b).after) - Math.max(numbers(a).before, numbers(a).after) || a - b,
		statusText: (rows) => [nounText(rows.length, 'row'), selected && !table.find && metric.key !== 'pages'
			? `${SIDE_NAMES.map((side) => show(rows.reduce((total, row) => total + numbers(row)[/** @type {'before'} */ (side)], 0))).join(' → ')} ${metric.title} in all` : '',
		diff.diff.before.length + diff.diff.after.length > 2 ? selected ? 'counted in the two runs shown: noise unknown' : 'medians of all runs' : ''].filter(Boolean).join('; '),
	});

	/** All rows in the order shown, with every number. */
	const save = () => {
		const metrics = metricsOf(diff).filter(({key}) => !selected || selected.every((side) => side[key]));
		const words = word === 'cause' ? ['object', 'section', 'initiator', 'explanation'] : word === 'initializer' ? ['object', word, 'source']
			: ['object', 'initiator', 'mechanism'].includes(word) ? [word] : ['object', word];
		const lines = [[...words, ...metrics.flatMap(({key}) => ['before', 'after', 'difference', 'verdict', 'p'].map((part) => `${key}.${part}`))],
			...table.sorted().map((row) => [...words.map((each) => all[row][each]), ...metrics.flatMap((of) => {
				const {before, after, verdict, p} = numbers(row, of);
				return [before, after, after - before, verdict, p];
			})])];
		saveBlob(new Blob(lines.map((fields) => fields.map(csvField).join(',') + '\r\n'), {type: 'text/csv'}), fileNameOf(`diff-${title.toLowerCase()}`, '.csv'));
	};
	table.top.append(make('button', {type: 'button', class: 'button', 'aria-label': `Save ${title.toLowerCase()} as CSV`,
		title: 'All rows of this table, with every number', click: save}, 'CSV'));
	return table;
}

export function makeDiffTables(/** @type {DiffData} */ diff, /** @type {DiffStore} */ store, /** @type {HTMLElement} */ element) {
	showTabs(store, [...DIFF_TABLES.map(([word, title, about]) => diffTable(diff, store, word, title, about)),
		...hasOrder(diff) ? [orderTable(diff, store), movedTable(diff, store)] : []], element);
}
