// SPDX-License-Identifier: Apache-2.0
// Sums of what is selected, for all of it and for the groups that a table has as rows: one pass over the columns.
// Every number of the page that follows the selection comes from here.
import {numberPairs} from '../data/distinct.js';
import {madeOf, onceOf} from '../data/once.js';
import {combinationsWith, isMajor} from '../data/words.js';
import {countText, nounText, sizeText, timeText} from '../shared/format.js';
import {addSample, errorOf, forOwnTime, isSample} from './moments.js';
import {selectedMarks, entriesInTime, isInPlace, selectEntries} from './selected.js';

/** Texts of amounts by metric: alone, and as they stand in a sentence. @type {Object<string, {title: string, text: (n: number) => string, long: (n: number) => string}>} */
export const METRIC_TEXTS = {
	time: {title: 'Time', text: timeText, long: timeText},
	faults: {title: 'Faults', text: countText, long: (n) => nounText(n, 'fault')},
	bytes: {title: 'Read', text: sizeText, long: (n) => `${sizeText(n)} read by faults`},
	pages: {title: 'Pages', text: countText, long: (n) => nounText(n, 'page')},
};

/** What entries amount to by @metric, all but pages. @param {Data} data @param {string} metric @returns {(i: number) => number} */
export function amountsOf(data, metric) {
	const {read_pages: read} = data.columns;
	return metric === 'time' ? (i) => data.own[i]
		: metric === 'bytes' ? (i) => read[i] * data.header.page_size : (i) => data.weight(i);
}

/** 0 … count - 1, from number + 1 as columns store it. @param {number} count */
export function fromIndexPlusOne(count) {
	return Int32Array.from({length: count + 1}, (_, i) => i - 1);
}

/** Numbers of the pages that entries touched. */
export const numberedPages = onceOf((/** @type {Data} */ data) => {
	const {combination, page} = data;
	const {combination_object: object, combination_lane: lane} = data.columns;
	return numberPairs(data.count, (i) => object[combination[i]] * 4 + lane[combination[i]], (i) => page[i]);
});

/** What of any rows their combination says. @param {Rows} rows */
export const combinationsOf = ({combination}) => combination;

/** What faults alone have: a number each. @param {Data} data @param {Uint32Array} values */
export function valuesOfFaults(data, values) {
	return (/** @type {Rows} */ rows) => rows === data.faults ? values : null;
}

/** Numbers of the pairs of group and page, for counting pages; they depend on no choice. @param {Data} data @param {Grouping} grouping @param {Uint32Array} [pages] */
export function pagePairs(data, {groupOf, valuesOf}, pages = numberedPages(data).numbers) {
	const values = valuesOf(data.faults) ?? data.combination;
	return numberPairs(data.count, (i) => groupOf[values[i]] + 1, (i) => pages[i]);
}

/** Which combinations are of lazy binding. */
const isLazyOf = onceOf((/** @type {Data} */ data) => combinationsWith(data, 'initiator', 'lazy-binding'));

/**
 * @param {Data} data @param {Store} store @param {Grouping} grouping
 * @param {{numbers: Uint32Array, distinct: number} | null} pairs of pagePairs(), null: pages are not asked for
 * @param {Choice} [choice] what to count, where it is not what is selected
 * @returns {Sums}
 */
export function sumGroups(data, store, grouping, pairs, choice = store.choice) {
	const {count, valuesOf, groupOf, restGroup} = grouping;
	const values = valuesOf(data.faults) ?? data.combination;
	const momentValues = valuesOf(data.moments);
	const marks = choice === store.choice ? selectedMarks(data, store.choice) : selectEntries(data, choice);
	const major = isMajor(data);
	const isLazy = isLazyOf(data);
	const [first, end] = entriesInTime(data, choice);
	const {combination, own, merged, columns: {read_pages: read}, header: {page_size: pageSize}} = data;
	const {numbers, distinct} = pairs ?? {numbers: combination, distinct: 0};
	// Of pages that are not asked for none is new.
	const seen = new Uint8Array(pairs ? distinct : major.length).fill(pairs ? 0 : 1);
	const make = () => new Float64Array(count);
	const [faults, majors, time, bytes, lazy, pages] = [make(), make(), make(), make(), make(), make()];
	for (let i = first; i < end; i++) {
		const group = groupOf[values[i]];
		if (marks[i] === 0 || group < 0 || choice.place && !isInPlace(data, choice, i))
			continue;
		const weight = merged ? merged[i] : 1;
		const c = combination[i];
		faults[group] += weight;
		majors[group] += major[c] * weight;
		lazy[group] += isLazy[c] * weight;
		time[group] += own[i];
		bytes[group] += read[i] * pageSize;
		pages[group] += 1 - seen[numbers[i]];
		seen[numbers[i]] = 1;
	}
	const sums = {faults, major: majors, time, error: make(), bytes, lazy, pages, total: faults.reduce((sum, each) => sum + each, 0)};
	/** @type {Map<number, Sampled>} */
	const sampled = new Map();
	if (momentValues)
		forOwnTime(data, choice, (moment, ns, cause, pid) => {
			const group = moment < 0 ? restGroup?.(cause, pid) ?? -1 : groupOf[momentValues[moment]];
			if (group < 0)
				return;
			sums.time[group] += ns;
			if (isSample(data, moment))
				addSample(madeOf(sampled, group, () => ({moments: 0, ns: 0, squares: 0})), ns);
		});
	for (const [group, part] of sampled)
		sums.error[group] = errorOf(data, part);
	return sums;
}

/** All that is selected as one group. @param {Data} data @param {Store} store */
export function sumSelection(data, store) {
	const grouping = {count: 1, valuesOf: combinationsOf, groupOf: new Int32Array(data.columns.combination_object.length), restGroup: () => 0};
	const sums = sumGroups(data, store, grouping, numberedPages(data));
	return {faults: sums.faults[0], major: sums.major[0], time: sums.time[0], bytes: sums.bytes[0], pages: sums.pages[0]};
}
