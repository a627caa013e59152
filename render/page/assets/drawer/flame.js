// SPDX-License-Identifier: Apache-2.0
// The call stacks of what is selected as an icicle: outermost function on top, width by the metric,
// colour by the initiator of most of it.
import {make, visibleText, elidedName} from '../shared/dom.js';
import {percentText} from '../shared/format.js';
import {selectedMarks, inRange} from '../selection/selected.js';
import {forOwnTime} from '../selection/moments.js';
import {METRIC_TEXTS, amountsOf} from '../selection/sums.js';
import {BOX_ALL, StackTree} from '../data/stacktree.js';
import {tabButton} from './tabs.js';
import {contextOf} from '../tracks/fittext.js';
import {onTheme, token, causeColors, textOn} from '../shared/theme.js';

const ROW = 20;
const MOST_ROWS = 400;
/** Boxes narrower than this are not drawn. */
const NARROWEST = 0.5;

/** @typedef {{box: number, x: number, y: number, width: number}} Placed */

export class Flame {
	constructor(/** @type {Data} */ data, /** @type {Store} */ store) {
		this.data = data;
		this.store = store;
		this.id = 'flame';
		this.zoomed = BOX_ALL;
		this.current = BOX_ALL;
		/** @type {StackTree | null} */
		this.tree = null;
		/** @type {Placed[]} */
		this.placed = [];
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
		this.tab = tabButton(this.id, 'Flame', 'The call stacks of what is selected.');
		this.panel = make('div', {role: 'tabpanel', id: `panel-${this.id}`, 'aria-labelledby': `tab-${this.id}`, hidden: true},
			make('div', {class: 'table-top'}, this.status, this.reset), this.scroll,
			make('p', {class: 'table-end muted', id: 'flame-help'}, 'Callers are above callees; colour: the cause of most. '
				+ 'Click or Enter zooms, arrows move, Esc goes back.'));
		onTheme(() => this.draw());
		let width = 0;
		new ResizeObserver(() => {
			if (this.scroll.clientWidth === width)
				return;
			width = this.scroll.clientWidth;
			this.place();
			this.draw();
		}).observe(this.scroll);
	}

	/** What widths stand for: pages are no sum of those of callees. */
	metric() {
		const {metric} = this.store.choice;
		return metric === 'pages' ? 'faults' : metric;
	}

	count() {
		const {data, store} = this;
		const {choice} = store;
		const tree = this.tree ?? new StackTree(data);
		this.tree = tree;
		const marks = selectedMarks(data, store.choice);
		const amountOf = amountsOf(data, this.metric());
		tree.count((i) => marks[i] === 1 && inRange(data, choice, i) ? amountOf(i) : 0, (add) => {
			if (this.metric() === 'time')
				forOwnTime(data, choice, (moment, ns, cause) => add(moment < 0 ? 0 : data.columns.moment_stack[moment], Math.max(ns, 0), cause));
		});
		if (tree.totals[this.zoomed] === 0)
			this.zoomed = BOX_ALL;
		if (tree.totals[this.current] === 0)
			this.current = this.zoomed;
		this.place();
		this.draw();
		this.tell(this.current);
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
		if (!tree)
			return;
		const context = contextOf(canvas, this.scroll.clientWidth, this.placed.reduce((most, {y}) => Math.max(most, y + ROW), ROW));
		canvas.setAttribute('aria-label', `Flame graph of ${METRIC_TEXTS[this.metric()].long(tree.totals[BOX_ALL])}`);
		context.font = '12px system-ui, sans-serif';
		const letter = context.measureText('abcdefghij').width / 10;
		const colors = causeColors(tree.data);
		const unknown = tree.data.header.words.initiator.indexOf('unknown');
		for (const {box, x, y, width: wide} of this.placed) {
			const isOwn = tree.keys[box] < 0;
			const color = colors[isOwn ? unknown : tree.initiator(box).index];
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
			this.status.textContent = 'Nothing in this selection.';
			return;
		}
		const {word, amount} = tree.initiator(box);
		const {text, long} = METRIC_TEXTS[this.metric()];
		const object = tree.object(box);
		this.status.replaceChildren(elidedName(tree.name(box)),
			`${object ? ` in ${object}` : ''}: ${long(tree.totals[box])} (${percentText(tree.totals[box], total)}), `
			+ `${text(tree.selves[box])} of its own; ${percentText(amount, tree.totals[box])} ${word}`);
	}

	boxAt(/** @type {MouseEvent} */ event) {
		const {left, top} = this.canvas.getBoundingClientRect();
		const x = event.clientX - left;
		const y = event.clientY - top;
		return this.placed.find((each) => x >= each.x && x < each.x + each.width && y >= each.y && y < each.y + ROW);
	}

	hover(/** @type {MouseEvent} */ event) {
		const placed = this.boxAt(event);
		this.canvas.classList.toggle('over', Boolean(placed));
		this.tell(placed ? placed.box : this.current);
	}

	click(/** @type {MouseEvent} */ event) {
		const placed = this.boxAt(event);
		if (placed)
			this.zoom(placed.box);
	}

	zoom(/** @type {number} */ box) {
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
		/** @type {Object<string, number | undefined>} */
		const next = {ArrowUp: parent < 0 ? undefined : parent, ArrowDown: tree.children[box].find((each) => tree.totals[each] > 0),
			ArrowLeft: siblings[at - 1], ArrowRight: siblings[at + 1]};
		return next[key] ?? null;
	}

	key(/** @type {KeyboardEvent} */ event) {
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
}
