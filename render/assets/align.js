// SPDX-License-Identifier: Apache-2.0
// Where a place in one build of a file lies in another build: sections of one name lie beside each other.

/** @typedef {import('./data.js').Data} Data */

/**
 * Sections that are loaded from the file, the first of each name: name -> its pages.
 * @param {Data} data @param {number} object
 * @returns {Map<string, [number, number]>} in the order of the file
 */
export function sectionPages(data, object) {
	const pageSize = data.header.page_size;
	/** @type {Map<string, [number, number]>} */
	const found = new Map();
	const layout = (data.header.objects[object]?.layout || [])
		.filter((/** @type {any} */ each) => each.offset !== null && each.vaddr !== null && each.file_size > 0)
		.sort((/** @type {any} */ a, /** @type {any} */ b) => a.offset - b.offset);
	for (const section of layout)
		if (!found.has(section.name))
			found.set(section.name, [section.offset / pageSize, (section.offset + section.file_size) / pageSize]);
	return found;
}

/** Pages of the file of @object. @param {Data} data @param {number} object */
function filePages(data, object) {
	return Math.ceil((data.header.objects[object]?.size || 0) / data.header.page_size);
}

/**
 * Places that correspond: pages of @from with pages of @to, both rising. Sections that changed their order
 * are left out from the second on.
 * @param {Data} from @param {number} fromObject @param {Data} to @param {number} toObject
 * @returns {[number, number][]}
 */
export function alignmentOf(from, fromObject, to, toObject) {
	const others = sectionPages(to, toObject);
	/** @type {[number, number][]} */
	const pairs = [[0, 0]];
	const add = (/** @type {number} */ left, /** @type {number} */ right) => {
		const last = pairs[pairs.length - 1];
		if (left > last[0] && right > last[1])
			pairs.push([left, right]);
	};
	for (const [name, [first, end]] of sectionPages(from, fromObject)) {
		const other = others.get(name);
		if (!other)
			continue;
		add(first, other[0]);
		add(end, other[1]);
	}
	add(filePages(from, fromObject), filePages(to, toObject));
	return pairs;
}

/** Where @page lies on the other side of @pairs; between them in proportion. @param {[number, number][]} pairs of alignmentOf() @param {number} page */
export function alignedPage(pairs, page) {
	let at = 0;
	while (at + 2 < pairs.length && pairs[at + 1][0] <= page)
		at++;
	const [left, right] = pairs[at];
	const next = pairs[at + 1];
	if (!next)
		return page - left + right;
	return right + (page - left) / (next[0] - left) * (next[1] - right);
}
