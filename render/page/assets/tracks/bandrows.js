// SPDX-License-Identifier: Apache-2.0
// The rows in which bands are drawn: neighbours that nobody touches share one, and all share the height by bytes and by pages
// that faulted. What is shown can be narrowed to a range of pages.
import {BAND_BESIDE, BAND_BSS, BAND_FILE} from './bands.js';
import {shareOut} from '../shared/scale.js';

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
	const total = (/** @type {number[]} */ list) => list.reduce((sum, each) => sum + each, 0) || 1;
	const allFaulted = total(faulted);
	const allBytes = total(bytes);
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
