// SPDX-License-Identifier: Apache-2.0
// The names of tracks, which open and close what follows them: they stand over the canvas, so that keys reach them.
import {shortName} from '../shared/describe.js';
import {make} from '../shared/dom.js';
import {nounText, timeText} from '../shared/format.js';
import {HEAD_HEIGHT} from './trackrows.js';
import {objectName} from '../data/words.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('./trackrows.js').Track} Track
 *
 * @typedef {{track: Track, fold: string, isOpen: boolean, text: string, title?: string}} Head
 */

/** @param {{ownNs: number}[]} parts */
function sumOf(parts) {
	return parts.reduce((sum, {ownNs}) => sum + ownNs, 0);
}

/** @param {Data} data @param {Track} track @param {Set<string>} folds @returns {Head | null} null: it has none */
function headOf(data, track, folds) {
	switch (track.kind) {
	case 'process': {
		const {pid, name, index, command} = track.lanes.process;
		return {track, fold: `process ${index}`, isOpen: track.isOpen, text: `${name} ${pid}`, title: command};
	}
	case 'stacks':
		return {track, fold: `stacks ${track.lanes.process.index}`, isOpen: track.isOpen, text: 'stacks'};
	case 'more-threads': {
		const fold = `threads ${track.lanes.process.index}`;
		return {track, fold, isOpen: folds.has(fold), text: nounText(track.threads.length, 'more thread')};
	}
	case 'more-waits': {
		const fold = `waits ${track.lanes.process.index}`;
		return {track, fold, isOpen: folds.has(fold), text: `${nounText(track.files.length, 'more file')}, ${timeText(sumOf(track.files))}`};
	}
	case 'more-processes': {
		const {length} = track.processes;
		return {track, fold: 'processes', isOpen: folds.has('processes'),
			text: `${length} more process${length === 1 ? '' : 'es'}, ${timeText(sumOf(track.processes.map(({process}) => process)))}`};
	}
	case 'file':
		return {track, fold: `file ${track.file.object}`, isOpen: track.isOpen, text: objectName(data, track.file.object)};
	case 'more-files':
		return {track, fold: 'files', isOpen: folds.has('files'),
			text: `${nounText(track.files.length, 'more file')}, ${timeText(sumOf(track.files))}`};
	default:
		return null;
	}
}

export class TrackHeads {
	/** @param {Data} data @param {(fold: string) => void} toggle */
	constructor(data, toggle) {
		this.data = data;
		this.toggle = toggle;
		this.element = make('div', {class: 'track-heads'});
		this.key = '';
	}

	/** Whether something is drawn beside the name of @track. @param {Track} track */
	hasLane(track) {
		return track.kind === 'process' || track.kind === 'file' && !track.isOpen;
	}

	/** @param {Head} head @param {number} gutter */
	make({track, fold, isOpen, text, title}, gutter) {
		const name = shortName(text);
		const head = make('button', {class: `track-head ${track.kind}`, title: title || text, type: 'button', 'aria-expanded': String(isOpen),
			click: () => this.toggle(fold)}, `${isOpen ? '▾' : '▸'} ${name}`);
		const height = Math.min(track.height, HEAD_HEIGHT);
		head.style.top = `${track.y}px`;
		head.style.height = head.style.lineHeight = `${height}px`;
		head.style.maxWidth = this.hasLane(track) ? `${gutter - 4}px` : '';
		return head;
	}

	/** @param {Track[]} tracks @param {Set<string>} folds @param {number} gutter before the lanes, in pixels */
	show(tracks, folds, gutter) {
		const heads = tracks.map((track) => headOf(this.data, track, folds)).filter((head) => head !== null);
		const key = JSON.stringify([gutter, heads.map(({track: {y}, isOpen, text}) => [y, isOpen, text])]);
		// Made anew they would lose the focus.
		if (key === this.key)
			return;
		this.key = key;
		const focused = [...this.element.children].indexOf(/** @type {Element} */ (document.activeElement));
		this.element.replaceChildren(...heads.map((head) => this.make(head, gutter)));
		/** @type {HTMLElement | undefined} */ (this.element.children[focused])?.focus();
	}
}
