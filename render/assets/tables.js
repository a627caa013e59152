// SPDX-License-Identifier: Apache-2.0
// The tables: one shown at a time, under tabs; its rows count the current selection and are filters.
import {make} from './dom.js';
import {countText, nounText} from './format.js';
import {buildLater, drawOnPause} from './later.js';
import {elidedName} from './name.js';
import {rowsOf, tableKinds} from './tablekinds.js';
import {pagePairs, tallyGroups} from './tally.js';
import {objectName} from './words.js';

/**
 * @typedef {import('./data.js').Data} Data
 * @typedef {import('./store.js').Store} Store
 * @typedef {import('./tablekinds.js').TableKind} TableKind
 * @typedef {import('./tablekinds.js').TableColumn} TableColumn
 * @typedef {import('./tally.js').Tally} Tally
 */

/** Rows shown at first; each request doubles them. */
const ROWS = 100;

const SVG_SPACE = 'http://www.w3.org/2000/svg';

/** How long a number is beside the largest; the number stands beside it. @param {number} part */
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

/** One table: its tab, its panel and what the reader chose in it. */
class Table {
	/** @param {Data} data @param {Store} store @param {TableKind} kind */
	constructor(data, store, kind) {
		this.data = data;
		this.store = store;
		this.kind = kind;
		/** @type {Tally | null} */
		this.tally = null;
		this.columns = kind.columns(() => /** @type {Tally} */ (this.tally));
		this.sortKey = 'faults';
		this.isAscending = false;
		this.shown = ROWS;
		this.find = '';
		/** @type {{object: number, pairs: ReturnType<typeof pagePairs>} | null} */
		this.pairs = null;
		this.tab = make('button', {type: 'button', role: 'tab', id: `tab-${kind.id}`, 'aria-selected': 'false',
			'aria-controls': `panel-${kind.id}`, tabindex: '-1'}, kind.title);
		this.about = make('p', {class: 'about'});
		this.search = make('input', {type: 'search', 'aria-label': `Find in ${kind.title.toLowerCase()}`,
			placeholder: 'Find by name', autocomplete: 'off', spellcheck: 'false',
			input: () => {
				this.find = this.search.value.toLowerCase();
				this.shown = ROWS;
				this.draw();
			}});
		this.status = make('p', {class: 'status', role: 'status'});
		this.head = make('tr');
		this.body = make('tbody');
		this.more = make('button', {type: 'button', class: 'button', hidden: true,
			click: () => this.showMore()}, 'Show more');
		this.panel = make('div', {role: 'tabpanel', id: `panel-${kind.id}`, 'aria-labelledby': `tab-${kind.id}`,
			hidden: true},
		make('div', {class: 'table-top'}, this.about, this.search),
		make('section', {class: 'scroll', tabindex: '0', 'aria-label': `${kind.title}, table`},
			make('table', {}, make('thead', {}, this.head), this.body)),
		make('div', {class: 'table-end'}, this.status, this.more));
		this.makeHead();
	}

	makeHead() {
		for (const column of this.columns)
			this.head.append(make('th', {scope: 'col', class: column.isText ? 'text' : 'number',
				'data-key': column.key},
			make('button', {type: 'button', title: column.help ?? null,
				click: () => this.sortBy(column)}, column.title)));
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

	/** Numbers start with the largest, words with the first. @param {TableColumn} column */
	sortBy(column) {
		this.isAscending = this.sortKey === column.key ? !this.isAscending : Boolean(column.isText);
		this.sortKey = column.key;
		this.markSorted();
		this.draw();
	}

	/** Keyboards go on at the first new row. */
	showMore() {
		const before = this.body.rows.length;
		this.shown *= 2;
		this.draw();
		this.body.rows[before]?.querySelector('button')?.focus();
	}

	/** Count the selection anew, then draw. */
	count() {
		const {data, store, kind} = this;
		const {object} = store.choice;
		const grouping = kind.grouping(object);
		if (kind.countsPages && this.pairs?.object !== object)
			this.pairs = {object, pairs: pagePairs(data, grouping)};
		this.tally = tallyGroups(data, store, grouping, this.pairs?.pairs ?? null);
		this.draw();
	}

	/** The rows in order. */
	sorted() {
		const {kind, tally} = this;
		if (!tally)
			return [];
		const column = this.columns.find(({key}) => key === this.sortKey) ?? this.columns[0];
		let rows = rowsOf(this.data, kind, this.store.choice.object, tally);
		if (this.find)
			rows = rows.filter((row) => this.columns.some((each) => each.isText
				&& String(each.value(row)).toLowerCase().includes(this.find)));
		const sign = this.isAscending ? 1 : -1;
		return rows.sort((a, b) => {
			const x = column.value(a);
			const y = column.value(b);
			if (x !== y)
				return x < y ? -sign : sign;
			// Initializers that are equal stay in the order in which they run, others by name.
			const [left, right] = kind.showsEmpty ? [a, b] : [kind.name(a), kind.name(b)];
			return left < right ? -1 : left > right ? 1 : a - b;
		});
	}

	draw() {
		if (!this.tally)
			return;
		const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.row;
		const hadFocus = this.body.contains(document.activeElement);
		const rows = this.sorted();
		const most = Math.max(1, ...rows.slice(0, this.shown).map((row) => this.tally ? this.tally.faults[row] : 0));
		this.body.replaceChildren(...rows.slice(0, this.shown).map((row) => this.row(row, most)));
		this.about.textContent = this.kind.id === 'objects' ? this.kind.about
			: `${objectName(this.data, this.store.choice.object)}: ${this.kind.about}`;
		this.more.hidden = rows.length <= this.shown;
		this.more.textContent = `Show ${countText(Math.min(this.shown, rows.length - this.shown))} more`;
		this.status.textContent = rows.length === 0 ? 'Nothing in this selection.'
			: `${countText(Math.min(this.shown, rows.length))} of ${nounText(rows.length, 'row')}, `
				+ `${nounText(this.tally.total, 'fault')} in all`
				+ (this.data.merged ? '; times are estimated, since faults were merged' : '');
		if (hadFocus && focused)
			/** @type {HTMLElement | null} */ (this.body.querySelector(`[data-row="${Number(focused)}"]`))?.focus();
	}

	/** @param {number} row @param {number} most faults of any row shown */
	row(row, most) {
		const [first, ...others] = this.columns;
		const isPressed = this.kind.isPressed(row);
		const share = shareBar((this.tally?.faults[row] ?? 0) / most);
		return make('tr', {class: isPressed ? 'pressed' : null},
			make('th', {scope: 'row', class: 'text'},
				make('button', {type: 'button', class: 'row', 'data-row': row, 'aria-pressed': String(isPressed),
					click: () => this.kind.press(row)}, elidedName(first.show(row)))),
			...others.map((column) => make('td', {class: column.isText ? 'text' : 'number'},
				column.key === 'faults' ? share : null,
				column.isText ? elidedName(column.show(row)) : column.show(row))));
	}
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeTables(data, store, element) {
	const tables = tableKinds(data, store).map((kind) => new Table(data, store, kind));
	let current = tables[0];
	let isBuilt = false;
	/** @param {Table} table @param {boolean} [takesFocus] */
	const show = (table, takesFocus) => {
		current = table;
		for (const each of tables) {
			const isCurrent = each === table;
			each.tab.setAttribute('aria-selected', String(isCurrent));
			each.tab.tabIndex = isCurrent ? 0 : -1;
			each.panel.hidden = !isCurrent;
		}
		if (takesFocus)
			table.tab.focus();
		if (isBuilt)
			table.count();
	};
	const tabs = make('div', {role: 'tablist', class: 'tabs', 'aria-label': 'Tables',
		keydown: (/** @type {KeyboardEvent} */ event) => {
			const at = tables.indexOf(current);
			const to = event.key === 'ArrowRight' ? at + 1 : event.key === 'ArrowLeft' ? at - 1
				: event.key === 'Home' ? 0 : event.key === 'End' ? tables.length - 1 : null;
			if (to === null || event.ctrlKey || event.altKey || event.metaKey)
				return;
			// Arrows pan the pictures elsewhere.
			event.preventDefault();
			event.stopPropagation();
			show(tables[(to + tables.length) % tables.length], true);
		}}, ...tables.map(({tab}) => tab));
	for (const table of tables)
		table.tab.addEventListener('click', () => show(table));
	element.append(tabs, ...tables.map(({panel}) => panel));
	show(current);
	const recount = () => {
		if (isBuilt)
			current.count();
	};
	drawOnPause(store, ['filter', 'search', 'process', 'time', 'place', 'object'], recount);
	buildLater(element, () => {
		isBuilt = true;
		recount();
	});
}
