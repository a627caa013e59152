// SPDX-License-Identifier: Apache-2.0
// Starts the page of a comparison: unpacks the data, makes the store, then the views.
import {readDiff} from './diffdata.js';
import {commandOf, makeDiffHead} from './diffhead.js';
import {makeMatters} from './diffmatters.js';
import {makeDiffControls} from './diffcontrols.js';
import {DiffStore} from './diffstore.js';
import {makeDiffTables} from './difftables.js';
import {byId} from '../shared/dom.js';
import {makePairDetail} from './pairdetail.js';
import {makePairTimelines} from './pairtimelines.js';
import {AFTER, BEFORE} from './sides.js';

/**
 * @typedef {import('./diffdata.js').DiffData} DiffData
 * @typedef {(diff: DiffData, store: DiffStore, element: HTMLElement) => void} DiffView
 */

/**
 * Every view, with the id of its element in diff.html, in the order in which they are made.
 * @type {[string, DiffView][]}
 */
const VIEWS = [
	['pickers', makeDiffControls],
	['head', makeDiffHead],
	['differences', makeMatters],
	['timelines', makePairTimelines],
	['detail', makePairDetail],
	['tables', makeDiffTables],
];

/** @param {DiffStore} store */
function followHash(store) {
	const restore = () => store.restore(location.hash);
	restore();
	store.listen(() => history.replaceState(null, '', '#' + store.hash()));
	addEventListener('hashchange', restore);
}

async function start() {
	const diff = await readDiff(byId);
	const store = new DiffStore(diff);
	followHash(store);
	const [before, after] = [commandOf(diff, BEFORE), commandOf(diff, AFTER)];
	document.title = before === after ? `${after}, compared - elfault` : `${before} and ${after} - elfault`;
	// Views measure themselves, so they are to be seen while they are made.
	document.documentElement.dataset.state = 'views';
	for (const [id, makeView] of VIEWS)
		makeView(diff, store, byId(id));
	byId('message').remove();
	document.documentElement.dataset.state = 'ready';
}

start().catch((error) => {
	const message = document.getElementById('message');
	if (message)
		message.textContent = `This comparison cannot be shown: ${error.message}`;
	document.documentElement.dataset.state = 'failed';
});
