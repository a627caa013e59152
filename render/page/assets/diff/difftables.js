// SPDX-License-Identifier: Apache-2.0
// The tables of a comparison: before, after and difference by each word. Without a selection they hold the
// numbers of `elfault diff`; with one they count it in the two runs that are shown. Rows are filters.
import {METRICS, changeClass, changeMark, changeShare, sizesText, verdictText} from './change.js';
import {csvField} from '../data/csv.js';
import {choiceOf, isRowChosen, metricOf, metricsOf, objectLabel, rowName, toggleChosen} from './diffrows.js';
import {DiffTally, isNarrowed} from './difftally.js';
import {make} from '../shared/dom.js';
import {countText} from '../shared/format.js';
import {MovedTable, OrderTable, hasOrder} from './ordertables.js';
import {fileNameOf, saveBlob} from '../shared/save.js';
import {showDrawer} from '../drawer/drawer.js';
import {numberColumn, wordColumn} from '../drawer/tablekinds.js';
import {SortedTable} from '../drawer/sortedtable.js';
import {AFTER, BEFORE} from './sides.js';

/** @typedef {{before: number, after: number, verdict: Verdict, p: number}} Numbers */

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
		const section = layout.find((/** @type {any} */ each) => each.name === row.section);
		return section ? section.vaddr === null ? section.file_size : section.memory_size : null;
	});
	return [sizes[BEFORE], sizes[AFTER]];
}

/** The same of a file. @param {DiffData} diff @param {DiffRow} row @returns {[number | null, number | null]} */
function fileSizes(diff, row) {
	const {before, after} = row.object_id === null ? {before: null, after: null} : diff.diff.objects[row.object_id];
	return before?.size || after?.size ? [before && before.size, after && after.size] : [null, null];
}

class DiffTable extends SortedTable {
	/** @param {DiffData} diff @param {DiffStore} store @param {string} word @param {string} title @param {string} about */
	constructor(diff, store, word, title, about) {
		super(store, title.toLowerCase(), title, []);
		this.diff = diff;
		this.word = word;
		this.tab.title = about;
		/** @type {DiffRow[]} */
		this.all = diff.diff['by_' + word];
		this.metric = metricsOf(diff)[0];
		this.counting = new DiffTally(diff, store, word);
		/** What the selection leaves, by side; null: nothing is narrowed. @type {SideTally[] | null} */
		this.selected = null;
		/** Of the rows that are shown. */
		this.mostChange = 1;
		this.columns = this.makeColumns();
		this.makeHead();
		this.top.append(make('button', {type: 'button', class: 'button', 'aria-label': `Save ${title.toLowerCase()} as CSV`,
			title: 'All rows of this table, with every number', click: () => this.save()}, 'CSV'));
	}

	firstKey() {
		return 'difference';
	}

	/** @returns {SortedColumn[]} */
	makeColumns() {
		const {diff, word, all} = this;
		const number = (/** @type {number} */ row) => this.numbers(row);
		const show = (/** @type {number} */ n) => this.metric.show(n);
		const [, major] = METRICS;
		const hasObject = !['initiator', 'mechanism', 'object'].includes(word);
		const sizes = word === 'section' ? sectionSizes : word === 'object' ? fileSizes : null;
		/** Sorted by how much changed. @param {string} key @param {string} title @param {(row: number) => [number | null, number | null]} both @param {(before: number | null, after: number | null) => string} text @returns {SortedColumn} */
		const changed = (key, title, both, text) => ({key, title, help: 'sorted by magnitude of the change', isPlace: true, value: (row) => {
			const [before, after] = both(row);
			return Math.abs((after ?? 0) - (before ?? 0));
		}, show: (row) => text(...both(row))});
		return [
			wordColumn('name', this.title.replace(/s$/, ''), (row) => rowName(diff, word, all[row])),
			numberColumn('before', 'Before', (row) => number(row).before, show),
			numberColumn('after', 'After', (row) => number(row).after, show),
			{key: 'difference', title: 'Difference', help: 'sorted by magnitude; real differences first', value: (row) => this.weight(row), show: () => '',
				mark: (row) => {
					const {before, after, verdict} = number(row);
					return [changeBar((after - before) / this.mostChange || 0, changeClass(after - before, verdict)), changeMark(this.metric, after - before, verdict)];
				}},
			{...numberColumn('share', '%', (row) => {
				const {before, after} = number(row);
				return before === after ? 0 : before === 0 ? Infinity : (after - before) / before;
			}, () => ''), isPlace: true, show: (row) => changeShare(number(row).before, number(row).after)},
			...diff.diff.can_tell ? [{...wordColumn('verdict', 'Verdict', (row) => number(row).verdict, 'whether the difference exceeds noise: Mann-Whitney’s test'),
				show: (/** @type {number} */ row) => this.selected ? '' : verdictText(number(row).verdict, number(row).p)}] : [],
			...diff.diff.total.major.before + diff.diff.total.major.after > 0 ? [changed('major', 'Major', (row) => {
				const {before, after} = this.numbers(row, major);
				return [before, after];
			}, (before, after) => before === 0 && after === 0 ? '' : `${countText(before ?? 0)} → ${countText(after ?? 0)}`)] : [],
			...hasObject ? [wordColumn('object', 'In', (row) => objectLabel(diff, all[row]))] : [],
			...sizes ? [changed('size', 'Size', (row) => sizes(diff, all[row]), sizesText)] : [],
			...word === 'initializer' ? [wordColumn('source', 'Source', (row) => all[row].source ?? '')] : [],
			...word === 'cause' && all.some((row) => row.explanation) ? [{...wordColumn('explanation', 'Layout', (row) => all[row].explanation ?? '', 'what changed in how the file is laid out'), isProse: true}] : [],
		];
	}

	/** What the row has now. @param {number} row @param {Metric} [metric] @returns {Numbers} */
	numbers(row, metric = this.metric) {
		if (!this.selected)
			return this.all[row][metric.key];
		const [before, after] = this.selected.map((side) => side[metric.key]?.[row] ?? NaN);
		return {before, after, verdict: before === after ? 'same' : 'unknown', p: 1};
	}

	/** By what differences are sorted: real ones first. @param {number} row */
	weight(row) {
		const {before, after, verdict} = this.numbers(row);
		return Math.abs(after - before) + (verdict === 'real' ? 1e15 : 0);
	}

	/** @param {number} a @param {number} b */
	order(a, b) {
		const [x, y] = [this.numbers(a), this.numbers(b)];
		return Math.max(y.before, y.after) - Math.max(x.before, x.after) || a - b;
	}

	count() {
		this.metric = metricOf(this.diff, this.store.choice.metric);
		this.selected = isNarrowed(this.store) ? this.counting.tally() : null;
		super.count();
	}

	rows() {
		const rows = this.all.map((_, row) => row);
		const {selected} = this;
		return selected ? rows.filter((row) => selected[BEFORE].faults[row] + selected[AFTER].faults[row] > 0 || this.isPressed(row)) : rows;
	}

	/** @param {number[]} rows */
	most(rows) {
		this.mostChange = rows.reduce((most, row) => Math.max(most, Math.abs(this.numbers(row).after - this.numbers(row).before) || 0), 0) || 1;
		return super.most(rows);
	}

	/** @param {number} count */
	statusText(count) {
		const {metric, selected, diff} = this;
		const sum = (/** @type {'before' | 'after'} */ side) => this.rows().reduce((total, row) => total + this.numbers(row)[side], 0);
		const runs = diff.diff.before.length + diff.diff.after.length > 2;
		return [super.statusText(count), selected && !this.find && metric.key !== 'pages' ? `${metric.show(sum('before'))} → ${metric.show(sum('after'))} ${metric.title} in all` : '',
			runs ? selected ? 'counted in the two runs shown: noise unknown' : 'medians of all runs' : ''].filter(Boolean).join('; ');
	}

	/** @param {number} row */
	isPressed(row) {
		return isRowChosen(this.store, choiceOf(this.diff, this.word, this.all[row]));
	}

	/** @param {number} row */
	press(row) {
		toggleChosen(this.store, choiceOf(this.diff, this.word, this.all[row]));
	}

	/** @param {number} row */
	isQuiet(row) {
		const {before, after, verdict} = this.numbers(row);
		return changeClass(after - before, verdict) === 'quiet';
	}

	/** All rows in the order shown, with every number. */
	save() {
		const {diff, word, all} = this;
		const metrics = metricsOf(diff).filter(({key}) => !this.selected || this.selected.every((side) => side[key]));
		const words = word === 'cause' ? ['object', 'section', 'initiator', 'explanation'] : word === 'object' ? ['object']
			: word === 'initiator' || word === 'mechanism' ? [word] : word === 'initializer' ? ['object', word, 'source'] : ['object', word];
		const lines = [[...words, ...metrics.flatMap(({key}) => ['before', 'after', 'difference', 'verdict', 'p'].map((part) => `${key}.${part}`))]];
		for (const row of this.sorted())
			lines.push([...words.map((each) => all[row][each]), ...metrics.flatMap((metric) => {
				const {before, after, verdict, p} = this.numbers(row, metric);
				return [before, after, after - before, verdict, p];
			})]);
		saveBlob(new Blob(lines.map((fields) => fields.map(csvField).join(',') + '\r\n'), {type: 'text/csv'}), fileNameOf(`diff-${this.title.toLowerCase()}`, '.csv'));
	}
}

/** @param {DiffData} diff @param {DiffStore} store @param {HTMLElement} element */
export function makeDiffTables(diff, store, element) {
	/** @type {SortedTable[]} */
	const tables = DIFF_TABLES.map(([word, title, about]) => new DiffTable(diff, store, word, title, about));
	if (hasOrder(diff))
		tables.push(new OrderTable(diff, store), new MovedTable(diff, store));
	showDrawer(store, tables, element);
}
