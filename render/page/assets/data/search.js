// SPDX-License-Identifier: Apache-2.0
// Binary search in what is sorted, as base/search.h; numbering what occurs in columns, so that "how many different pages" is an array of marks; and
// names that occur again.

/** The first of @count, sorted, that is not below; @count where all are. @param {number} count @param {(i: number) => boolean} isBelow */
export function firstNotBelow(count, isBelow) {
	let low = 0;
	let high = count;
	while (low < high) {
		const middle = low + high >> 1;
		if (isBelow(middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/** The first index of sorted @values that is not below @value. @param {Uint32Array | Float64Array} values @param {number} value */
export function firstFrom(values, value) {
	return firstNotBelow(values.length, (i) => values[i] < value);
}

/** The first of sorted @indexes whose value is not below @value; behind them where none is. @param {Uint32Array} indexes @param {Uint32Array} values @param {number} value */
export function firstIndexFrom(indexes, values, value) {
	return firstNotBelow(indexes.length, (i) => values[indexes[i]] < value);
}

/** @param {ArrayLike<number>} values @returns {Float64Array} sorted, each once */
export function sortedOnce(values) {
	const sorted = Float64Array.from(values).sort();
	let count = 0;
	for (let i = 0; i < sorted.length; i++)
		if (i === 0 || sorted[i] !== sorted[count - 1])
			sorted[count++] = sorted[i];
	return sorted.slice(0, count);
}

/**
 * Number the pairs (@high(i), @low(i)) of i < @count: the same pair has the same number, numbers
 * start at 0. Both functions give whole numbers below 2^32. One pass over an open hash table.
 * @param {number} count
 * @param {(i: number) => number} high
 * @param {(i: number) => number} low
 * @returns {{numbers: Uint32Array, distinct: number}}
 */
export function numberPairs(count, high, low) {
	let slots = 16;
	while (slots < 2 * count)
		slots *= 2;
	const first = new Uint32Array(slots); // of the pair that is there, + 1; 0: free
	const numbers = new Uint32Array(count);
	let distinct = 0;
	for (let i = 0; i < count; i++) {
		const h = high(i) >>> 0;
		const l = low(i) >>> 0;
		const line = l >>> 4;
		const hash = Math.imul(h ^ line >>> 15, 0x9e3779b1) ^ Math.imul(line, 0x85ebca6b);
		// Neighbours, which often follow each other, share a line of the processor's cache.
		let at = ((hash ^ hash >>> 15) << 4 | l & 15) & slots - 1;
		while (first[at] !== 0 && (high(first[at] - 1) >>> 0 !== h || low(first[at] - 1) >>> 0 !== l))
			at = at + 1 & slots - 1;
		if (first[at] === 0) {
			first[at] = i + 1;
			numbers[i] = distinct++;
		} else {
			numbers[i] = numbers[first[at] - 1];
		}
	}
	return {numbers, distinct};
}

/** @names, of which one that was there before has its number: "name, 2". @param {string[]} names */
export function distinctNames(names) {
	/** @type {Map<string, number>} */
	const seen = new Map();
	return names.map((name) => {
		const times = (seen.get(name) ?? 0) + 1;
		seen.set(name, times);
		return times > 1 ? `${name}, ${times}` : name;
	});
}
