// SPDX-License-Identifier: Apache-2.0
// The keyboard, buttons that do what a key does, and the dialog that shows what keys do.
import {byId} from './dom.js';
import {neighbourOf} from '../selection/selected.js';
import {filterWithout} from '../selection/store.js';

export function showHelp() {
	const dialog = /** @type {HTMLDialogElement} */ (byId('help'));
	if (!dialog.open)
		dialog.showModal();
}

/** Show the nearest fault after (@step 1) or before (-1) the chosen one that is in the picture. @param {Tracks} tracks @param {1 | -1} step */
function stepFault(tracks, step) {
	const side = tracks.current();
	const {data, store} = side;
	tracks.settle();
	const from = store.choice.fault ?? (step > 0 ? -1 : data.count);
	const fault = neighbourOf(data, store.choice, from, step, (i) => data.of(i, 'object') === store.choice.object && tracks.spotOf(side, i) !== null);
	if (fault >= 0)
		store.set({fault});
}

/** Leave the innermost thing there is to leave. @param {Tracks} tracks */
function leave({view, store}) {
	const {choice} = store;
	if (choice.fault !== null)
		store.set({fault: null});
	else if (choice.search)
		store.set({search: ''});
	else if (choice.time || choice.place)
		view.showAll();
	else if (Object.keys(choice.filter).length > 0)
		// The last choice goes first.
		store.set({filter: filterWithout(choice.filter, Object.keys(choice.filter).slice(-1))});
	else
		store.set({process: null});
}

/** Whether @target takes letters itself. @param {EventTarget | null} target */
function takesText(target) {
	return target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]');
}

/** "a", "Alt++", "Shift+ArrowUp". @param {KeyboardEvent} event */
function nameOf({key, altKey, shiftKey}) {
	return (altKey ? 'Alt+' : '') + (key.length === 1 ? key.toLowerCase() : (shiftKey ? 'Shift+' : '') + key);
}

/** Call the command of a key that is pressed in @element, where nothing else takes it. @param {Object<string, () => void>} commands by nameOf() @param {Document | HTMLElement} [element] */
export function listenForKeys(commands, element = document) {
	for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-command]')))
		button.addEventListener('click', commands[button.dataset.command ?? '']);
	/** @type {HTMLElement} */ (element).addEventListener('keydown', (event) => {
		if (event.defaultPrevented || event.ctrlKey || event.metaKey || document.querySelector('dialog[open]'))
			return;
		const isInText = takesText(event.target);
		// A search would be emptied.
		const command = isInText && event.key === 'Escape' ? () => /** @type {HTMLElement} */ (event.target).blur() : commands[nameOf(event)];
		if (!command || isInText && event.key !== 'Escape')
			return;
		command();
		event.preventDefault();
	});
}

/** The keys of pictures. @param {Tracks} tracks @param {Object<string, () => void>} own keys of this page alone */
export function listenForTrackKeys(tracks, own) {
	const {view} = tracks;
	const zoomIn = () => view.zoomTime(0.5, 0.5);
	const zoomOut = () => view.zoomTime(2, 0.5);
	const zoomPlace = (/** @type {number} */ factor) => () => {
		const file = tracks.chosenFile();
		if (file)
			view.zoomPlace(factor, file.plot.height / 2, file.rows);
	};
	listenForKeys({
		'a': () => view.panTime(-0.25),
		'd': () => view.panTime(0.25),
		'w': zoomIn, '+': zoomIn, '=': zoomIn,
		's': zoomOut, '-': zoomOut,
		'Alt++': zoomPlace(0.5), 'Alt+=': zoomPlace(0.5), 'Alt+-': zoomPlace(2),
		'0': () => view.showAll(),
		'n': () => stepFault(tracks, 1),
		'p': () => stepFault(tracks, -1),
		'/': () => byId('search').focus(),
		'Escape': () => leave(tracks),
		...own,
	});
	for (const [shift, part] of /** @type {[string, number][]} */ ([['', 0.25], ['Shift+', 0.05]]))
		listenForKeys({
			[`${shift}ArrowLeft`]: () => view.panTime(-part),
			[`${shift}ArrowRight`]: () => view.panTime(part),
			[`${shift}ArrowUp`]: () => view.panPlace(-part),
			[`${shift}ArrowDown`]: () => view.panPlace(part),
		}, tracks.canvas);
}
