// SPDX-License-Identifier: Apache-2.0
// Starts the page: unpacks the data, makes the store, then the views.
import {readData} from './data.js';
import {Store} from './store.js';

async function start() {
	const element = document.getElementById('data');
	if (!element)
		throw new Error('no data');
	const data = await readData(element);
	const store = new Store(data.header.main_object ?? 0, data.header.objects.length);
	store.restore(location.hash);
	store.listen(() => history.replaceState(null, '', '#' + store.hash()));
	document.title = data.header.trace.command.join(' ') + ' - elfault';
	document.documentElement.dataset.state = 'ready';
}

start().catch((error) => {
	const message = document.getElementById('message');
	if (message)
		message.textContent = `This report cannot be shown: ${error.message}`;
	document.documentElement.dataset.state = 'failed';
});
