// SPDX-License-Identifier: Apache-2.0
// A table under a tab: its rows sorted, searched and shown a hundred at first.
import {make} from '../shared/dom.js';
import {countText, nounText} from '../shared/format.js';
import {tabButton} from './tabs.js';

/**
 * @typedef {Object} SortedColumn
 * @property {string} key
 * @property {string} title
 * @property {string} [help] what the title leaves open
 * @property {boolean} [isText]
 * @property {boolean} [isPlace] a number that is no amount: an address, a position
 * @property {(row: number) => number | string} value what rows are sorted by
 * @property {(row: number) => string} show
 * @property {(row: number, most: number) => (Node | string | null)[]} [mark] what stands there instead
 */

const SVG_SPACE = 'http://www.w3.org/2000/svg';

/** How long a number is beside the largest; it lies behind the number, from the left of the column on. @param {number} part */
function shareBar(part) {
	const picture = document.createElementNS(SVG_SPACE, 'svg');
	const bar = document.createElementNS(SVG_SPACE, 'rect');
	picture.classList.add('share-of');
	picture.setAttribute('viewBox', '0 0 100 10');
	picture.setAttribute('preserveAspectRatio', 'none');
	picture.setAttribute('aria-hidden', 'true');
	bar.setAttribute('width', (100 * part).toFixed(1));
	bar.setAttribute('height', '10');
	picture.append(bar);
	return picture;
}

/** Rows shown at first; each request doubles them. */
const ROWS = 100;

/** What a table shows is for classes that extend this one: rows(), row(), about, status. */
export class SortedTable {
	/** @param {string} id @param {string} title @param {SortedColumn[]} columns the first names the row @param {string} sortKey '': rows come in their own order at first */
	constructor(id, title, columns, sortKey) {
		this.id = id;
		this.title = title;
		this.columns = columns;
		this.sortKey = sortKey;
		this.isAscending = false;
		this.shown = ROWS;
		this.find = '';
		this.tab = tabButton(id, title);
		this.about = make('p', {class: 'about'});
		this.search = make('input', {type: 'search', 'aria-label': `Find in ${title.toLowerCase()}`,
			placeholder: 'Find by name', autocomplete: 'off', spellcheck: 'false',
			input: () => {
				this.find = this.search.value.toLowerCase();
				this.shown = ROWS;
				this.draw();
			}});
		this.status = make('p', {class: 'status', role: 'status'});
		this.head = make('tr');
		this.body = make('tbody', {keydown: (/** @type {KeyboardEvent} */ event) => this.moveFocus(event)});
		this.more = make('button', {type: 'button', class: 'button', hidden: true,
			click: () => this.showMore()}, 'Show more');
		this.top = make('div', {class: 'table-top'}, this.about, this.search);
		this.panel = make('div', {role: 'tabpanel', id: `panel-${id}`, 'aria-labelledby': `tab-${id}`, hidden: true},
			this.top,
			make('section', {class: 'scroll', tabindex: '0', 'aria-label': `${title}, table`},
				make('table', {}, make('thead', {}, this.head), this.body)),
			make('div', {class: 'table-end'}, this.status, this.more));
		this.makeHead();
	}

	/** Every row there is to show, in no order. @returns {number[]} */
	rows() {
		return [];
	}

	/** One row as it stands in the page. @param {number} _row @param {number} _most see most() @returns {HTMLTableRowElement} */
	row(_row, _most) {
		return make('tr');
	}

	/** What bars of rows are measured against, of those that are shown: the largest number of the sorted column. @param {number[]} rows */
	most(rows) {
		const column = this.sortedColumn();
		return column ? rows.reduce((most, row) => Math.max(most, this.barred(column.value(row))), 0) : 0;
	}

	/** What a bar shows of @value. @param {number | string} value */
	barred(value) {
		return typeof value === 'number' && value > 0 && value < Infinity ? value : 0;
	}

	/** The bar of @row in @column, if that is what rows are sorted by and numbers that add up. @param {SortedColumn} column @param {number} row @param {number} most */
	barOf(column, row, most) {
		return column === this.sortedColumn() && !column.isText && !column.isPlace && most > 0
			? shareBar(this.barred(column.value(row)) / most) : null;
	}

	sortedColumn() {
		return this.columns.find(({key}) => key === this.sortKey);
	}

	/** Which of two rows comes first that are equal in the sorted column. @param {number} a @param {number} b */
	order(a, b) {
		return a - b;
	}

	/** True if @_row comes behind all others, however they are sorted. @param {number} _row */
	isRest(_row) {
		return false;
	}

	/** What the rows are about. */
	aboutText() {
		return '';
	}

	/** @param {number} shown @param {number} count rows there are */
	statusText(shown, count) {
		return `${countText(shown)} of ${nounText(count, 'row')}`;
	}

	/** Count what the rows show, then draw. */
	count() {
		this.draw();
	}

	makeHead() {
		this.head.replaceChildren(...this.columns.map((column) => make('th', {scope: 'col',
			class: column.isText ? 'text' : 'number', 'data-key': column.key},
		make('button', {type: 'button', title: column.help ?? null, click: () => this.sortBy(column)}, column.title))));
		this.markSorted();
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
		this.isAscending = this.sortKey === column.key ? !this.isAscending : Boolean(column.isText);
		this.sortKey = column.key;
		this.markSorted();
		this.draw();
	}

	/** Arrows lead from row to row. @param {KeyboardEvent} event */
	moveFocus(event) {
		const row = /** @type {HTMLElement} */ (event.target).closest('tr');
		const next = event.key === 'ArrowDown' ? row?.nextElementSibling : event.key === 'ArrowUp' ? row?.previousElementSibling : null;
		if (!next)
			return;
		/** @type {HTMLElement | null} */ (next.querySelector('button.row'))?.focus();
		event.preventDefault();
	}

	/** Keyboards go on at the first new row. */
	showMore() {
		const before = this.body.rows.length;
		this.shown *= 2;
		this.draw();
		this.body.rows[before]?.querySelector('button')?.focus();
	}

	/** The rows in order. */
	sorted() {
		const rows = this.rows();
		return this.inOrder(this.find ? rows.filter((row) => this.columns.some((each) => each.isText
			&& String(each.value(row)).toLowerCase().includes(this.find))) : rows);
	}

	/** @param {number[]} rows */
	inOrder(rows) {
		const column = this.sortedColumn();
		if (!column)
			return rows.sort((a, b) => this.order(a, b));
		const sign = this.isAscending ? 1 : -1;
		// Values are asked for once: there may be a million rows.
		const values = rows.map(column.value);
		return rows.map((_, i) => i).sort((a, b) => values[a] === values[b] ? this.order(rows[a], rows[b])
			: values[a] < values[b] ? -sign : sign).map((i) => rows[i]);
	}

	draw() {
		const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.row;
		const hadFocus = this.body.contains(document.activeElement);
		const sorted = this.sorted();
		const rows = [...sorted.filter((row) => !this.isRest(row)), ...sorted.filter((row) => this.isRest(row))];
		const shown = rows.slice(0, this.shown);
		const most = this.most(shown);
		this.body.replaceChildren(...shown.map((row) => this.row(row, most)));
		this.about.textContent = this.aboutText();
		this.more.hidden = rows.length <= this.shown;
		this.more.textContent = `Show ${countText(Math.min(this.shown, rows.length - this.shown))} more`;
		this.status.textContent = rows.length === 0 ? 'Nothing in this selection.' : this.statusText(shown.length, rows.length);
		if (hadFocus && focused)
			/** @type {HTMLElement | null} */ (this.body.querySelector(`[data-row="${Number(focused)}"]`))?.focus();
	}
}
