// SPDX-License-Identifier: Apache-2.0
// The drawer: tables and the flame graph under tabs, all of the current selection.
import {faultTable, waitTable} from './faulttable.js';
import {FileTree} from './filetree.js';
import {makeFlame} from './flame.js';
import {GroupTable} from './tables.js';
import {showTabs} from './tabs.js';
import {tableKinds} from './tablekinds.js';
import {listenForKeys} from '../shared/keys.js';

export function makeDrawer(/** @type {Data} */ data, /** @type {Store} */ store, /** @type {HTMLElement} */ element) {
	const [causes, files, sections, symbols, ...others] = tableKinds(data, store);
	showDrawer(store, [new GroupTable(data, store, causes), faultTable(data, store), waitTable(data, store), new FileTree(data, store, [files, sections, symbols]),
		...others.map((kind) => new GroupTable(data, store, kind)), makeFlame(data, store)], element);
}

/** Tabs of what the selection leaves, with their keys. @param {Store} store @param {Tab[]} tabs @param {HTMLElement} element */
export function showDrawer(store, tabs, element) {
	const {go, step} = showTabs(store, ['filter', 'search', 'process', 'time', 'place', 'object', 'metric', 'sort', 'ownScales'], tabs, element);
	/** @type {Object<string, () => void>} */
	const keys = {'[': () => step(-1), ']': () => step(1)};
	for (let digit = 1; digit <= 9; digit++)
		keys[digit] = () => go(digit - 1);
	listenForKeys(keys);
}
