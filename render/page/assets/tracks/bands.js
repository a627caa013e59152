// SPDX-License-Identifier: Apache-2.0
// The y axis of one file: its sections as bands in file order, then .bss and the like, then a lane for what should lie in it and
// does not; of memory a lane alone. render/picture/bands.c does the same for still pictures, and tests/twins holds both to the same.
// Bands are drawn in rows: neighbours that nobody touches share one, and all share the height by bytes and by pages that faulted. What is shown
// can be narrowed to a range of pages.
import {LANE_BSS, LANE_FILE, LANE_MEMORY} from '../data/data.js';
import {firstFrom, firstNotBelow, sortedOnce} from '../data/search.js';
import {objectName} from '../data/words.js';

export const BAND_FILE = 0;
export const BAND_BSS = 1;
export const BAND_BESIDE = 2;

/** A file with more sections than this is drawn without them: bands are numbered with 16 bits. */
const SECTIONS_MAX = 32703;

/** @param {number} kind @param {number} first @param {number} end @param {string} label @param {boolean} isSection @param {boolean} isLoaded @returns {Band} */
function bandOfPages(kind, first, end, label, isSection, isLoaded) {
	return {kind, first, end, label, isSection, isLoaded, faults: 0, faulted: new Float64Array()};
}

/** Cut the whole file into sections that are loaded, and what lies between. @param {any[]} layout in the order of the file @param {number} pageSize @param {number} length in pages, parts included */
function cutFile(layout, pageSize, length) {
	const bands = [];
	let done = 0;
	for (const section of layout.filter((each) => each.offset !== null && each.vaddr !== null)) {
		const first = Math.min(section.offset / pageSize, length);
		const end = Math.min((section.offset + section.file_size) / pageSize, length);
		bands.push(bandOfPages(BAND_FILE, done, first, done === 0 ? 'headers' : 'padding', false, true),
			bandOfPages(BAND_FILE, Math.max(first, done), end, section.name, true, true));
		done = Math.max(done, end);
	}
	bands.push(bandOfPages(BAND_FILE, done, length, done === 0 ? 'file' : 'not loaded', false, done === 0));
	return bands.filter(({first, end}) => first < end);
}

function cutMemory(/** @type {any[]} */ layout, /** @type {number} */ pageSize) {
	const bands = [];
	let done = 0;
	for (const section of layout.filter((each) => each.offset === null && each.vaddr !== null)) {
		const first = Math.max(section.vaddr / pageSize, done);
		const end = (section.vaddr + section.memory_size) / pageSize;
		if (first < end)
			bands.push(bandOfPages(BAND_BSS, first, end, section.name, true, true));
		done = Math.max(done, end);
	}
	return bands;
}

/** The last of bands [@from, @to) that starts at or before @page; -1: none. @param {{first: number}[]} bands @param {number} from @param {number} to @param {number} page */
export function findBand(bands, from, to, page) {
	const found = from + firstNotBelow(to - from, (i) => bands[from + i].first <= page) - 1;
	return found < from ? -1 : found;
}

/** Put the faults of the lane in the order of their pages, memory before files. @param {Data} data @param {Bands} bands @param {number} lane */
function rankLane({count, page, combination, columns: {combination_lane: lanes, memory_page_low: {length: memoryPages}}}, {bandOf, at, items}, lane) {
	// Indexes of memory_page are in the order of addresses. Entries share few pages: these are sorted, not the entries.
	const isUsed = new Uint8Array(memoryPages);
	const keys = [];
	const keyOf = (/** @type {number} */ i) => lanes[combination[i]] < LANE_MEMORY ? memoryPages + page[i] : page[i];
	for (let i = 0; i < count; i++) {
		const key = bandOf[i] === lane ? keyOf(i) : -1;
		if (key >= memoryPages)
			keys.push(key);
		else if (key >= 0)
			isUsed[key] = 1;
	}
	isUsed.forEach((used, key) => used && keys.push(key));
	const sorted = sortedOnce(keys);
	const ranks = new Float64Array(memoryPages);
	sorted.subarray(0, firstFrom(sorted, memoryPages)).forEach((key, rank) => ranks[key] = rank);
	for (let i = 0; i < count; i++) {
		const key = bandOf[i] === lane ? keyOf(i) : -1;
		if (key >= 0)
			at[i] = (key < memoryPages ? ranks[key] : firstFrom(sorted, key)) + 0.5;
	}
	items[lane].end = sorted.length;
	items[lane].faulted = sorted;
}

/** @param {Data} data @param {number} object @param {Pages} pages @returns {Bands} */
export function makeBands(data, object, pages) {
	const {columns: {byte, combination_object: objects, combination_lane: lanes}, header: {page_size: pageSize}} = data;
	const {is_file: isFile, layout = []} = data.header.objects[object] ?? {};
	const isCut = layout.length <= SECTIONS_MAX;
	const length = pages.size / pageSize;
	const file = cutFile(isCut ? layout : [], pageSize, length);
	const own = [...file, ...cutMemory(isCut ? layout : [], pageSize)];
	const lane = own.length;
	/** Of what lies elsewhere: it is never drawn. */
	const elsewhere = lane + 1;
	const items = [...own, bandOfPages(BAND_BESIDE, 0, 0, isFile ? 'not in the file' : objectName(data, object), false, true), bandOfPages(BAND_BESIDE, 0, 0, '', false, true)];
	const bandOf = new Uint16Array(data.count);
	const at = new Float32Array(data.count);
	/** Pages of each band of the object that faulted: few more than once. @type {number[][]} */
	const faulted = own.map(() => []);
	const lastBand = new Int32Array(pages.states.length).fill(-1);
	for (let i = 0; i < data.count; i++) {
		const c = data.combination[i];
		const page = data.page[i];
		if (objects[c] !== object) {
			bandOf[i] = elsewhere;
			continue;
		}
		const place = page + byte[i] / pageSize;
		const isBss = isFile && lanes[c] === LANE_BSS;
		let band = isBss ? findBand(items, file.length, lane, place)
			: isFile && lanes[c] === LANE_FILE && place < length ? findBand(items, 0, file.length, place) : lane;
		// The first page of .bss begins before it, with the end of .data.
		if (band < 0)
			band = isBss && lane > file.length ? file.length : lane;
		if (band < lane) {
			at[i] = Math.max(Math.min(place, items[band].end) - items[band].first, 0);
			if (isBss || lastBand[page] !== band)
				faulted[band].push(page);
			if (!isBss)
				lastBand[page] = band;
		}
		bandOf[i] = band;
		items[band].faults += data.weight(i);
	}
	faulted.forEach((numbers, band) => {
		items[band].faulted = sortedOnce(numbers);
	});
	const bands = {items, bandOf, at, file: file.map(({first, end}, band) => ({first, end, band}))};
	if (items[lane].faults > 0)
		rankLane(data, bands, lane);
	return bands;
}

/** @param {Band} band @param {number} index @param {number} first @param {number} end @returns {Row} */
function rowOf(band, index, first, end) {
	return {kind: band.kind, label: band.label, section: band.isSection ? band.label : null,
		sections: Number(band.isSection), first, end,
		firstBand: index, endBand: index + 1, faults: band.faults, top: 0, height: 0};
}

/** @param {Row} into @param {Row} row the next one */
function mergeRow(into, row) {
	into.endBand = row.endBand;
	into.end = row.end;
	into.faults += row.faults;
	if (row.sections === 0)
		return;
	into.label = into.sections === 0 ? row.label
		: into.sections === 1 ? `${into.label}, ${row.label}` : `${into.sections + 1} sections`;
	into.section = into.sections === 0 ? row.section : null;
	into.sections++;
}

/**
 * The rows that show @bands, within @place of the file: those of the object share @height by bytes
 * and, mostly, by pages that faulted, since few pages of a large file would leave nothing to see.
 * @param {Band[]} items @param {(row: Row) => number} faultedIn how many of its pages faulted
 * @param {[number, number] | null} place
 * @param {number} height in pixels
 * @returns {Row[]}
 */
export function makeRows(items, faultedIn, place, height) {
	const limit = Math.max(Math.floor(height / 30), 4);
	/** @type {Row[]} */
	const rows = [];
	items.forEach((band, index) => {
		if (band.kind === BAND_BESIDE ? band.faults === 0 : band.kind === BAND_BSS && place)
			return;
		const first = band.kind === BAND_FILE && place ? Math.max(band.first, place[0]) : band.first;
		const end = band.kind === BAND_FILE && place ? Math.min(band.end, place[1]) : band.end;
		if (first < end)
			rows.push(rowOf(band, index, first, end));
	});
	const counts = rows.filter((row) => row.kind !== BAND_BESIDE).map((row) => row.faults).sort((a, b) => b - a);
	const least = counts.length > limit ? counts[limit] + 1 : 1;
	/** @type {Row[]} */
	const merged = [];
	/** Of the last row, before others were merged into it. */
	let gaveWay = false;
	for (const row of rows) {
		const last = merged[merged.length - 1];
		const band = items[row.firstBand];
		const givesWay = row.faults < least;
		const isGap = !band.isSection && row.faults === 0 && band.isLoaded;
		if (last && last.kind === row.kind && row.kind !== BAND_BESIDE
			&& items[last.firstBand].isLoaded === band.isLoaded && (isGap || gaveWay && givesWay)) {
			mergeRow(last, row);
		} else {
			merged.push(row);
			gaveWay = givesWay;
		}
	}
	placeRows(merged, faultedIn, height);
	return merged;
}

function sum(/** @type {number[]} */ values) {
	return values.reduce((all, each) => all + each, 0);
}

/** @total whole units by @weights, largest remainders first. @param {number[]} weights @param {number} total */
function shareByWeight(weights, total) {
	const all = sum(weights);
	const exact = weights.map((each) => all > 0 ? total * (each / all) : 0);
	const shares = exact.map(Math.floor);
	const order = [...exact.keys()].sort((a, b) => exact[b] - shares[b] - (exact[a] - shares[a]) || a - b);
	for (const i of order.slice(0, all > 0 ? total - sum(shares) : 0))
		shares[i]++;
	return shares;
}

/**
 * Share out @total whole units among parts: each gets its minimum, the rest goes by weight. Where minima would take
 * more than two thirds they shrink alike, so that what weighs most still stands out.
 * @param {number[]} weights @param {number[]} minima @param {number} total
 */
export function shareOut(weights, minima, total) {
	const least = 3 * sum(minima) > 2 * total ? shareByWeight(minima, Math.floor(total / 3) * 2) : minima;
	return shareByWeight(weights, total - sum(least)).map((each, i) => least[i] + each);
}

function placeRows(/** @type {Row[]} */ rows, /** @type {(row: Row) => number} */ faultedIn, /** @type {number} */ height) {
	const gap = 6;
	const beside = 22;
	const own = rows.filter((row) => row.kind !== BAND_BESIDE);
	const sharing = own.length > 0 ? own : rows;
	const fixed = (rows.length - sharing.length) * beside
		+ gap * rows.filter((row, i) => i > 0 && rows[i - 1].kind !== row.kind).length;
	// What lies beside .bss counts with it, which is never cut.
	const faulted = sharing.map((row) => row.kind === BAND_BESIDE ? row.end
		: faultedIn(row.kind === BAND_FILE ? row : {...row, first: -Infinity, end: Infinity}));
	const bytes = sharing.map((row) => row.kind === BAND_BESIDE ? 0 : row.end - row.first);
	const allFaulted = sum(faulted) || 1;
	const allBytes = sum(bytes) || 1;
	const weights = sharing.map((_, i) => 0.25 * bytes[i] / allBytes + 0.75 * faulted[i] / allFaulted);
	const minima = sharing.map((row) => row.faults > 0 ? 15 : 5);
	const heights = shareOut(weights, minima, Math.max(height - fixed, 0));
	let top = 0;
	rows.forEach((row, i) => {
		if (i > 0 && rows[i - 1].kind !== row.kind)
			top += gap;
		const index = sharing.indexOf(row);
		row.top = top;
		row.height = index < 0 ? beside : heights[index];
		top += row.height;
	});
}

/** The y of @page of the file among @rows; between rows, the nearest edge. @param {Row[]} rows @param {number} page */
export function yOfPage(rows, page) {
	let y = 0;
	for (const row of rows) {
		if (row.kind !== BAND_FILE || page < row.first)
			break;
		y = row.top + row.height * Math.min((page - row.first) / (row.end - row.first), 1);
	}
	return y;
}

/** The page of the file at @y, or null where no row of the file is. @param {Row[]} rows @param {number} y */
export function pageAtY(rows, y) {
	const file = rows.filter((row) => row.kind === BAND_FILE);
	if (file.length === 0)
		return null;
	for (const row of file)
		if (y < row.top + row.height)
			return row.first + Math.max(y - row.top, 0) / row.height * (row.end - row.first);
	return file[file.length - 1].end;
}
