// SPDX-License-Identifier: Apache-2.0
// Which entries the reader's choice leaves, worked out once per change for all views; and when views draw.
import {latestOf} from '../data/once.js';
import {firstFrom} from '../data/search.js';
import {matcher, searcher} from '../data/words.js';

/** After so much time without a change readers pause, in ms. */
const PAUSE = 80;

/** What selectEntries() looks at. */
export const SELECTING = ['filter', 'search', 'process'];

/** Marks of all entries: 1 where filters, search and process keep it. Not to be changed. */
export const selectedMarks = latestOf((data, choice) => selectEntries(data, choice));

/** The entry of the selection nearest to @from in direction @step that @fits; -1: none. @param {Data} data @param {Choice} choice @param {number} from @param {1 | -1} step @param {(i: number) => boolean} fits */
export function neighbourOf(data, choice, from, step, fits) {
	const marks = selectedMarks(data, choice);
	for (let i = from + step; i >= 0 && i < data.count; i += step)
		if (marks[i] && fits(i))
			return i;
	return -1;
}

/** Show entry @i, and open the file in which it lies. @param {Data} data @param {Store} store @param {number} i */
export function chooseFault(data, store, i) {
	const object = data.of(i, 'object');
	store.set(object === store.choice.object || object >= data.header.objects.length ? {fault: i} : {fault: i, object, place: null});
}

/**
 * Call @draw now, in the next frame after any of @words of the choice changed, and some time after any of @later did, when the reader
 * pauses: sums of a million faults would make zooming slow. Once, however many changes there were.
 * @param {Store} store @param {string[]} words @param {() => void} draw @param {string[]} [later]
 * @returns {{ask: () => void, settle: () => void}} ask for a frame; draw what a frame is awaited for
 */
export function drawOn(store, words, draw, later = []) {
	let waits = false;
	let timer = 0;
	const settle = () => {
		if (!waits)
			return;
		waits = false;
		draw();
	};
	const ask = () => {
		if (waits)
			return;
		waits = true;
		requestAnimationFrame(settle);
	};
	store.listen((changed) => {
		if (words.some((word) => changed.has(word)))
			ask();
		if (!later.some((word) => changed.has(word)))
			return;
		clearTimeout(timer);
		timer = setTimeout(ask, PAUSE);
	});
	draw();
	return {ask, settle};
}

/**
 * Marks of all rows: 1 where @choice's filters, search and process keep it. Ranges of time and place
 * are not asked: they are what a picture shows, and tables ask inRange() for them.
 * @param {Data} data @param {Selecting} choice @param {Rows} [rows]
 */
export function selectEntries(data, choice, rows = data.faults) {
	const marks = new Uint8Array(rows.count).fill(1);
	const tests = Object.entries(choice.filter).map(([word, text]) => matcher(data, rows, word, text));
	if (choice.process !== null)
		tests.push(matcher(data, rows, 'process', String(choice.process)));
	if (choice.search)
		tests.push(searcher(data, rows, choice.search));
	for (const test of tests)
		for (let i = 0; i < rows.count; i++)
			if (marks[i] && !test(i))
				marks[i] = 0;
	return marks;
}

/** The entries in the time of @choice: from the first to before the last. @param {Data} data @param {Choice} choice @returns {[number, number]} */
export function entriesInTime({time, unitNs, count}, choice) {
	return choice.time ? [firstFrom(time, choice.time[0] / unitNs), firstFrom(time, choice.time[1] / unitNs)] : [0, count];
}

/** Whether entry @i lies in the place of @choice, which is one of the file that is open. @param {Data} data @param {Choice} choice @param {number} i */
export function isInPlace(data, {object, place}, i) {
	return !place || data.of(i, 'object') === object && data.page[i] >= place[0] && data.page[i] < place[1];
}

/** Whether entry @i lies in the ranges of @choice. @param {Data} data @param {Choice} choice @param {number} i */
export function inRange(data, choice, i) {
	const {time} = choice;
	return (!time || data.timeNs(i) >= time[0] && data.timeNs(i) < time[1]) && isInPlace(data, choice, i);
}
