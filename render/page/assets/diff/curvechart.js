// SPDX-License-Identifier: Apache-2.0
// A small chart of two rising curves, before and after, over one axis.
import {make} from '../shared/dom.js';
import {countText} from '../shared/format.js';
import {hideTooltip, showTooltip} from '../shared/tooltip.js';
import {AFTER, BEFORE, SIDE_NAMES} from './sides.js';

/**
 * A curve: x rises, y is what it reached there; flat up to the next.
 * @typedef {{x: ArrayLike<number>, y: ArrayLike<number>}} Curve
 *
 * @typedef {Object} Chart
 * @property {Curve[]} curves of before and after
 * @property {[number, number]} range of x
 * @property {{value: number, label: string}[]} ticks of x
 * @property {string[]} legend what to say of each side
 * @property {string} label in words, for those who do not see it
 * @property {(x: number) => string} xText
 */

const CURVE_HEIGHT = 220;
const LEFT = 52;
const RIGHT = 12;
const TOP = 8;
const BOTTOM = 22;
const SVG = 'http://www.w3.org/2000/svg';

/** @param {string} tag @param {Object<string, string | number>} attributes @param {string} [text] */
function shape(tag, attributes, text) {
	const element = document.createElementNS(SVG, tag);
	for (const [name, value] of Object.entries(attributes))
		element.setAttribute(name, String(value));
	if (text !== undefined)
		element.textContent = text;
	return element;
}

/** Up to about @limit round numbers up to @most. @param {number} most @param {number} limit */
export function countTicks(most, limit) {
	let step = 10 ** Math.max(Math.floor(Math.log10(Math.max(most, 1) / limit)), 0);
	for (let i = 0; most / step > limit; i++)
		step *= i % 3 === 1 ? 2.5 : 2;
	const ticks = [];
	for (let value = 0; value <= most; value += Math.round(step))
		ticks.push({value, label: countText(value)});
	return ticks;
}

/** What @curve reached at @x. @param {Curve} curve @param {number} x */
export function reachedAt({x: xs, y: ys}, x) {
	let low = 0;
	let high = xs.length;
	while (low < high) {
		const middle = low + high >> 1;
		if (xs[middle] <= x)
			low = middle + 1;
		else
			high = middle;
	}
	return low === 0 ? 0 : ys[low - 1];
}

export class CurveChart {
	/** @param {string} title @param {string} about */
	constructor(title, about) {
		this.legend = make('ul', {class: 'legend'});
		this.svg = shape('svg', {role: 'img', class: 'curves', height: CURVE_HEIGHT});
		this.frame = make('div', {class: 'canvas'});
		this.frame.append(this.svg);
		this.element = make('figure', {class: 'curve'}, make('figcaption', {}, make('h3', {}, title), make('p', {class: 'muted hint'}, about), this.legend), this.frame);
		/** @type {Chart | null} */
		this.chart = null;
		new ResizeObserver(() => this.paint()).observe(this.frame);
		this.svg.addEventListener('pointermove', (event) => this.point(/** @type {PointerEvent} */ (event)));
		this.svg.addEventListener('pointerleave', hideTooltip);
	}

	/** @param {Chart} chart */
	draw(chart) {
		this.chart = chart;
		this.legend.replaceChildren(...chart.legend.map((text, side) => {
			const line = shape('svg', {width: 26, height: 10, class: 'curves key', 'aria-hidden': 'true'});
			line.append(shape('line', {x1: 1, y1: 5, x2: 25, y2: 5, class: `curve-${SIDE_NAMES[side]}`}));
			const item = make('li', {}, '');
			item.append(line, ` ${SIDE_NAMES[side]}: ${text}`);
			return item;
		}));
		this.svg.setAttribute('aria-label', chart.label);
		this.paint();
	}

	paint() {
		const {chart, svg} = this;
		if (!chart)
			return;
		const width = Math.max(this.frame.clientWidth, 260);
		svg.setAttribute('width', String(width));
		const plot = {width: width - LEFT - RIGHT, height: CURVE_HEIGHT - TOP - BOTTOM};
		const [first, end] = chart.range;
		const most = Math.max(...chart.curves.map((curve) => reachedAt(curve, end)), 1);
		const xOf = (/** @type {number} */ x) => LEFT + (x - first) / (end - first) * plot.width;
		const yOf = (/** @type {number} */ y) => TOP + plot.height * (1 - y / most);
		/** @type {Element[]} */
		const parts = [];
		for (const {value, label} of countTicks(most, 5)) {
			parts.push(shape('line', {x1: LEFT, x2: width - RIGHT, y1: yOf(value), y2: yOf(value), class: 'grid'}),
				shape('text', {x: LEFT - 6, y: yOf(value) + 4, 'text-anchor': 'end'}, label));
		}
		for (const {value, label} of chart.ticks)
			if (value >= first && value <= end)
				parts.push(shape('line', {x1: xOf(value), x2: xOf(value), y1: TOP, y2: TOP + plot.height + 4, class: 'grid'}),
					shape('text', {x: Math.min(xOf(value), width - 24), y: CURVE_HEIGHT - 6, 'text-anchor': 'middle'}, label));
		// The dashed one last: where both are the same, both can be seen.
		for (const side of [AFTER, BEFORE])
			parts.push(shape('path', {class: `curve-${SIDE_NAMES[side]}`, d: pathOf(chart.curves[side], chart.range, xOf, yOf)}));
		svg.replaceChildren(...parts);
	}

	/** @param {PointerEvent} event */
	point(event) {
		const {chart} = this;
		if (!chart)
			return;
		const box = this.svg.getBoundingClientRect();
		const [first, end] = chart.range;
		const part = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
		if (part < 0 || part > 1) {
			hideTooltip();
			return;
		}
		const x = first + part * (end - first);
		showTooltip([chart.xText(x), ...chart.curves.map((curve, side) => `${SIDE_NAMES[side]}: ${countText(reachedAt(curve, x))} pages`)],
			event.clientX, event.clientY);
	}
}

/** Steps, one a pixel at most. @param {Curve} curve @param {[number, number]} range @param {(x: number) => number} xOf @param {(y: number) => number} yOf */
function pathOf(curve, [first, end], xOf, yOf) {
	const points = [`M${xOf(first).toFixed(1)},${yOf(reachedAt(curve, first)).toFixed(1)}`];
	let column = -1;
	for (let i = 0; i < curve.x.length && curve.x[i] <= end; i++) {
		if (curve.x[i] < first)
			continue;
		const x = xOf(curve.x[i]);
		if (Math.floor(x) !== column) {
			points.push(`H${x.toFixed(1)}`);
			column = Math.floor(x);
		}
		const next = i + 1 < curve.x.length && curve.x[i + 1] <= end ? Math.floor(xOf(curve.x[i + 1])) : -1;
		if (next !== column)
			points.push(`V${yOf(curve.y[i]).toFixed(1)}`);
	}
	const stop = curve.x.length ? Math.min(curve.x[curve.x.length - 1], end) : first;
	if (stop > first)
		points.push(`H${xOf(stop).toFixed(1)}`);
	return points.join('');
}
