// SPDX-License-Identifier: Apache-2.0
// The drawer: tables and the flame graph under tabs, all of the current selection.
import {FaultTable} from './faulttable.js';
import {Flame} from './flame.js';
import {GroupTable} from './tables.js';
import {showTabs} from './tabs.js';
import {tableKinds} from './tablekinds.js';
import {WaitTable} from './waittable.js';
import {listenForOwnKeys} from '../shared/keys.js';

/** @param {import('../data/data.js').Data} data @param {import('../selection/store.js').Store} store @param {HTMLElement} element */
export function makeDrawer(data, store, element) {
	const tables = tableKinds(data, store).map((kind) => new GroupTable(data, store, kind));
	const [causes, ...groups] = tables;
	const {go, step} = showTabs(store, ['filter', 'search', 'process', 'time', 'place', 'object', 'metric', 'sort'],
		[causes, new FaultTable(data, store), new WaitTable(data, store), ...groups, new Flame(data, store)], element);
	/** @type {Object<string, () => void>} */
	const keys = {'[': () => step(-1), ']': () => step(1)};
	for (let digit = 1; digit <= 9; digit++)
		keys[digit] = () => go(digit - 1);
	listenForOwnKeys(keys);
}
