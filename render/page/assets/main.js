// SPDX-License-Identifier: Apache-2.0
// The page of one trace: its store, and its views in the order in which they are made.
import {readData} from './data/data.js';
import {Recordings} from './data/recordings.js';
import {makeDetail} from './details/detail.js';
import {scopeOf} from './details/scope.js';
import {makeDrawer} from './drawer/drawer.js';
import {makeAccounts} from './head/account.js';
import {makeControls} from './head/controls.js';
import {makeCures} from './head/cures.js';
import {makeScope} from './head/scope.js';
import {followHash, Store} from './selection/store.js';
import {byId} from './shared/dom.js';
import {csvKind, fillSaveMenu} from './shared/export.js';
import {sizeText} from './shared/format.js';
import {notesOf} from './shared/losses.js';
import {startPage} from './shared/start.js';
import {makeTracksView} from './tracks/tracks.js';
import {spanOf} from './tracks/view.js';
import {commandText} from './data/words.js';

startPage('report', async () => {
	const data = await readData(byId('data'));
	const {main_object: object, cuts, page_size: pageSize} = data.header;
	const store = new Store({object: object ?? 0, metric: data.isByTime ? 'time' : 'faults'}, data.paths);
	followHash(store, () => {
		if ((store.choice.fault ?? 0) >= data.count)
			store.set({fault: null});
	});
	const placeText = (/** @type {[number, number]} */ place) => place.map((page) => sizeText(Math.round(page) * pageSize)).join(' to ');
	return {title: commandText(data), views: [
		['controls', (element) => makeControls(commandText(data), store, element)],
		['account', (element) => makeAccounts([data], [''], store, element, notesOf(data))],
		['cures', (element) => makeCures(data, store, element)],
		['scope', (element) => makeScope([data], store, element, placeText)],
		['timeline', (element) => {
			const tracks = makeTracksView(new Recordings([data], ['']), store, element, () => spanOf(data), cuts);
			fillSaveMenu(tracks, commandText(data), [csvKind(data, store)]);
		}],
		['detail', (element) => makeDetail([data], store, element, () => scopeOf(data, store))],
		['drawer', (element) => makeDrawer(data, store, element)],
	]};
});
