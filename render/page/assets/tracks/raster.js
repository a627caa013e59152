// SPDX-License-Identifier: Apache-2.0
// Faults as coloured cells of a grid: what makes a redraw of a million cost milliseconds. A cell has
// the colour of most of its faults, and remembers the first of the highest rank to be asked about.
import {BAND_BESIDE, findBand} from './bands.js';
import {countText} from '../shared/format.js';
import {pixelOf} from '../shared/palette.js';
import {firstFrom} from '../data/search.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('./bands.js').Bands} Bands
 * @typedef {import('./bands.js').Row} Row
 * @typedef {import('../shared/palette.js').Scheme} Scheme
 */

/** What lies behind the marks of a cell: pages mapped by the fault of a neighbour, pages read by one. */
const MAPPED = 1;
const READ = 2;
/** In the rank of a fault: it waited for storage, which is outlined. */
const MAJOR = 2;

/**
 * @typedef {Object} Raster
 * @property {number} cell size of a cell in pixels of the page
 * @property {number} columns
 * @property {number} lines
 * @property {Int32Array} entry of each cell: index + 1 of the first fault of its rank; 0: none
 * @property {Uint8Array} rank of each cell, the highest of its faults: 1, or 2 for one that stands out; MAJOR more for one that waited for storage
 * @property {Uint32Array} faults of each cell
 * @property {Uint8Array} around MAPPED where pages were mapped by the fault of a neighbour, else READ where one read them
 * @property {Uint32Array} groups faults of each cell by group, where they stand out also by that; the last group: filtered out
 * @property {number} groupCount
 * @property {number} schemeCount groups of the scheme
 * @property {Float64Array} bandGroups faults that are shown, by band and group
 * @property {number} shown faults in the picture, without those filtered out
 */

/**
 * @typedef {Object} Frame
 * @property {number} first time in units of the trace
 * @property {number} end
 * @property {import('./timescale.js').Piece[]} pieces of the axis, in the same units
 * @property {number} width in pixels
 * @property {number} height
 * @property {Row[]} rows
 * @property {boolean} isStressed some faults stand out: groups come twice then, for these behind the others
 */

/** What is kept of each cell; that of @before again, since new memory would have to be faulted in. @param {Raster | null} before @param {number} size @param {number} groupCount */
function emptyCells(before, size, groupCount) {
	if (!before || before.entry.length !== size || before.groupCount !== groupCount)
		return {entry: new Int32Array(size), faults: new Uint32Array(size), around: new Uint8Array(size),
			rank: new Uint8Array(size), groups: new Uint32Array(size * groupCount)};
	for (const values of [before.entry, before.faults, before.around, before.rank, before.groups])
		values.fill(0);
	return before;
}

/**
 * @param {Data} data @param {Bands} bands @param {Frame} frame @param {Scheme} scheme
 * @param {Uint8Array} marks of the entries that filters leave: 1, or 2 where they stand out
 * @param {number} cell
 * @param {Raster | null} before the last one, which is not needed any more
 * @returns {Raster}
 */
export function rasterize(data, bands, frame, scheme, marks, cell, before) {
	// Whole cells alone: what they leave over at the end would cut marks off.
	const columns = Math.max(Math.floor(frame.width / cell), 1);
	const lines = Math.max(Math.floor(frame.height / cell), 1);
	const size = columns * lines;
	const schemeCount = scheme.colors.length;
	const groupCount = schemeCount * (frame.isStressed ? 2 : 1) + 1;
	const stress = frame.isStressed ? schemeCount : 0;
	const {entry, faults, around, rank, groups} = emptyCells(before, size, groupCount);
	const bandGroups = new Float64Array(bands.items.length * groupCount);

	// y of an entry: offset[band] + slope[band] * at, between low[band] and high[band].
	const bandCount = bands.items.length;
	const offset = new Float64Array(bandCount);
	const slope = new Float64Array(bandCount);
	const low = new Float64Array(bandCount).fill(1);
	const high = new Float64Array(bandCount);
	const lastLine = new Int32Array(bandCount);
	for (const row of frame.rows) {
		const perPage = row.height / (row.end - row.first);
		for (let b = row.firstBand; b < row.endBand; b++) {
			offset[b] = row.top + (bands.items[b].first - row.first) * perPage;
			slope[b] = perPage;
			low[b] = row.top;
			high[b] = row.top + row.height;
			lastLine[b] = Math.max(Math.min(Math.ceil((row.top + row.height) / cell), lines) - 1, 0);
		}
	}

	const {bandOf, at, file} = bands;
	const isFile = new Uint8Array(bandCount);
	for (const {band} of file)
		isFile[band] = 1;
	// Faults on .bss may read the file, too.
	const isOwn = Uint8Array.from(bands.items, ({kind}) => Number(kind !== BAND_BESIDE));
	const {time, combination, merged} = data;
	const {groupOf} = scheme;
	const {around_before: aroundBefore, around_pages: aroundPages} = data.columns;
	const majorKind = data.header.words.kind.indexOf('major');
	const majorRank = Uint8Array.from(data.columns.combination_kind, (kind) => kind === majorKind ? MAJOR : 0);
	const perPixel = 1 / cell;
	const {pieces} = frame;
	let piece = 0;
	/** The column of @unit, which is not before that of the last one. @param {number} unit */
	const columnOf = (unit) => {
		while (piece < pieces.length - 1 && unit >= pieces[piece].end)
			piece++;
		const {first: start, end: stop, place, length} = pieces[piece];
		return Math.min((place + (unit - start) / (stop - start || 1) * length) * perPixel | 0, columns - 1);
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
	let shown = 0;
	// Neighbours in time are mostly in one cell, and are added to it at once.
	let run = 0;
	let runBand = 0;
	let runFaults = 0;
	const endRun = () => {
		groups[run] += runFaults;
		if (run % groupCount === groupCount - 1)
			return;
		bandGroups[runBand * groupCount + run % groupCount] += runFaults;
		faults[Math.floor(run / groupCount)] += runFaults;
		shown += runFaults;
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
	// Entries are in time order.
	for (let i = firstFrom(time, first); i < count; i++) {
		const b = bandOf[i];
		const y = offset[b] + slope[b] * at[i];
		if (!(y >= low[b] && y <= high[b]))
			continue;
		const c = combination[i];
		const line = Math.min(y * perPixel | 0, lastLine[b]);
		const where = line * columns + columnOf(time[i]);
		const cellGroup = where * groupCount + (marks[i] === 0 ? groupCount - 1 : marks[i] === 2 ? groupOf[c] + stress : groupOf[c]);
		if (cellGroup !== run || b !== runBand) {
			endRun();
			run = cellGroup;
			runBand = b;
			runFaults = 0;
		}
		runFaults += merged ? merged[i] : 1;
		if (!marks[i])
			continue;
		if (majorRank[c] + marks[i] > rank[where]) {
			rank[where] = majorRank[c] + marks[i];
			entry[where] = i + 1;
		}
		if (aroundPages[i] < 2 || !isFile[b])
			continue;
		const from = data.page[i] - aroundBefore[i];
		extend(from, from + aroundPages[i], where % columns, MAPPED);
	}
	endRun();
	return {cell, columns, lines, entry, faults, around, rank, groups, groupCount, schemeCount,
		bandGroups, shown};
}

/** Whether a fault of cell @where waited for storage: it is outlined then. @param {Raster} raster @param {number} where */
export function isOutlined(raster, where) {
	return raster.rank[where] > MAJOR;
}

/** What the entry of cell @where is the first of. @param {Raster} raster @param {number} where */
export function firstText(raster, where) {
	const {faults, rank} = raster;
	return `${['', 'first', 'first highlighted', 'first major', 'first major'][rank[where]]} of ${countText(faults[where])} faults here`;
}

/**
 * Draw the cells at (@left, @top); what is between them stays as it is.
 * @param {CanvasRenderingContext2D} context whose units are pixels of the screen
 * @param {Raster} raster @param {number} pixels of the screen that a cell is wide and high
 * @param {string[]} colors of the groups, in stressed pictures of both @param {string} ghost of faults filtered out
 * @param {string[]} pale of fault-around and of what was read @param {number} left @param {number} top
 */
export function paintRaster(context, raster, pixels, colors, ghost, pale, left, top) {
	const {columns, lines, groups, groupCount, schemeCount} = raster;
	const image = new ImageData(columns * pixels, lines * pixels);
	const memory = new Uint32Array(image.data.buffer);
	const inks = [...colors, ghost].map(pixelOf);
	const palePixels = [0, ...pale.map(pixelOf)];
	for (let where = 0; where < columns * lines; where++) {
		let ink = palePixels[raster.around[where]];
		if (raster.faults[where] > 0 || groups[where * groupCount + groupCount - 1] > 0) {
			let best = groupCount - 1;
			let most = 0;
			// What stands out comes first.
			for (let level = groupCount - 1 - schemeCount; level >= 0 && most === 0; level -= schemeCount)
				for (let group = level; group < level + schemeCount; group++) {
					const count = groups[where * groupCount + group];
					if (count > most) {
						most = count;
						best = group;
					}
				}
			ink = inks[best];
		}
		if (ink === 0)
			continue;
		const start = (Math.floor(where / columns) * columns * pixels + where % columns) * pixels;
		for (let line = 0; line < pixels; line++)
			memory.fill(ink, start + line * columns * pixels, start + line * columns * pixels + pixels);
	}
	const canvas = document.createElement('canvas');
	canvas.width = image.width;
	canvas.height = image.height;
	canvas.getContext('2d')?.putImageData(image, 0, 0);
	context.drawImage(canvas, left, top);
}
