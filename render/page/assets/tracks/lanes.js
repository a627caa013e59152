// SPDX-License-Identifier: Apache-2.0
// Draws lanes of intervals: the faults of a process by their causes, what it waited for in one file, and named spans.
import {durationNs} from '../data/data.js';
import {shortName} from '../shared/describe.js';
import {isDark, token} from '../shared/theme.js';
import {fitText} from './fittext.js';
import {LaneCells} from './lanecells.js';
import {ownPart, paintBar} from './rasterpaint.js';
import {FOR_STORAGE, IN_FAULT, Inks, TEXTURES} from './textures.js';

/**
 * @typedef {import('./board.js').Board} Board
 * @typedef {import('../shared/palette.js').Scheme} Scheme
 *
 * @typedef {Object} FaultLane
 * @property {Uint32Array | number[]} entries in the order of time
 * @property {number} y
 * @property {number} height
 */

/** From this width on an interval is a bar of its own, in pixels of the screen. */
const BAR_WIDTH = 3;

/**
 * The faults of one lane: those too short for a bar by columns, then the longer ones as bars.
 * @param {Board} board @param {CanvasRenderingContext2D} context @param {FaultLane} lane
 * @param {Scheme} scheme @param {Uint8Array} marks @param {Uint8Array} isMajor by combination
 * @returns {LaneCells} what answers for each column
 */
export function drawFaultLane(board, context, {entries, y, height}, scheme, marks, isMajor) {
	const {data, plot, scale} = board;
	const {duration} = data.columns;
	const ratio = devicePixelRatio || 1;
	const ghost = scheme.colors.length * TEXTURES;
	const cells = new LaneCells(Math.floor(plot.width * ratio), ghost + 1);
	const [shownFrom, shownTo] = board.view.timeShown();
	/** @type {{i: number, x: number, end: number}[]} */
	const bars = [];
	const placer = scale.placer();
	for (const i of entries) {
		const from = data.time[i] * data.unitNs;
		const length = durationNs(duration[i]) || 0;
		if (from >= shownTo)
			break;
		if (from + length < shownFrom)
			continue;
		const x = placer(from) * ratio;
		const end = placer(from + length) * ratio;
		const c = data.combination[i];
		cells.add(x, end, marks[i] ? scheme.groupOf[c] * TEXTURES + (isMajor[c] ? FOR_STORAGE : IN_FAULT) : ghost, i);
		if (marks[i] && end - x >= BAR_WIDTH)
			bars.push({i, x, end});
	}
	context.save();
	context.setTransform(1, 0, 0, 1, 0, 0);
	const [left, top, high] = [Math.round(plot.x * ratio), Math.round(y * ratio), Math.round(height * ratio)];
	context.beginPath();
	context.rect(left, top, cells.columns, high);
	context.clip();
	const inks = new Inks(context, token('paper'), ratio);
	const colors = scheme.colors.map((pair) => pair[Number(isDark())]);
	cells.forRuns((group, first, count) => {
		context.fillStyle = group === ghost ? token('ghost') : colors[Math.floor(group / TEXTURES)];
		context.fillRect(left + first, top, count, high);
	});
	for (const {i, x, end} of bars) {
		const c = data.combination[i];
		const box = {x: left + Math.round(x), y: top, width: Math.round(end) - Math.round(x), height: high};
		context.clearRect(box.x, box.y, box.width, box.height);
		paintBar(context, inks, colors[scheme.groupOf[c]], isMajor[c] ? FOR_STORAGE : IN_FAULT, box, ownPart(data, i));
	}
	context.restore();
	return cells;
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
 * @param {Board} board @param {CanvasRenderingContext2D} context
 * @param {{first: number, end: number, labels: string[]}[]} spans times in units of the trace, in the order of their beginnings; the first label that fits is shown
 * @param {number} y @param {number} height
 */
export function drawSpanLane(board, context, spans, y, height) {
	const {plot} = board;
	const width = Math.floor(plot.width);
	/** Index + 1 of the span that each pixel shows. */
	const owners = new Int32Array(width);
	/** @type {boolean[]} */
	const isOdd = [];
	const reaches = spans.map(({first, end}, i) => {
		const left = Math.floor(Math.max(board.xOfTime(first) - plot.x, 0));
		const right = Math.min(Math.max(Math.ceil(board.xOfTime(end) - plot.x), left + 1), width);
		if (board.xOfTime(end) < plot.x || left >= width)
			return null;
		const neighbour = owners[left] || owners[Math.max(left - 1, 0)];
		isOdd[i] = neighbour > 0 && !isOdd[neighbour - 1];
		owners.fill(i + 1, left, right);
		context.fillStyle = token(isOdd[i] ? 'phase-odd' : 'phase-even');
		context.fillRect(plot.x + left, y, right - left, height - 1);
		return {left, right};
	});
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
