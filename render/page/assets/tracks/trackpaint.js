// SPDX-License-Identifier: Apache-2.0
// Draws one track: a lane of a process, or a file with its bands or as one lane.
import {METRIC_TEXTS} from '../selection/sums.js';
import {fitText} from './fittext.js';
import {sizeText, timeText} from '../shared/format.js';
import {drawFaultLane, drawSpanLane, drawThread, drawWaits} from './lanes.js';
import {initializerLabel} from './processes.js';
import {token} from '../shared/theme.js';
import {HEAD_HEIGHT, headOfStacks} from './trackrows.js';
import {drawStacks} from './stacktrack.js';

/** Of the first of two sums. */
const SUM_WIDTH = 50;

/** "7.5 MiB": as exact as there is room for beside a track. @param {number} bytes */
function shortSize(bytes) {
	if (bytes === 0)
		return '0 B';
	const unit = 2 ** Math.min(Math.max(Math.floor(Math.log2(bytes) / 10), 0) * 10, 40);
	return sizeText(bytes / unit >= 100 ? Math.round(bytes / unit) * unit : bytes);
}

/** An amount of the metric, beside a track. @param {TrackPicture} picture @param {number} amount */
function amountText({store: {choice: {metric}}}, amount) {
	return metric === 'bytes' ? shortSize(amount) : METRIC_TEXTS[metric].text(amount);
}

/** Which side a row is of, before its lane. @param {TrackPicture} picture @param {CanvasRenderingContext2D} context @param {{side: number, y: number, height: number}} row */
function drawSide(picture, context, {side, y, height}) {
	if (picture.sides.length === 1)
		return;
	context.fillStyle = token(side === 0 ? 'line' : 'soft');
	context.fillRect(picture.plot.x - 3, y, 2, height - 1);
}

/** A name before a track, and sums behind it. @param {TrackPicture} picture @param {CanvasRenderingContext2D} context @param {string} name @param {string[]} sums @param {{y: number, height: number}} track */
export function drawLabel({plot, right}, context, name, [first, second], {y, height}) {
	const middle = y + height / 2;
	context.textAlign = 'right';
	context.fillStyle = token('soft');
	context.fillText(fitText(context, name, plot.x - 8), plot.x - 6, middle);
	if (right === 0)
		return;
	context.fillText(second ?? '', plot.x + plot.width + right, middle);
	context.fillStyle = token('ink');
	context.fillText(first ?? '', plot.x + plot.width + SUM_WIDTH, middle);
}

function drawLaneTrack(/** @type {TrackPicture} */ picture, /** @type {CanvasRenderingContext2D} */ context, /** @type {LaneTrack} */ track) {
	const {cells} = picture;
	const label = (/** @type {string} */ name, /** @type {string[]} */ sums) => drawLabel(picture, context, name, sums, track);
	const {y, height, lanes} = track;
	const side = picture.sides[track.side];
	const {data, choosing} = side;
	const lane = {y: y + 1, height: Math.min(height, HEAD_HEIGHT) - 3};
	if (track.kind !== 'stacks')
		drawSide(picture, context, track);
	if (!choosing || !lanes) {
		label(track.kind === 'process' ? side.name : '', [track.kind === 'process' ? 'none' : '']);
		return;
	}
	switch (track.kind) {
	case 'process': {
		const {threads: [first], ownNs, lateNs} = lanes.process;
		cells.set(track, drawThread(side, context, lane, first, choosing));
		label(side.name, [timeText(ownNs), lateNs > 0 ? `+${timeText(lateNs)}` : '']);
		break;
	}
	case 'thread': {
		const thread = lanes.process.threads[track.index];
		if (!thread)
			break;
		cells.set(track, drawThread(side, context, lane, thread, choosing));
		label(`${thread.name} ${thread.tid}`, []);
		break;
	}
	case 'phases':
		drawSpanLane(side, context, lanes.phases.map(({name, first, end}) =>
			({first, end, labels: [`${name} ${timeText((end - first) * data.unitNs)}`, name]})), y, height);
		label(track.side === 0 ? 'phases' : '', []);
		break;
	case 'initializers':
		drawSpanLane(side, context, lanes.runs.filter(({depth}) => depth === track.depth)
			.map(({initializer, first, end}) => ({first, end, labels: [initializerLabel(data, initializer)]})), y, height);
		label(track.depth === 0 && track.side === 0 ? 'initializers' : '', []);
		break;
	case 'stacks':
		if (track.isOpen) {
			const stacks = drawStacks(side, context, {y: y + headOfStacks(track), height: height - headOfStacks(track)}, lanes.process.threads[0]);
			cells.set(track, stacks.cells);
			picture.frames.set(track, stacks.nodes);
		}
		break;
	case 'waits': {
		const file = track.files[track.side];
		if (file)
			cells.set(track, drawWaits(side, context, lane, file.waits, choosing));
		label(track.side === 0 ? (track.files.find(Boolean))?.name ?? '' : '',
			[file ? timeText(file.ownNs) : '0', file && file.bytes > 0 ? shortSize(file.bytes) : '']);
		break;
	}
	default:
		break;
	}
}

/** @param {TrackPicture} picture @param {CanvasRenderingContext2D} context @param {FileTrack} track @param {Side} side */
function drawFile(picture, context, {files: {object}, y, height}, side) {
	const {store, plot} = picture;
	if (!side.choosing)
		return;
	const {marks, isStressed} = side.choosing;
	const file = side.fileOf(object);
	const box = {x: plot.x, y: y + HEAD_HEIGHT, width: plot.width, height: height - HEAD_HEIGHT};
	const axis = picture.recordings.axisOf(object).sides[side.index];
	const hasStrip = picture.right > 0 && axis.length > 0 && picture.sides.length === 1;
	const left = hasStrip ? 40 : 0;
	file.draw(context, axis, {plot: box, labels: {...box, x: left, width: plot.x - left}, strip: {...box, x: 2, width: hasStrip ? 16 : 0},
		sums: {...box, x: plot.x + plot.width, width: picture.right && SUM_WIDTH}}, {place: object === store.choice.object ? store.choice.place : null, marks, isStressed,
		absent: `not ${side.name}`, side: side.index, sides: picture.sides.length, sumText: (amount) => amountText(picture, amount), amountOf: side.amounts()});
	for (const row of picture.sides.length > 1 ? file.rows : [])
		drawSide(picture, context, {side: side.index, y: box.y + row.top, height: row.height});
}

function drawFileTrack(/** @type {TrackPicture} */ picture, /** @type {CanvasRenderingContext2D} */ context, /** @type {FileTrack} */ track) {
	const {y, height, files, isOpen} = track;
	const sums = files.sides.map((file, index) => file ? amountText(picture, picture.sides[index].amountOfFile(file)) : '');
	if (isOpen) {
		for (const side of picture.sides)
			drawFile(picture, context, track, side);
		const [first, second] = sums;
		drawLabel(picture, context, '', second === undefined ? [first] : ['', `${first} → ${second}`], {y, height: HEAD_HEIGHT});
		return;
	}
	const side = picture.sides[track.side];
	const file = files.sides[track.side];
	drawSide(picture, context, track);
	if (file && side.choosing)
		picture.cells.set(track, drawFaultLane(side, context, {y: y + 1, height: height - 3}, file.entries, side.choosing));
	drawLabel(picture, context, '', [sums[track.side]], track);
}

export function drawTrack(/** @type {TrackPicture} */ picture, /** @type {CanvasRenderingContext2D} */ context, /** @type {Track} */ track) {
	if (track.kind === 'file')
		drawFileTrack(picture, context, track);
	else if (track.kind !== 'more')
		drawLaneTrack(picture, context, track);
}
