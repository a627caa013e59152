// SPDX-License-Identifier: Apache-2.0
// The table of files, whose rows open: below a file the sections that were touched, below a section functions and data.
import {make} from '../shared/dom.js';
import {ALL_FILES, ALL_SECTIONS} from '../selection/store.js';
import {GroupTable} from './tablekinds.js';

export class FileTree extends GroupTable {
	/** @param {Data} data @param {Store} store @param {TableKind[]} kinds of files, sections and symbols */
	constructor(data, store, [kind, ...below]) {
		super(data, store, kind);
		const {objects, sections, symbols} = data.header;
		/** @type {GroupTable[]} */
		this.tables = [this, ...below.map((each) => new GroupTable(data, store, each))];
		/** @type {(SortedColumn | undefined)[][]} */
		const columnsOf = this.tables.map(({columns}) => this.columns.map(({key}) => columns.find((column) => column.key === key)));
		/** The number of the first row of each level. */
		this.starts = [0, objects.length + 1, objects.length + 1 + sections.length];
		/** The row that each is below. @type {Map<number, number>} */
		this.parents = new Map();
		/** Rows whose names are looked for, and those above them; null: all. @type {Set<number> | null} */
		this.found = null;
		/** Levels that have not been counted since the selection changed. @type {Set<number>} */
		this.stale = new Set();
		sections.forEach(({object}, i) => this.parents.set(this.starts[1] + i, object));
		symbols.section.forEach((section, i) => {
			if (section !== null)
				this.parents.set(this.starts[2] + i, this.starts[1] + section);
		});
		/** Rows that may be below each. */
		this.children = Map.groupBy(this.parents.keys(), (row) => /** @type {number} */ (this.parents.get(row)));
		this.columns = this.columns.map((column, c) => {
			const of = (/** @type {number} */ row) => columnsOf[this.levelOf(row)][c];
			return {...column, value: (/** @type {number} */ row) => of(row)?.value(this.indexOf(row)) ?? 0, show: (/** @type {number} */ row) => of(row)?.show(this.indexOf(row)) ?? ''};
		});
		const {order, isRest} = this.spec;
		Object.assign(this.spec, /** @type {Partial<TableSpec>} */ ({
			order: (a, b) => this.levelOf(a) === 0 ? order(a, b) : this.tables[this.levelOf(a)].spec.order(this.indexOf(a), this.indexOf(b)),
			isRest: (row) => this.levelOf(row) === 0 && isRest(row),
			isPressed: (row) => this.kindOf(row).isPressed(this.indexOf(row)),
			press: (row) => this.kindOf(row).press(this.indexOf(row)),
		}));
		this.table.setAttribute('role', 'treegrid');
		this.table.setAttribute('aria-label', 'Files');
		this.table.classList.toggle('wide', this.columns.length > 8);
		store.listen((changed) => {
			if (changed.has('open') && !this.panel.hidden)
				this.draw();
		});
	}

	/** 0: a file, 1: a section, 2: a symbol. @param {number} row */
	levelOf(row) {
		return row >= this.starts[2] ? 2 : Number(row >= this.starts[1]);
	}

	indexOf(/** @type {number} */ row) {
		return row - this.starts[this.levelOf(row)];
	}

	kindOf(/** @type {number} */ row) {
		return this.tables[this.levelOf(row)].kind;
	}

	/** What a file or section is called in a link. @param {number} row */
	linkName(row) {
		const file = this.data.paths[this.parents.get(row) ?? row];
		return this.levelOf(row) === 0 ? file : `${file} ${this.kindOf(row).name(this.indexOf(row))}`;
	}

	isOpen(/** @type {number} */ row) {
		const below = this.children.get(row);
		if (!below || this.found)
			return below?.some((child) => this.found?.has(child)) ?? false;
		const {open} = this.store.choice;
		return open.includes(this.levelOf(row) === 0 ? ALL_FILES : ALL_SECTIONS) || open.includes(this.linkName(row));
	}

	sum() {
		super.sum();
		this.stale = new Set([1, 2]);
	}

	/** The table of @level, counted: what is not open is not. @param {number} level */
	counted(level) {
		if (this.stale.delete(level))
			this.tables[level].sum();
		return this.tables[level];
	}

	sorted() {
		this.found = this.find ? this.rowsFound() : null;
		return this.inOrder(this.spec.rows().filter((row) => this.found?.has(row) ?? true)).flatMap((row) => this.withChildren(row));
	}

	/** Rows of all levels whose names have what is looked for, and what they are in. */
	rowsFound() {
		const found = new Set();
		this.tables.forEach((table, level) => {
			for (const index of this.counted(level).spec.rows())
				if (table.kind.name(index).toLowerCase().includes(this.find))
					for (let row = /** @type {number | undefined} */ (this.starts[level] + index); row !== undefined; row = this.parents.get(row))
						found.add(row);
		});
		return found;
	}

	/** @param {number} row @returns {number[]} */
	withChildren(row) {
		const below = this.isOpen(row) ? this.children.get(row) ?? [] : [];
		return [row, ...this.inOrder(below.filter((child) => this.isCounted(child))).flatMap((child) => this.withChildren(child))];
	}

	/** True if something of it is selected, and has the name that is looked for. @param {number} row */
	isCounted(row) {
		const sums = this.counted(this.levelOf(row)).sums();
		return sums !== null && (sums.faults[this.indexOf(row)] > 0 || this.spec.isPressed(row)) && (this.found?.has(row) ?? true);
	}

	row(/** @type {number} */ row) {
		const element = super.row(row);
		const isParent = this.children.has(row);
		element.setAttribute('aria-level', String(this.levelOf(row) + 1));
		if (isParent)
			element.setAttribute('aria-expanded', String(this.isOpen(row)));
		// What opens the row by a click; keys do it by arrows.
		element.querySelector('button.row')?.prepend(make('span', {class: `twist level-${this.levelOf(row)}`, 'aria-hidden': 'true',
			click: isParent ? (/** @type {MouseEvent} */ event) => {
				event.stopPropagation();
				this.turn(row);
			} : null}));
		return element;
	}

	/** Open @row, or close it. @param {number} row */
	turn(row) {
		const {open} = this.store.choice;
		const all = this.levelOf(row) === 0 ? ALL_FILES : ALL_SECTIONS;
		const name = this.linkName(row);
		if (!this.isOpen(row))
			this.store.set({open: [...open, name]});
		else if (open.includes(all))
			this.store.set({open: [...open.filter((each) => each !== all), ...this.namesBeside(row)]});
		else
			this.store.set({open: open.filter((each) => each !== name)});
	}

	/** The others that are listed of the level of @row. @param {number} row */
	namesBeside(row) {
		return this.list.filter((other) => other !== row && this.levelOf(other) === this.levelOf(row) && this.children.has(other)).map((other) => this.linkName(other));
	}

	/** Open all rows of the level of @row, or close them. @param {number} row */
	turnAll(row) {
		const all = this.levelOf(row) === 0 ? ALL_FILES : ALL_SECTIONS;
		const others = this.store.choice.open.filter((each) => each !== all);
		this.store.set({open: others.length < this.store.choice.open.length ? others : [...others, all]});
	}

	/** Arrows to the sides open and close, or lead to what is above and below in the tree; * opens all of a level. @param {KeyboardEvent} event */
	moveFocus(event) {
		const row = Number(/** @type {HTMLElement} */ (event.target).dataset.row ?? NaN);
		const isRight = event.key === 'ArrowRight';
		if (Number.isNaN(row) || !isRight && event.key !== 'ArrowLeft' && event.key !== '*') {
			super.moveFocus(event);
			return;
		}
		if (event.key === '*')
			this.turnAll(row);
		else if (this.children.has(row) && this.isOpen(row) !== isRight)
			this.turn(row);
		else if (!isRight)
			this.focusRow(this.parents.get(row));
		else if (this.children.has(row))
			this.focusRow(this.list[this.list.indexOf(row) + 1]);
		// Arrows pan the pictures elsewhere.
		event.preventDefault();
		event.stopPropagation();
	}
}
