// SPDX-License-Identifier: Apache-2.0
// The keyboard, and the dialog that shows what its keys do.
import {byId} from './dom.js';
import {selectedMarks} from '../selection/selected.js';
import {filterWithout} from '../selection/store.js';

export function showHelp() {
	const dialog = /** @type {HTMLDialogElement} */ (byId('help'));
	if (!dialog.open)
		dialog.showModal();
}

/** The nearest fault after (@step 1) or before (-1) the chosen one that is in the picture. @param {Tracks} tracks @param {number} step */
function stepFault(tracks, step) {
	const side = tracks.current();
	const {data, store} = side;
	tracks.settle();
	const marks = selectedMarks(data, store.choice);
	const start = store.choice.fault ?? (step > 0 ? -1 : data.count);
	for (let i = start + step; i >= 0 && i < data.count; i += step)
		if (marks[i] && data.of(i, 'object') === store.choice.object && tracks.spotOf(side, i)) {
			store.set({fault: i});
			return;
		}
}

/** Leave the innermost thing there is to leave. @param {Tracks} tracks */
function leave({view, store}) {
	const {choice} = store;
	if (choice.fault !== null)
		store.set({fault: null});
	else if (choice.search)
		store.set({search: ''});
	else if (view.isRanged())
		view.showAll();
	else if (Object.keys(choice.filter).length > 0)
		// The last choice goes first.
		store.set({filter: filterWithout(choice.filter, Object.keys(choice.filter).slice(-1))});
	else
		store.set({process: null});
}

/** Keys that mean the same everywhere. @param {Tracks} tracks @returns {Object<string, () => void>} */
function commandsOf(tracks) {
	const {view} = tracks;
	return {
		'a': () => view.panTime(-0.25),
		'd': () => view.panTime(0.25),
		'w': () => view.zoomTime(0.5, 0.5),
		's': () => view.zoomTime(2, 0.5),
		'+': () => view.zoomTime(0.5, 0.5),
		'=': () => view.zoomTime(0.5, 0.5),
		'-': () => view.zoomTime(2, 0.5),
		'0': () => view.showAll(),
		'n': () => stepFault(tracks, 1),
		'p': () => stepFault(tracks, -1),
		'/': () => byId('search').focus(),
		'?': showHelp,
		'Escape': () => leave(tracks),
	};
}

/** Whether @target takes letters itself. @param {EventTarget | null} target */
function takesText(target) {
	return target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]');
}

/** @param {Tracks} tracks @param {Object<string, () => void>} [own] keys of this page alone */
export function listenForKeys(tracks, own = {}) {
	const {view} = tracks;
	const commands = {...commandsOf(tracks), ...own};
	document.addEventListener('keydown', (event) => {
		const dialog = document.querySelector('dialog[open]');
		if (event.defaultPrevented || event.ctrlKey || event.metaKey || dialog)
			return;
		if (takesText(event.target)) {
			if (event.key === 'Escape') {
				/** @type {HTMLElement} */ (event.target).blur();
				// A search would be emptied.
				event.preventDefault();
			}
			return;
		}
		if (event.altKey && (event.key === '+' || event.key === '=' || event.key === '-')) {
			const file = tracks.chosenFile();
			if (file)
				view.zoomPlace(event.key === '-' ? 2 : 0.5, file.plot.height / 2, file.rows);
			event.preventDefault();
			return;
		}
		const command = commands[event.key.length === 1 ? event.key.toLowerCase() : event.key];
		if (event.altKey || !command)
			return;
		command();
		event.preventDefault();
	});
	tracks.canvas.addEventListener('keydown', (event) => {
		const part = event.shiftKey ? 0.05 : 0.25;
		/** @type {Object<string, () => void>} */
		const arrows = {
			ArrowLeft: () => view.panTime(-part),
			ArrowRight: () => view.panTime(part),
			ArrowUp: () => view.panPlace(-part),
			ArrowDown: () => view.panPlace(part),
		};
		const act = event.ctrlKey || event.metaKey || event.altKey ? null : arrows[event.key];
		if (!act)
			return;
		act();
		event.preventDefault();
	});
}

/** Keys beside those of pictures. @param {Object<string, () => void>} commands by key, in lower case */
export function listenForOwnKeys(commands) {
	document.addEventListener('keydown', (event) => {
		const command = commands[event.key.toLowerCase()];
		if (!command || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey
			|| takesText(event.target) || document.querySelector('dialog[open]'))
			return;
		command();
		event.preventDefault();
	});
}
