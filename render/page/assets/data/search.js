// SPDX-License-Identifier: Apache-2.0
// Binary search in what is sorted: as base/search.h.

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
