// SPDX-License-Identifier: Apache-2.0
// The drawer: tables and the flame graph under tabs, all of the current selection.
import {faultTable, waitTable} from './faulttable.js';
import {FileTree} from './filetree.js';
import {makeFlame} from './flame.js';
import {showTabs} from './tabs.js';
import {GroupTable, tableKinds} from './tablekinds.js';

export function makeDrawer(/** @type {Data} */ data, /** @type {Store} */ store, /** @type {HTMLElement} */ element) {
	const [causes, files, sections, symbols, ...others] = tableKinds(data, store);
	showTabs(store, [new GroupTable(data, store, causes), faultTable(data, store), waitTable(data, store), new FileTree(data, store, [files, sections, symbols]),
		...others.map((kind) => new GroupTable(data, store, kind)), makeFlame(data, store)], element);
}
