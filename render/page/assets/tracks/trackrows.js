// SPDX-License-Identifier: Apache-2.0
// Which tracks there are, from top to bottom, and how high each is: processes with their lanes, then files with their bands.

/**
 * @typedef {import('./processes.js').Process} Process
 * @typedef {import('./processes.js').FileWaits} FileWaits
 * @typedef {import('./processes.js').FileFaults} FileFaults
 * @typedef {import('./phases.js').Span} Span
 * @typedef {import('./phases.js').Run} Run
 * @typedef {import('./threads.js').Thread} Thread
 *
 * A process with what its lanes show; stackHeight: what the stacks of its first thread need, in pixels.
 * @typedef {{process: Process, phases: Span[], runs: Run[], waits: FileWaits[], hasStacks: boolean, stackHeight: () => number}} ProcessLanes
 *
 * @typedef {{kind: 'process', y: number, height: number, lanes: ProcessLanes, isOpen: boolean}} ProcessTrack
 * @typedef {{kind: 'thread', y: number, height: number, lanes: ProcessLanes, thread: Thread}} ThreadTrack
 * @typedef {{kind: 'more-threads', y: number, height: number, lanes: ProcessLanes, threads: Thread[]}} MoreThreadsTrack
 * @typedef {{kind: 'phases', y: number, height: number, lanes: ProcessLanes}} PhasesTrack
 * @typedef {{kind: 'initializers', y: number, height: number, lanes: ProcessLanes, depth: number}} RunsTrack
 * @typedef {{kind: 'waits', y: number, height: number, lanes: ProcessLanes, file: FileWaits}} WaitsTrack
 * @typedef {{kind: 'more-waits', y: number, height: number, lanes: ProcessLanes, files: FileWaits[]}} MoreWaitsTrack
 * @typedef {{kind: 'stacks', y: number, height: number, lanes: ProcessLanes, isOpen: boolean}} StacksTrack
 * @typedef {{kind: 'more-processes', y: number, height: number, processes: ProcessLanes[]}} MoreProcessesTrack
 * @typedef {{kind: 'file', y: number, height: number, file: FileFaults, isOpen: boolean}} FileTrack
 * @typedef {{kind: 'more-files', y: number, height: number, files: FileFaults[]}} MoreFilesTrack
 * @typedef {ProcessTrack | StacksTrack | ThreadTrack | MoreThreadsTrack | PhasesTrack | RunsTrack | WaitsTrack | MoreWaitsTrack | MoreProcessesTrack | FileTrack | MoreFilesTrack} Track
 */

export const HEAD_HEIGHT = 20;
export const LANE_HEIGHT = 15;
/** Between parts. */
const SPACE = 6;
/** Files of waits that are listed, and processes that are shown, before the rest is folded. */
export const WAITS_SHOWN = 8;
export const PROCESSES_SHOWN = 4;
export const FILES_SHOWN = 6;
/** Threads of a process beside its first one. */
export const THREADS_SHOWN = 3;
/** Initializers run by others by way of dlopen: more is hardly seen. */
const DEPTHS_SHOWN = 3;
/** An open file needs so much to be read. */
const LEAST_FILE = 190;

/**
 * @param {ProcessLanes[]} processes busiest first @param {FileFaults[]} files dearest first @param {(object: number) => boolean} isFileOpen
 * @param {Set<string>} folds names of what is opened or closed against its beginning: see foldOf()
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
	const areAllShown = folds.has('processes');
	const shown = areAllShown ? processes : processes.slice(0, PROCESSES_SHOWN);
	shown.forEach((lanes, index) => {
		// The busiest one is open at first.
		const {process} = lanes;
		const isOpen = (index === 0) !== folds.has(`process ${process.index}`);
		add({kind: 'process', height: HEAD_HEIGHT, lanes, isOpen});
		if (!isOpen)
			return;
		if (lanes.phases.length > 0)
			add({kind: 'phases', height: LANE_HEIGHT, lanes});
		for (const thread of process.threads.slice(1, folds.has(`threads ${process.index}`) ? Infinity : 1 + THREADS_SHOWN))
			add({kind: 'thread', height: LANE_HEIGHT, lanes, thread});
		if (process.threads.length > 1 + THREADS_SHOWN)
			add({kind: 'more-threads', height: LANE_HEIGHT, lanes, threads: process.threads.slice(1 + THREADS_SHOWN)});
		const depths = Math.min(lanes.runs.reduce((most, run) => Math.max(most, run.depth + 1), 0), DEPTHS_SHOWN);
		for (let depth = 0; depth < depths; depth++)
			add({kind: 'initializers', height: LANE_HEIGHT, lanes, depth});
		const areWaitsShown = folds.has(`waits ${process.index}`);
		const listed = areWaitsShown ? lanes.waits : lanes.waits.slice(0, WAITS_SHOWN);
		for (const file of listed)
			add({kind: 'waits', height: LANE_HEIGHT, lanes, file});
		if (lanes.waits.length > WAITS_SHOWN)
			add({kind: 'more-waits', height: LANE_HEIGHT, lanes, files: lanes.waits.slice(WAITS_SHOWN)});
		if (lanes.hasStacks) {
			const areStacksOpen = folds.has(`stacks ${process.index}`);
			add({kind: 'stacks', height: LANE_HEIGHT + (areStacksOpen ? lanes.stackHeight() : 0), lanes, isOpen: areStacksOpen});
		}
		y += SPACE;
	});
	if (processes.length > PROCESSES_SHOWN)
		add({kind: 'more-processes', height: LANE_HEIGHT, processes: processes.slice(PROCESSES_SHOWN)});
	y += SPACE;
	const listed = files.filter(({object}, index) => folds.has('files') || index < FILES_SHOWN || isFileOpen(object));
	const open = listed.filter(({object}) => isFileOpen(object));
	const closed = (listed.length - open.length + Number(files.length > FILES_SHOWN)) * LANE_HEIGHT;
	const height = Math.max(Math.floor((room - y - closed) / Math.max(open.length, 1)), LEAST_FILE);
	// What is open stands first, where it does not move when others are opened.
	for (const file of open)
		add({kind: 'file', height, file, isOpen: true});
	for (const file of listed)
		if (!isFileOpen(file.object))
			add({kind: 'file', height: LANE_HEIGHT, file, isOpen: false});
	if (files.length > FILES_SHOWN)
		add({kind: 'more-files', height: LANE_HEIGHT, files: files.slice(FILES_SHOWN)});
	return tracks;
}

/** Where the last of @tracks ends. @param {Track[]} tracks */
export function heightOf(tracks) {
	const last = tracks[tracks.length - 1];
	return last ? last.y + last.height : 0;
}
