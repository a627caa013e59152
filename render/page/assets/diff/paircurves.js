// SPDX-License-Identifier: Apache-2.0
// Page-fault curves of the files shown: how soon their pages came, and how many pages of code their functions
// needed in the order of first use, whose area is what orderings of functions are made to lessen.
import {CurveChart, countTicks, reachedAt} from './curvechart.js';
import {LANE_BSS, LANE_FILE} from '../data/data.js';
import {numberPairs} from '../data/distinct.js';
import {make} from '../shared/dom.js';
import {countText, nounText, timeText} from '../shared/format.js';
import {buildLater, drawOnPause} from '../shared/later.js';
import {timeTicks} from '../shared/scale.js';
import {inRange} from '../selection/selection.js';
import {selectedMarks} from '../selection/selected.js';
import {AFTER, BEFORE, SIDE_NAMES} from './sides.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 * @typedef {import('./curvechart.js').Curve} Curve
 * @typedef {import('./diffdata.js').DiffData} DiffData
 * @typedef {import('./diffstore.js').DiffStore} DiffStore
 */

/** Of the time shown, where each side has its own. */
const PERCENT_TICKS = [0, 20, 40, 60, 80, 100].map((share) => ({value: share / 100, label: `${share}%`}));

/** Distinct pages of the file that is chosen, as the selection leaves them, over time in ns. @param {Data} data @param {Store} store @returns {Curve} */
export function faultCurve(data, store) {
	const {choice} = store;
	const {combination_object: objects, combination_lane: lanes} = data.columns;
	const isOf = Uint8Array.from(objects, (object, c) => Number(object === choice.object && (lanes[c] === LANE_FILE || lanes[c] === LANE_BSS)));
	const marks = selectedMarks(data, store);
	const places = {...choice, time: null};
	/** @type {number[]} */
	const entries = [];
	for (let i = 0; i < data.count; i++)
		if (marks[i] && isOf[data.combination[i]] && (!choice.place || inRange(data, places, i)))
			entries.push(i);
	const {numbers, distinct} = numberPairs(entries.length, (at) => lanes[data.combination[entries[at]]], (at) => data.page[entries[at]]);
	const seen = new Uint8Array(distinct);
	/** @type {number[]} */
	const x = [];
	/** @type {number[]} */
	const y = [];
	entries.forEach((i, at) => {
		if (seen[numbers[at]])
			return;
		seen[numbers[at]] = 1;
		x.push(data.timeNs(i));
		y.push(x.length);
	});
	return {x, y};
}

/** What is to say of pages that came over time. @param {Curve} curve @param {[number, number]} range */
function comingText(curve, [first, end]) {
	const before = reachedAt(curve, first);
	const all = reachedAt(curve, end) - before;
	if (all <= 0)
		return 'no page';
	let at = 0;
	while (curve.y[at] < before + Math.ceil(all / 2))
		at++;
	return `${nounText(all, 'page')}, half of them by ${timeText(curve.x[at])}`;
}

/** Each of @curves along its own range of time, as shares of it. @param {Curve[]} curves @param {[number, number][]} ranges in ns */
function ownTimes(curves, ranges) {
	const timeAt = (/** @type {number} */ share, /** @type {number} */ side) => ranges[side][0] + share * (ranges[side][1] - ranges[side][0]);
	return {
		curves: curves.map(({x, y}, side) => {
			const [first, end] = ranges[side];
			return {x: Array.from(x, (ns) => (ns - first) / (end - first)), y};
		}),
		range: /** @type {[number, number]} */ ([0, 1]),
		ticks: PERCENT_TICKS,
		xText: (/** @type {number} */ share) => SIDE_NAMES.map((name, side) => `${name} at ${timeText(timeAt(share, side))}`).join(', '),
	};
}

/** @param {DiffData} diff @param {DiffStore} store @param {HTMLElement} element */
export function makePairCurves(diff, store, element) {
	const coming = new CurveChart('Pages that faulted, over time', 'Distinct pages of the file and its .bss after filtering; same time scale as the pictures above.');
	const code = new CurveChart('Pages of code, by functions in the order of first use',
		'Functions of the file seen to run, at faulting instructions and in call stacks, regardless of filters. A lower curve means that code which runs together lies closer together.');
	const none = make('p', {class: 'muted'}, 'No function of this file was seen to run on either side.');
	element.append(make('div', {class: 'pair'}, coming.element, make('div', {}, code.element, none)));
	const drawComing = () => {
		const {scale, choice: {ownScales, time}} = store;
		const ranges = [BEFORE, AFTER].map((side) => time[side] ?? scale.spanOn(side, ownScales));
		const curves = [BEFORE, AFTER].map((side) => faultCurve(diff.sides[side], store.sides[side]));
		const legend = curves.map((curve, side) => comingText(curve, ranges[side]));
		const axis = ownScales ? ownTimes(curves, ranges) : {curves, range: ranges[BEFORE], ticks: timeTicks(...ranges[BEFORE], 6), xText: timeText};
		coming.draw({...axis, legend, label: `Pages that faulted, over time. ${legend.map((text, side) => `${SIDE_NAMES[side]}: ${text}`).join('; ')}.`});
	};
	const drawCode = () => {
		const {locality} = diff.diff.objects[store.choice.object];
		const has = Boolean(locality && (locality.before?.code_curve?.functions.length || locality.after?.code_curve?.functions.length));
		code.element.hidden = !has;
		none.hidden = has;
		if (!has)
			return;
		const curves = SIDE_NAMES.map((name) => ({x: locality[name]?.code_curve?.functions ?? [], y: locality[name]?.code_curve?.pages ?? []}));
		const legend = SIDE_NAMES.map((name, side) => {
			const {x, y} = curves[side];
			const area = locality.area[name];
			return x.length === 0 ? 'no function' : `${nounText(y[y.length - 1], 'page')} for ${nounText(x[x.length - 1], 'function')}, area ${countText(area)}`
				+ ` (at least ${countText(locality.least_area[name])})`;
		});
		const most = Math.max(...curves.map(({x}) => x[x.length - 1] ?? 0), 1);
		code.draw({curves, range: [0, most], ticks: countTicks(most, 6), legend, xText: (x) => nounText(Math.round(x), 'function'),
			label: `Pages of code by functions in the order of first use. ${legend.map((text, side) => `${SIDE_NAMES[side]}: ${text}`).join('; ')}.`});
	};
	buildLater(element, () => {
		drawComing();
		drawCode();
		drawOnPause(store, ['filter', 'search', 'object', 'ownScales', 'time', 'place'], drawComing);
		drawOnPause(store, ['object'], drawCode);
	});
}
