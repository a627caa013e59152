// SPDX-License-Identifier: Apache-2.0
// The y axis of one file, or of two builds of it that are compared: then a section has a stretch as long as the larger of both,
// in which the pages of each lie from its start on. So the same section stands at the same height for both, whatever stands
// before it in the files; what is not loaded has no place there.
import {BAND_BESIDE, BAND_FILE, makeBands, makeRows} from './bands.js';
import {firstFrom} from '../data/search.js';
import {makePages} from '../shared/pages.js';

/** How many pages of @parts faulted, of each those from first up to end: neighbours may share one. @param {{faulted: Float64Array, first: number, end: number}[]} parts */
function countFaulted(parts) {
	let count = 0;
	let last = -1;
	for (const {faulted, first, end} of parts) {
		const from = firstFrom(faulted, Math.floor(first));
		const to = firstFrom(faulted, end);
		if (from >= to)
			continue;
		count += to - from - Number(faulted[from] === last);
		last = faulted[to - 1];
	}
	return count;
}

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

/**
 * Bands of both sides in one order: that of before; what only after has stands behind what it follows there.
 * @param {Band[][]} sides @returns {{kind: number, own: number[]}[]} own: index in the bands of each side, -1: not there
 */
function mergeBands(sides) {
	const keys = sides.map(keysOf);
	const indexOf = keys.map((list) => new Map(list.map((key, i) => [key, i])));
	const order = [...keys[0]];
	keys[1].forEach((key, i) => {
		if (!indexOf[0].has(key))
			order.splice(i === 0 ? 0 : order.indexOf(keys[1][i - 1]) + 1, 0, key);
	});
	// A kind only after has may have come to stand among others.
	return order.map((key) => {
		const own = indexOf.map((map) => map.get(key) ?? -1);
		return {own, kind: own[0] >= 0 ? sides[0][own[0]].kind : sides[1][own[1]].kind};
	}).sort((a, b) => a.kind - b.kind);
}

export class FileAxis {
	/** @param {Data[]} datas one or two @param {number[]} objects the file in each; -1: not there */
	constructor(datas, objects) {
		const own = datas.map((data, side) => {
			const pages = makePages(data, objects[side]);
			return {pages, bands: makeBands(data, objects[side], pages)};
		});
		/** Bands of each side, as they lie in its file. */
		this.ownItems = own.map(({bands}) => bands.items);
		/** The bands that all share, and which of its own each side has there. */
		this.items = this.ownItems[0];
		this.owners = this.items.map((_, i) => [i]);
		this.bands = own.map(({bands}) => bands);
		this.length = own[0].pages.states.length;
		if (own.length > 1)
			this.share();
		this.rowsKey = '';
		/** @type {Row[]} */
		this.rowsMade = [];
		/** @type {Axis[]} */
		this.sides = own.map(({pages}, side) => ({bands: this.bands[side], pages, length: this.length,
			rows: (place, height) => this.sideRows(side, place, height), emptyParts: (row) => this.emptyParts(side, row)}));
	}

	/** Put the faults of both sides on bands that both share. */
	share() {
		const {ownItems} = this;
		const pairs = mergeBands(ownItems).filter(({own}) => own.some((index, side) => index >= 0
			&& (ownItems[side][index].isLoaded || ownItems[side][index].faults > 0)));
		this.owners = pairs.map(({own}) => own);
		const lengths = [0, 0, 0];
		this.items = pairs.map(({kind, own}) => {
			const bands = own.flatMap((index, side) => index < 0 ? [] : [ownItems[side][index]]);
			const first = kind === BAND_BESIDE ? 0 : lengths[kind];
			lengths[kind] = first + Math.max(...bands.map((band) => band.end - band.first));
			return {...bands[0], first, end: lengths[kind], faults: bands.reduce((sum, band) => sum + band.faults, 0)};
		});
		this.length = lengths[BAND_FILE];
		this.bands = this.bands.map(({bandOf, at, file, items: own}, side) => {
			const toShared = new Int32Array(own.length).fill(-1);
			this.owners.forEach((indexes, shared) => {
				if (indexes[side] >= 0)
					toShared[indexes[side]] = shared;
			});
			const items = this.items.map((band, shared) => ({...band, faults: own[this.owners[shared][side]]?.faults ?? 0}));
			return {items, at, bandOf: bandOf.map((band) => toShared[band]),
				file: file.map((stretch) => ({...stretch, band: toShared[stretch.band]})).filter(({band}) => band >= 0)};
		});
	}

	/** The rows that all sides share. @param {[number, number] | null} place @param {number} height in pixels, of one side @returns {Row[]} */
	rows(place, height) {
		const key = `${place} ${height}`;
		if (this.rowsKey !== key) {
			this.rowsKey = key;
			this.rowsMade = makeRows(this.items, (row) => Math.max(...this.bands.map((_, side) => this.faultedIn(side, row))), place, height);
		}
		return this.rowsMade;
	}

	/** What @side has of each row: before above after. @param {number} side @param {[number, number] | null} place @param {number} height @returns {Row[]} */
	sideRows(side, place, height) {
		const count = this.bands.length;
		const rows = this.rows(place, height / count);
		return count === 1 ? rows : rows.map((row) => {
			const owners = this.owners.slice(row.firstBand, row.endBand);
			const faults = this.bands[side].items.slice(row.firstBand, row.endBand).reduce((sum, band) => sum + band.faults, 0);
			return {...row, faults, isAbsent: owners.every((own) => own[side] < 0), top: row.top * count + row.height * side};
		});
	}

	/** How many pages of @side faulted in @row. @param {number} side @param {Row} row */
	faultedIn(side, {firstBand, endBand, first, end}) {
		return countFaulted(this.owners.slice(firstBand, endBand).flatMap((owners, i) => {
			const own = this.ownItems[side][owners[side]];
			if (!own)
				return [];
			const shift = own.first - this.items[firstBand + i].first;
			return [{faulted: own.faulted, first: first + shift, end: end + shift}];
		}));
	}

	/** @param {number} side @param {Row} row @returns {[number, number][]} */
	emptyParts(side, row) {
		/** @type {[number, number][]} */
		const parts = [];
		for (let b = row.firstBand; b < row.endBand && row.kind !== BAND_BESIDE && this.bands.length > 1; b++) {
			const own = this.ownItems[side][this.owners[b][side]];
			const end = Math.min(this.items[b].end, row.end);
			const from = Math.max(this.items[b].first + (own ? own.end - own.first : 0), row.first);
			if (from < end)
				parts.push([from, end]);
		}
		return parts;
	}

	/** From the first to the last page of @side's file in @place of the axis; a range that has none where it has no page there. @param {number} side @param {[number, number]} place @returns {[number, number]} */
	pagesOn(side, [first, end]) {
		const pages = this.bands[side].file.flatMap((stretch) => {
			const start = this.items[stretch.band].first;
			const from = stretch.first + Math.max(first - start, 0);
			const to = Math.min(stretch.first + end - start, stretch.end);
			return from < to ? [from, to] : [];
		});
		return pages.length === 0 ? [-1, -1] : [Math.min(...pages), Math.max(...pages)];
	}

	/** What lies at @place of the axis: a section, and how far in it; '' behind its end. @param {number} place @param {(pages: number) => string} show */
	placeText(place, show) {
		const band = this.items.find(({kind, first, end}) => kind === BAND_FILE && place >= first && place < end);
		return band ? `${band.label} +${show(place - band.first)}` : 'the end';
	}
}
