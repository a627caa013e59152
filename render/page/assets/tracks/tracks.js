// SPDX-License-Identifier: Apache-2.0
// The tracks of a report and what readers do with them: open, close, point, choose.
import {faultLines, shortName} from '../shared/describe.js';
import {nounText, sizeText, timeText} from '../shared/format.js';
import {durationTable} from '../data/data.js';
import {firstFrom} from '../data/search.js';
import {listenForKeys} from '../shared/keys.js';
import {momentMarks} from '../selection/moments.js';
import {selectedMarks} from '../selection/selected.js';
import {momentLines} from './moments.js';
import {initializerLabel} from './phases.js';
import {hideTooltip, showTooltip} from '../shared/tooltip.js';
import {FRAME_HEIGHT, frameLines} from './stacktrack.js';
import {TrackPicture} from './trackpicture.js';
import {LANE_HEIGHT} from './trackrows.js';
import {View, spanOf} from './view.js';
import {initializerName, objectName} from '../data/words.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 * @typedef {import('./fileplot.js').FilePlot} FilePlot
 * @typedef {import('./trackrows.js').Track} Track
 */

/** How far from the edges a fault is in sight, in pixels. */
const IN_SIGHT = 12;

class Tracks extends TrackPicture {
	/** @param {Data} data @param {Store} store @param {HTMLElement} element @param {View} view */
	constructor(data, store, element, view) {
		super(data, store, element, view);
		/** Files that were opened beside the chosen one. @type {Set<number>} */
		this.opened = new Set();
		/** Whether the chosen one was closed. */
		this.isClosed = false;
		store.listen((changed) => {
			if (changed.has('object'))
				this.isClosed = false;
			if (changed.has('fault'))
				requestAnimationFrame(() => this.reveal());
		});
	}

	/** @param {number} object */
	isFileOpen(object) {
		return object === this.store.choice.object ? !this.isClosed : this.opened.has(object);
	}

	/** @param {string} fold */
	toggle(fold) {
		const object = fold.startsWith('file ') ? Number(fold.slice(5)) : null;
		if (object === null) {
			if (!this.folds.delete(fold))
				this.folds.add(fold);
		} else if (object === this.store.choice.object) {
			this.isClosed = !this.isClosed;
		} else if (!this.opened.delete(object)) {
			// The one that was chosen stays as it is.
			if (!this.isClosed)
				this.opened.add(this.store.choice.object);
			this.store.set({object, place: null});
		}
		this.ask();
	}

	/** How many faults that filters leave are in the time shown. */
	countShown() {
		const {data, choosing} = this;
		const [first, end] = this.timeShown();
		let sum = 0;
		const stop = firstFrom(data.time, end);
		if (!choosing)
			return 0;
		for (let i = firstFrom(data.time, first); i < stop; i++)
			if (choosing.marks[i])
				sum += data.weight(i);
		return sum;
	}

	/** Say in words what the picture shows. */
	describe() {
		const {data, store, fileFaults} = this;
		const [first, end] = this.view.timeShown();
		const shown = nounText(this.countShown(), 'fault');
		const [zero] = spanOf(data);
		this.canvas.setAttribute('aria-label', `What ${this.lanes.length === 1 ? 'one process' : `${this.lanes.length} processes`} did, and the page faults of ${nounText(fileFaults.length, 'file')} by time. `
			+ `From ${timeText(first - zero)} to ${timeText(end - zero)}, ${shown} shown. ${this.gapsText()}`
			+ `Most: ${fileFaults.slice(0, 3).map(({object, ownNs, faults}) => `${shortName(objectName(data, object))} ${
				data.isByTime ? timeText(ownNs) : nounText(faults, 'fault')}`).join(', ')}. The tables below have the same numbers.`);
		const {place: range} = store.choice;
		const place = range ? `, ${sizeText((range[1] - range[0]) * data.header.page_size)} of the file` : '';
		this.hint.textContent = `${shown} in ${timeText(end - first)}${place}. ${this.gapsText()}`
			+ (matchMedia('(pointer: coarse)').matches
				? 'Drag to move through time, two fingers zoom; tap a mark for its details, a section’s name to filter.'
				: 'Drag to zoom, wheel zooms time, Shift+wheel the file; click a mark for its details, a section’s name to filter.')
			+ (data.columns.read_entry.length ? ' Green areas: pages read from storage.' : '');
	}

	/** @param {number} y of the canvas */
	trackAt(y) {
		return this.tracks.find((track) => y >= track.y && y < track.y + track.height);
	}

	/** @param {number} y @returns {FilePlot | null} */
	fileAt(y) {
		const track = this.trackAt(y);
		return track?.kind === 'file' && track.isOpen ? this.files.get(track.file.object) ?? null : null;
	}

	/** @returns {FilePlot | null} */
	chosenFile() {
		const {object} = this.store.choice;
		return this.isFileOpen(object) ? this.files.get(object) ?? null : null;
	}

	/** @param {FilePlot} file */
	choose({object}) {
		if (object === this.store.choice.object)
			return;
		this.opened.add(this.store.choice.object);
		this.view.length = this.axisOf(object).length;
		this.store.set({object, place: null});
	}

	/** @param {number} x @param {number} y */
	partAt(x, y) {
		const {plot} = this;
		if (x >= plot.x && x <= plot.x + plot.width)
			return y <= plot.y + plot.height ? 'plot' : '';
		return this.fileAt(y)?.partAt(x, y) ?? '';
	}

	/** What a lane shows at (@x, @y), or next to it: a fault, behind all of them a moment; of waits an index; -1: nothing. @param {Track | undefined} track @param {number} x @param {number} pixels how far it may be */
	answerAt(track, x, pixels) {
		const cells = track && this.cells.get(track);
		if (!cells || x < this.plot.x)
			return -1;
		const ratio = cells.columns / Math.floor(this.plot.width);
		const column = Math.floor((x - this.plot.x) * ratio);
		for (let far = 0; far <= pixels * ratio; far++)
			for (const at of [column - far, column + far]) {
				const answer = cells.answerAt(at);
				if (answer >= 0)
					return answer;
			}
		return -1;
	}

	/** The wait of a file at (@x, @y); null: none. @param {Track | undefined} track @param {number} x @param {number} pixels */
	waitAt(track, x, pixels) {
		return track?.kind === 'waits' ? track.file.waits[this.answerAt(track, x, pixels)] ?? null : null;
	}

	/** The fault of @track next to @x; -1: none. @param {Track | undefined} track @param {number} x @param {number} pixels */
	faultAt(track, x, pixels) {
		const answer = track?.kind === 'waits' ? this.waitAt(track, x, pixels)?.entry ?? -1 : this.answerAt(track, x, pixels);
		return answer < this.data.count ? answer : -1;
	}

	/** @param {number} x @param {number} y @returns {string[]} */
	linesAt(x, y) {
		const {data} = this;
		const file = this.fileAt(y);
		const track = this.trackAt(y);
		if (file)
			return file.linesAt(x, y);
		const node = track && this.frames.get(track)?.[Math.floor((y - track.y - LANE_HEIGHT) / FRAME_HEIGHT)]?.[Math.floor(x - this.plot.x)];
		if (node)
			return frameLines(data, node);
		const fault = this.faultAt(track, x, 3);
		if (fault >= 0)
			return faultLines(data, fault);
		const zero = spanOf(data)[0];
		const wait = this.waitAt(track, x, 3);
		if (wait)
			return [`${data.header.words.initiator[wait.initiator]}: waiting for storage`, `${sizeText(wait.bytes)} read${wait.section ? ` of ${wait.section}` : ''}`,
				`${timeText(wait.own * data.unitNs)} at ${timeText(wait.first * data.unitNs - zero)}`];
		const answer = this.answerAt(track, x, 3);
		return answer >= data.count ? momentLines(data, answer - data.count, zero) : this.spanLines(track, x);
	}

	/** The phase, or the runs of initializers, at @x; of other tracks their whole names. @param {Track | undefined} track @param {number} x @returns {string[]} */
	spanLines(track, x) {
		const {data, plot} = this;
		if (x < plot.x)
			return track?.kind === 'waits' ? [track.file.name] : track?.kind === 'thread' ? [`${track.thread.name} ${track.thread.tid}`] : [];
		const [first, end] = this.timeShown();
		const time = this.scale.timeAt(x - plot.x) / data.unitNs;
		const slack = 2 / plot.width * (end - first);
		const isNear = (/** @type {{first: number, end: number}} */ span) => time >= span.first - slack && time < span.end + slack;
		const when = (/** @type {{first: number, end: number}} */ span) =>
			`${timeText((span.end - span.first) * data.unitNs)} from ${timeText(span.first * data.unitNs - spanOf(data)[0])}`;
		if (track?.kind === 'phases')
			return track.lanes.phases.filter(isNear).slice(-1).map((span) => `${span.name}: ${when(span)}`);
		if (track?.kind !== 'initializers')
			return [];
		const near = track.lanes.runs.filter((run) => run.depth === track.depth && isNear(run)).sort((a, b) => b.end - b.first - (a.end - a.first));
		return near.slice(0, 1).flatMap((run) => [shortName(initializerName(data, run.initializer)), initializerLabel(data, run.initializer),
			`${when(run)}${run.bytes > 0 ? `, ${sizeText(run.bytes)} read` : ''}`, near.length > 1 ? `longest of ${near.length} here` : ''].filter(Boolean));
	}

	/** @param {number} x @param {number} y of the canvas @param {PointerEvent} event */
	point(x, y, event) {
		this.canvas.style.cursor = this.fileAt(y)?.cursorAt(x, y) ?? (x >= this.plot.x ? 'crosshair' : 'default');
		const lines = this.linesAt(x, y);
		if (lines.length > 0)
			showTooltip(lines, event.clientX, event.clientY);
		else
			hideTooltip();
	}

	/** @param {number} x @param {number} y of the canvas @param {boolean} isTouch */
	click(x, y, isTouch) {
		const file = this.fileAt(y);
		const track = this.trackAt(y);
		if (file) {
			file.click(x, y, isTouch);
		} else if (track?.kind === 'waits' && x < this.plot.x) {
			if (track.file.object >= 0)
				this.store.set({object: track.file.object, place: null});
		} else if (x >= this.plot.x) {
			const fault = this.faultAt(track, x, isTouch ? 20 : 4);
			this.store.set({fault: fault < 0 ? null : fault});
		}
	}

	/** Scroll to the chosen fault, if it is not in sight. */
	reveal() {
		const scroller = this.canvas.closest('#tracks');
		this.settle();
		const {fault} = this.store.choice;
		const spot = fault === null ? null : this.spotOf(fault);
		if (!scroller || !spot)
			return;
		const {top, bottom, height} = scroller.getBoundingClientRect();
		const y = this.canvas.getBoundingClientRect().top + spot.y;
		if (y < top + IN_SIGHT || y > bottom - IN_SIGHT)
			scroller.scrollTop += y - top - height / 2;
	}

	/** Show the time of the chosen fault, or of all that filters leave, a tenth of it around. */
	zoomToSelection() {
		const {data, store, view} = this;
		const {columns: {duration, moment_time: at = [], moment_length: lengths}, time, unitNs} = data;
		let [first, end] = [Infinity, -Infinity];
		const take = (/** @type {number} */ from, /** @type {number} */ to) => {
			first = Math.min(first, from);
			end = Math.max(end, to);
		};
		const nsOf = durationTable();
		const {fault} = store.choice;
		const marks = selectedMarks(data, store);
		for (let i = fault ?? 0; i < (fault === null ? data.count : fault + 1); i++)
			if (marks[i] || i === fault)
				take(time[i] * unitNs, time[i] * unitNs + nsOf[duration[i]]);
		if (fault === null)
			momentMarks(data, store.choice).forEach((mark, m) => mark ? take(at[m] * unitNs, (at[m] + lengths[m]) * unitNs) : undefined);
		if (first < end)
			view.setTime(first - (end - first) / 10, end + (end - first) / 10);
	}

	/** In its open file, or else in a lane that shows it. @param {number} i */
	spotOf(i) {
		const {data} = this;
		if (i >= data.count)
			return null;
		const object = data.of(i, 'object');
		if (this.isFileOpen(object))
			return this.files.get(object)?.spotOf(i) ?? null;
		const {pid} = data.header.threads[data.of(i, 'thread')];
		const shows = (/** @type {Track} */ track) => track.kind === 'file' ? track.file.object === object
			: track.kind === 'process' && track.lanes.process.pid === pid;
		const track = this.tracks.findLast(shows);
		const x = this.xOfTime(data.time[i] + 0.5);
		return track && x >= this.plot.x && x <= this.plot.x + this.plot.width ? {x, y: track.y + track.height / 2} : null;
	}
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeTimeline(data, store, element) {
	/** @type {import('./timescale.js').Gap[]} */
	const cuts = data.header.cuts.map((/** @type {[number, number, string]} */ [first, end]) => [first, end]);
	let areCut = true;
	const tracks = new Tracks(data, store, element, new View(store, () => spanOf(data), () => areCut ? cuts : [])).start();
	element.querySelector('h2')?.after(tracks.view.makeTools());
	listenForKeys(() => tracks.view, store, () => tracks, [tracks], {'c': () => {
		areCut = !areCut;
		tracks.ask();
	}, 'z': () => tracks.zoomToSelection()});
}
