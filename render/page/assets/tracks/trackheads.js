// SPDX-License-Identifier: Apache-2.0
// The names of tracks, which open and close what follows them: they stand over the canvas, so that keys reach them.
import {shortName} from '../shared/format.js';
import {make} from '../shared/dom.js';
import {HEAD_HEIGHT} from './trackrows.js';

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

export class TrackHeads {
	/** @param {(object: number) => string} nameOf file @param {boolean} hasSides rows say which they are of @param {(fold: string) => void} toggle */
	constructor(nameOf, hasSides, toggle) {
		this.hasSides = hasSides;
		this.nameOf = nameOf;
		this.toggle = toggle;
		this.element = make('div', {class: 'track-heads'});
		this.key = '';
		/** What the names take of the picture, in pixels, from top to bottom. @type {{top: number, bottom: number, right: number}[]} */
		this.places = [];
	}

	/** Whether something is drawn beside the name of @track. @param {Track} track */
	hasLane(track) {
		return track.kind === 'process' || track.kind === 'file' && !track.isOpen;
	}

	make(/** @type {Head} */ {track, fold, isOpen, text, title}, /** @type {number} */ gutter) {
		const name = shortName(text);
		const kind = track.kind === 'more' ? `more more-${fold.replace(/ .*/, '')}` : track.kind;
		const head = make('button', {class: `track-head ${kind}`, title: title || text, type: 'button', 'aria-expanded': String(isOpen),
			click: () => this.toggle(fold)}, `${isOpen ? '▾' : '▸'} ${name}`);
		const height = Math.min(track.height, HEAD_HEIGHT);
		head.style.top = `${track.y}px`;
		head.style.height = head.style.lineHeight = `${height}px`;
		head.style.maxWidth = this.hasLane(track) ? `${gutter - 4 - (this.hasSides && track.kind === 'process' ? SIDE_ROOM : 0)}px` : '';
		return head;
	}

	/** @param {Track[]} tracks @param {number} gutter before the lanes, in pixels */
	show(tracks, gutter) {
		const heads = tracks.map((track) => headOf(track, this.nameOf)).filter((head) => head !== null);
		const key = JSON.stringify([gutter, heads.map(({track: {y}, isOpen, text}) => [y, isOpen, text])]);
		// Made anew they would lose the focus.
		if (key === this.key)
			return;
		this.key = key;
		const focused = [...this.element.children].indexOf(/** @type {Element} */ (document.activeElement));
		this.element.replaceChildren(...heads.map((head) => this.make(head, gutter)));
		/** @type {HTMLElement | undefined} */ (this.element.children[focused])?.focus();
		this.places = /** @type {HTMLElement[]} */ ([...this.element.children]).map(({offsetTop: top, offsetHeight, offsetWidth}) => ({top, bottom: top + offsetHeight, right: offsetWidth}));
	}
}
