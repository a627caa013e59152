// SPDX-License-Identifier: Apache-2.0
// Starts the page: unpacks the data, makes the store, then the views.
import {readData} from './data/data.js';
import {makeDetail} from './details/detail.js';
import {scopeOf} from './details/scope.js';
import {makeDrawer} from './drawer/drawer.js';
import {makeAccount} from './head/account.js';
import {makeControls} from './head/controls.js';
import {makeCures} from './head/cures.js';
import {makeScope} from './head/scope.js';
import {followHash} from './selection/history.js';
import {Store} from './selection/store.js';
import {byId} from './shared/dom.js';
import {makeTimeline} from './tracks/tracks.js';
import {commandText} from './data/words.js';

/**
 * Every view, with the id of its element in page.html, in the order in which they are made.
 * @type {[string, (data: import('./data/data.js').Data, store: Store, element: HTMLElement) => void][]}
 */
const VIEWS = [
	['controls', makeControls],
	['account', makeAccount],
	['cures', makeCures],
	['scope', makeScope],
	['timeline', makeTimeline],
	['detail', (data, store, element) => makeDetail(data, store, element, scopeOf)],
	['drawer', makeDrawer],
];

async function start() {
	const data = await readData(byId('data'));
	const {main_object: object, objects} = data.header;
	const store = new Store({object: object ?? 0, metric: data.isByTime ? 'time' : 'faults'}, objects.map((/** @type {{path: string}} */ {path}) => path));
	followHash(store, () => {
		if ((store.choice.fault ?? 0) >= data.count)
			store.set({fault: null});
	});
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
