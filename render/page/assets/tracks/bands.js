// SPDX-License-Identifier: Apache-2.0
// The y axis of the timeline: sections of one file as bands in file order, then .bss and the like,
// then memory and other files as lanes. Every fault has a place in one of them. render/picture/bands.c does
// the same for still pictures, and tests/twins holds both to the same.
import {LANE_BSS, LANE_FILE, LANE_MEMORY, LANE_UNMAPPED} from '../data/data.js';
import {firstFrom} from '../data/search.js';
import {objectName} from '../data/words.js';

export const BAND_FILE = 0;
export const BAND_BSS = 1;
export const BAND_BESIDE = 2;

/**
 * @typedef {Object} Lanes
 * @property {string[]} labels
 * @property {number} astray the one for what should lie in the file, and does not
 * @property {number} elsewhere the one for what is not looked at, -1: none
 * @property {Int32Array} laneOf by combination; -1: of the file or its .bss
 */

/** How many kinds of memory have a lane of their own; the rest share one. */
const LANES_MAX = 6;
/** A file with more sections than this is drawn without them: bands are numbered with 16 bits. */
const SECTIONS_MAX = 32703;
/** What has no lane of its own, in the order of its lanes. */
const REST = ['not in the file', 'other files', 'other memory', 'no mapping known'];
const [REST_ASTRAY, REST_FILES, REST_MEMORY, REST_UNMAPPED] = REST.keys();

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

/** @param {any[]} layout @param {number} pageSize */
function cutMemory(layout, pageSize) {
	/** @type {Band[]} */
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
	let low = from;
	let high = to;
	while (low < high) {
		const middle = low + high >> 1;
		if (bands[middle].first <= page)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1 < from ? -1 : low - 1;
}

/**
 * Lanes for what @object alone has beside its sections; all else shares one that is never drawn.
 * @param {Data} data @param {number} object @returns {Lanes}
 */
function makeOwnLanes(data, object) {
	const {combination_object: objects, combination_lane: lanes} = data.columns;
	const isFile = data.header.objects[object]?.is_file;
	return {labels: [isFile ? REST[REST_ASTRAY] : objectName(data, object), ''], astray: 0, elsewhere: 1,
		laneOf: Int32Array.from(objects, (each, c) => each !== object ? 1
			: isFile && (lanes[c] === LANE_FILE || lanes[c] === LANE_BSS) ? -1 : 0)};
}

/** Lanes for all that is not in the file. @param {Data} data @param {number} object @returns {Lanes} */
function makeLanes(data, object) {
	const {combination_object: objects, combination_lane: lanes} = data.columns;
	/** @type {{is_file: boolean, faults: number, path: string}[]} */
	const all = data.header.objects;
	const own = [...all.keys()].filter((each) => !all[each].is_file && all[each].faults > 0)
		.sort((a, b) => all[b].faults - all[a].faults || (all[a].path < all[b].path ? -1 : 1)).slice(0, LANES_MAX);
	const restOf = (/** @type {number} */ each, /** @type {number} */ lane) => lane === LANE_UNMAPPED ? REST_UNMAPPED
		: !all[each]?.is_file ? REST_MEMORY : each === object ? REST_ASTRAY : REST_FILES;
	return {labels: [...own.map((each) => objectName(data, each)), ...REST], astray: own.length + REST_ASTRAY, elsewhere: -1,
		laneOf: Int32Array.from(objects, (each, c) => {
			if (each === object && all[each].is_file && (lanes[c] === LANE_FILE || lanes[c] === LANE_BSS))
				return -1;
			const lane = own.indexOf(each);
			return lane >= 0 ? lane : own.length + restOf(each, lanes[c]);
		})};
}

/** @param {number[]} values @returns {Float64Array} sorted, each once */
function sortedOnce(values) {
	const sorted = Float64Array.from(values).sort();
	let count = 0;
	for (let i = 0; i < sorted.length; i++)
		if (i === 0 || sorted[i] !== sorted[count - 1])
			sorted[count++] = sorted[i];
	return sorted.subarray(0, count);
}

/**
 * Put the faults of lane @band in the order of their pages. Entries share few pages, so the pages
 * are sorted, not the entries.
 * @param {Data} data @param {Bands} bands @param {number} band
 */
function rankLane(data, bands, band) {
	const {bandOf, at} = bands;
	const {combination_lane: lanes, combination_object: objects} = data.columns;
	const memoryPages = data.columns.memory_page_low.length;
	const isUsed = new Uint8Array(memoryPages);
	/** @type {number[]} */
	const keys = [];
	const keyOf = (/** @type {number} */ i) => objects[data.combination[i]] * 2 ** 32 + data.page[i];
	// Memory stands before files.
	const memoryKey = (/** @type {number} */ page) => data.memoryPage(page) - 2 ** 53;
	const isMemory = (/** @type {number} */ i) => lanes[data.combination[i]] >= LANE_MEMORY && data.page[i] < memoryPages;
	for (let i = 0; i < data.count; i++) {
		if (bandOf[i] !== band)
			continue;
		if (!isMemory(i))
			keys.push(keyOf(i));
		else if (!isUsed[data.page[i]]) {
			isUsed[data.page[i]] = 1;
			keys.push(memoryKey(data.page[i]));
		}
	}
	const sorted = sortedOnce(keys);
	const ranks = Float32Array.from(isUsed, (used, page) => used ? firstFrom(sorted, memoryKey(page)) : 0);
	for (let i = 0; i < data.count; i++)
		if (bandOf[i] === band)
			at[i] = (isMemory(i) ? ranks[data.page[i]] : firstFrom(sorted, keyOf(i))) + 0.5;
	bands.items[band].end = sorted.length;
	bands.items[band].faulted = sorted;
}

/** @param {Data} data @param {number} object @param {Pages} pages @param {boolean} isAlone without what lies elsewhere @returns {Bands} */
export function makeBands(data, object, pages, isAlone) {
	const pageSize = data.header.page_size;
	const layout = data.header.objects[object]?.layout || [];
	const isCut = layout.length <= SECTIONS_MAX;
	const length = pages.size / pageSize;
	const file = cutFile(isCut ? layout : [], pageSize, length);
	const items = [...file, ...cutMemory(isCut ? layout : [], pageSize)];
	const ownCount = items.length;
	const {labels, astray, elsewhere, laneOf} = isAlone ? makeOwnLanes(data, object) : makeLanes(data, object);
	for (const label of labels)
		items.push(bandOfPages(BAND_BESIDE, 0, 0, label, false, true));
	const bandOf = new Uint16Array(data.count);
	const at = new Float32Array(data.count);
	const {byte} = data.columns;
	const lanes = data.columns.combination_lane;
	/** Pages of each band of the object that faulted: few more than once. @type {number[][]} */
	const faulted = items.slice(0, ownCount).map(() => []);
	const lastBand = new Int32Array(pages.states.length).fill(-1);
	for (let i = 0; i < data.count; i++) {
		const c = data.combination[i];
		const page = data.page[i];
		let band = laneOf[c] < 0 ? -1 : ownCount + laneOf[c];
		if (band < 0) {
			const place = page + byte[i] / pageSize;
			band = lanes[c] === LANE_BSS ? findBand(items, file.length, ownCount, place)
				: place < length ? findBand(items, 0, file.length, place) : -1;
			// The first page of .bss begins before it, with the end of .data.
			if (band < 0 && lanes[c] === LANE_BSS && ownCount > file.length)
				band = file.length;
			if (band < 0) {
				band = ownCount + astray;
			} else {
				at[i] = Math.max(Math.min(place, items[band].end) - items[band].first, 0);
				if (lanes[c] === LANE_BSS || lastBand[page] !== band)
					faulted[band].push(page);
				if (lanes[c] === LANE_FILE)
					lastBand[page] = band;
			}
		}
		bandOf[i] = band;
		items[band].faults += data.weight(i);
	}
	if (elsewhere >= 0)
		items[ownCount + elsewhere].faults = 0;
	const stretches = file.map(({first, end}, band) => ({first, end, band}));
	const bands = {items, bandOf, at, file: stretches};
	items.forEach((band, index) => {
		if (band.kind !== BAND_BESIDE)
			band.faulted = sortedOnce(faulted[index]);
		else if (band.faults > 0)
			rankLane(data, bands, index);
	});
	return bands;
}
