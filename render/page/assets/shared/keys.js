// SPDX-License-Identifier: Apache-2.0
// The keyboard, and the dialog that shows what its keys do.
import {byId, make} from './dom.js';
import {selectedMarks} from '../selection/selected.js';
import {filterWithout} from '../selection/store.js';

/**
 * @typedef {import('../tracks/board.js').Board} Board
 * @typedef {import('../tracks/view.js').View} View
 * @typedef {import('../selection/store.js').Choice} Choice
 * @typedef {{choice: Pick<Choice, 'search' | 'filter'> & {process?: number | null}, set: (change: {search?: string, filter?: {}, process?: null}) => void}} Choosing
 */

const KEY_HELP = [
	['W / S', 'zoom time in and out'],
	['A / D', 'earlier, later'],
	['← →', 'the same, on the picture; Shift: small steps'],
	['↑ ↓', 'on the picture: towards the start or end of the file'],
	['+ / −', 'zoom time in and out; Alt: the file'],
	['0', 'show the whole time and file'],
	['N / P', 'next and previous fault shown'],
	['/', 'search names'],
	['?', 'this help'],
	['Esc', 'one step back up: dialog, fault, search, range, then filter by filter'],
];
const MOUSE_HELP = [
	['Drag', 'zoom to the enclosed area'],
	['Shift or right button and drag', 'move through time and file'],
	['Wheel', 'zoom time; Shift: the file'],
	['Click', 'on a mark: its details; on a name: filter'],
	['Touch', 'one finger moves through time, two zoom, a tap shows details'],
];

/** @param {string[][]} rows */
function helpTable(rows) {
	return make('dl', {class: 'keys'},
		...rows.flatMap(([key, text]) => [make('dt', {}, make('kbd', {}, key)), make('dd', {}, text)]));
}

/** The dialog; opened by showHelp(). @param {string[][]} [own] keys of this page alone */
export function makeHelp(own = []) {
	const dialog = make('dialog', {id: 'help', 'aria-labelledby': 'help-title'},
		make('h2', {id: 'help-title'}, 'Keys and mouse'), helpTable([...KEY_HELP, ...own]), helpTable(MOUSE_HELP),
		make('form', {method: 'dialog'}, make('button', {type: 'submit', class: 'button'}, 'Close')));
	document.body.append(dialog);
}

export function showHelp() {
	const dialog = /** @type {HTMLDialogElement} */ (byId('help'));
	if (!dialog.open)
		dialog.showModal();
}

/** The nearest fault after (@step 1) or before (-1) the chosen one that is in the picture. @param {Board} board @param {number} step */
function stepFault(board, step) {
	const {data, store} = board;
	board.settle();
	const marks = selectedMarks(data, store);
	const start = store.choice.fault ?? (step > 0 ? -1 : data.count);
	for (let i = start + step; i >= 0 && i < data.count; i += step)
		if (marks[i] && data.of(i, 'object') === store.choice.object && board.spotOf(i)) {
			store.set({fault: i});
			return;
		}
}

/** Leave the innermost thing there is to leave. @param {View} view @param {Choosing} whole @param {Board} board */
function leave(view, whole, board) {
	const {choice} = whole;
	if (board.store.choice.fault !== null)
		board.store.set({fault: null});
	else if (choice.search)
		whole.set({search: ''});
	else if (view.isRanged())
		view.showAll();
	else if (Object.keys(choice.filter).length > 0)
		// The last choice goes first.
		whole.set({filter: filterWithout(choice.filter, Object.keys(choice.filter).slice(-1))});
	else if (typeof choice.process === 'number')
		whole.set({process: null});
}

/** Keys that mean the same everywhere. @param {() => View} viewOf @param {Choosing} whole @param {() => Board} current @returns {Object<string, () => void>} */
function commandsOf(viewOf, whole, current) {
	return {
		'a': () => viewOf().panTime(-0.25),
		'd': () => viewOf().panTime(0.25),
		'w': () => viewOf().zoomTime(0.5, 0.5),
		's': () => viewOf().zoomTime(2, 0.5),
		'+': () => viewOf().zoomTime(0.5, 0.5),
		'=': () => viewOf().zoomTime(0.5, 0.5),
		'-': () => viewOf().zoomTime(2, 0.5),
		'0': () => viewOf().showAll(),
		'n': () => stepFault(current(), 1),
		'p': () => stepFault(current(), -1),
		'/': () => byId('search').focus(),
		'?': showHelp,
		'Escape': () => leave(viewOf(), whole, current()),
	};
}

/** Whether @target takes letters itself. @param {EventTarget | null} target */
function takesText(target) {
	return target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]');
}

/**
 * @param {() => View} viewOf what keys move now
 * @param {Choosing} whole the choice that Esc leaves, one part after the other
 * @param {() => Board} current the one whose faults N and P step through
 * @param {Board[]} boards that take arrows
 * @param {Object<string, () => void>} [own] keys of this page alone
 */
export function listenForKeys(viewOf, whole, current, boards, own = {}) {
	const commands = {...commandsOf(viewOf, whole, current), ...own};
	document.addEventListener('keydown', (event) => {
		const dialog = document.querySelector('dialog[open]');
		if (event.defaultPrevented || event.ctrlKey || event.metaKey || dialog)
			return;
		if (takesText(event.target)) {
			if (event.key === 'Escape')
				/** @type {HTMLElement} */ (event.target).blur();
			return;
		}
		if (event.altKey && (event.key === '+' || event.key === '=' || event.key === '-')) {
			const file = current().chosenFile();
			if (file)
				viewOf().zoomPlace(event.key === '-' ? 2 : 0.5, file.plot.height / 2, file.rows);
			event.preventDefault();
			return;
		}
		const command = commands[event.key.length === 1 ? event.key.toLowerCase() : event.key];
		if (event.altKey || !command)
			return;
		command();
		event.preventDefault();
	});
	const moveByArrow = (/** @type {KeyboardEvent} */ event) => {
		const part = event.shiftKey ? 0.05 : 0.25;
		/** @type {Object<string, () => void>} */
		const arrows = {
			ArrowLeft: () => viewOf().panTime(-part),
			ArrowRight: () => viewOf().panTime(part),
			ArrowUp: () => viewOf().panPlace(-part),
			ArrowDown: () => viewOf().panPlace(part),
		};
		const act = event.ctrlKey || event.metaKey || event.altKey ? null : arrows[event.key];
		if (!act)
			return;
		act();
		event.preventDefault();
	};
	for (const {canvas} of boards)
		canvas.addEventListener('keydown', moveByArrow);
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
