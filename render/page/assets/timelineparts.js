// SPDX-License-Identifier: Apache-2.0
// What a timeline draws around its faults: sections, axis, phases, the file to scale, sums.
import {BAND_BESIDE, BAND_FILE} from './bands.js';
import {shortName} from './describe.js';
import {countText, percentText, timeText} from './format.js';
import {drawPages} from './pages.js';
import {sizeTicks, timeTicks} from './scale.js';
import {isDark, token} from './theme.js';
import {objectName} from './words.js';

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
	const [first, end] = timeline.timeShown();
	const unit = timeline.data.unitNs;
	context.textAlign = 'center';
	context.fillStyle = token('soft');
	context.strokeStyle = token('line');
	for (const tick of timeTicks(first * unit, end * unit, Math.max(plot.width / 110, 3))) {
		const x = Math.round(timeline.xOfTime(tick.value / unit)) + 0.5;
		context.beginPath();
		context.moveTo(x, plot.y);
		context.lineTo(x, plot.y + plot.height + 4);
		context.stroke();
		const half = context.measureText(tick.label).width / 2;
		context.fillText(tick.label, Math.min(Math.max(x, plot.x + half), plot.x + plot.width - half),
			plot.y + plot.height + 14);
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
	for (let where = 0; where < raster.major.length; where++)
		if (raster.major[where])
			context.rect(plot.x + where % raster.columns * cell - 0.5,
				plot.y + Math.floor(where / raster.columns) * cell - 0.5, cell + 1, cell + 1);
	context.stroke();
}

/** A labelled stretch of time above the plot. @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {number} first @param {number} end @param {number} y @param {number} height @param {string[]} labels the first that fits is shown @param {string} fill */
function drawSpan(timeline, context, first, end, y, height, labels, fill) {
	const {plot} = timeline;
	const left = Math.max(timeline.xOfTime(first), plot.x);
	const right = Math.min(timeline.xOfTime(end), plot.x + plot.width);
	if (right < plot.x || left > plot.x + plot.width)
		return;
	context.fillStyle = fill;
	context.fillRect(left, y, Math.max(right - left, 1), height - 1);
	const room = right - left - 6;
	const text = labels.find((label) => context.measureText(label).width <= room)
		?? fitText(context, labels[labels.length - 1], room);
	context.fillStyle = token('ink');
	context.textAlign = 'center';
	if (text.length > 3)
		context.fillText(text, (left + right) / 2, y + height / 2);
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
	phases.forEach((span, i) => {
		drawSpan(timeline, context, span.first, span.end, 0, PHASE_HEIGHT,
			[`${span.name} ${timeText((span.end - span.first) * unit)}`, span.name], token(i % 2 ? 'phase-odd' : 'phase-even'));
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
	timeline.initializers.forEach((span, i) => {
		drawSpan(timeline, context, span.first, span.end, PHASE_HEIGHT, INIT_HEIGHT - 1,
			[shortName(objectName(timeline.data, span.object))], token(i % 2 ? 'phase-odd' : 'phase-even'));
	});
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
