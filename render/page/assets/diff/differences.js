// SPDX-License-Identifier: Apache-2.0
// What only one side touched: pages of which the other side has none at the same place. That is
// - in a file of which both sides have the same build, the same page of it;
// - in two builds of a file, the page that is as far from the start of the section of the same name;
// - in memory outside files, whose addresses change from run to run, the page of the same rank by address
//   among those of its kind ([heap], [anon] …): so many more pages, not which.
// So marks differ that have no mark at the same height in the other picture. When a page was touched, by whom and why is
// not asked.
import {LANE_BSS, LANE_FILE} from '../data/data.js';
import {numberPairs} from '../data/distinct.js';
import {firstFrom, sortedOnce} from '../data/search.js';
import {AFTER, BEFORE} from '../data/recordings.js';

/** Value of the word `on` in filters. */
export const ONE_SIDE = 'one side';

/** From so many faults on working out what differs takes longer than readers wait. */
const MANY = 300000;

/** Kinds of places, apart from each other. */
const IN_BUILD = 0;
const IN_BSS = 1;
const IN_SECTION = 2;
const IN_MEMORY = 3;
const PLACE_KINDS = 4;
/** Numbers of files whose sections are not known, behind those of all sections. */
const NO_SECTION = 2 ** 29;

/** First page of each section of header.sections, as its faults count pages. @param {Data} data @param {'offset' | 'vaddr'} place */
function sectionStarts(data, place) {
	const {header} = data;
	return Float64Array.from(header.sections, (section) => {
		const at = (header.objects[section.object]?.layout || []).find((each) => each.name === section.name)?.[place];
		return Math.floor((at ?? 0) / header.page_size);
	});
}

/** By object of @data, whether the other side has the same build of it. @param {DiffData} diff @param {number} side */
function sameBuilds(diff, side) {
	const other = diff.sides[1 - side];
	const {header, columns} = diff.sides[side];
	return Uint8Array.from(header.objects, (object, index) => {
		const twin = other.header.objects[diff.objectOn(1 - side, columns.link_object[index] - 1)];
		return Number(Boolean(twin && object.build_id && twin.build_id === object.build_id));
	});
}

/** Rank by address of the page of each entry outside files, among those of its object; 0 for others. @param {Data} data */
function memoryRanks({combination, page, columns: {combination_object: objects, combination_lane: lanes}}) {
	// Indexes of memory_page are in the order of addresses.
	const keys = Float64Array.from(combination, (c, i) => lanes[c] === LANE_FILE || lanes[c] === LANE_BSS ? -1 : objects[c] * 2 ** 32 + page[i]);
	const sorted = sortedOnce(keys);
	const starts = Float64Array.from({length: Math.max(...objects, 0) + 1}, (_, object) => firstFrom(sorted, object * 2 ** 32));
	return Uint32Array.from(keys, (key) => key < 0 ? 0 : firstFrom(sorted, key) - starts[Math.floor(key / 2 ** 32)]);
}

/**
 * The place of each entry of @side as two numbers, the same on both sides.
 * @param {DiffData} diff @param {number} side @param {Uint32Array} high @param {Uint32Array} low @param {number} at where its entries begin there
 */
function fillPlaces(diff, side, high, low, at) {
	const data = diff.sides[side];
	const {columns, combination, page} = data;
	const {combination_object: objects, combination_lane: lanes, combination_section: sections} = columns;
	const {link_object: linkObject, row_section: rowOfSection} = columns;
	const isSame = sameBuilds(diff, side);
	const starts = [sectionStarts(data, 'offset'), sectionStarts(data, 'vaddr')];
	const ranks = memoryRanks(data);
	// What all entries of a combination share.
	const highOf = new Uint32Array(objects.length);
	const startOf = new Float64Array(objects.length);
	for (let c = 0; c < objects.length; c++) {
		const link = objects[c] < linkObject.length ? linkObject[objects[c]] : 0;
		const isBss = Number(lanes[c] === LANE_BSS);
		const section = sections[c] - 1;
		if (lanes[c] !== LANE_FILE && !isBss) {
			highOf[c] = link * PLACE_KINDS + IN_MEMORY;
		} else if (isSame[objects[c]]) {
			highOf[c] = link * PLACE_KINDS + (isBss ? IN_BSS : IN_BUILD);
		} else {
			highOf[c] = (section < 0 ? NO_SECTION + link : rowOfSection[section]) * PLACE_KINDS + IN_SECTION;
			startOf[c] = section < 0 ? 0 : starts[isBss][section];
		}
	}
	for (let i = 0; i < data.count; i++) {
		const c = combination[i];
		high[at + i] = highOf[c];
		low[at + i] = highOf[c] % PLACE_KINDS === IN_MEMORY ? ranks[i] : Math.max(page[i] - startOf[c], 0);
	}
}

export function differencesOf(/** @type {DiffData} */ diff) {
	const {sides} = diff;
	const counts = sides.map((data) => data.count);
	const starts = [0, counts[BEFORE]];
	/** @type {ReturnType<typeof compared> | null} */
	let made = null;
	let isAsked = false;

	const compared = () => {
		const high = new Uint32Array(counts[BEFORE] + counts[AFTER]);
		const low = new Uint32Array(high.length);
		for (const side of [BEFORE, AFTER])
			fillPlaces(diff, side, high, low, starts[side]);
		const {numbers, distinct} = numberPairs(high.length, (i) => high[i], (i) => low[i]);
		/** By number of a place, its first entry on each side; -1: none. */
		const firsts = sides.map((_, side) => {
			const list = new Int32Array(distinct).fill(-1);
			for (let i = counts[side] - 1; i >= 0; i--)
				list[numbers[starts[side] + i]] = i;
			return list;
		});
		const alone = counts.map((count, side) => new Uint8Array(count).map((_, i) => Number(firsts[1 - side][numbers[starts[side] + i]] < 0)));
		return {numbers, firsts, alone};
	};
	/** Worked out when it is asked for first. */
	const all = () => made = made ?? compared();
	/** Of each side, by entry: 1 where the other side has none at that place. */
	const alone = () => all().alone;
	sides.forEach((data, side) => {
		data.matchers.on = (text, rows) => {
			const marks = alone()[side];
			return (i) => rows === data.faults && marks[i] === Number(text === ONE_SIDE);
		};
	});
	return {
		/** The same, of many faults only once it is known: pictures come first. @param {() => void} whenKnown called then */
		soon(whenKnown) {
			if (made || counts[BEFORE] + counts[AFTER] < MANY)
				return alone();
			if (!isAsked)
				requestIdleCallback(() => {
					alone();
					whenKnown();
				}, {timeout: 1000});
			isAsked = true;
			return null;
		},

		/** The first entry of the other side at the place of entry @i of @side; -1: none. @param {number} side @param {number} i */
		twinOf(side, i) {
			const {firsts, numbers} = all();
			return firsts[1 - side][numbers[starts[side] + i]];
		},
	};
}
