// SPDX-License-Identifier: Apache-2.0
// Numbering what occurs in columns, so that "how many different pages" is an array of marks; and names that occur again.

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
