// SPDX-License-Identifier: Apache-2.0
// Starts a page: its data is read, then its views are made, each in the element of its name.
import {byId} from './dom.js';

/** @param {string} noun what the page is, in a sentence @param {() => Promise<{title: string, views: [string, (element: HTMLElement) => void][]}>} read unpacks the data */
export function startPage(noun, read) {
	const state = document.documentElement.dataset;
	read().then(({title, views}) => {
		document.title = `${title} - elfault`;
		// Views measure themselves, so they are to be seen while they are made.
		state.state = 'views';
		for (const [id, makeView] of views)
			makeView(byId(id));
		byId('message').remove();
		state.state = 'ready';
	}).catch((error) => {
		const message = document.getElementById('message');
		if (message)
			message.textContent = `This ${noun} cannot be shown: ${error.message}`;
		state.state = 'failed';
	});
}
