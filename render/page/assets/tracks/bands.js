// SPDX-License-Identifier: Apache-2.0
// The y axis of one file: its sections as bands in file order, then .bss and the like, then a lane for what should lie in it and
// does not; of memory a lane alone. render/picture/bands.c does the same for still pictures, and tests/twins holds both to the same.
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
	/** @type {Band[]} */
	const bands = [];
	const add = (/** @type {number} */ first, /** @type {number} */ end, /** @type {string} */ label,
		/** @type {boolean} */ isSection, /** @type {boolean} */ isLoaded) => {
		if (first < end)
			bands.push(bandOfPages(BAND_FILE, first, end, label, isSection, isLoaded));
	};
	let done = 0;
	for (const section of layout.filter((each) => each.offset !== null && each.vaddr !== null)) {
		const first = Math.min(section.offset / pageSize, length);
		const end = Math.min((section.offset + section.file_size) / pageSize, length);
		add(done, first, done === 0 ? 'headers' : 'padding', false, true);
		add(Math.max(first, done), end, section.name, true, true);
		done = Math.max(done, end);
	}
	add(done, length, done === 0 ? 'file' : 'not loaded', false, done === 0);
	return bands;
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
