// SPDX-License-Identifier: Apache-2.0
// The current view as a picture that stands alone: time against place, with title, axes and legend,
// as a list of shapes. Exports write it as SVG or draw it as PNG.
import {BAND_BESIDE, fileAxis} from './bands.js';
import {countText, nounText, percentText, timeText} from './format.js';
import {visibleText} from './visible.js';
import {makeScheme} from './palette.js';
import {timeTicks} from './scale.js';
import {selectedMarks} from './selected.js';
import {isDark, token} from './theme.js';
import {objectName} from './words.js';

/**
 * @typedef {import('./data.js').Data} Data
 * @typedef {import('./store.js').Store} Store
 * @typedef {import('./bands.js').Row} Row
 *
 * @typedef {{kind: 'rect', x: number, y: number, width: number, height: number, color: string, title?: string}} RectShape
 * @typedef {{kind: 'text', x: number, y: number, text: string, color: string, size: number, isBold?: boolean,
 *	anchor?: 'start' | 'middle' | 'end'}} TextShape
 * @typedef {RectShape | TextShape} Shape
 * @typedef {{width: number, height: number, title: string, shapes: Shape[]}} Picture
 */

const WIDTH = 1280;
const HEIGHT = 800;
const PLOT = {x: 170, y: 74, width: 1080, height: 620};
/** Side of a mark; faults that share a cell are one mark. */
const CELL = 3;
const LEAST_LABEL = 12;
/** More marks than this get no titles of their own: they would be most of the file. */
const TITLED_MARKS = 6000;

/** @param {string} text @param {number} limit */
function cutText(text, limit) {
	const visible = visibleText(text);
	return visible.length > limit ? visible.slice(0, limit - 1) + '…' : visible;
}

/** The bands behind the marks, with their names. @param {Row[]} rows @param {string} ink @param {string} pale @returns {Shape[]} */
function rowShapes(rows, ink, pale) {
	return rows.flatMap((row, i) => {
		const y = PLOT.y + row.top;
		/** @type {Shape[]} */
		const shapes = [{kind: 'rect', x: PLOT.x, y, width: PLOT.width, height: row.height,
			color: token(i % 2 ? 'band-odd' : 'band-even'), title: visibleText(row.label)}];
		if (row.height >= LEAST_LABEL)
			shapes.push({kind: 'text', x: PLOT.x - 8, y: y + row.height / 2 + 4, text: cutText(row.label, 22),
				color: row.kind === BAND_BESIDE ? pale : ink, size: 12, anchor: 'end'});
		return shapes;
	});
}

/** @param {Data} data @param {Store} store @returns {Picture} */
export function pictureOf(data, store) {
	const {choice} = store;
	const dark = Number(isDark());
	const [paper, ink, pale] = ['paper', 'ink', 'soft'].map(token);
	const scheme = makeScheme(data, choice.color);
	const axis = fileAxis(data, choice.object);
	const {bands} = axis;
	const rows = axis.rows(choice.place, PLOT.height);
	const marks = selectedMarks(data, store);
	const [from, to] = choice.time
		?? [data.count ? data.timeNs(0) : 0, data.count ? data.timeNs(data.count - 1) + data.unitNs : 1];
	const groups = scheme.names.length;
	const columns = Math.ceil(PLOT.width / CELL);
	/** @type {Map<number, Float64Array>} cell -> faults by group */
	const cells = new Map();
	const totals = new Float64Array(groups);
	/** The row of each band, if it is shown. @type {(Row | undefined)[]} */
	const rowOfBand = bands.items.map((_, band) => rows.find((row) => band >= row.firstBand && band < row.endBand));
	for (let i = 0; i < data.count; i++) {
		const time = data.timeNs(i);
		const row = rowOfBand[bands.bandOf[i]];
		if (marks[i] === 0 || !row || time < from || time >= to)
			continue;
		const part = (bands.items[bands.bandOf[i]].first + bands.at[i] - row.first) / (row.end - row.first);
		if (part < 0 || part > 1)
			continue;
		const c = data.combination[i];
		const x = Math.floor((time - from) / (to - from) * PLOT.width / CELL);
		const y = Math.min(Math.floor((PLOT.y + row.top + part * row.height) / CELL), Math.floor((PLOT.y + PLOT.height) / CELL));
		const key = y * columns + x;
		let cell = cells.get(key);
		if (!cell)
			cells.set(key, cell = new Float64Array(groups));
		cell[scheme.groupOf[c]] += data.weight(i);
		if (row.kind !== BAND_BESIDE)
			totals[scheme.groupOf[c]] += data.weight(i);
	}
	const total = totals.reduce((sum, each) => sum + each, 0);
	const title = `Page faults of ${objectName(data, choice.object)}`;
	const chosen = Object.entries(choice.filter).map(([word, value]) => `${word}: ${value}`);
	if (choice.process !== null)
		chosen.push(`process ${choice.process}`);
	if (choice.search)
		chosen.push(`with “${choice.search}”`);
	/** @type {Shape[]} */
	const shapes = [
		{kind: 'rect', x: 0, y: 0, width: WIDTH, height: HEIGHT, color: paper},
		{kind: 'text', x: 20, y: 30, text: cutText(title, 110), color: ink, size: 20, isBold: true},
		{kind: 'text', x: 20, y: 52, size: 13, color: pale, text: cutText(
			[`${nounText(total, 'fault')} while ${data.header.trace.command.join(' ')} ran`, ...chosen].join('; '), 170)},
	];
	shapes.push(...rowShapes(rows, ink, pale));
	for (const {value, label} of timeTicks(from, to, 10)) {
		const x = PLOT.x + (value - from) / (to - from) * PLOT.width;
		shapes.push({kind: 'rect', x, y: PLOT.y + PLOT.height, width: 1, height: 5, color: pale},
			{kind: 'text', x, y: PLOT.y + PLOT.height + 19, text: label, color: pale, size: 12, anchor: 'middle'});
	}
	for (const [key, counts] of [...cells].sort((a, b) => a[0] - b[0])) {
		const most = counts.indexOf(Math.max(...counts));
		const faults = counts.reduce((sum, each) => sum + each, 0);
		const x = PLOT.x + key % columns * CELL;
		const y = Math.floor(key / columns) * CELL;
		shapes.push({kind: 'rect', x, y, width: CELL, height: CELL, color: scheme.colors[most][dark],
			title: cells.size > TITLED_MARKS ? undefined : `${nounText(faults, 'fault')}, ${scheme.names[most]}, at ${
				timeText(from + (key % columns + 0.5) * CELL / PLOT.width * (to - from))}`});
	}
	shapes.push(...legendShapes(scheme, totals, total, dark, ink));
	return {width: WIDTH, height: HEIGHT, title: `${title}: ${countText(total)}`, shapes};
}

/** @param {import('./palette.js').Scheme} scheme @param {Float64Array} totals @param {number} total @param {number} dark 0 or 1 @param {string} ink */
function legendShapes(scheme, totals, total, dark, ink) {
	/** @type {Shape[]} */
	const shapes = [];
	let x = 20;
	let y = PLOT.y + PLOT.height + 46;
	const order = [...totals.keys()].filter((group) => totals[group] > 0).sort((a, b) => totals[b] - totals[a]);
	for (const group of order) {
		const text = `${cutText(scheme.names[group], 40)} ${percentText(totals[group], total)}`;
		const width = 34 + text.length * 7;
		if (x + width > WIDTH - 20) {
			x = 20;
			y += 20;
		}
		if (y > HEIGHT - 8)
			break;
		shapes.push({kind: 'rect', x, y: y - 10, width: 12, height: 12, color: scheme.colors[group][dark]},
			{kind: 'text', x: x + 18, y, text, color: ink, size: 13});
		x += width;
	}
	return shapes;
}
