// SPDX-License-Identifier: Apache-2.0
// The data of a comparison's page: the comparison, and one run of each side whose things are linked to
// its rows, so that names match across builds as `elfault diff` matches them.
import {readBlock, readData} from '../data/data.js';
import {Recordings, AFTER, BEFORE, SIDE_NAMES} from '../data/recordings.js';
import {differencesOf} from './differences.js';
import {NAMELESS, functionOf} from '../data/words.js';

export class DiffData extends Recordings {
	/** @param {any} header of the block @param {[Data, Data]} sides */
	constructor(header, sides) {
		super(sides, SIDE_NAMES);
		/** @type {DiffDocument} */
		this.diff = header.diff;
		/** The run of each side that is shown, counted from 0. @type {[number, number]} */
		this.shown = header.shown;
		/** What can be known about noise, as `elfault diff` says it. @type {string} */
		this.noise = header.noise;
		/** What was slower or faster, and read more or less, in sentences. @type {string[]} */
		this.amounts = header.amounts;
		const own = sides.map((data) => new Map([...data.columns.link_object].map((link, object) => [link - 1, object])));
		// What no file is known of stands behind all others on each side, and in the comparison.
		this.objectOn = (/** @type {number} */ side, /** @type {number} */ object) => object === this.diff.objects.length ? sides[side].header.objects.length : own[side].get(object) ?? -1;
		this.objectOf = (/** @type {number} */ side, /** @type {number} */ object) => object === sides[side].header.objects.length ? this.diff.objects.length : (sides[side].columns.link_object[object] ?? 0) - 1;
		for (const data of sides) {
			this.makeMatchers(data);
			// What rules say of the comparison is said of both sides.
			data.header.findings = header.diff.findings ?? [];
		}
		/** What only one side touched. */
		this.differences = differencesOf(this);
		this.twinOf = this.differences.twinOf;
	}

	/** What the row is called in filters: as the comparison has it. @param {string} word @param {DiffRow} row */
	filterName(word, row) {
		if (word === 'object')
			return row.object_id === null ? NAMELESS : this.nameOf(row.object_id);
		if (word !== 'initializer' || row.object_id === null)
			return row[word] ?? NAMELESS;
		const object = this.diff.objects[row.object_id].label;
		return `${object} ${row.initializer ?? (row.source ? `(of ${row.source})` : NAMELESS)}`;
	}

	/** Names of things by the rows that they are linked to. @param {Data} data @param {string} word */
	linkedNames(data, word) {
		if (word === 'object')
			return Array.from(data.columns.link_object, (link) => link ? this.nameOf(link - 1) : null);
		const rows = this.diff['by_' + word];
		return Array.from(data.columns['row_' + word], (row) => row ? this.filterName(word, rows[row - 1]) : null);
	}

	/** Filters by name ask what the comparison calls it. @param {Data} data */
	makeMatchers(data) {
		/** @param {string} word @param {(rows: Rows, i: number) => number} indexOf -1: none */
		const byIndex = (word, indexOf) => (/** @type {string} */ text, /** @type {Rows} */ rows) => {
			const has = Uint8Array.from(this.linkedNames(data, word), (name) => Number(name === text));
			const hasNone = text === NAMELESS && rows === data.faults;
			return (/** @type {number} */ i) => {
				const index = indexOf(rows, i);
				return index < 0 ? hasNone : has[index] === 1;
			};
		};
		const {combination_object: object, combination_section: section, combination_initializer: initializer} = data.columns;
		data.matchers = {
			file: byIndex('object', ({combination}, i) => object[combination[i]] < data.header.objects.length ? object[combination[i]] : -1),
			symbol: byIndex('symbol', (rows, i) => (rows.symbol?.[i] ?? 0) - 1),
			function: byIndex('function', (rows, i) => functionOf(data, i, rows)),
			section: byIndex('section', ({combination}, i) => section[combination[i]] - 1),
			initializer: byIndex('initializer', ({combination}, i) => initializer[combination[i]] - 1),
		};
	}

	nameOf(/** @type {number} */ object) {
		return this.diff.objects[object]?.label ?? '(not mapped)';
	}

	/**
	 * What to look at first: the ELF file, in both recordings and of another build if there is one, whose own time changed most and not
	 * as noise does, of runs without times the number of its faults; but the one that takes most unless another changed much more.
	 */
	mainObject() {
		const {header, columns} = this.sides[AFTER];
		const main = header.main_object === null ? 0 : columns.link_object[header.main_object] - 1;
		const bothOf = (/** @type {DiffRow} */ {object_id: object}) => object === null ? []
			: [BEFORE, AFTER].map((side) => this.sides[side].header.objects[this.objectOn(side, object)]);
		const files = this.diff.by_object.filter((row) => bothOf(row).some(Boolean) && bothOf(row).every((file) => file?.is_elf));
		const builds = files.filter((row) => bothOf(row)[BEFORE].build_id !== bothOf(row)[AFTER].build_id);
		const rows = builds.length > 0 ? builds : files;
		const metric = rows.some(({own_ns: ns}) => ns && ns.before + ns.after > 0) ? 'own_ns' : 'faults';
		const changeOf = (/** @type {DiffRow | undefined} */ row) => row && row[metric].verdict !== 'noise' ? Math.abs(row[metric].difference) : 0;
		const most = rows.reduce((best, row) => changeOf(row) > changeOf(best) ? row : best, rows[0]);
		return changeOf(most) > 2 * changeOf(rows.find((row) => row.object_id === main)) ? most.object_id : main;
	}
}

/** Read the three blocks of the page. @param {(id: string) => HTMLElement} byId @returns {Promise<DiffData>} */
export async function readDiff(byId) {
	const {header} = await readBlock(byId('data-diff'));
	if (header.format !== 'elfault.diffpage/1')
		throw new Error(`unknown format ${header.format}`);
	return new DiffData(header, [await readData(byId('data-before')), await readData(byId('data-after'))]);
}
