// SPDX-License-Identifier: Apache-2.0
// A table under a tab: its rows sorted and searched. The order is in the store: a link restores it. Only rows near what is in sight
// stand in the page.
import {make, elidedName} from '../shared/dom.js';
import {nounText} from '../shared/format.js';
import {tabButton, tabPanel} from './tabs.js';

/** How long a number is beside the largest; it lies behind the number, from the left of the column on. @param {number} part */
function shareBar(part) {
	const bar = make('span', {class: 'share-of', 'aria-hidden': 'true'});
	bar.style.setProperty('--part', part.toFixed(3));
	return bar;
}

/** What a bar shows of @value. @param {number | string} value */
function barred(value) {
	return typeof value === 'number' && value > 0 && value < Infinity ? value : 0;
}

/** Rows that stand in the page at once; half of them before what is in sight. */
const ROWS = 80;

export class SortedTable {
	constructor(/** @type {Store} */ store, /** @type {TableSpec} */ spec) {
		const {id, title, about, columns} = spec;
		this.store = store;
		this.id = id;
		this.columns = columns;
		this.spec = {firstKey: () => store.choice.metric, isPressed: () => false, press: () => {}, isQuiet: () => false, isRest: () => false,
			order: (/** @type {number} */ a, /** @type {number} */ b) => a - b, statusText: (/** @type {number[]} */ {length}) => nounText(length, 'row'), ...spec};
		this.sortKey = store.choice.metric;
		this.isAscending = false;
		this.find = '';
		/** Every row that is listed, in order; those from @first on stand in the page. @type {number[]} */
		this.list = [];
		this.first = 0;
		/** What bars are measured against: of rows that are listed the largest number of the sorted column. */
		this.largest = 0;
		this.tab = tabButton(id, title, about);
		this.search = make('input', {type: 'search', 'aria-label': `Find in ${title.toLowerCase()}`,
			placeholder: 'Find by name', autocomplete: 'off', spellcheck: 'false',
			input: () => {
				this.find = this.search.value.toLowerCase();
				this.draw();
			}});
		this.status = make('p', {class: 'status', role: 'status'});
		this.head = make('tr', {}, ...columns.map((column) => make('th', {scope: 'col', class: column.isText ? 'text' : 'number', 'data-key': column.key},
			make('button', {type: 'button', title: column.help ?? null, click: () => this.sortBy(column)}, column.title))));
		this.body = make('tbody', {keydown: (/** @type {KeyboardEvent} */ event) => this.moveFocus(event)});
		this.top = make('div', {class: 'table-top'}, this.search);
		this.table = make('table', {}, make('thead', {}, this.head), this.body);
		/** As high as if all rows stood in it. */
		this.room = make('div', {class: 'room'}, this.table);
		this.scroll = make('section', {class: 'scroll', tabindex: '0', 'aria-label': `${title}, table`,
			scroll: () => this.followScroll()}, this.room);
		this.panel = tabPanel(id, this.top, this.scroll, make('div', {class: 'table-end'}, this.status));
		this.markSorted();
	}

	/** One row as it stands in the page. @param {number} row */
	row(row) {
		const [{show}, ...others] = this.columns;
		const isPressed = this.spec.isPressed(row);
		return make('tr', {class: `${isPressed ? 'pressed' : ''}${this.spec.isQuiet(row) ? ' quiet' : ''}` || null},
			make('th', {scope: 'row', class: 'text'}, this.spec.isRest(row) ? show(row)
				: make('button', {type: 'button', class: 'row', 'data-row': row, 'aria-pressed': String(isPressed), click: () => this.spec.press(row)}, elidedName(show(row)))),
			...others.map((column) => make('td', {class: column.isText ? 'text' : 'number', title: column.isProse ? column.show(row) : null},
				...column.mark ? column.mark(row, column.show(row)) : [this.barOf(column, row), column.isText && !column.isProse ? elidedName(column.show(row)) : column.show(row)])));
	}

	/** The bar of @row in @column, if that is what rows are sorted by and numbers that add up. @param {SortedColumn} column @param {number} row */
	barOf(column, row) {
		return column === this.sortedColumn() && !column.isText && !column.isPlace && this.largest > 0
			? shareBar(barred(column.value(row)) / this.largest) : null;
	}

	sortedColumn() {
		return this.columns.find(({key}) => key === this.sortKey);
	}

	/** Take over what the store says, then draw. */
	count() {
		this.spec.prepare?.();
		const {sort} = this.store.choice;
		const key = sort.replace(/^-/, '');
		const isKnown = this.columns.some((column) => column.key === key);
		this.sortKey = isKnown ? key : this.spec.firstKey();
		this.isAscending = isKnown && !sort.startsWith('-');
		this.markSorted();
		this.draw();
	}

	markSorted() {
		for (const cell of this.head.children) {
			const isSorted = /** @type {HTMLElement} */ (cell).dataset.key === this.sortKey;
			if (isSorted)
				cell.setAttribute('aria-sort', this.isAscending ? 'ascending' : 'descending');
			else
				cell.removeAttribute('aria-sort');
		}
	}

	/** Numbers start with the largest, words with the first. @param {SortedColumn} column */
	sortBy(column) {
		const isAscending = this.sortKey === column.key ? !this.isAscending : Boolean(column.isText);
		this.store.set({sort: (isAscending ? '' : '-') + column.key});
		this.count();
	}

	/** Arrows lead from row to row. @param {KeyboardEvent} event */
	moveFocus(event) {
		const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
		const row = /** @type {HTMLElement} */ (event.target).dataset.row;
		if (step === 0 || row === undefined)
			return;
		this.focusRow(this.list[this.list.indexOf(Number(row)) + step]);
		event.preventDefault();
	}

	/** Bring @row into sight, and the focus to it. @param {number | undefined} row */
	focusRow(row) {
		const at = row === undefined ? -1 : this.list.indexOf(row);
		if (at < 0)
			return;
		if (at < this.first || at >= this.first + this.body.rows.length)
			this.fill(at);
		/** @type {HTMLElement | null} */ (this.body.querySelector(`[data-row="${row}"]`))?.focus();
	}

	/** The rows in order. */
	sorted() {
		const rows = this.spec.rows();
		return this.inOrder(this.find ? rows.filter((row) => this.columns.some((each) => each.isText
			&& String(each.value(row)).toLowerCase().includes(this.find))) : rows);
	}

	inOrder(/** @type {number[]} */ rows) {
		const column = this.sortedColumn();
		if (!column)
			return rows.sort(this.spec.order);
		const sign = this.isAscending ? 1 : -1;
		// Values are asked for once: there may be a million rows.
		const values = rows.map(column.value);
		return rows.map((_, i) => i).sort((a, b) => values[a] === values[b] ? this.spec.order(rows[a], rows[b])
			: values[a] < values[b] ? -sign : sign).map((i) => rows[i]);
	}

	draw() {
		const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.row;
		const hadFocus = this.body.contains(document.activeElement);
		const sorted = this.sorted();
		this.list = [...sorted.filter((row) => !this.spec.isRest(row)), ...sorted.filter(this.spec.isRest)];
		const column = this.sortedColumn();
		this.largest = this.list.reduce((most, row) => Math.max(most, barred(column?.value(row) ?? 0)), 0);
		this.spec.measure?.(this.list);
		this.table.setAttribute('aria-rowcount', String(this.list.length + 1));
		this.fill(this.rowInSight());
		this.status.textContent = this.list.length === 0 ? 'Nothing in this selection.' : this.spec.statusText(this.list);
		if (hadFocus && focused)
			this.focusRow(Number(focused));
	}

	/** Rows are equally high. */
	rowHeight() {
		return this.body.offsetHeight / this.body.rows.length || 1;
	}

	/** Where in the list the first row is that can be seen. */
	rowInSight() {
		const hidden = Math.max(this.scroll.getBoundingClientRect().top, 0) - this.room.getBoundingClientRect().top;
		return Math.floor(hidden / this.rowHeight());
	}

	/** Put the rows around @at of the list into the page. @param {number} at */
	fill(at) {
		const {list, body, room} = this;
		this.first = Math.max(Math.min(at - ROWS / 2, list.length - ROWS), 0);
		const rows = list.slice(this.first, this.first + ROWS).map((row) => this.row(row));
		rows.forEach((row, i) => row.setAttribute('aria-rowindex', String(this.first + i + 2)));
		body.replaceChildren(...rows);
		const height = rows.length < list.length ? this.rowHeight() : 0;
		room.style.paddingTop = `${this.first * height}px`;
		room.style.paddingBottom = `${(list.length - this.first - rows.length) * height}px`;
	}

	/** Rows that come into sight are put into the page, before the last ones have come. */
	followScroll() {
		const at = this.rowInSight();
		const last = this.first + this.body.rows.length;
		if (at < this.first + ROWS / 8 && this.first > 0 || at > last - ROWS / 2 && last < this.list.length)
			this.fill(at);
	}
}
