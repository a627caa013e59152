// SPDX-License-Identifier: Apache-2.0
// The call stacks of what is selected as an icicle: outermost function on top, width by the metric,
// colour by the initiator of most of it.
import {make, visibleText, elidedName} from '../shared/dom.js';
import {percentText} from '../shared/format.js';
import {selectedMarks, inRange} from '../selection/selected.js';
import {forOwnTime} from '../selection/moments.js';
import {METRIC_TEXTS, amountsOf} from '../selection/sums.js';
import {BOX_ALL, StackTree} from '../data/stacktree.js';
import {tabButton, tabPanel} from './tabs.js';
import {contextOf} from '../tracks/fittext.js';
import {onTheme, token, causeColors, textOn} from '../shared/theme.js';

const ROW = 20;
const MOST_ROWS = 400;
/** Boxes narrower than this are not drawn. */
const NARROWEST = 0.5;

export function makeFlame(/** @type {Data} */ data, /** @type {Store} */ store) {
	let zoomed = BOX_ALL;
	let current = BOX_ALL;
	/** @type {StackTree | null} */
	let tree = null;
	/** @type {{box: number, x: number, y: number, width: number}[]} */
	let placed = [];
	const reset = make('button', {type: 'button', class: 'button', disabled: true, click: () => zoom(BOX_ALL)}, 'Reset zoom');
	const canvas = make('canvas', {class: 'flame', tabindex: '0', role: 'application',
		'aria-roledescription': 'flame graph', 'aria-describedby': 'flame-help'});
	const status = make('p', {class: 'status flame-status', role: 'status'});
	const scroll = make('div', {class: 'scroll flame-scroll'}, canvas);

	/** What widths stand for: pages are no sum of those of callees. */
	const metricOf = () => store.choice.metric === 'pages' ? 'faults' : store.choice.metric;

	/** Lay out the zoomed box over the full width, its callers above, what it calls below. */
	const place = () => {
		const full = scroll.clientWidth;
		placed = [];
		if (!tree || full === 0 || tree.totals[BOX_ALL] === 0)
			return;
		for (const box of [BOX_ALL, ...tree.chain(zoomed).slice(1).reverse()])
			if (box !== zoomed)
				placed.push({box, x: 0, y: tree.depths[box] * ROW, width: full});
		const scale = full / tree.totals[zoomed];
		const stack = [{box: zoomed, x: 0, y: tree.depths[zoomed] * ROW, width: full}];
		for (let at = stack.pop(); at; at = stack.pop()) {
			placed.push(at);
			let {x} = at;
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
	};

	const draw = () => {
		if (!tree)
			return;
		const context = contextOf(canvas, scroll.clientWidth, placed.reduce((most, {y}) => Math.max(most, y + ROW), ROW));
		canvas.setAttribute('aria-label', `Flame graph of ${METRIC_TEXTS[metricOf()].long(tree.totals[BOX_ALL])}`);
		context.font = '12px system-ui, sans-serif';
		const letter = context.measureText('abcdefghij').width / 10;
		const colors = causeColors(data);
		const unknown = data.header.words.initiator.indexOf('unknown');
		for (const {box, x, y, width} of placed) {
			const color = colors[tree.keys[box] < 0 ? unknown : tree.initiator(box).index];
			const drawn = Math.max(width - 1, NARROWEST);
			context.fillStyle = color;
			context.fillRect(x, y, drawn, ROW - 1);
			const letters = Math.floor((drawn - 8) / letter);
			if (letters >= 3) {
				const name = visibleText(tree.name(box));
				context.fillStyle = textOn(color);
				context.fillText(name.length > letters ? name.slice(0, letters - 1) + '…' : name, x + 4, y + ROW / 2, drawn - 6);
			}
		}
		const here = document.activeElement === canvas ? placed.find(({box}) => box === current) : null;
		if (here) {
			context.lineWidth = 2;
			context.strokeStyle = token('ink');
			context.strokeRect(here.x + 1, here.y + 1, Math.max(here.width - 3, 2), ROW - 3);
		}
	};

	/** Say what @box is. @param {number} box */
	const tell = (box) => {
		if (!tree)
			return;
		const total = tree.totals[BOX_ALL];
		if (total === 0) {
			status.textContent = 'Nothing in this selection.';
			return;
		}
		const {word, amount} = tree.initiator(box);
		const {text, long} = METRIC_TEXTS[metricOf()];
		const object = tree.object(box);
		status.replaceChildren(elidedName(tree.name(box)),
			`${object ? ` in ${object}` : ''}: ${long(tree.totals[box])} (${percentText(tree.totals[box], total)}), `
			+ `${text(tree.selves[box])} of its own; ${percentText(amount, tree.totals[box])} ${word}`);
	};

	const redraw = () => {
		place();
		draw();
		tell(current);
	};

	const zoom = (/** @type {number} */ box) => {
		zoomed = current = box;
		reset.disabled = box === BOX_ALL;
		redraw();
	};

	const boxAt = (/** @type {MouseEvent} */ {offsetX: x, offsetY: y}) =>
		placed.find((each) => x >= each.x && x < each.x + each.width && y >= each.y && y < each.y + ROW);

	/** The box that @key leads to from the current one; undefined: none. @param {StackTree} of @param {string} key */
	const neighbour = ({parents, children, totals}, key) => {
		const parent = parents[current];
		const siblings = parent < 0 ? [current] : children[parent].filter((each) => totals[each] > 0);
		const at = siblings.indexOf(current);
		/** @type {Object<string, number | undefined>} */
		const next = {ArrowUp: parent < 0 ? undefined : parent, ArrowDown: children[current].find((each) => totals[each] > 0),
			ArrowLeft: siblings[at - 1], ArrowRight: siblings[at + 1]};
		return next[key];
	};

	/** Make @box the current one; zoom out where it would not be seen. @param {StackTree} of @param {number} box */
	const move = ({parents}, box) => {
		current = box;
		if (!placed.some((each) => each.box === box)) {
			zoomed = Math.max(parents[box], BOX_ALL);
			reset.disabled = zoomed === BOX_ALL;
		}
		redraw();
		const here = placed.find((each) => each.box === box);
		if (here && (here.y < scroll.scrollTop || here.y + ROW > scroll.scrollTop + scroll.clientHeight))
			scroll.scrollTop = here.y - scroll.clientHeight / 2;
	};

	canvas.addEventListener('click', (event) => {
		const at = boxAt(event);
		if (at)
			zoom(at.box);
	});
	canvas.addEventListener('mousemove', (event) => {
		const at = boxAt(event);
		canvas.classList.toggle('over', Boolean(at));
		tell(at ? at.box : current);
	});
	canvas.addEventListener('mouseleave', () => tell(current));
	canvas.addEventListener('focus', draw);
	canvas.addEventListener('blur', draw);
	canvas.addEventListener('keydown', (event) => {
		if (!tree || event.ctrlKey || event.altKey || event.metaKey)
			return;
		const next = neighbour(tree, event.key);
		if (event.key === 'Enter')
			zoom(current);
		else if (event.key === 'Escape' && zoomed !== BOX_ALL)
			zoom(BOX_ALL);
		else if (next !== undefined)
			move(tree, next);
		else if (!event.key.startsWith('Arrow'))
			return;
		event.preventDefault();
		event.stopPropagation();
	});
	onTheme(draw);
	let width = 0;
	new ResizeObserver(() => {
		if (scroll.clientWidth === width)
			return;
		width = scroll.clientWidth;
		place();
		draw();
	}).observe(scroll);
	return {id: 'flame', tab: tabButton('flame', 'Flame', 'The call stacks of what is selected.'),
		panel: tabPanel('flame', make('div', {class: 'table-top'}, status, reset), scroll,
			make('p', {class: 'table-end muted', id: 'flame-help'}, 'Callers are above callees; colour: the cause of most. '
				+ 'Click or Enter zooms, arrows move, Esc goes back.')),
		count() {
			const {choice} = store;
			const counted = tree = tree ?? new StackTree(data);
			const marks = selectedMarks(data, choice);
			const amountOf = amountsOf(data, metricOf());
			counted.count((i) => marks[i] === 1 && inRange(data, choice, i) ? amountOf(i) : 0, (add) => {
				if (metricOf() === 'time')
					forOwnTime(data, choice, (moment, ns, cause) => add(moment < 0 ? 0 : data.moments.stack[moment], Math.max(ns, 0), cause));
			});
			if (counted.totals[zoomed] === 0)
				zoomed = BOX_ALL;
			if (counted.totals[current] === 0)
				current = zoomed;
			redraw();
		}};
}
