// SPDX-License-Identifier: Apache-2.0
// What a timeline draws around its faults: sections, axis, phases, the file to scale, sums.
import {BAND_BESIDE, BAND_FILE} from './bands.js';
import {shortName} from '../shared/describe.js';
import {countText, percentText, timeText} from '../shared/format.js';
import {drawPages} from '../shared/pages.js';
import {isOutlined} from './raster.js';
import {sizeTicks} from '../shared/scale.js';
import {isDark, token} from '../shared/theme.js';
import {objectName} from '../data/words.js';

/** @typedef {import('./timeline.js').Timeline} Timeline */

export const PHASE_HEIGHT = 20;
export const INIT_HEIGHT = 15;
export const AXIS_HEIGHT = 24;
export const FONT = '11px system-ui, sans-serif';
const BOLD = 'bold ' + FONT;
/** Where counts end beside their bars; where there is less room, they stand alone. */
const COUNT_RIGHT = 118;

/** As much of @text as @width has room for. @param {CanvasRenderingContext2D} context @param {string} text @param {number} width */
function fitText(context, text, width) {
	const whole = shortName(text);
	if (context.measureText(whole).width <= width)
		return whole;
	let low = 0;
	let high = whole.length;
	while (low < high - 1) {
		const middle = low + high >> 1;
		if (context.measureText(whole.slice(0, middle) + '…').width <= width)
			low = middle;
		else
			high = middle;
	}
	return low > 0 ? whole.slice(0, low) + '…' : '';
}

/** @param {Timeline} timeline @param {CanvasRenderingContext2D} context */
export function drawRows(timeline, context) {
	const {labels, plot} = timeline;
	if (!labels)
		return;
	const most = Math.max(...timeline.rows.filter((row) => row.kind === BAND_FILE).map((row) => row.faults));
	timeline.rows.forEach((row, i) => {
		context.fillStyle = token(i % 2 ? 'band-odd' : 'band-even');
		context.fillRect(labels.x, labels.y + row.top, labels.width + plot.width, row.height);
		context.fillStyle = token('paper');
		for (const [first, end] of timeline.emptyParts(row))
			context.fillRect(plot.x, plot.y + row.top + (first - row.first) / (row.end - row.first) * row.height,
				plot.width, (end - first) / (row.end - row.first) * row.height);
		if (row.height < 9)
			return;
		const isMost = row.kind === BAND_FILE && row.faults === most && most > 0;
		context.font = isMost ? BOLD : FONT;
		context.fillStyle = token(row.kind === BAND_BESIDE || row.faults === 0 ? 'soft' : 'ink');
		context.textAlign = 'right';
		context.fillText(fitText(context, row.label, labels.width - 8), labels.x + labels.width - 6,
			labels.y + row.top + row.height / 2);
		if (!row.isAbsent)
			return;
		context.font = FONT;
		context.textAlign = 'center';
		context.fillText(timeline.absent, plot.x + plot.width / 2, plot.y + row.top + row.height / 2);
	});
	context.font = FONT;
}

/** @param {Timeline} timeline @param {CanvasRenderingContext2D} context */
export function drawTimeAxis(timeline, context) {
	const {plot} = timeline;
	context.textAlign = 'center';
	context.fillStyle = token('soft');
	context.strokeStyle = token('line');
	for (const tick of timeline.scale.ticks(Math.max(plot.width / 110, 3))) {
		const x = Math.round(plot.x + tick.place) + 0.5;
		context.beginPath();
		context.moveTo(x, plot.y);
		context.lineTo(x, plot.y + plot.height + 4);
		context.stroke();
		const half = context.measureText(tick.label).width / 2;
		context.fillText(tick.label, Math.min(Math.max(x, plot.x + half), plot.x + plot.width - half),
			plot.y + plot.height + 14);
	}
}

/** Where the axis leaves out time in which no fault was under way. @param {Timeline} timeline @param {CanvasRenderingContext2D} context */
export function drawBreaks(timeline, context) {
	const {plot, scale} = timeline;
	context.textAlign = 'center';
	for (const {first, end, place, length, isGap} of scale.pieces) {
		if (!isGap)
			continue;
		const x = Math.round(plot.x + place);
		context.fillStyle = token('paper');
		context.fillRect(x, plot.y, length, plot.height);
		context.fillStyle = token('soft');
		context.fillRect(x + 2, plot.y, 1, plot.height);
		context.fillRect(x + length - 3, plot.y, 1, plot.height);
		context.save();
		context.translate(x + length / 2, plot.y + plot.height / 2);
		context.rotate(-Math.PI / 2);
		context.fillText(`${timeText(end - first)} without faults`, 0, 0);
		context.restore();
	}
}

/** @param {Timeline} timeline @param {CanvasRenderingContext2D} context */
export function drawMajor(timeline, context) {
	const {raster, plot} = timeline;
	if (!raster)
		return;
	const {cell} = raster;
	context.strokeStyle = token('ink');
	context.lineWidth = 1;
	context.beginPath();
	for (let where = 0; where < raster.rank.length; where++)
		if (isOutlined(raster, where))
			context.rect(plot.x + where % raster.columns * cell - 0.5,
				plot.y + Math.floor(where / raster.columns) * cell - 0.5, cell + 1, cell + 1);
	context.stroke();
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
 * Labelled stretches of time above the plot; one that starts later covers those before it, whose labels stand where they are still seen.
 * @param {Timeline} timeline @param {CanvasRenderingContext2D} context
 * @param {{first: number, end: number, labels: string[]}[]} spans in the order of their beginnings; the first label that fits is shown
 * @param {number} y @param {number} height
 */
function drawLane(timeline, context, spans, y, height) {
	const {plot} = timeline;
	const width = Math.floor(plot.width);
	/** Index + 1 of the span that each pixel shows. */
	const owners = new Int32Array(width);
	/** @type {boolean[]} */
	const isOdd = [];
	const reaches = spans.map(({first, end}, i) => {
		const left = Math.floor(Math.max(timeline.xOfTime(first) - plot.x, 0));
		const right = Math.min(Math.max(Math.ceil(timeline.xOfTime(end) - plot.x), left + 1), width);
		if (timeline.xOfTime(end) < plot.x || left >= width)
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
		const text = labels.find((label) => context.measureText(label).width <= room)
			?? fitText(context, labels[labels.length - 1], room);
		if (text.length > 3)
			context.fillText(text, plot.x + (left + right) / 2, y + height / 2);
	});
}

/** @param {Timeline} timeline @param {CanvasRenderingContext2D} context */
export function drawPhases(timeline, context) {
	const {plot, phases, labels} = timeline;
	if (!phases || !labels)
		return;
	const unit = timeline.data.unitNs;
	context.textAlign = 'right';
	context.fillStyle = token('soft');
	if (phases.length > 0)
		context.fillText('phases', plot.x - 6, PHASE_HEIGHT / 2);
	if (timeline.initializers.length > 0)
		context.fillText('initializers of', plot.x - 6, PHASE_HEIGHT + INIT_HEIGHT / 2 - 1);
	drawLane(timeline, context, phases.map(({name, first, end}) =>
		({first, end, labels: [`${name} ${timeText((end - first) * unit)}`, name]})), 0, PHASE_HEIGHT);
	phases.forEach((span, i) => {
		const x = Math.round(timeline.xOfTime(span.first)) + 0.5;
		if (i === 0 || x < plot.x || x > plot.x + plot.width)
			return;
		context.strokeStyle = token('soft');
		context.setLineDash([2, 3]);
		context.beginPath();
		context.moveTo(x, 0);
		context.lineTo(x, plot.y + plot.height);
		context.stroke();
		context.setLineDash([]);
	});
	drawLane(timeline, context, timeline.initializers.map(({object, first, end}) =>
		({first, end, labels: [shortName(objectName(timeline.data, object))]})), PHASE_HEIGHT, INIT_HEIGHT - 1);
}

/** The whole file to scale, and how its places spread over the rows. @param {Timeline} timeline @param {CanvasRenderingContext2D} context */
export function drawStrip(timeline, context) {
	const {strip, labels} = timeline;
	const pages = timeline.axis?.pages;
	if (!strip || !labels || !pages)
		return;
	const count = pages.states.length;
	const {page_size: pageSize} = timeline.data.header;
	const yOf = (/** @type {number} */ page) => strip.y + page / count * strip.height;
	timeline.rows.forEach((row, i) => {
		if (row.kind !== BAND_FILE)
			return;
		context.fillStyle = token(i % 2 ? 'band-odd' : 'band-even');
		context.beginPath();
		context.moveTo(strip.x + strip.width, yOf(row.first));
		context.lineTo(labels.x, labels.y + row.top);
		context.lineTo(labels.x, labels.y + row.top + row.height);
		context.lineTo(strip.x + strip.width, yOf(row.end));
		context.fill();
	});
	drawPages(context, pages, 0, count, strip, ['page-cold', 'page-around', 'page-faulted', 'page-written'].map(token), true);
	context.strokeStyle = token('line');
	context.strokeRect(strip.x + 0.5, strip.y + 0.5, strip.width - 1, strip.height - 1);
	const {place} = timeline.view.store.choice;
	if (place) {
		context.strokeStyle = token('accent');
		context.lineWidth = 2;
		context.strokeRect(strip.x, yOf(place[0]), strip.width, Math.max(yOf(place[1]) - yOf(place[0]), 2));
		context.lineWidth = 1;
	}
	context.textAlign = 'right';
	context.fillStyle = token('soft');
	context.fillText('the file', strip.x + strip.width, strip.y - 8);
	for (const tick of sizeTicks(0, count * pageSize, strip.height / 60)) {
		const y = yOf(tick.value / pageSize);
		if (y < strip.y + strip.height - 4)
			context.fillText(tick.label, strip.x - 4, Math.max(y, strip.y + 5));
	}
}

/** How many faults each row has in the time shown, by colour. @param {Timeline} timeline @param {CanvasRenderingContext2D} context */
export function drawBars(timeline, context) {
	const {bars, raster, scheme} = timeline;
	if (!bars || !raster || !scheme)
		return;
	const theme = Number(isDark());
	const groupCount = raster.groupCount;
	const rows = timeline.rows.map((row) => {
		const groups = new Array(groupCount).fill(0);
		for (let b = row.firstBand; b < row.endBand; b++)
			for (let group = 0; group < groupCount; group++)
				groups[group] += raster.bandGroups[b * groupCount + group];
		return {row, groups, faults: groups.reduce((sum, each) => sum + each, 0)};
	});
	const most = Math.max(...rows.filter(({row}) => row.kind !== BAND_BESIDE).map(({faults}) => faults), 1);
	const own = rows.reduce((sum, {row, faults}) => sum + (row.kind === BAND_BESIDE ? 0 : faults), 0);
	context.textAlign = 'left';
	context.fillStyle = token('soft');
	const isNarrow = bars.width < COUNT_RIGHT;
	if (isNarrow)
		context.textAlign = 'right';
	context.fillText('faults', isNarrow ? bars.x + bars.width - 2 : bars.x + 4, bars.y - 8);
	for (const {row, groups, faults} of rows) {
		if (row.height < 9 || faults === 0)
			continue;
		const y = bars.y + row.top + row.height / 2;
		let x = bars.x + 4;
		if (row.kind !== BAND_BESIDE && !isNarrow)
			groups.forEach((count, group) => {
				const part = 62 * count / most;
				context.fillStyle = scheme.colors[group % raster.schemeCount][theme];
				context.fillRect(x, y - 5, part, 10);
				x += part;
			});
		context.textAlign = 'right';
		context.fillStyle = token(row.kind === BAND_BESIDE ? 'soft' : 'ink');
		context.fillText(countText(faults), isNarrow ? bars.x + bars.width - 2 : bars.x + COUNT_RIGHT, y);
		if (row.kind !== BAND_BESIDE && !isNarrow)
			context.fillText(percentText(faults, own), bars.x + 166, y);
	}
}
