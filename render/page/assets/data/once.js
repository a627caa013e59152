// SPDX-License-Identifier: Apache-2.0
// What is worked out once and kept.

/** What @map has of @key; @make makes it where it has none. @template K @template V @param {{get: (key: K) => V | undefined, set: (key: K, value: V) => unknown}} map @param {K} key @param {() => V} make @returns {V} */
export function madeOf(map, key, make) {
	const known = map.get(key);
	if (known !== undefined)
		return known;
	const made = make();
	map.set(key, made);
	return made;
}

/** @make, called once for each @key; it has what follows the key, too. @template {object} K @template {any[]} More @template {{}} T @param {(key: K, ...more: More) => T} make @returns {(key: K, ...more: More) => T} */
export function onceOf(make) {
	/** @type {WeakMap<K, T>} */
	const made = new WeakMap();
	return (key, ...more) => madeOf(made, key, () => make(key, ...more));
}

/** @make for what filters, search and process select: the latest of each recording is kept. @template T @param {(data: Data, choice: Selecting) => T} make @returns {(data: Data, choice: Selecting) => T} */
export function latestOf(make) {
	/** @type {WeakMap<Data, {key: string, value: T}>} */
	const latest = new WeakMap();
	return (data, {filter, search, process}) => {
		const key = JSON.stringify([filter, search, process]);
		let known = latest.get(data);
		if (known?.key !== key)
			latest.set(data, known = {key, value: make(data, {filter, search, process})});
		return known.value;
	};
}
