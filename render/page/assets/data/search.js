// SPDX-License-Identifier: Apache-2.0
// Binary search in what is sorted: as base/search.h.

/** The first index of sorted @values that is not below @value. @param {Uint32Array | Float64Array} values @param {number} value */
export function firstFrom(values, value) {
	let low = 0;
	let high = values.length;
	while (low < high) {
		const middle = low + high >> 1;
		if (values[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/** The first of sorted @indexes whose value is not below @value; behind them where none is. @param {Uint32Array} indexes @param {Uint32Array} values @param {number} value */
export function firstIndexFrom(indexes, values, value) {
	let low = 0;
	let high = indexes.length;
	while (low < high) {
		const middle = low + high >> 1;
		if (values[indexes[middle]] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
