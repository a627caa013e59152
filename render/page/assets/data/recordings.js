// SPDX-License-Identifier: Apache-2.0
// What a page shows: one recording, or two that are compared. Files of a comparison have numbers of their own.
import {FileAxis} from '../tracks/fileaxis.js';
import {madeOf} from './once.js';
import {objectName} from './words.js';

export class Recordings {
	/** @param {Data[]} sides @param {string[]} names of the sides, '' where there is one */
	constructor(sides, names) {
		this.sides = sides;
		this.names = names;
		/** @type {Map<number, FileAxis>} */
		this.axes = new Map();
		/** The object of a side that is an object of the page; -1: none. And the other way around. @type {(side: number, object: number) => number} */
		this.objectOn = this.objectOf = (_, object) => object;
		/** The entry of the other side at the place of one of a side; -1: none. @type {(side: number, i: number) => number} */
		this.twinOf = () => -1;
	}

	/** What @object of the page is called. @param {number} object @returns {string} */
	nameOf(object) {
		return objectName(this.sides[0], object);
	}

	/** The axis of @object of the page. @param {number} object @returns {FileAxis} */
	axisOf(object) {
		return madeOf(this.axes, object, () => new FileAxis(this.sides, this.sides.map((_, side) => this.objectOn(side, object))));
	}
}

/** A pair for each key that an item of either side has, the weightiest first; of one side in its order. @template T @param {T[][]} sides @param {(item: T, side: number) => string | number} keyOf @param {(item: T) => number} weightOf @returns {{key: string | number, sides: (T | null)[]}[]} */
export function pairUp(sides, keyOf, weightOf) {
	const all = sides.flatMap((items, side) => items.map((item) => ({item, side, key: keyOf(item, side)})));
	const list = [...Map.groupBy(all, ({key}) => key)].map(([key, same]) =>
		({key, sides: sides.map((_, side) => same.findLast((each) => each.side === side)?.item ?? null)}));
	const weight = (/** @type {(T | null)[]} */ pair) => Math.max(...pair.map((item) => item === null ? 0 : weightOf(item)));
	return sides.length === 1 ? list : list.sort((a, b) => weight(b.sides) - weight(a.sides));
}

/** The two sides of a comparison, as indexes. */
export const BEFORE = 0;
export const AFTER = 1;
export const SIDE_NAMES = ['before', 'after'];
