// SPDX-License-Identifier: Apache-2.0
// Starts the page: unpacks the data, makes the store, then the views.
import {readData} from './data.js';
import {byId} from './dom.js';
import {makeControls} from './controls.js';
import {makeDetail} from './detail.js';
import {makeExport} from './export.js';
import {makeFindings} from './findings.js';
import {makeFlame} from './flame.js';
import {makeGraph} from './graph.js';
import {makeHead} from './head.js';
import {makeLayout} from './layout.js';
import {Store} from './store.js';
import {makeTables} from './tables.js';
import {makeTimeline} from './timeline.js';
import {commandText} from './words.js';

/**
 * Every view, with the id of its element in page.html, in the order in which they are made.
 * @type {[string, (data: import('./data.js').Data, store: Store, element: HTMLElement) => void][]}
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

/** @param {import('./data.js').Data} data @param {Store} store */
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
