// SPDX-License-Identifier: Apache-2.0
// The call stacks of the selected faults as an icicle: outermost function on top, width by faults,
// colour by the initiator of most of them. The heaviest stacks stand below as text.
import {make} from '../shared/dom.js';
import {countText, nounText, percentText} from '../shared/format.js';
import {buildLater, drawOnPause} from '../shared/later.js';
import {elidedName} from '../shared/name.js';
import {visibleText} from '../shared/visible.js';
import {initiatorColor, textOn} from '../shared/palette.js';
import {inRange} from '../selection/selection.js';
import {selectedMarks} from '../selection/selected.js';
import {BOX_ALL, StackTree} from '../data/stacktree.js';
import {onTheme, token} from '../shared/theme.js';
import {objectName} from '../data/words.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 */

const ROW = 20;
const MOST_ROWS = 400;
/** Boxes narrower than this are not drawn. */
const NARROWEST = 0.5;
const HEAVIEST = 12;
/** Functions of a stack that the list names. */
const NAMED = 7;

/** @typedef {{box: number, x: number, y: number, width: number}} Placed */

class Flame {
	/** @param {Data} data @param {Store} store @param {HTMLElement} element */
	constructor(data, store, element) {
		this.data = data;
		this.store = store;
		this.zoomed = BOX_ALL;
		this.current = BOX_ALL;
		/** @type {StackTree | null} */
		this.tree = null;
		/** @type {Placed[]} */
		this.placed = [];
		this.all = make('input', {type: 'checkbox', change: () => this.count()});
		this.scope = make('span', {}, `also outside ${objectName(data, store.choice.object)}`);
		this.reset = make('button', {type: 'button', class: 'button', disabled: true, click: () => this.zoom(BOX_ALL)}, 'Reset zoom');
		this.canvas = make('canvas', {class: 'flame', tabindex: '0', role: 'application',
			'aria-roledescription': 'flame graph', 'aria-describedby': 'flame-help',
			click: (/** @type {MouseEvent} */ event) => this.click(event),
			mousemove: (/** @type {MouseEvent} */ event) => this.hover(event),
			mouseleave: () => this.tell(this.current),
			keydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
			focus: () => this.draw(), blur: () => this.draw()});
		this.status = make('p', {class: 'status flame-status', role: 'status'});
		this.scroll = make('div', {class: 'scroll flame-scroll'}, this.canvas);
		this.list = make('ol', {class: 'heaviest'});
		element.append(
			make('div', {class: 'table-top'},
				make('p', {class: 'about', id: 'flame-help'}, 'Width: faults. Callers are above callees. '
					+ 'Colour: the initiator of most faults. Click or Enter zooms, arrows move, Esc goes back.'),
				make('label', {class: 'nowrap'}, this.all, this.scope), this.reset),
			this.status, this.scroll, make('h3', {}, 'Heaviest stacks'), this.list);
	}

	count() {
		const {data, store} = this;
		const {choice} = store;
		const tree = this.tree ?? new StackTree(data);
		this.tree = tree;
		const marks = selectedMarks(data, store);
		const isAll = this.all.checked;
		const ofObject = Uint8Array.from(data.columns.combination_object,
			(value) => Number(isAll || value === choice.object));
		const ranged = choice.time !== null || choice.place !== null;
		tree.count((i) => marks[i] === 1 && ofObject[data.combination[i]] === 1
			&& (!ranged || inRange(data, choice, i)));
		this.scope.textContent = ` also outside ${objectName(data, choice.object)}`;
		if (tree.totals[this.zoomed] === 0)
			this.zoomed = BOX_ALL;
		if (tree.totals[this.current] === 0)
			this.current = this.zoomed;
		this.place();
		this.draw();
		this.tell(this.current);
		this.listHeaviest();
	}

	/** Lay out the zoomed box over the full width, its callers above, what it calls below. */
	place() {
		const {tree} = this;
		const full = this.scroll.clientWidth;
		this.placed = [];
		if (!tree || full === 0 || tree.totals[BOX_ALL] === 0)
			return;
		for (const box of [BOX_ALL, ...tree.chain(this.zoomed).slice(1).reverse()])
			if (box !== this.zoomed)
				this.placed.push({box, x: 0, y: tree.depths[box] * ROW, width: full});
		const scale = full / tree.totals[this.zoomed];
		const stack = [{box: this.zoomed, x: 0, y: tree.depths[this.zoomed] * ROW, width: full}];
		for (let at = stack.pop(); at; at = stack.pop()) {
			this.placed.push(at);
			let x = at.x;
			if (at.y / ROW >= MOST_ROWS)
				continue;
			for (const child of tree.children[at.box]) {
				const width = tree.totals[child] * scale;
				// The others are narrower still.
				if (width < NARROWEST)
					break;
				stack.push({box: child, x, y: at.y + ROW, width});
				x += width;
			}
		}
	}

	draw() {
		const {canvas, tree} = this;
		const context = canvas.getContext('2d');
		if (!context || !tree)
			return;
		const ratio = Math.min(devicePixelRatio || 1, 2);
		const width = this.scroll.clientWidth;
		const height = this.placed.reduce((most, {y}) => Math.max(most, y + ROW), ROW);
		canvas.width = Math.max(1, Math.round(width * ratio));
		canvas.height = Math.round(height * ratio);
		canvas.style.height = `${height}px`;
		canvas.setAttribute('aria-label', `Flame graph of ${nounText(tree.totals[BOX_ALL], 'fault')}`);
		context.scale(ratio, ratio);
		context.font = '12px system-ui, sans-serif';
		context.textBaseline = 'middle';
		const letter = context.measureText('abcdefghij').width / 10;
		const unknown = tree.data.header.words.initiator.indexOf('unknown');
		for (const {box, x, y, width: wide} of this.placed) {
			const isOwn = tree.keys[box] < 0;
			const color = initiatorColor(tree.data, isOwn ? unknown : tree.initiator(box).index);
			const drawn = Math.max(wide - 1, NARROWEST);
			context.fillStyle = color;
			context.fillRect(x, y, drawn, ROW - 1);
			const letters = Math.floor((drawn - 8) / letter);
			if (letters >= 3) {
				const name = visibleText(tree.name(box));
				context.fillStyle = textOn(color);
				context.fillText(name.length > letters ? name.slice(0, letters - 1) + '…' : name, x + 4, y + ROW / 2,
					drawn - 6);
			}
		}
		const here = document.activeElement === canvas ? this.placed.find(({box}) => box === this.current) : null;
		if (here) {
			context.lineWidth = 2;
			context.strokeStyle = token('ink');
			context.strokeRect(here.x + 1, here.y + 1, Math.max(here.width - 3, 2), ROW - 3);
		}
	}

	/** Say what @box is. @param {number} box */
	tell(box) {
		const {tree} = this;
		if (!tree)
			return;
		const total = tree.totals[BOX_ALL];
		if (total === 0) {
			this.status.textContent = 'No faults in this selection.';
			return;
		}
		const {word, faults} = tree.initiator(box);
		const object = tree.object(box);
		this.status.replaceChildren(elidedName(tree.name(box)),
			`${object ? ` in ${object}` : ''}: ${nounText(tree.totals[box], 'fault')} `
			+ `(${percentText(tree.totals[box], total)}), ${countText(tree.selves[box])} of its own; `
			+ `${percentText(faults, tree.totals[box])} ${word}`);
	}

	/** @param {MouseEvent} event */
	boxAt(event) {
		const {left, top} = this.canvas.getBoundingClientRect();
		const x = event.clientX - left;
		const y = event.clientY - top;
		return this.placed.find((each) => x >= each.x && x < each.x + each.width && y >= each.y && y < each.y + ROW);
	}

	/** @param {MouseEvent} event */
	hover(event) {
		const placed = this.boxAt(event);
		this.canvas.classList.toggle('over', Boolean(placed));
		this.tell(placed ? placed.box : this.current);
	}

	/** @param {MouseEvent} event */
	click(event) {
		const placed = this.boxAt(event);
		if (placed)
			this.zoom(placed.box);
	}

	/** @param {number} box */
	zoom(box) {
		this.zoomed = box;
		this.current = box;
		this.reset.disabled = box === BOX_ALL;
		this.place();
		this.draw();
		this.tell(box);
	}

	/** The box that @key leads to from the current one, null: none. @param {string} key */
	neighbour(key) {
		const tree = /** @type {StackTree} */ (this.tree);
		const box = this.current;
		const parent = tree.parents[box];
		const siblings = parent < 0 ? [box] : tree.children[parent].filter((each) => tree.totals[each] > 0);
		const at = siblings.indexOf(box);
		switch (key) {
		case 'ArrowUp':
			return parent < 0 ? null : parent;
		case 'ArrowDown':
			return tree.children[box].find((each) => tree.totals[each] > 0) ?? null;
		case 'ArrowLeft':
			return siblings[at - 1] ?? null;
		case 'ArrowRight':
			return siblings[at + 1] ?? null;
		default:
			return null;
		}
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		if (!this.tree || event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key === 'Enter') {
			this.zoom(this.current);
		} else if (event.key === 'Escape' && this.zoomed !== BOX_ALL) {
			this.zoom(BOX_ALL);
		} else if (event.key.startsWith('Arrow')) {
			const box = this.neighbour(event.key);
			if (box !== null)
				this.move(box);
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	}

	/** Make @box the current one; zoom out where it would not be seen. @param {number} box */
	move(box) {
		this.current = box;
		if (!this.placed.some((each) => each.box === box)) {
			const tree = /** @type {StackTree} */ (this.tree);
			this.zoomed = Math.max(tree.parents[box], BOX_ALL);
			this.reset.disabled = this.zoomed === BOX_ALL;
			this.place();
		}
		const here = this.placed.find((each) => each.box === box);
		if (here && (here.y < this.scroll.scrollTop || here.y + ROW > this.scroll.scrollTop + this.scroll.clientHeight))
			this.scroll.scrollTop = here.y - this.scroll.clientHeight / 2;
		this.draw();
		this.tell(box);
	}

	listHeaviest() {
		const tree = /** @type {StackTree} */ (this.tree);
		const total = tree.totals[BOX_ALL];
		this.list.replaceChildren(...tree.heaviest(HEAVIEST).map((box) => {
			const chain = tree.chain(box);
			const names = chain.slice(0, NAMED).map((each, i) => [i ? ' ← ' : '', elidedName(tree.name(each))]).flat();
			return make('li', {},
				make('button', {type: 'button', title: 'Show one of these faults',
					click: () => this.store.set({fault: tree.sample[box]})},
				`${nounText(tree.selves[box], 'fault')}, ${percentText(tree.selves[box], total)}`),
				' ', make('span', {class: 'chain'}, ...names, chain.length > NAMED ? ` ← ${chain.length - NAMED} more` : null));
		}));
	}
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeFlame(data, store, element) {
	const flame = new Flame(data, store, element);
	let isBuilt = false;
	const count = () => {
		if (isBuilt)
			flame.count();
	};
	drawOnPause(store, ['filter', 'search', 'process', 'time', 'place', 'object'], count);
	onTheme(() => flame.draw());
	buildLater(element, () => {
		isBuilt = true;
		flame.count();
		let width = flame.scroll.clientWidth;
		new ResizeObserver(() => {
			if (flame.scroll.clientWidth === width)
				return;
			width = flame.scroll.clientWidth;
			flame.place();
			flame.draw();
		}).observe(flame.scroll);
	});
}
