// SPDX-License-Identifier: Apache-2.0
// Draws lanes: what a thread did, the waits and the faults of a file, and named spans. Of intervals a lane shows in each column of pixels the group
// that took most of its time, and the longest interval of that group, which answers for it. What is shorter than a column is still seen.
import {firstFrom, firstIndexFrom} from '../data/search.js';
import {isMajor} from '../data/words.js';
import {longestOf} from './raster.js';
import {shortName} from '../shared/format.js';
import {token, causeColors} from '../shared/theme.js';
import {fitText} from './fittext.js';
import {FOR_PROCESSOR, FOR_STORAGE, IN_FAULT, TEXTURES, inksOf} from './textures.js';
import {stretchesOf} from './threads.js';

/** Times in units of the trace; an answer below 0: none. @typedef {(first: number, end: number, group: number, texture: number, answer: number) => void} Add */
/** What of a side is drawn on. @typedef {Pick<Side, 'data' | 'plot' | 'scale'>} Drawn */

/** From this width on an interval has an outline, in pixels of the screen. */
const OUTLINED = 3;
/** Instead of a group: what filters leave out. */
const GHOST = -1;

/**
 * One lane: of each column of pixels what took most of its time.
 * @param {Drawn} side @param {CanvasRenderingContext2D} context @param {{y: number, height: number}} lane
 * @param {(add: Add) => void} fill
 * @returns {LaneCells} what answers for each column
 */
function drawLane(side, context, {y, height}, fill) {
	const {data: {unitNs}, plot, scale} = side;
	const colors = causeColors(side.data);
	const ratio = devicePixelRatio || 1;
	const ghost = colors.length * TEXTURES;
	const cells = new LaneCells(Math.floor(plot.width * ratio), ghost + 1);
	/** @type {{x: number, end: number, group: number}[]} */
	const outlines = [];
	const place = scale.placer();
	// The column of the last one: most lie in it, and of a million their lengths alone are added up.
	let [column, columnStart, columnEnd, perUnit] = [-1, 0, 0, 0];
	fill((first, end, group, texture, answer) => {
		const kind = group === GHOST ? ghost : group * TEXTURES + texture;
		if (first >= columnStart && end < columnEnd) {
			cells.addWithin(column, (end - first) * perUnit, kind, answer);
			return;
		}
		const x = place(first * unitNs) * ratio;
		const stop = place(end * unitNs) * ratio;
		if (stop < 0 || x >= cells.columns)
			return;
		cells.add(x, stop, kind, answer);
		column = Math.min(Math.floor(stop), cells.columns - 1);
		[columnStart, columnEnd] = [column, column + 1].map((edge) => scale.timeAt(edge / ratio) / unitNs);
		perUnit = 1 / (columnEnd - columnStart);
		if (stop - x >= OUTLINED && (texture === FOR_STORAGE || texture === FOR_PROCESSOR) && group !== GHOST)
			outlines.push({x, end: stop, group});
	});
	context.save();
	context.setTransform(1, 0, 0, 1, 0, 0);
	const [left, top, high] = [Math.round(plot.x * ratio), Math.round(y * ratio), Math.round(height * ratio)];
	context.beginPath();
	context.rect(left, top, cells.columns, high);
	context.clip();
	const ink = inksOf(context, token('paper'), ratio);
	cells.forRuns((group, first, count) => {
		context.fillStyle = group === ghost ? token('ghost') : ink(colors[Math.floor(group / TEXTURES)], group % TEXTURES);
		context.fillRect(left + first, top, count, high);
	});
	const line = Math.max(Math.round(ratio), 1);
	context.lineWidth = line;
	for (const {x, end, group} of outlines) {
		context.strokeStyle = colors[group];
		context.strokeRect(left + Math.round(x) + line / 2, top + line / 2, Math.round(end) - Math.round(x) - line, high - line);
	}
	context.restore();
	return cells;
}

/** What some threads did in turn. @param {Drawn} side @param {CanvasRenderingContext2D} context @param {{y: number, height: number}} lane @param {Step[]} steps in the order of time @param {Choosing} choosing */
export function drawSteps(side, context, lane, steps, {marks, moments, isAll}) {
	const {data} = side;
	return drawLane(side, context, lane, (add) => Map.groupBy(steps, ({thread}) => thread).forEach((own, thread) => {
		const {first, end, texture, initiator, answer, count} = stretchesOf(thread, data);
		const ends = end.subarray(0, count);
		for (const step of own)
			for (let at = firstFrom(ends, step.first); at < count && first[at] < step.end; at++)
				add(Math.max(first[at], step.first), Math.min(end[at], step.end),
					(answer[at] < 0 ? isAll : answer[at] < data.count ? marks[answer[at]] : moments[answer[at] - data.count]) ? initiator[at] : GHOST, texture[at], answer[at]);
	}));
}

/**
 * What a thread did: hues are causes. Answers are faults, and behind them moments.
 * @param {Side} side @param {CanvasRenderingContext2D} context @param {{y: number, height: number}} lane
 * @param {Thread} thread @param {Choosing} choosing
 */
export function drawThread(side, context, lane, thread, choosing) {
	const [first, end] = side.timeShown();
	return drawSteps(side, context, lane, [{thread, first, end}], choosing);
}

/** The faults of a file, as long as they lasted. @param {Side} side @param {CanvasRenderingContext2D} context @param {{y: number, height: number}} lane @param {Uint32Array} entries in the order of time @param {Choosing} choosing */
export function drawFaultLane(side, context, lane, entries, {marks}) {
	const {data} = side;
	const {time, duration, combination, unitNs, own, columns: {combination_initiator: causes}} = data;
	const major = isMajor(data);
	const [shown, stop] = side.timeShown();
	// The first that may still be under way then.
	const from = firstIndexFrom(entries, time, shown - longestOf(data) / unitNs);
	const to = firstIndexFrom(entries, time, stop);
	return drawLane(side, context, lane, (add) => {
		for (const i of entries.subarray(from, to)) {
			const c = combination[i];
			const group = marks[i] ? causes[c] : GHOST;
			const end = time[i] + duration[i] / unitNs;
			const owned = Math.min(time[i] + own[i] / unitNs, end);
			add(time[i], Math.max(owned, time[i] + 1), group, major[c] ? FOR_STORAGE : IN_FAULT, i);
			if (end > owned)
				add(owned, end, group, FOR_PROCESSOR, i);
		}
	});
}

/** What was waited for in one file. @param {Side} side @param {CanvasRenderingContext2D} context @param {{y: number, height: number}} lane @param {Wait[]} waits answers are their indexes @param {Choosing} choosing */
export function drawWaits(side, context, lane, waits, {marks, isAll}) {
	return drawLane(side, context, lane, (add) => waits.forEach(({first, own, length, initiator, entry}, index) => {
		const group = (entry >= 0 ? marks[entry] : isAll) ? initiator : GHOST;
		add(first, first + Math.max(own, 1), group, FOR_STORAGE, index);
		if (length > own)
			add(first + own, first + length, group, FOR_PROCESSOR, index);
	}));
}

/** The longest run of @value among @owners from @from up to @to. @param {Int32Array} owners @param {number} value @param {number} from @param {number} to @returns {[number, number]} */
function longestRun(owners, value, from, to) {
	let best = [from, from];
	for (let start = from; start < to; start++) {
		let end = start;
		while (end < to && owners[end] === value)
			end++;
		if (end - start > best[1] - best[0])
			best = [start, end];
		start = end;
	}
	return [best[0], best[1]];
}

/**
 * Labelled stretches of time; one that starts later covers those before it, whose labels stand where they are still seen.
 * @param {Side} side @param {CanvasRenderingContext2D} context
 * @param {{first: number, end: number, labels: string[]}[]} spans times in units of the trace, in the order of their beginnings; the first label that fits is shown
 * @param {number} y @param {number} height
 */
export function drawSpanLane(side, context, spans, y, height) {
	const {plot} = side;
	const width = Math.floor(plot.width);
	/** Index + 1 of the span that each pixel shows. */
	const owners = new Int32Array(width);
	/** @type {boolean[]} */
	const isOdd = [];
	const reaches = spans.map(({first, end}, i) => {
		const left = Math.floor(Math.max(side.xOfTime(first) - plot.x, 0));
		const right = Math.min(Math.max(Math.ceil(side.xOfTime(end) - plot.x), left + 1), width);
		if (side.xOfTime(end) < plot.x || left >= width)
			return null;
		const neighbour = owners[left] || owners[Math.max(left - 1, 0)];
		isOdd[i] = neighbour > 0 && !isOdd[neighbour - 1];
		owners.fill(i + 1, left, right);
		context.fillStyle = token(isOdd[i] ? 'phase-odd' : 'phase-even');
		context.fillRect(plot.x + left, y, right - left, height - 1);
		return {left, right};
	});
	// No label stands where the axis leaves out time.
	for (const {place, length, isGap} of side.scale.pieces)
		if (isGap)
			owners.fill(0, Math.floor(place), Math.ceil(place + length));
	context.fillStyle = token('ink');
	context.textAlign = 'center';
	spans.forEach(({labels}, i) => {
		const reach = reaches[i];
		if (!reach)
			return;
		const [left, right] = longestRun(owners, i + 1, reach.left, reach.right);
		const room = right - left - 6;
		const text = labels.map(shortName).find((label) => context.measureText(label).width <= room)
			?? fitText(context, labels[labels.length - 1], room);
		if (text.length > 3)
			context.fillText(text, plot.x + (left + right) / 2, y + height / 2);
	});
}

/** Of a column, what an interval of no length takes. */
const LEAST = 1e-4;

export class LaneCells {
	constructor(/** @type {number} */ columns, /** @type {number} */ groups) {
		this.columns = columns;
		this.groups = groups;
		/** Columns that each group takes of each. */
		this.parts = new Float32Array(columns * groups);
		/** Of each group in each column the longest interval's index + 1, 0: none. */
		this.longest = new Int32Array(columns * groups);
		/** How long that is. */
		this.lengths = new Float32Array(columns * groups);
	}

	/** @param {number} from @param {number} to in columns @param {number} group @param {number} index */
	add(from, to, group, index) {
		if (!(to >= 0 && from < this.columns))
			return;
		const length = to - from + LEAST;
		const first = Math.max(Math.floor(from), 0);
		const last = Math.min(Math.max(Math.ceil(to) - 1, first), this.columns - 1);
		for (let column = first; column <= last; column++)
			this.take(column * this.groups + group, Math.min(to, column + 1) - Math.max(from, column) + LEAST, length, index);
	}

	/** The same of one that is @length columns long and lies within @column. @param {number} column @param {number} length @param {number} group @param {number} index */
	addWithin(column, length, group, index) {
		this.take(column * this.groups + group, length + LEAST, length + LEAST, index);
	}

	/** Count @part of an interval as long as @length. @param {number} at @param {number} part @param {number} length @param {number} index */
	take(at, part, length, index) {
		this.parts[at] += part;
		if (length <= this.lengths[at])
			return;
		this.lengths[at] = length;
		this.longest[at] = index + 1;
	}

	/** The group that takes most of @column; -1: none. @param {number} column */
	groupAt(column) {
		let best = -1;
		let most = 0;
		for (let group = 0; group < this.groups; group++)
			if (this.parts[column * this.groups + group] > most) {
				most = this.parts[column * this.groups + group];
				best = group;
			}
		return best;
	}

	/** The interval that answers for @column; -1: none. @param {number} column */
	answerAt(column) {
		const group = column >= 0 && column < this.columns ? this.groupAt(column) : -1;
		return group < 0 ? -1 : this.longest[column * this.groups + group] - 1;
	}

	/** Call @draw for each run of columns that show the same group. @param {(group: number, first: number, count: number) => void} draw */
	forRuns(draw) {
		let start = 0;
		let group = -1;
		for (let column = 0; column <= this.columns; column++) {
			const next = column < this.columns ? this.groupAt(column) : -1;
			if (next === group)
				continue;
			if (group >= 0)
				draw(group, start, column - start);
			start = column;
			group = next;
		}
	}
}
