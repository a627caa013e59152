// SPDX-License-Identifier: Apache-2.0
// The table of files, whose rows open: below a file the sections that were touched, below a section functions and data.
import {make} from '../shared/dom.js';
import {countText} from '../shared/format.js';
import {GroupTable} from './tables.js';

/** Rows shown below one at first; each request takes four times as many. */
const CHILDREN = 20;

export class FileTree extends GroupTable {
	/** @param {import('../data/data.js').Data} data @param {import('../selection/store.js').Store} store @param {import('./tablekinds.js').TableKind} kind of files @param {GroupTable[]} below tables of sections and of symbols */
	constructor(data, store, kind, below) {
		super(data, store, kind);
		const {objects, sections, symbols} = data.header;
		const ownColumns = this.columns;
		const columnsOf = [ownColumns, ...below.map(({columns}) => ownColumns.map(({key}) => columns.find((column) => column.key === key)))];
		/** @type {GroupTable[]} */
		this.tables = [this, ...below];
		/** The number of the first row of each level; a row below 0 stands for what is left out below row -1 - it. */
		this.starts = [0, objects.length + 1, objects.length + 1 + sections.length];
		/** @type {Map<number, number[]>} rows that may be below each */
		this.children = new Map();
		/** @type {Map<number, number>} */
		this.parents = new Map();
		/** @type {Map<number, number>} rows that are open, and how many rows are shown below */
		this.open = new Map();
		const adopt = (/** @type {number} */ child, /** @type {number} */ parent) => {
			const rows = this.children.get(parent) ?? [];
			rows.push(child);
			this.children.set(parent, rows);
			this.parents.set(child, parent);
		};
		sections.forEach((/** @type {{object: number}} */ {object}, /** @type {number} */ i) => adopt(this.starts[1] + i, object));
		symbols.section.forEach((/** @type {number | null} */ section, /** @type {number} */ i) => {
			if (section !== null)
				adopt(this.starts[2] + i, this.starts[1] + section);
		});
		this.columns = ownColumns.map((column, c) => {
			const of = (/** @type {number} */ row) => columnsOf[this.levelOf(row)][c];
			return {...column, value: (/** @type {number} */ row) => of(row)?.value(this.indexOf(row)) ?? 0, show: (/** @type {number} */ row) => of(row)?.show(this.indexOf(row)) ?? ''};
		});
		const table = this.panel.querySelector('table');
		table?.setAttribute('role', 'treegrid');
		table?.setAttribute('aria-label', 'Files');
		table?.classList.toggle('wide', this.columns.length > 8);
	}

	/** 0: a file, 1: a section, 2: a symbol. @param {number} row */
	levelOf(row) {
		return row >= this.starts[2] ? 2 : Number(row >= this.starts[1]);
	}

	/** @param {number} row */
	indexOf(row) {
		return row - this.starts[this.levelOf(row)];
	}

	/** @param {number} row */
	kindOf(row) {
		return this.tables[this.levelOf(row)].kind;
	}

	sum() {
		super.sum();
		for (const level of new Set([...this.open.keys()].map((row) => this.levelOf(row) + 1)))
			this.tables[level].sum();
	}

	sorted() {
		return super.sorted().flatMap((row) => this.withChildren(row));
	}

	/** @param {number} row @returns {number[]} */
	withChildren(row) {
		const shown = this.open.get(row);
		if (shown === undefined)
			return [row];
		const rows = this.inOrder((this.children.get(row) ?? []).filter((child) => this.isCounted(child)));
		return [row, ...rows.slice(0, shown).flatMap((child) => this.withChildren(child)), ...rows.length > shown ? [-1 - row] : []];
	}

	/** True if something of it is selected. @param {number} row */
	isCounted(row) {
		const sums = this.tables[this.levelOf(row)].sums();
		return sums !== null && (sums.faults[this.indexOf(row)] > 0 || this.kindOf(row).isPressed(this.indexOf(row)));
	}

	/** @param {number} a @param {number} b */
	order(a, b) {
		return this.tables[this.levelOf(a)].kind === this.kind ? super.order(a, b) : this.tables[this.levelOf(a)].order(this.indexOf(a), this.indexOf(b));
	}

	/** @param {number} row */
	isRest(row) {
		return row >= 0 && this.levelOf(row) === 0 && super.isRest(row);
	}

	/** @param {number[]} rows */
	most(rows) {
		return super.most(rows.filter((row) => row >= 0));
	}

	/** @param {number} row @param {number} most */
	row(row, most) {
		if (row < 0)
			return this.moreRow(-1 - row);
		const kind = this.kindOf(row);
		const index = this.indexOf(row);
		const element = this.pressedRow(row, most, kind.name(index), kind.isPressed(index), () => kind.press(index));
		const isParent = this.children.has(row);
		element.setAttribute('aria-level', String(this.levelOf(row) + 1));
		if (isParent)
			element.setAttribute('aria-expanded', String(this.open.has(row)));
		element.querySelector('button.row')?.prepend(this.twist(row));
		return element;
	}

	/** What opens @row by a click; keys do it by arrows. @param {number} row */
	twist(row) {
		const isParent = this.children.has(row);
		return make('span', {class: `twist level-${this.levelOf(row)}`, 'aria-hidden': 'true', click: isParent ? (/** @type {MouseEvent} */ event) => {
			event.stopPropagation();
			this.turn(row);
		} : null});
	}

	/** @param {number} parent */
	moreRow(parent) {
		const shown = this.open.get(parent) ?? 0;
		const count = (this.children.get(parent) ?? []).filter((child) => this.isCounted(child)).length;
		return make('tr', {'aria-level': this.levelOf(parent) + 2}, make('th', {scope: 'row', class: 'text', colspan: this.columns.length},
			make('button', {type: 'button', class: 'row', 'data-row': -1 - parent, click: (/** @type {MouseEvent} */ event) => {
				const at = /** @type {HTMLElement} */ (event.currentTarget).closest('tr')?.rowIndex ?? 1;
				this.open.set(parent, shown * 4);
				this.shown += shown * 3;
				this.draw();
				/** @type {HTMLElement | null | undefined} */ (this.body.rows[at - 1]?.querySelector('button.row'))?.focus();
			}}, make('span', {class: `twist level-${this.levelOf(parent) + 1}`, 'aria-hidden': 'true'}), `${countText(count - shown)} more`)));
	}

	/** Open @row, or close it. @param {number} row */
	turn(row) {
		if (!this.open.delete(row)) {
			this.open.set(row, CHILDREN);
			this.tables[this.levelOf(row) + 1].sum();
		}
		this.draw();
	}

	/** Arrows to the sides open and close, or lead to what is above and below in the tree. @param {KeyboardEvent} event */
	moveFocus(event) {
		const row = Number(/** @type {HTMLElement} */ (event.target).dataset.row ?? NaN);
		const isRight = event.key === 'ArrowRight';
		if (Number.isNaN(row) || !isRight && event.key !== 'ArrowLeft') {
			super.moveFocus(event);
			return;
		}
		const to = isRight ? this.children.get(row)?.length && this.open.has(row) ? /** @type {HTMLElement} */ (event.target).closest('tr')?.nextElementSibling?.querySelector('button.row') : null
			: this.body.querySelector(`[data-row="${row < 0 ? -1 - row : this.parents.get(row)}"]`);
		if (this.children.has(row) && this.open.has(row) !== isRight)
			this.turn(row);
		else
			/** @type {HTMLElement | null | undefined} */ (to)?.focus();
		// Arrows pan the pictures elsewhere.
		event.preventDefault();
		event.stopPropagation();
	}
}
