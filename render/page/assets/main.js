// SPDX-License-Identifier: Apache-2.0
// Starts the page: unpacks the data, makes the store, then the views.
import {readData} from './data/data.js';
import {byId} from './shared/dom.js';
import {makeControls} from './head/controls.js';
import {makeDetail} from './details/detail.js';
import {makeExport} from './shared/export.js';
import {makeFindings} from './head/findings.js';
import {makeFlame} from './drawer/flame.js';
import {makeGraph} from './drawer/graph.js';
import {makeHead} from './head/head.js';
import {makeLayout} from './tracks/layout.js';
import {Store} from './selection/store.js';
import {makeTables} from './drawer/tables.js';
import {makeTimeline} from './tracks/tracks.js';
import {commandText} from './data/words.js';

/**
 * Every view, with the id of its element in page.html, in the order in which they are made.
 * @type {[string, (data: import('./data/data.js').Data, store: Store, element: HTMLElement) => void][]}
 */
const VIEWS = [
	['pickers', makeControls],
	['head', makeHead],
	['findings', makeFindings],
	['timeline', makeTimeline],
	['layout', makeLayout],
	['export', makeExport],
	['detail', makeDetail],
	['tables', makeTables],
	['graph', makeGraph],
	['stacks', makeFlame],
];

/** @param {import('./data/data.js').Data} data @param {Store} store */
function followHash(data, store) {
	const restore = () => {
		store.restore(location.hash);
		if ((store.choice.fault ?? 0) >= data.count)
			store.set({fault: null});
	};
	restore();
	store.listen(() => history.replaceState(null, '', '#' + store.hash()));
	addEventListener('hashchange', restore);
}

async function start() {
	const data = await readData(byId('data'));
	const store = new Store(data.header.main_object ?? 0, data.header.objects.length);
	followHash(data, store);
	document.title = commandText(data) + ' - elfault';
	// Views measure themselves, so they are to be seen while they are made.
	document.documentElement.dataset.state = 'views';
	for (const [id, makeView] of VIEWS)
		makeView(data, store, byId(id));
	byId('message').remove();
	document.documentElement.dataset.state = 'ready';
}

start().catch((error) => {
	const message = document.getElementById('message');
	if (message)
		message.textContent = `This report cannot be shown: ${error.message}`;
	document.documentElement.dataset.state = 'failed';
});
