// SPDX-License-Identifier: Apache-2.0
// Draws around the faults of a board: the axis of time, sections, the file to scale, sums.
import {BAND_BESIDE, BAND_FILE} from './bands.js';
import {FONT, fitText} from './fittext.js';
import {timeText} from '../shared/format.js';
import {drawPages} from '../shared/pages.js';
import {token} from '../shared/theme.js';

const BOLD = 'bold ' + FONT;
/** So much of a picture is mostly in sight, in pixels. */
const TOP_HEIGHT = 300;

/** The bands of sections with their names. @param {FilePlot} file @param {CanvasRenderingContext2D} context @param {Shown} shown */
export function drawRows({axis, labels, plot, rows, raster}, context, {side, sides, absent}) {
	const sums = rows.map((row) => sumOfRow(row, raster));
	const most = Math.max(...sums.filter((_, i) => rows[i].kind === BAND_FILE));
	rows.forEach((row, i) => {
		context.fillStyle = token(i % 2 ? 'band-odd' : 'band-even');
		// Of two sides the first has the name, between both.
		const left = side === 0 ? labels.x : plot.x;
		context.fillRect(left, plot.y + row.top, plot.x + plot.width - left, side === 0 ? row.height * sides : row.height);
		context.fillStyle = token('paper');
		for (const [first, end] of axis?.emptyParts(row) ?? [])
			context.fillRect(plot.x, plot.y + row.top + (first - row.first) / (row.end - row.first) * row.height,
				plot.width, (end - first) / (row.end - row.first) * row.height);
		if (row.height < 9)
			return;
		const isMost = row.kind === BAND_FILE && sums[i] === most && most > 0;
		context.font = isMost ? BOLD : FONT;
		context.fillStyle = token(row.kind === BAND_BESIDE || row.faults === 0 ? 'soft' : 'ink');
		context.textAlign = 'right';
		if (side === 0)
			context.fillText(fitText(context, row.label, labels.width - 8), labels.x + labels.width - 6, labels.y + row.top + row.height * sides / 2);
		if (!row.isAbsent)
			return;
		context.font = FONT;
		context.textAlign = 'center';
		context.fillText(absent, plot.x + plot.width / 2, plot.y + row.top + row.height / 2);
	});
	context.font = FONT;
}

/** A moment on the axis, and where its name stands above. @typedef {{x: number, name: string, left: number, right: number}} Moment */

/** @param {TrackPicture | Side} board @param {CanvasRenderingContext2D} context @param {number} y of the labels @param {Moment[]} moments whose names stand there instead */
export function drawTimeAxis({plot, scale}, context, y, moments) {
	context.textAlign = 'center';
	context.fillStyle = token('soft');
	context.strokeStyle = token('line');
	for (const tick of scale.ticks(Math.max(plot.width / 110, 3))) {
		const x = Math.round(plot.x + tick.place) + 0.5;
		context.beginPath();
		context.moveTo(x, plot.y);
		context.lineTo(x, plot.y + plot.height);
		context.stroke();
		const half = context.measureText(tick.label).width / 2;
		const middle = Math.min(Math.max(x, plot.x + half), plot.x + plot.width - half);
		if (moments.every(({name, left, right}) => name === '' || middle + half < left || middle - half > right))
			context.fillText(tick.label, middle, y);
	}
}

/** Narrower gaps have no label, in pixels: the text below the pictures says what all of them are. */
const LABELLED = 20;

/** Room for what is @length high between @top and @end, beside @taken, in order: of a high picture the top is in sight. @param {number} length @param {number} top @param {number} end @param {{top: number, bottom: number}[]} taken @returns {number} its middle; NaN: there is none */
function middleOfRoom(length, top, end, taken) {
	const stops = [...taken.filter(({bottom}) => bottom > top), {top: end, bottom: end}];
	for (const {top: stop, bottom} of stops) {
		if (stop - top >= length)
			return top + Math.min(stop - top, Math.max(TOP_HEIGHT, length)) / 2;
		top = bottom;
	}
	return NaN;
}

/** Where the axis leaves out time, and why. @param {TrackPicture} board @param {CanvasRenderingContext2D} context */
export function drawBreaks(board, context) {
	const {plot, scale} = board;
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
		const label = `${timeText(end - first)} ${board.gapText(first)}`;
		const middle = middleOfRoom(context.measureText(label).width, plot.y, plot.y + plot.height, board.heads.places.filter(({right}) => right > x));
		if (length < LABELLED || Number.isNaN(middle))
			continue;
		context.save();
		context.translate(x + length / 2, middle);
		context.rotate(-Math.PI / 2);
		context.fillText(label, 0, 0);
		context.restore();
	}
}

/** Where @times are on the axis, those that are shown. @param {Side} board @param {CanvasRenderingContext2D} context @param {{time: number, name: string}[]} times in units of the trace @returns {Moment[]} */
export function momentsOf(board, context, times) {
	const {plot} = board;
	const end = plot.x + plot.width;
	return times.map(({time, name}) => ({exact: board.xOfTime(time), name})).filter(({exact}) => exact >= plot.x && exact <= end).map(({exact, name}) => {
		// What ends the recording ends the axis.
		const x = Math.min(Math.round(exact) + 0.5, end - 0.5);
		const half = context.measureText(name).width / 2 + 3;
		const middle = Math.min(Math.max(x, plot.x + half), end - half);
		return {x, name, left: middle - half, right: middle + half};
	});
}

/** @moments as lines over all that is drawn, with their names above. @param {Side} board @param {CanvasRenderingContext2D} context @param {Moment[]} moments */
export function drawMoments({plot}, context, moments) {
	context.strokeStyle = token('soft');
	context.fillStyle = token('accent');
	context.textAlign = 'center';
	context.setLineDash([2, 3]);
	context.beginPath();
	for (const {x, name, left, right} of moments) {
		context.moveTo(x, plot.y);
		context.lineTo(x, plot.y + plot.height);
		if (name)
			context.fillText(name, (left + right) / 2, plot.y - 9);
	}
	context.stroke();
	context.setLineDash([]);
}

/** The whole file to scale, and how its places spread over the rows. @param {FilePlot} file @param {CanvasRenderingContext2D} context @param {[number, number] | null} place that is shown */
export function drawStrip({axis, strip, labels, rows}, context, place) {
	if (!axis)
		return;
	const {pages} = axis;
	const count = pages.states.length;
	const yOf = (/** @type {number} */ page) => strip.y + page / count * strip.height;
	rows.forEach((row, i) => {
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
	drawPages(context, pages, 0, count, strip, ['page-cold', 'page-around', 'page-faulted', 'page-written'].map(token));
	context.strokeStyle = token('line');
	context.strokeRect(strip.x + 0.5, strip.y + 0.5, strip.width - 1, strip.height - 1);
	if (place) {
		context.strokeStyle = token('accent');
		context.lineWidth = 2;
		context.strokeRect(strip.x, yOf(place[0]), strip.width, Math.max(yOf(place[1]) - yOf(place[0]), 2));
		context.lineWidth = 1;
	}
}

/** What @row has of all that is summed. @param {Row} row @param {Raster | null} raster */
function sumOfRow(row, raster) {
	return raster ? raster.bandSums.subarray(row.firstBand, row.endBand).reduce((sum, each) => sum + each, 0) : 0;
}

/** What each row has in the time shown. @param {FilePlot} file @param {CanvasRenderingContext2D} context @param {(amount: number) => string} sumText */
export function drawSums({sums, rows, raster}, context, sumText) {
	context.textAlign = 'right';
	for (const row of rows) {
		const sum = sumOfRow(row, raster);
		if (row.height < 9 || sum === 0)
			continue;
		context.fillStyle = token(row.kind === BAND_BESIDE ? 'soft' : 'ink');
		context.fillText(sumText(sum), sums.x + Math.min(sums.width, 54), sums.y + row.top + row.height / 2);
	}
}
