// SPDX-License-Identifier: Apache-2.0
// Tables of groups, which count the current selection: their rows, their columns, and what a click on a row means.
import {NO_OBJECT} from '../data/data.js';
import {onceOf} from '../data/once.js';
import {countText, hexText, nounText, sizeText, timeText} from '../shared/format.js';
import {SortedTable} from './sortedtable.js';
import {filterWithout} from '../selection/store.js';
import {METRIC_TEXTS, combinationsOf, fromIndexPlusOne, pagePairs, sumGroups, valuesOfFaults} from '../selection/sums.js';
import {functionName, functionOfNode, initializerName, NAMELESS, objectName} from '../data/words.js';

/** @param {string} key @param {string} title @param {(row: number) => string} value @param {string} [help] */
export function wordColumn(key, title, value, help) {
	return {key, title, help, isText: true, value, show: value};
}

/** @param {string} key @param {string} title @param {(row: number) => number} value @param {(n: number) => string} show @param {string} [help] */
export function numberColumn(key, title, value, show, help) {
	return {key, title, help, value, show: (/** @type {number} */ row) => show(value(row))};
}

/** What every table has of each of its rows. @param {() => Sums} sums @returns {SortedColumn[]} */
function amountColumns(sums) {
	const column = (/** @type {'time' | 'faults' | 'bytes' | 'pages'} */ key, /** @type {string} */ help) =>
		numberColumn(key, METRIC_TEXTS[key].title, (row) => sums()[key][row], METRIC_TEXTS[key].text, help);
	return [column('time', 'own time: running, or waiting for storage'), column('faults', ''),
		numberColumn('major', 'Major', (row) => sums().major[row], countText, 'faults that waited for storage'),
		column('bytes', 'from storage, by faults'), column('pages', 'different pages touched')];
}

/** Behind the time how far it may be off. @param {SortedColumn[]} amounts @param {() => Sums} sums @returns {SortedColumn[]} */
function withError([time, ...others], sums) {
	return [time, numberColumn('error', '±', (row) => sums().error[row], (ns) => ns > 0 ? timeText(ns) : '', 'what was computed is known from samples: in 19 of 20 cases it is off by less'), ...others];
}

/** How large rows are, and how much of that was read, mapped and touched; not what a selection has of it. @param {any[]} rows with size and usage @returns {SortedColumn[]} */
function usageColumns(rows) {
	const column = (/** @type {string} */ key, /** @type {string} */ title, /** @type {(row: any) => number | undefined} */ value, /** @type {string} */ help) =>
		numberColumn(key, title, (row) => value(rows[row]) ?? 0, (bytes) => bytes > 0 ? sizeText(bytes) : '', help);
	const columns = [column('size', 'Size', (row) => row?.size, ''), column('read', 'Delivered', (row) => row?.usage?.[0], 'by storage, whatever for, in the whole run'),
		column('mapped', 'Mapped', (row) => row?.usage?.[1], 'in pages that were mapped, in the whole run'),
		column('touched', 'Touched', (row) => row?.usage?.[2], 'in pages that faults were seen on, in the whole run'),
		column('unused', 'Unused', (row) => row?.usage?.[3], 'read by faults into pages that were never mapped')];
	return columns.filter(({key, value}) => key === 'size' || rows.some((_, row) => value(row) > 0));
}

/** @param {(row: number) => number | null} addressOf null: it has none @returns {SortedColumn} */
function addressColumn(addressOf) {
	return {key: 'vaddr', title: 'Address', help: 'as the file writes it', isPlace: true, value: (row) => addressOf(row) ?? 0, show: (row) => {
		const address = addressOf(row);
		return address === null ? '' : hexText(address);
	}};
}

/** @param {Data} data @param {Store} store @returns {TableKind[]} */
export function tableKinds(data, store) {
	const {header, columns} = data;
	/** @param {string} word @param {number} count @param {number} first what stands for group 0 */
	const byCombination = (word, count, first) => ({
		count, valuesOf: combinationsOf,
		groupOf: Int32Array.from(columns['combination_' + word], (value) => value >= first && value - first < count
			? value - first : -1),
	});
	const functionsOf = onceOf((/** @type {Rows} */ {stack}) => stack.map((node) => functionOfNode(data, node) + 1));
	const functionCount = header.functions.name.length;
	const fileOf = (/** @type {number} */ object) => objectName(data, object);
	const fileName = (/** @type {number} */ object) => object < header.objects.length ? fileOf(object) : '(outside faults)';
	/** What rows are filters of; several files may have one of the same name. @param {string} word @param {(row: number) => string} name @param {(row: number) => number | undefined} [objectOf] */
	const filters = (word, name, objectOf = () => undefined) => {
		const isPressed = (/** @type {number} */ row) => {
			const {filter} = store.choice;
			const object = objectOf(row);
			return filter[word] === name(row) && (object === undefined || filter.file === undefined || filter.file === data.paths[object]);
		};
		return {name, isPressed, press: (/** @type {number} */ row) => {
			const object = objectOf(row);
			if (object === undefined || isPressed(row))
				store.toggle(word, name(row));
			else
				store.set({object, place: object === store.choice.object ? store.choice.place : null,
					filter: {...store.choice.filter, file: data.paths[object], [word]: name(row)}});
		}};
	};
	/** @param {() => Grouping} grouping @param {string} id @param {string} title @param {string} about @param {string} word */
	const functionTable = (grouping, id, title, about, word) => ({
		id, title, about, grouping,
		...filters(word, (row) => functionName(data, row)),
		columns: (/** @type {() => Sums} */ sums) => [
			wordColumn('name', 'Function', (row) => functionName(data, row)), ...withError(amountColumns(sums), sums),
			wordColumn('object', 'In', (row) => fileOf(header.functions.object[row]))],
	});
	const pids = [...new Set(header.threads.map(({pid}) => pid))];
	const processName = (/** @type {number} */ row) => `${header.threads.find(({pid}) => pid === pids[row])?.comm || '?'} ${pids[row]}`;
	return [
		{
			id: 'causes', title: 'Causes', about: 'Why time was spent, and pages touched.',
			grouping: () => ({...byCombination('initiator', header.words.initiator.length, 0), restGroup: (cause) => cause}),
			...filters('initiator', (row) => header.words.initiator[row]),
			columns: (sums) => [
				wordColumn('name', 'Cause', (row) => header.words.initiator[row]), ...amountColumns(sums),
				{...wordColumn('meaning', 'Meaning', (row) => header.meanings.initiator[row]), isProse: true}],
		},
		{
			id: 'files', title: 'Files', about: 'Every file and kind of memory; a click shows it in the pictures, → opens it, * opens all.',
			// Behind the last one: what is in no file.
			grouping: () => ({count: header.objects.length + 1, valuesOf: combinationsOf, groupOf: Int32Array.from(columns.combination_object, (object) =>
				object < header.objects.length ? object : object === NO_OBJECT ? header.objects.length : -1), restGroup: () => header.objects.length}),
			name: fileName,
			isPressed: (row) => row < header.objects.length && store.choice.filter.file === data.paths[row],
			isRest: (row) => row === header.objects.length,
			press: (row) => {
				const others = filterWithout(store.choice.filter, ['file', 'section', 'symbol']);
				store.set({object: row, place: null, filter: store.choice.filter.file === data.paths[row] ? others : {...others, file: data.paths[row]}});
			},
			columns: (sums) => [
				wordColumn('name', 'File', fileName), ...amountColumns(sums),
				...usageColumns(header.objects), addressColumn(() => null)],
		},
		{
			id: 'sections', title: 'Sections', about: 'Touched sections.',
			grouping: () => byCombination('section', header.sections.length, 1),
			...filters('section', (row) => header.sections[row].name || NAMELESS, (row) => header.sections[row].object),
			columns: (sums) => [
				wordColumn('name', 'Section', (row) => header.sections[row].name || NAMELESS),
				...amountColumns(sums), ...usageColumns(header.sections)],
		},
		{
			id: 'symbols', title: 'Symbols', about: 'What was touched.',
			grouping: () => ({count: header.symbols.name.length, valuesOf: valuesOfFaults(data, data.symbol),
				groupOf: fromIndexPlusOne(header.symbols.name.length)}),
			...filters('symbol', (row) => header.symbols.name[row] || NAMELESS, (row) => header.sections[header.symbols.section[row] ?? -1]?.object),
			columns: (sums) => [
				wordColumn('name', 'Symbol', (row) => header.symbols.name[row] || NAMELESS), ...amountColumns(sums),
				numberColumn('size', 'Size', (row) => header.symbols.size[row], sizeText),
				addressColumn((row) => header.symbols.vaddr[row])],
		},
		functionTable(() => ({count: functionCount, valuesOf: functionsOf, groupOf: fromIndexPlusOne(functionCount)}),
			'functions', 'Functions', 'What was running: innermost functions.', 'function'),
		functionTable(() => byCombination('blame', functionCount, 1),
			'blamed', 'Blamed', 'On whose behalf: the innermost caller outside libc, libstdc++ and the dynamic linker.', 'blame'),
		{
			id: 'initializers', title: 'Initializers',
			about: 'Functions that run before main, in their order, and the faults inside them, in any file.',
			grouping: () => byCombination('initializer', header.initializers.length, 1),
			isListed: (row) => !store.choice.filter.file || data.paths[header.initializers[row].object] === store.choice.filter.file,
			...filters('initializer', (row) => initializerName(data, row)),
			columns: (sums) => [
				wordColumn('name', 'Function', (row) => header.initializers[row].function || NAMELESS), ...amountColumns(sums),
				numberColumn('lazy', 'Binding', (row) => sums().lazy[row], countText, 'of these, faults that bind functions at their first call'),
				{...numberColumn('order', 'Order', (row) => header.initializers[row].index, countText, 'position in its array'), isPlace: true},
				wordColumn('array', 'Array', (row) => header.initializers[row].array),
				wordColumn('object', 'In', (row) => fileOf(header.initializers[row].object)),
				wordColumn('source', 'Source', (row) => header.initializers[row].source || '')],
		},
		{
			id: 'processes', title: 'Processes', about: 'Every process.',
			grouping: () => ({count: pids.length, valuesOf: combinationsOf, restGroup: (_, pid) => pids.indexOf(pid),
				groupOf: Int32Array.from(columns.combination_thread, (thread) => pids.indexOf(header.threads[thread].pid))}),
			name: processName,
			isPressed: (row) => store.choice.process === pids[row],
			press: (row) => store.set({process: store.choice.process === pids[row] ? null : pids[row]}),
			columns: (sums) => [
				wordColumn('name', 'Process', processName), ...amountColumns(sums)],
		},
	];
}

/** One table: rows are indexes of what its kind counts. */
export class GroupTable extends SortedTable {
	constructor(/** @type {Data} */ data, /** @type {Store} */ store, /** @type {TableKind} */ kind) {
		/** @type {Sums | null} */
		let sums = null;
		super(store, {...kind, columns: kind.columns(() => /** @type {Sums} */ (sums)),
			rows: () => !sums ? [] : [...sums.faults.keys()].filter((row) => kind.isListed ? kind.isListed(row)
				: sums && (sums.faults[row] > 0 || sums.time[row] > 0 || kind.isPressed(row))),
			isRest: kind.isRest ?? (() => false),
			// Initializers that are equal stay in the order in which they run, others by name.
			order: (a, b) => {
				const [left, right] = kind.isListed ? [a, b] : [kind.name(a), kind.name(b)];
				return left < right ? -1 : left > right ? 1 : a - b;
			},
			statusText: ({length}) => `${nounText(length, 'row')}, ${nounText(sums?.total ?? 0, 'fault')} in all`});
		this.data = data;
		this.kind = kind;
		this.sums = () => sums;
		const countingOf = onceOf((/** @type {TableKind} */ {grouping: make}) => {
			const grouping = make();
			return {grouping, pairs: pagePairs(data, grouping)};
		});
		/** Count the selection anew. */
		this.recount = () => {
			const {grouping, pairs} = countingOf(kind);
			sums = sumGroups(data, store, grouping, pairs);
		};
	}

	sum() {
		this.recount();
	}

	/** The same, then draw. */
	count() {
		this.sum();
		super.count();
	}

	draw() {
		if (this.sums())
			super.draw();
	}
}
