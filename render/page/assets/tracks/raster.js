// SPDX-License-Identifier: Apache-2.0
// Faults as coloured cells of a grid: what makes a redraw of a million cost milliseconds. A fault takes as many cells as
// it lasted; a cell shows the dearest of its faults, which answers for it.
import {BAND_BESIDE, findBand} from './bands.js';
import {onceOf} from '../data/once.js';
import {isMajor} from '../data/words.js';
import {firstFrom} from '../data/search.js';

/** What lies behind the marks of a cell: pages mapped by the fault of a neighbour, pages read by one. */
const MAPPED = 1;
const READ = 2;
/** In what a fault costs: it waited for storage; it stands out. Between them its own time in ns. */
const MAJOR = 1;
const STANDS_OUT = 2 ** 44;

/** What is kept of each cell; that of @before again, since new memory would have to be faulted in. @param {Raster | null} before @param {number} size */
function emptyCells(before, size) {
	if (!before || before.entry.length !== size)
		return {entry: new Int32Array(size), cost: new Float64Array(size), faults: new Uint32Array(size),
			ghosts: new Uint8Array(size), around: new Uint8Array(size)};
	for (const values of [before.entry, before.cost, before.faults, before.ghosts, before.around])
		values.fill(0);
	return before;
}

/** Where bands lie: y of an entry is offset[band] + slope[band] * at, between low[band] and high[band]. @param {Bands} bands @param {Row[]} rows @param {number} cell @param {number} lines */
function placesOf(bands, rows, cell, lines) {
	const count = bands.items.length;
	const places = {offset: new Float64Array(count), slope: new Float64Array(count), low: new Float64Array(count).fill(1),
		high: new Float64Array(count), lastLine: new Int32Array(count)};
	for (const row of rows) {
		const perPage = row.height / (row.end - row.first);
		for (let b = row.firstBand; b < row.endBand; b++) {
			places.offset[b] = row.top + (bands.items[b].first - row.first) * perPage;
			places.slope[b] = perPage;
			places.low[b] = row.top;
			places.high[b] = row.top + row.height;
			places.lastLine[b] = Math.max(Math.min(Math.ceil((row.top + row.height) / cell), lines) - 1, 0);
		}
	}
	return places;
}

/**
 * @param {Data} data @param {Bands} bands @param {Frame} frame
 * @param {Uint8Array} marks of the entries that filters leave: 1, or 2 where they stand out
 * @param {number} cell
 * @param {Raster | null} before the last one, which is not needed any more
 * @returns {Raster}
 */
export function rasterize(data, bands, frame, marks, cell, before) {
	// Whole cells alone: what they leave over at the end would cut marks off.
	const columns = Math.max(Math.floor(frame.width / cell), 1);
	const lines = Math.max(Math.floor(frame.height / cell), 1);
	const {entry, cost, faults, ghosts, around} = emptyCells(before, columns * lines);
	const bandSums = new Float64Array(bands.items.length);
	const {offset, slope, low, high, lastLine} = placesOf(bands, frame.rows, cell, lines);
	const {bandOf, at, file} = bands;
	const isFile = new Uint8Array(bands.items.length);
	for (const {band} of file)
		isFile[band] = 1;
	// Faults on .bss may read the file, too.
	const isOwn = Uint8Array.from(bands.items, ({kind}) => Number(kind !== BAND_BESIDE));
	const {time, duration, combination, merged, own} = data;
	const {around_before: aroundBefore, around_pages: aroundPages} = data.columns;
	const major = isMajor(data);
	const perPixel = 1 / cell;
	const {pieces, amountOf} = frame;
	let piece = 0;
	/** The column of @unit in piece @p or a later one. @param {number} unit @param {number} p */
	const columnIn = (unit, p) => {
		const {first: start, end: stop, place, length} = pieces[p];
		return Math.min((place + (unit - start) / (stop - start || 1) * length) * perPixel | 0, columns - 1);
	};
	/** The column of @unit, which is not before that of the last one. @param {number} unit */
	const columnOf = (unit) => {
		while (piece < pieces.length - 1 && unit >= pieces[piece].end)
			piece++;
		return columnIn(unit, piece);
	};
	const lineOf = (/** @type {number} */ y) => Math.min(Math.max(Math.floor(y * perPixel), 0), lines - 1);
	/** Put @value where pages @from up to @to lie. @param {number} from @param {number} to @param {number} column @param {number} value */
	const extend = (from, to, column, value) => {
		for (let part = Math.max(findBand(file, 0, file.length, from), 0); part < file.length && file[part].first < to; part++) {
			const {first: start, end: stop, band} = file[part];
			const top = offset[band] + slope[band] * Math.max(from - start, 0);
			const bottom = offset[band] + slope[band] * (Math.min(to, stop) - start);
			if (!(bottom >= low[band] && top <= high[band]))
				continue;
			const last = lineOf(Math.min(bottom, high[band]) - 0.01);
			for (let row = lineOf(Math.max(top, low[band])); row <= last; row++)
				around[row * columns + column] = value;
		}
	};
	const {end, first} = frame;
	const count = firstFrom(time, end);
	// Fault-around is drawn over it.
	const {read_entry: readers, read_page: readPages, read_span: readSpans} = data.columns;
	for (let r = 0; r < readers.length; r++) {
		const i = readers[r];
		if (marks[i] && isOwn[bandOf[i]] && time[i] >= first && time[i] < end)
			extend(readPages[r], readPages[r] + readSpans[r], columnOf(time[i]), READ);
	}
	piece = 0;
	/** A fault that is shorter than this is within one cell, or seen to begin in one and end in the next. */
	const leastLength = (end - first) * data.unitNs / columns / 2;
	/** The first that may still be under way when what is shown begins: faults are in the order of their beginnings. */
	const from = firstFrom(time, Math.max(first - longestOf(data) / data.unitNs, 0));
	for (let i = from; i < count; i++) {
		const b = bandOf[i];
		const y = offset[b] + slope[b] * at[i];
		if (!(y >= low[b] && y <= high[b]))
			continue;
		const length = duration[i];
		const stop = time[i] + length / data.unitNs;
		if (time[i] < first && stop <= first)
			continue;
		const start = Math.max(time[i], first);
		const line = Math.min(y * perPixel | 0, lastLine[b]) * columns;
		const column = columnOf(start);
		if (!marks[i]) {
			ghosts[line + column] = 1;
			continue;
		}
		const weight = merged ? merged[i] : 1;
		if (time[i] >= first)
			bandSums[b] += amountOf(i);
		const dear = own[i] * 2 + major[combination[i]] * MAJOR + marks[i] * STANDS_OUT;
		let last = column;
		if (length > leastLength) {
			let p = piece;
			while (p < pieces.length - 1 && stop > pieces[p].end)
				p++;
			last = Math.max(columnIn(Math.min(stop, end), p), column);
		}
		for (let where = line + column; where <= line + last; where++) {
			faults[where] += weight;
			if (dear > cost[where]) {
				cost[where] = dear;
				entry[where] = i + 1;
			}
		}
		if (aroundPages[i] < 2 || !isFile[b])
			continue;
		const page = data.page[i] - aroundBefore[i];
		extend(page, page + aroundPages[i], column, MAPPED);
	}
	return {cell, columns, lines, entry, cost, faults, ghosts, around, bandSums};
}

/** How long the longest fault lasted, in ns. */
export const longestOf = onceOf((/** @type {Data} */ {duration}) => {
	let most = 0;
	for (let i = 0; i < duration.length; i++)
		if (duration[i] > most)
			most = duration[i];
	return most;
});

/** Whether the fault of cell @where waited for storage: it is outlined then. @param {Raster} raster @param {number} where */
export function isOutlined(raster, where) {
	return (raster.cost[where] & MAJOR) !== 0;
}

/** Whether the fault of cell @where stands out. @param {Raster} raster @param {number} where */
export function standsOut(raster, where) {
	return raster.cost[where] >= 2 * STANDS_OUT;
}
