// SPDX-License-Identifier: Apache-2.0
// Call stacks in the order of time: of each column of pixels the one that took most of its time, outermost frames at the top.
// Neighbours share a box as far as they share frames.
import {firstFrom} from '../data/search.js';
import {functionName, functionOfNode, objectName} from '../data/words.js';
import {fitText} from './fittext.js';
import {LaneCells} from './lanes.js';
import {token, causeColors, mixColors, textOn} from '../shared/theme.js';
import {stretchesOf} from './threads.js';

export const FRAME_HEIGHT = 13;
/** Deeper frames are left to the flame graph. */
const DEPTHS = 20;
/** Of a cause's hue in a frame: its name is to be read on it. */
const TINT = 0.4;
/** Names shorter than this say nothing, in pixels. */
const LEAST_NAME = 24;

/** The stack of a fault, or behind all faults of a moment: index + 1 of its innermost node, 0: none. @param {Data} data @param {number} answer */
function innermostOf(data, answer) {
	return answer < 0 ? 0 : answer < data.count ? data.stack[answer] : data.columns.moment_stack[answer - data.count];
}

/** How many frames deep @thread was, as far as they are drawn. @param {Data} data @param {Thread} thread */
export function depthOf(data, thread) {
	const {answer, count} = stretchesOf(thread, data);
	const seen = new Set();
	let most = 0;
	for (let at = 0; at < count && most < DEPTHS; at++) {
		const node = innermostOf(data, answer[at]);
		if (node === 0 || seen.has(node))
			continue;
		seen.add(node);
		most = Math.max(most, data.nodesOf(node).length);
	}
	return Math.min(most, DEPTHS);
}

/** The function of @node. @param {Data} data @param {number} node index + 1 */
function frameName(data, node) {
	return functionName(data, functionOfNode(data, node));
}

/** What to say of @node. @param {Data} data @param {number} node index + 1 @returns {string[]} */
export function frameLines(data, node) {
	const object = data.columns.frame_object[data.columns.node_frame[node - 1]];
	return [frameName(data, node), object > 0 ? objectName(data, object - 1) : ''].filter(Boolean);
}

/** @param {Side} side @param {CanvasRenderingContext2D} context @param {{y: number, height: number}} lane @param {Thread} thread @returns {StackPicture} */
export function drawStacks(side, context, {y, height}, thread) {
	const {data, plot, scale} = side;
	const width = Math.floor(plot.width);
	const cells = new LaneCells(width, 1);
	const {first, end, answer, initiator, count} = stretchesOf(thread, data);
	const [from, to] = side.timeShown();
	const place = scale.placer();
	for (let at = firstFrom(end.subarray(0, count), from); at < count && first[at] < to; at++)
		if (innermostOf(data, answer[at]) > 0)
			cells.add(place(first[at] * data.unitNs), place(end[at] * data.unitNs), 0, at);
	const depths = Math.floor(height / FRAME_HEIGHT);
	const nodes = Array.from({length: depths}, () => new Int32Array(width));
	const causes = new Uint8Array(width);
	let last = 0;
	/** @type {number[]} */
	let path = [];
	for (let column = 0; column < width; column++) {
		const at = cells.answerAt(column);
		const node = at < 0 ? 0 : innermostOf(data, answer[at]);
		if (node !== last)
			path = data.nodesOf(node).reverse();
		last = node;
		causes[column] = at < 0 ? 0 : initiator[at];
		for (let depth = 0; depth < Math.min(depths, path.length); depth++)
			nodes[depth][column] = path[depth];
		if (at >= 0)
			cells.longest[column] = answer[at] + 1;
	}
	const colors = causeColors(data).map((color) => mixColors(color, token('paper'), TINT));
	context.textAlign = 'left';
	nodes.forEach((row, depth) => {
		for (let start = 0, column = 1; column <= width; column++) {
			if (column < width && row[column] === row[start])
				continue;
			if (row[start] > 0) {
				const color = colors[causes[start]];
				context.fillStyle = color;
				context.fillRect(plot.x + start, y + depth * FRAME_HEIGHT, Math.max(column - start - (column - start > 3 ? 1 : 0), 1), FRAME_HEIGHT - 1);
				if (column - start >= LEAST_NAME) {
					context.fillStyle = textOn(color);
					context.fillText(fitText(context, frameName(data, row[start]), column - start - 6), plot.x + start + 3, y + (depth + 0.5) * FRAME_HEIGHT);
				}
			}
			start = column;
		}
	});
	return {nodes, cells};
}
