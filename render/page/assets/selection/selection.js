// SPDX-License-Identifier: Apache-2.0
// Which entries the reader's choice leaves.
import {findingMatchers} from '../data/conditions.js';
import {matcher, searcher} from '../data/words.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('./store.js').Choice} Choice
 * @typedef {Pick<Choice, 'filter' | 'search' | 'process'>} Selecting
 */

/**
 * Marks of all entries: 1 where @choice's filters, search and process keep it. Ranges of time and place
 * are not asked: they are what a picture shows, and tables ask inRange() for them.
 * @param {Data} data @param {Selecting} choice
 */
export function selectEntries(data, choice) {
	const marks = new Uint8Array(data.count).fill(1);
	/** @type {((i: number) => boolean)[]} */
	const tests = [];
	if (choice.process !== null)
		tests.push(matcher(data, 'process', String(choice.process)));
	for (const [word, text] of Object.entries(choice.filter))
		if (word === 'finding')
			tests.push(...findingMatchers(data, text));
		else
			tests.push(matcher(data, word, text));
	if (choice.search)
		tests.push(searcher(data, choice.search));
	for (const test of tests)
		for (let i = 0; i < data.count; i++)
			if (marks[i] && !test(i))
				marks[i] = 0;
	return marks;
}

/** Whether entry @i lies in the ranges of @choice: a range of place is one of the file that is open. @param {Data} data @param {Choice} choice @param {number} i */
export function inRange(data, choice, i) {
	if (choice.time) {
		const ns = data.timeNs(i);
		if (ns < choice.time[0] || ns >= choice.time[1])
			return false;
	}
	return !choice.place || data.of(i, 'object') === choice.object && data.page[i] >= choice.place[0] && data.page[i] < choice.place[1];
}
