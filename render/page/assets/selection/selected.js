// SPDX-License-Identifier: Apache-2.0
// What the filters leave, worked out once per change for all views; and when views draw.
import {latestOf} from '../data/once.js';
import {selectEntries} from './selection.js';

/** What selectEntries() looks at. */
export const SELECTING = ['filter', 'search', 'process'];

/** Marks of all entries: 1 where filters, search and process keep it. Not to be changed. */
export const selectedMarks = latestOf(selectEntries);

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
 * Call @draw now, and in the next frame after any of @words of the choice changed: once, however
 * many changes there were.
 * @param {Listened} store @param {string[]} words @param {() => void} draw
 * @returns {{ask: () => void, settle: () => void}} ask for a frame; draw what a frame is awaited for
 */
export function drawOn(store, words, draw) {
	let waits = false;
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
	});
	draw();
	return {ask, settle};
}
