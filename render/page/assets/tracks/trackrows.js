// SPDX-License-Identifier: Apache-2.0
// Which tracks there are, from top to bottom, and how high each is: processes with their lanes, then files with their bands.
// Of two recordings each has its row, before above after. Names of tracks open and close what follows them: they stand over the canvas, so that
// keys reach them.
import {nounText, timeText, shortName} from '../shared/format.js';
import {make} from '../shared/dom.js';

export const HEAD_HEIGHT = 20;
const LANE_HEIGHT = 15;
/** Between parts, and between the rows of two sides and the next. */
const SPACE = 6;
const PAIR_SPACE = 3;
/** Files of waits that are listed, and processes that are shown, before the rest is folded. */
const WAITS_SHOWN = 8;
const PROCESSES_SHOWN = 4;
const FILES_SHOWN = 6;
/** Threads of a process beside its first one. */
const THREADS_SHOWN = 3;
/** Initializers run by others by way of dlopen: more is hardly seen. */
const DEPTHS_SHOWN = 3;
/** An open file needs so much to be read. */
const LEAST_FILE = 190;
const LEAST_PAIR = 300;

/** "12.3 ms", of two sides "12.3 ms → 4.05 ms". @param {(({ownNs: number}) | null)[][]} items with a part for each side */
function sumText(items) {
	return items[0].map((_, side) => timeText(items.reduce((sum, parts) => sum + (parts[side]?.ownNs ?? 0), 0))).join(' → ');
}

/**
 * @param {ProcessGroup[]} processes busiest first @param {FileGroup[]} files dearest first @param {(object: number) => boolean} isFileOpen
 * @param {Set<string>} folds names of what is opened or closed against its beginning
 * @param {number} room in pixels, which files share if there is enough of it
 * @returns {Track[]}
 */
export function makeTracks(processes, files, isFileOpen, folds, room) {
	/** @type {Track[]} */
	const tracks = [];
	let y = 0;
	const add = (/** @type {any} */ track) => {
		tracks.push({...track, y});
		y += track.height;
	};
	const count = (processes[0] ?? files[0])?.sides.length ?? 1;
	/** A row for each side. @param {(side: number) => any} rowOf */
	const addRows = (rowOf) => {
		for (let side = 0; side < count; side++)
			add({height: LANE_HEIGHT, side, ...rowOf(side)});
		y += count > 1 ? PAIR_SPACE : 0;
	};
	/** A name that opens what is more than @shown of @all. @param {string} fold @param {{length: number}} all @param {number} shown @param {() => string} textOf */
	const addMore = (fold, all, shown, textOf) => {
		if (all.length > shown)
			add({kind: 'more', height: LANE_HEIGHT, side: 0, fold, isOpen: folds.has(fold), text: textOf()});
	};
	const isAll = (/** @type {string} */ fold, /** @type {number} */ most) => folds.has(fold) ? Infinity : most;
	const addProcess = (/** @type {ProcessGroup} */ group, /** @type {number} */ index) => {
		const {key, sides} = group;
		// The busiest one is open at first.
		const isOpen = (index === 0) !== folds.has(`process ${key}`);
		const addLanes = (/** @type {string} */ kind, /** @type {(side: number) => Object<string, any>} */ more = () => ({})) =>
			addRows((side) => ({kind, group, lanes: sides[side], ...more(side)}));
		addLanes('process', (side) => ({isOpen, height: side === 0 ? HEAD_HEIGHT : LANE_HEIGHT}));
		if (!isOpen)
			return;
		if (sides.some((lanes) => lanes && lanes.phases.length > 0))
			addLanes('phases');
		const threads = sides.flatMap((lanes) => lanes ? [lanes.process.threads] : []).sort((a, b) => b.length - a.length)[0].slice(1);
		threads.slice(0, isAll(`threads ${key}`, THREADS_SHOWN)).forEach((_, at) => addLanes('thread', () => ({index: at + 1})));
		addMore(`threads ${key}`, threads, THREADS_SHOWN, () => nounText(threads.length - THREADS_SHOWN, 'more thread'));
		const depths = Math.max(...sides.map((lanes) => lanes?.runs.reduce((most, run) => Math.max(most, run.depth + 1), 0) ?? 0));
		for (let depth = 0; depth < Math.min(depths, DEPTHS_SHOWN); depth++)
			addLanes('initializers', () => ({depth}));
		const {waits} = group;
		const most = Math.ceil(WAITS_SHOWN / count);
		for (const {sides: own} of waits.slice(0, isAll(`waits ${key}`, most)))
			addLanes('waits', () => ({files: own}));
		addMore(`waits ${key}`, waits, most, () => `${nounText(waits.length - most, 'more file')}, ${sumText(waits.slice(most).map(({sides: own}) => own))}`);
		const areStacksOpen = folds.has(`stacks ${key}`);
		if (sides.some((lanes) => lanes?.hasStacks))
			addLanes('stacks', (side) => ({isOpen: areStacksOpen, height: headOfStacks({side}) + (areStacksOpen ? sides[side]?.stackHeight() ?? 0 : 0)}));
		y += SPACE;
	};
	processes.slice(0, isAll('processes', PROCESSES_SHOWN)).forEach(addProcess);
	addMore('processes', processes, PROCESSES_SHOWN, () => {
		const rest = processes.slice(PROCESSES_SHOWN);
		return `${rest.length} more process${rest.length === 1 ? '' : 'es'}, ${sumText(rest.map(({sides}) => sides.map((lanes) => lanes?.process ?? null)))}`;
	});
	y += SPACE;
	const listed = files.filter(({object}, index) => index < isAll('files', FILES_SHOWN) || isFileOpen(object));
	const open = listed.filter(({object}) => isFileOpen(object));
	const closed = (listed.length - open.length) * (count * LANE_HEIGHT + (count > 1 ? PAIR_SPACE : 0)) + Number(files.length > FILES_SHOWN) * LANE_HEIGHT;
	const height = Math.max(Math.floor((room - y - closed) / Math.max(open.length, 1)), count > 1 ? LEAST_PAIR : LEAST_FILE);
	// What is open stands first, where it does not move when others are opened.
	for (const group of open)
		add({kind: 'file', height, side: 0, files: group, isOpen: true});
	for (const group of listed)
		if (!isFileOpen(group.object))
			addRows(() => ({kind: 'file', files: group, isOpen: false}));
	addMore('files', files, FILES_SHOWN, () => `${nounText(files.length - FILES_SHOWN, 'more file')}, ${sumText(files.slice(FILES_SHOWN).map(({sides}) => sides))}`);
	return tracks;
}

/** What of open stacks is their name. @param {{side: number}} track */
export function headOfStacks({side}) {
	return side === 0 ? LANE_HEIGHT : 0;
}

/** @typedef {{track: Track, fold: string, isOpen: boolean, text: string, title?: string}} Head */

/** Of "before", in pixels. */
const SIDE_ROOM = 42;

/** @param {Track} track @param {(object: number) => string} nameOf file @returns {Head | null} null: it has none */
function headOf(track, nameOf) {
	// The rows of two sides have one name.
	if (track.side > 0)
		return null;
	switch (track.kind) {
	case 'process': {
		const known = track.group.sides.flatMap((lanes) => lanes ? [lanes.process] : []);
		const names = new Set(known.map(({name}) => name));
		return {track, fold: `process ${track.group.key}`, isOpen: track.isOpen, text: `${[...names].join(', ')}${track.group.sides.length === 1 ? ` ${known[0].pid}` : ''}`,
			title: [...new Set(known.map(({command}) => command))].join(', then ')};
	}
	case 'stacks':
		return {track, fold: `stacks ${track.group.key}`, isOpen: track.isOpen, text: 'stacks'};
	case 'file':
		return {track, fold: `file ${track.files.object}`, isOpen: track.isOpen, text: nameOf(track.files.object)};
	case 'more':
		return {track, fold: track.fold, isOpen: track.isOpen, text: track.text};
	default:
		return null;
	}
}

/** @param {(object: number) => string} nameOf file @param {boolean} hasSides rows say which they are of @param {(fold: string) => void} toggle */
export function makeHeads(nameOf, hasSides, toggle) {
	const element = make('div', {class: 'track-heads'});
	let drawn = '';

	const headElement = (/** @type {Head} */ {track, fold, isOpen, text, title}, /** @type {number} */ gutter) => {
		const kind = track.kind === 'more' ? `more more-${fold.replace(/ .*/, '')}` : track.kind;
		const head = make('button', {class: `track-head ${kind}`, title: title || text, type: 'button', 'aria-expanded': String(isOpen),
			click: () => toggle(fold)}, `${isOpen ? '▾' : '▸'} ${shortName(text)}`);
		head.style.top = `${track.y}px`;
		head.style.height = head.style.lineHeight = `${Math.min(track.height, HEAD_HEIGHT)}px`;
		// What is drawn beside it.
		if (track.kind === 'process' || track.kind === 'file' && !track.isOpen)
			head.style.maxWidth = `${gutter - 4 - (hasSides && track.kind === 'process' ? SIDE_ROOM : 0)}px`;
		return head;
	};

	const heads = {element,
		/** What the names take of the picture, in pixels, from top to bottom. @type {{top: number, bottom: number, right: number}[]} */
		places: [],
		/** @param {Track[]} tracks @param {number} gutter before the lanes, in pixels */
		show(tracks, gutter) {
			const all = tracks.map((track) => headOf(track, nameOf)).filter((head) => head !== null);
			const key = JSON.stringify([gutter, all.map(({track: {y}, isOpen, text}) => [y, isOpen, text])]);
			// Made anew they would lose the focus.
			if (key === drawn)
				return;
			drawn = key;
			const focused = [...element.children].indexOf(/** @type {Element} */ (document.activeElement));
			element.replaceChildren(...all.map((head) => headElement(head, gutter)));
			const made = /** @type {HTMLElement[]} */ ([...element.children]);
			made[focused]?.focus();
			heads.places = made.map(({offsetTop: top, offsetHeight, offsetWidth}) => ({top, bottom: top + offsetHeight, right: offsetWidth}));
		},
	};
	return heads;
}
