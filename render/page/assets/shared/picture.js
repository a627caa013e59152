// SPDX-License-Identifier: Apache-2.0
// The current view as a picture that stands alone: time against place, with title, axes and legend,
// as a list of shapes. Exports write it as SVG or draw it as PNG.
import {BAND_BESIDE} from '../tracks/bands.js';
import {fileAxis} from '../tracks/fileaxis.js';
import {countText, nounText, percentText, timeText} from './format.js';
import {visibleText} from './visible.js';
import {makeScheme, mixColors} from './palette.js';
import {selectedMarks} from '../selection/selected.js';
import {isDark, token} from './theme.js';
import {TimeScale, gapsWithin} from '../tracks/timescale.js';
import {PALE} from '../tracks/fileplot.js';
import {spanOf} from '../tracks/view.js';
import {commandText, objectName} from '../data/words.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 * @typedef {import('../tracks/bandrows.js').Row} Row
 * @typedef {import('../tracks/fileaxis.js').Axis} Axis
 * @typedef {import('./palette.js').Scheme} Scheme
 *
 * @typedef {{kind: 'rect', x: number, y: number, width: number, height: number, color: string, title?: string}} RectShape
 * @typedef {{kind: 'text', x: number, y: number, text: string, color: string, size: number, isBold?: boolean,
 *	isUpright?: boolean,
 *	anchor?: 'start' | 'middle' | 'end'}} TextShape
 * @typedef {RectShape | TextShape} Shape
 * @typedef {{width: number, height: number, title: string, shapes: Shape[]}} Picture
 */

const WIDTH = 1280;
/** Of all pictures. */
export const HEIGHT = 800;
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

/**
 * One timeline of a picture.
 * @typedef {Object} Plot
 * @property {Data} data
 * @property {Axis} axis
 * @property {Row[]} rows as high as the box
 * @property {Scheme} scheme
 * @property {Uint8Array} marks by entry: 0 left out, 1 shown, 2 standing out
 * @property {boolean} isStressed whether any stands out, the others being pale
 * @property {[number, number]} time range in ns
 * @property {import('../tracks/timescale.js').Gap[]} gaps that may be left out of it
 * @property {{x: number, y: number, width: number, height: number}} box
 */

/** The bands behind the marks, with their names. @param {Plot} plot @param {string} ink @param {string} pale @returns {Shape[]} */
function rowShapes({rows, box}, ink, pale) {
	return rows.flatMap((row, i) => {
		const y = box.y + row.top;
		/** @type {Shape[]} */
		const shapes = [{kind: 'rect', x: box.x, y, width: box.width, height: row.height,
			color: token(i % 2 ? 'band-odd' : 'band-even'), title: visibleText(row.label)}];
		if (row.height >= LEAST_LABEL)
			shapes.push({kind: 'text', x: box.x - 8, y: y + row.height / 2 + 4, text: cutText(row.label, 22),
				color: row.kind === BAND_BESIDE || row.isAbsent ? pale : ink, size: 12, anchor: 'end'});
		return shapes;
	});
}

/** The faults of each cell by group, those that stand out behind the others, and of all cells that are of the file. @param {Plot} plot @param {TimeScale} scale */
function fillCells({data, axis: {bands}, rows, scheme, marks, time: [from, to], box}, scale) {
	const groups = scheme.names.length;
	const columns = Math.floor(box.width / CELL);
	const [top, bottom] = [Math.ceil(box.y / CELL), Math.floor((box.y + box.height) / CELL) - 1];
	/** @type {Map<number, Float64Array>} */
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
		const group = scheme.groupOf[data.combination[i]];
		const x = Math.min(Math.floor(scale.place(time) / CELL), columns - 1);
		const y = Math.max(Math.min(Math.floor((box.y + row.top + part * row.height) / CELL), bottom), top);
		const key = y * columns + x;
		let cell = cells.get(key);
		if (!cell)
			cells.set(key, cell = new Float64Array(2 * groups));
		cell[marks[i] === 2 ? groups + group : group] += data.weight(i);
		if (row.kind !== BAND_BESIDE)
			totals[group] += data.weight(i);
	}
	return {cells, columns, totals};
}

/** Where the axis leaves out time: a strip of paper between two lines, and how long that was. @param {TimeScale} scale @param {Plot['box']} box @param {string} pale @returns {Shape[]} */
function breakShapes(scale, box, pale) {
	return scale.pieces.filter(({isGap}) => isGap).flatMap(({first, end, place, length}) => {
		const x = box.x + place;
		const text = `${timeText(end - first)} left out`;
		return [
			{kind: 'rect', x, y: box.y, width: length, height: box.height, color: token('paper'), title: text},
			{kind: 'rect', x: x + 2, y: box.y, width: 1, height: box.height, color: pale},
			{kind: 'rect', x: x + length - 3, y: box.y, width: 1, height: box.height, color: pale},
			{kind: 'text', x: x + length / 2 + 4, y: box.y + box.height / 2, text, color: pale, size: 11, anchor: 'middle', isUpright: true},
		];
	});
}

/** Bands, axis and marks of one timeline; and the faults of the file by group. @param {Plot} plot @returns {{shapes: Shape[], totals: Float64Array}} */
export function plotShapes(plot) {
	const {scheme, box, isStressed, time: [from, to]} = plot;
	const dark = Number(isDark());
	const [ink, pale, band] = ['ink', 'soft', 'band-odd'].map(token);
	const shapes = rowShapes(plot, ink, pale);
	const scale = new TimeScale(from, to, box.width, gapsWithin(plot.gaps, from, to));
	for (const {place, label} of scale.ticks(box.width / 108)) {
		const x = box.x + place;
		shapes.push({kind: 'rect', x, y: box.y + box.height, width: 1, height: 5, color: pale},
			{kind: 'text', x, y: box.y + box.height + 19, text: label, color: pale, size: 12, anchor: 'middle'});
	}
	shapes.push(...breakShapes(scale, box, pale));
	const {cells, columns, totals} = fillCells(plot, scale);
	const groups = scheme.names.length;
	for (const [key, counts] of [...cells].sort((a, b) => a[0] - b[0])) {
		const strong = counts.subarray(groups);
		const standsOut = strong.some((count) => count > 0);
		const shown = standsOut ? strong : counts.subarray(0, groups);
		const most = shown.indexOf(Math.max(...shown));
		const faults = counts.reduce((sum, each) => sum + each, 0);
		const color = scheme.colors[most][dark];
		shapes.push({kind: 'rect', x: box.x + key % columns * CELL, y: Math.floor(key / columns) * CELL, width: CELL, height: CELL,
			color: isStressed && !standsOut ? mixColors(color, band, PALE) : color,
			title: cells.size > TITLED_MARKS ? undefined : `${nounText(faults, 'fault')}, ${scheme.names[most]}, at ${
				timeText(scale.timeAt((key % columns + 0.5) * CELL))}`});
	}
	return {shapes, totals};
}

/** What the choice narrows, in words. @param {{filter: Object<string, string>, process?: number | null, search: string}} choice */
export function chosenTexts({filter, process, search}) {
	const chosen = Object.entries(filter).map(([word, value]) => `${word}: ${value}`);
	if (process !== null && process !== undefined)
		chosen.push(`process ${process}`);
	if (search)
		chosen.push(`with “${search}”`);
	return chosen;
}

/** Paper, title and a line below it. @param {number} width @param {number} height @param {string} title @param {string} line @returns {Shape[]} */
export function titleShapes(width, height, title, line) {
	const [paper, ink, pale] = ['paper', 'ink', 'soft'].map(token);
	return [
		{kind: 'rect', x: 0, y: 0, width, height, color: paper},
		{kind: 'text', x: 20, y: 30, text: cutText(title, width / 11.6), color: ink, size: 20, isBold: true},
		{kind: 'text', x: 20, y: 52, size: 13, color: pale, text: cutText(line, width / 7.5)},
	];
}

/** @param {Data} data @param {Store} store @returns {Picture} */
export function pictureOf(data, store) {
	const {choice} = store;
	const scheme = makeScheme(data, choice.color);
	const axis = fileAxis(data, choice.object);
	const {shapes, totals} = plotShapes({data, axis, rows: axis.rows(choice.place, PLOT.height), scheme,
		marks: selectedMarks(data, store), isStressed: false, time: choice.time ?? spanOf(data), gaps: data.header.cuts.map((/** @type {[number, number, string]} */ [first, end]) => [first, end]), box: PLOT});
	const total = totals.reduce((sum, each) => sum + each, 0);
	const title = `Page faults of ${objectName(data, choice.object)}`;
	const line = [`${nounText(total, 'fault')} while ${commandText(data)} ran`, ...chosenTexts(choice)].join('; ');
	const texts = scheme.names.map((name, group) => `${cutText(name, 40)} ${percentText(totals[group], total)}`);
	return {width: WIDTH, height: HEIGHT, title: `${title}: ${countText(total)}`, shapes: [
		...titleShapes(WIDTH, HEIGHT, title, line), ...shapes,
		...legendShapes(scheme, totals, texts, WIDTH, PLOT.y + PLOT.height + 46)]};
}

/** The groups that have any of @totals, most first. @param {Scheme} scheme @param {Float64Array} totals @param {string[]} texts by group @param {number} width @param {number} top @returns {Shape[]} */
export function legendShapes(scheme, totals, texts, width, top) {
	const dark = Number(isDark());
	const ink = token('ink');
	/** @type {Shape[]} */
	const shapes = [];
	let x = 20;
	let y = top;
	const order = [...totals.keys()].filter((group) => totals[group] > 0).sort((a, b) => totals[b] - totals[a]);
	for (const group of order) {
		const wide = 34 + texts[group].length * 7;
		if (x + wide > width - 20) {
			x = 20;
			y += 20;
		}
		if (y > HEIGHT - 8)
			break;
		shapes.push({kind: 'rect', x, y: y - 10, width: 12, height: 12, color: scheme.colors[group][dark]},
			{kind: 'text', x: x + 18, y, text: texts[group], color: ink, size: 13});
		x += wide;
	}
	return shapes;
}
