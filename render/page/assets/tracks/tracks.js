// SPDX-License-Identifier: Apache-2.0
// The tracks and what readers do with them: open, close, point, choose.
import {listenForGestures} from './gestures.js';
import {listenForTrackKeys} from '../shared/keys.js';
import {momentMarks} from '../selection/moments.js';
import {selectedMarks} from '../selection/selected.js';
import {hideTooltip, showTooltip} from '../shared/tooltip.js';
import {TrackPicture} from './trackpicture.js';
import {faultAt, linesAt} from './trackpoint.js';
import {View} from './view.js';

/** How far from the edges a fault is in sight, and the head of a file, in pixels. */
const IN_SIGHT = 12;
const FILE_IN_SIGHT = 40;

export class Tracks extends TrackPicture {
	/** @param {Recordings} recordings @param {Store} store @param {HTMLElement} element @param {View} view @param {Cut[]} cuts */
	constructor(recordings, store, element, view, cuts) {
		super(recordings, store, element, view, cuts);
		let {filter} = store.choice;
		const isOther = (/** @type {string} */ word) => word in store.choice.filter && store.choice.filter[word] !== filter[word];
		store.listen((changed) => {
			if (changed.has('object'))
				this.isClosed = false;
			if (changed.has('fault'))
				requestAnimationFrame(() => this.reveal());
			else if (changed.has('filter') && (isOther('finding') || isOther('file')))
				requestAnimationFrame(() => this.revealFile());
			({filter} = store.choice);
		});
		listenForGestures(this);
	}

	/** The side whose faults keys step through. @returns {Side} */
	current() {
		return this.sides.find(({store}) => store.choice.fault !== null) ?? this.sides[this.sides.length - 1];
	}

	/** @param {number} y of the canvas */
	trackAt(y) {
		return this.tracks.find((track) => y >= track.y && y < track.y + track.height);
	}

	/** @param {number} y @returns {FilePlot | null} */
	fileAt(y) {
		const track = this.trackAt(y);
		if (track?.kind !== 'file' || !track.isOpen)
			return null;
		const plots = this.sides.map((side) => side.fileOf(track.files.object));
		return plots.find((plot) => plot.rowAt(y)) ?? plots[0];
	}

	/** The one whose place is shown. @returns {FilePlot | null} */
	chosenFile() {
		const {object} = this.store.choice;
		return this.isFileOpen(object) ? this.sides[0].fileOf(object) : null;
	}

	/** Make @file the one whose place is shown. @param {FilePlot} file */
	choose({object}) {
		if (object === this.store.choice.object)
			return;
		this.opened.add(this.store.choice.object);
		this.view.length = this.recordings.axisOf(object).length;
		this.store.set({object, place: null});
	}

	/** Where a point of the canvas is; time is dragged in a 'plot'. @param {number} x @param {number} y */
	partAt(x, y) {
		const {plot} = this;
		if (x >= plot.x && x <= plot.x + plot.width)
			return y <= plot.y + plot.height ? 'plot' : '';
		return this.fileAt(y)?.partAt(x, y) ?? '';
	}

	/** @param {number} x @param {number} y of the canvas @param {PointerEvent} event */
	point(x, y, event) {
		this.canvas.style.cursor = this.fileAt(y)?.cursorAt(x, y) ?? (x >= this.plot.x ? 'crosshair' : 'default');
		const lines = linesAt(this, x, y);
		if (lines.length > 0)
			showTooltip(lines, event.clientX, event.clientY);
		else
			hideTooltip();
	}

	/** @param {number} x @param {number} y of the canvas @param {boolean} isTouch fingers point less exactly */
	click(x, y, isTouch) {
		const file = this.fileAt(y);
		const track = this.trackAt(y);
		if (file) {
			file.click(x, y, isTouch);
		} else if (track?.kind === 'waits' && x < this.plot.x) {
			track.files.forEach((each, side) => {
				if (each && each.object >= 0)
					this.sides[side].store.set({object: each.object, place: null});
			});
		} else if (track && x >= this.plot.x) {
			const fault = faultAt(this, track, x, isTouch ? 20 : 4);
			this.sides[track.side].store.set({fault: fault < 0 ? null : fault});
		}
	}

	/** Scroll to the chosen fault, if it is not in sight. */
	reveal() {
		this.settle();
		const {fault} = this.current().store.choice;
		const spot = fault === null ? null : this.spotOf(this.current(), fault);
		if (spot)
			this.bringIntoSight(spot.y, IN_SIGHT, 0.5);
	}

	/** The same of the file that is chosen. */
	revealFile() {
		this.settle();
		const track = this.tracks.find((each) => each.kind === 'file' && each.files.object === this.store.choice.object);
		if (track)
			this.bringIntoSight(track.y, FILE_IN_SIGHT, 0.15);
	}

	/** Scroll so that @y of the canvas comes to @part of the height that is seen, unless it is @margin within it. @param {number} y @param {number} margin @param {number} part */
	bringIntoSight(y, margin, part) {
		const scroller = this.canvas.closest('#tracks');
		if (!scroller)
			return;
		const {top, bottom, height} = scroller.getBoundingClientRect();
		const at = this.canvas.getBoundingClientRect().top + y;
		if (at < top + margin || at > bottom - margin)
			scroller.scrollTop += at - top - height * part;
	}

	/** Show the time of the chosen fault, or of all that filters leave, a tenth of it around. */
	zoomToSelection() {
		let [first, end] = [Infinity, -Infinity];
		const isOne = this.sides.some(({store}) => store.choice.fault !== null);
		for (const {data, store} of this.sides) {
			const {columns: {moment_time: at, moment_length: lengths}, time, duration, unitNs} = data;
			const marks = selectedMarks(data, store.choice);
			const {fault} = store.choice;
			const take = (/** @type {number} */ from, /** @type {number} */ to) => {
				first = Math.min(first, store.axisTime(from));
				end = Math.max(end, store.axisTime(to));
			};
			for (let i = fault ?? 0; i < (fault === null ? isOne ? 0 : data.count : fault + 1); i++)
				if (marks[i] || i === fault)
					take(time[i] * unitNs, time[i] * unitNs + duration[i]);
			if (!isOne)
				momentMarks(data, store.choice).forEach((mark, m) => mark ? take(at[m] * unitNs, (at[m] + lengths[m]) * unitNs) : undefined);
		}
		if (first < end)
			this.view.setTime(first - (end - first) / 10, end + (end - first) / 10);
	}

	/** Show what the dragged @box encloses; one that is flat, or not within one file, leaves the place as it is. @param {Box} box */
	zoomTo(box) {
		const {plot, view} = this;
		const file = this.fileAt(box.y);
		const place = file && file.object === this.fileAt(box.y + box.height)?.object ? file.placeIn(box) : null;
		if (file && place) {
			this.choose(file);
			view.setPlace(...place);
		}
		if (box.width >= 8)
			view.setTime(this.scale.timeAt(box.x - plot.x), this.scale.timeAt(box.x + box.width - plot.x));
	}
}

/**
 * @param {Recordings} recordings @param {Store} store @param {HTMLElement} element @param {() => [number, number]} span all the time there is
 * @param {Cut[]} cuts what may be left out of it @param {Object<string, () => void>} keys of this page alone
 */
export function makeTracksView(recordings, store, element, span, cuts, keys = {}) {
	let areCut = true;
	const view = new View(store, span, () => areCut && store.choice.ownScales !== true ? cuts.map(([first, end]) => [first, end]) : []);
	const tracks = new Tracks(recordings, store, element, view, cuts);
	listenForTrackKeys(tracks, {'c': () => {
		areCut = !areCut;
		tracks.ask();
	}, 'z': () => tracks.zoomToSelection(), ...keys});
	return tracks;
}
