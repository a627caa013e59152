// SPDX-License-Identifier: Apache-2.0
// The y axis that two builds of a file share: a section of either has a stretch as long as the larger of
// both, in which the pages of each lie from its start on. So the same section stands at the same height
// in both pictures, whatever stands before it in the files. What is not loaded has no place there.
import {makeRows} from '../tracks/bandrows.js';
import {BAND_BESIDE, BAND_FILE, findBand} from '../tracks/bands.js';
import {countFaulted, fileAxis} from '../tracks/fileaxis.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../tracks/fileaxis.js').Axis} Axis
 * @typedef {import('../tracks/bands.js').Band} Band
 * @typedef {import('../tracks/bandrows.js').Row} Row
 *
 * A band of both sides.
 * @typedef {{kind: number, label: string, own: number[]}} Pair own: index in the bands of each side, -1: not there
 */

/** What the same band is called on both sides: its section, the how-manieth of that name, or after which section it lies. @param {Band[]} items */
function keysOf(items) {
	/** @type {Map<string, number>} */
	const counts = new Map();
	let section = '';
	return items.map((band) => {
		const name = band.isSection || band.kind === BAND_BESIDE ? band.label : `${band.label} after ${section}`;
		const key = `${band.kind} ${band.isSection} ${name}`;
		const count = counts.get(key) ?? 0;
		counts.set(key, count + 1);
		if (band.isSection)
			section = `${band.label} ${count}`;
		return `${key} ${count}`;
	});
}

/** Bands of both sides in one order: that of before; what only after has stands behind what it follows there. @param {Band[][]} sides @returns {Pair[]} */
function mergeBands(sides) {
	const keys = sides.map(keysOf);
	const indexOf = keys.map((list) => new Map(list.map((key, i) => [key, i])));
	const order = [...keys[0]];
	keys[1].forEach((key, i) => {
		if (!indexOf[0].has(key))
			order.splice(i === 0 ? 0 : order.indexOf(keys[1][i - 1]) + 1, 0, key);
	});
	const pairs = order.map((key) => {
		const own = indexOf.map((map) => map.get(key) ?? -1);
		const {kind, label} = own[0] >= 0 ? sides[0][own[0]] : sides[1][own[1]];
		return {kind, label, own};
	});
	// A kind only after has may have come to stand among others.
	return pairs.map((pair, i) => ({pair, i})).sort((a, b) => a.pair.kind - b.pair.kind || a.i - b.i).map(({pair}) => pair);
}

export class PairAxis {
	/** @param {Data[]} sides @param {number[]} objects of each side */
	constructor(sides, objects) {
		const own = sides.map((data, side) => fileAxis(data, objects[side]));
		const ownItems = own.map(({bands}) => bands.items);
		// What is not loaded, debug information mostly, would only take the room of what is.
		this.pairs = mergeBands(ownItems).filter(({own: indexes}) => indexes.some((index, side) => index >= 0
			&& (ownItems[side][index].isLoaded || ownItems[side][index].faults > 0)));
		const lengths = [0, 0, 0];
		/** The bands that both share; each side's faults are in its own. @type {Band[]} */
		this.items = this.pairs.map(({kind, own: indexes}) => {
			const bands = indexes.flatMap((index, side) => index < 0 ? [] : [ownItems[side][index]]);
			const length = Math.max(...bands.map((band) => band.end - band.first));
			const first = kind === BAND_BESIDE ? 0 : lengths[kind];
			lengths[kind] = first + length;
			return {...bands[0], first, end: first + length, faults: bands.reduce((sum, band) => sum + band.faults, 0)};
		});
		/** Of the part that is in files, in pages. */
		this.length = lengths[BAND_FILE];
		this.ownItems = ownItems;
		/** @type {Axis[]} */
		this.axes = own.map((axis, side) => this.sideAxis(axis, side));
		this.rowsKey = '';
		/** @type {Row[]} */
		this.rowsMade = [];
	}

	/** The axis of one side, its faults on the shared bands. @param {Axis} axis @param {number} side @returns {Axis} */
	sideAxis({bands, pages}, side) {
		const toShared = new Int32Array(bands.items.length).fill(-1);
		this.pairs.forEach(({own}, shared) => {
			if (own[side] >= 0)
				toShared[own[side]] = shared;
		});
		const items = this.items.map((band, shared) => {
			const own = bands.items[this.pairs[shared].own[side]];
			return {...band, faults: own?.faults ?? 0};
		});
		const {bandOf} = bands;
		for (let i = 0; i < bandOf.length; i++)
			bandOf[i] = toShared[bandOf[i]];
		const file = bands.file.map((stretch) => ({...stretch, band: toShared[stretch.band]})).filter(({band}) => band >= 0);
		return {bands: {items, bandOf, at: bands.at, file}, pages, length: this.length,
			rows: (place, height) => this.rows(place, height).map((row) => this.sideRow(row, side))};
	}

	/** @param {Row} row that both share @param {number} side */
	sideRow(row, side) {
		const pairs = this.pairs.slice(row.firstBand, row.endBand);
		let faults = 0;
		for (let b = row.firstBand; b < row.endBand; b++)
			faults += this.axes[side].bands.items[b].faults;
		return {...row, faults, isAbsent: pairs.every(({own}) => own[side] < 0)};
	}

	/** The rows that both share. @param {[number, number] | null} place @param {number} height in pixels */
	rows(place, height) {
		const key = `${place} ${height}`;
		if (this.rowsKey !== key) {
			this.rowsKey = key;
			this.rowsMade = makeRows(this.items, (row) => Math.max(this.faultedIn(0, row), this.faultedIn(1, row)), place, height);
		}
		return this.rowsMade;
	}

	/** How many pages of @side faulted in @row. @param {number} side @param {Row} row */
	faultedIn(side, {firstBand, endBand, first, end}) {
		return countFaulted(this.pairs.slice(firstBand, endBand).flatMap((pair, i) => {
			const own = this.ownItems[side][pair.own[side]];
			if (!own)
				return [];
			const shift = own.first - this.items[firstBand + i].first;
			return [{faulted: own.faulted, first: first + shift, end: end + shift}];
		}));
	}

	/** The pages of @side's file that lie in [@first, @end) of the axis. @param {number} side @param {number} first @param {number} end @returns {[number, number][]} */
	stretchesIn(side, first, end) {
		return this.axes[side].bands.file.flatMap((stretch) => {
			const start = this.items[stretch.band].first;
			const from = stretch.first + Math.max(first - start, 0);
			const to = Math.min(stretch.first + end - start, stretch.end);
			return from < to ? [/** @type {[number, number]} */ ([from, to])] : [];
		});
	}

	/** From the first to the last page of @side's file in @place of the axis; a range that has none where it has no page there. @param {number} side @param {[number, number]} place @returns {[number, number]} */
	pagesOn(side, [first, end]) {
		const stretches = this.stretchesIn(side, first, end);
		return stretches.length === 0 ? [-1, -1]
			: [Math.min(...stretches.map(([from]) => from)), Math.max(...stretches.map(([, to]) => to))];
	}

	/** Where @page of @side's file lies on the axis. @param {number} side @param {number} page */
	placeOf(side, page) {
		const {file} = this.axes[side].bands;
		const stretch = file[Math.max(findBand(file, 0, file.length, page), 0)];
		return stretch ? this.items[stretch.band].first + Math.max(Math.min(page, stretch.end) - stretch.first, 0) : 0;
	}

	/** The band and the page in it at @place of the axis; null: behind its end. @param {number} place */
	bandAt(place) {
		const index = this.items.findIndex((band) => band.kind === BAND_FILE && place >= band.first && place < band.end);
		return index < 0 ? null : {index, page: place - this.items[index].first};
	}

	/** Size in pages of the band @index on @side, null: not there. @param {number} side @param {number} index */
	sizeOn(side, index) {
		const own = this.pairs[index].own[side];
		return own < 0 ? null : this.ownItems[side][own].end - this.ownItems[side][own].first;
	}
}

/** Where entry @i of @side lies on the part of @axis that is of files; null: elsewhere. @param {PairAxis} axis @param {Data} data @param {number} side @param {number} i */
export function placeOfFault(axis, data, side, i) {
	if (i >= data.count)
		return null;
	const {bandOf, at} = axis.axes[side].bands;
	const band = axis.items[bandOf[i]];
	return band.kind === BAND_FILE ? band.first + at[i] : null;
}
