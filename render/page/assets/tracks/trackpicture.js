// SPDX-License-Identifier: Apache-2.0
// Draws the tracks: processes with what each was busy with, and below them files, all on one axis of time. Of two recordings
// every track has two rows.
import {drawBreaks, drawMoments, drawTimeAxis, momentsOf} from './boardparts.js';
import {pairUp} from '../data/recordings.js';
import {make} from '../shared/dom.js';
import {firstFrom} from '../data/search.js';
import {countText, nounText, sizeText, timeText, shortName} from '../shared/format.js';
import {contextOf} from './fittext.js';
import {makeOverview} from './overview.js';
import {Side} from './side.js';
import {TimeScale, busyOf} from './timescale.js';
import {SELECTING, drawOn} from '../selection/selected.js';
import {onTheme, token} from '../shared/theme.js';
import {makeTracks, makeHeads} from './trackrows.js';
import {drawLabel, drawTrack} from './trackpaint.js';

const AXIS_HEIGHT = 20;
/** From this width on there is room for names and sums beside the tracks. */
const WIDE = 600;

/** The processes of the sides that stand for each other: of the same name, in their order; else the busiest of each. @param {ProcessLanes[][]} sides */
function pairProcesses(sides) {
	const names = sides.map((lanes) => new Set(lanes.map(({process: {name}}) => name)));
	const keys = sides.map((lanes, side) => {
		/** @type {Map<string, number>} */
		const seen = new Map();
		return new Map(lanes.map((each, i) => {
			const {name} = each.process;
			seen.set(name, (seen.get(name) ?? 0) + 1);
			const isAlone = sides.length > 1 && !names[1 - side].has(name);
			return [each, sides.length === 1 ? String(each.process.index) : i === 0 && isAlone ? 'busiest' : `${name} ${seen.get(name)}`];
		}));
	});
	return pairUp(sides, (lanes, side) => keys[side].get(lanes) ?? '', ({process}) => process.ownNs);
}

export class TrackPicture {
	/** @param {Recordings} recordings @param {Store} store @param {HTMLElement} element @param {View} view @param {Cut[]} cuts */
	constructor(recordings, store, element, view, cuts) {
		this.view = view;
		this.cuts = cuts;
		this.canvas = make('canvas', {class: 'picture', tabindex: '0', role: 'img'});
		/** Above it what moves without the rest being drawn again. */
		this.overlay = make('canvas', {class: 'overlay', 'aria-hidden': 'true'});
		this.frame = make('div', {class: 'canvas'}, this.canvas, this.overlay);
		element.append(this.frame);
		/** Where time is drawn. @type {Box} */
		this.plot = {x: 0, y: 0, width: 1, height: 1};
		/** Of what is drawn. */
		this.scale = new TimeScale(0, 1, 1, []);
		this.recordings = recordings;
		this.store = store;
		this.sides = recordings.sides.map((_, index) => new Side(this, index));
		this.overview = makeOverview(this);
		this.frame.before(this.overview.element);
		this.heads = makeHeads((object) => recordings.nameOf(object), this.sides.length > 1, (fold) => this.toggle(fold));
		this.frame.append(this.heads.element);
		this.hint = make('p', {class: 'muted hint'});
		element.append(this.hint);
		this.processes = pairProcesses(this.sides.map(({lanes}) => lanes)).map((group) => ({...group, waits: pairUp(
			group.sides.map((lanes) => lanes?.waits ?? []), ({object, name}, side) => object < 0 ? name : recordings.objectOf(side, object), ({ownNs}) => ownNs)}));
		this.fileGroups = pairUp(this.sides.map(({fileFaults}) => fileFaults), ({object}, side) => recordings.objectOf(side, object),
			({ownNs, faults}) => recordings.sides[0].isByTime ? ownNs : faults).map(({key, sides}) => ({object: Number(key), sides}));
		/** Room for sums. */
		this.right = 0;
		/** Files that were opened beside the chosen one. @type {Set<number>} */
		this.opened = new Set();
		/** Whether the chosen one was closed. */
		this.isClosed = false;
		/** What is opened or closed against its beginning. @type {Set<string>} */
		this.folds = new Set();
		/** @type {Track[]} */
		this.tracks = [];
		/** What answers for the columns of each lane. @type {Map<Track, LaneCells>} */
		this.cells = new Map();
		/** The frames of stacks that are open. @type {Map<Track, Int32Array[]>} */
		this.frames = new Map();
		const {ask, settle} = drawOn(store, [...SELECTING, 'object', 'time', 'place', 'metric', 'ownScales', 'stress'], () => this.draw());
		drawOn(store, ['fault'], () => this.drawOverlay(null));
		new ResizeObserver(ask).observe(this.frame);
		onTheme(ask);
		/** Draw soon; and, where things are is known of what is drawn, what a frame is awaited for. */
		this.ask = ask;
		this.settle = settle;
	}

	/** The part of the time shown, but for gaps, that lies left of @x of the canvas. @param {number} x */
	busyPart(x) {
		const [first, end] = this.view.busyShown();
		return (busyOf(this.view.gaps(), this.scale.timeAt(x - this.plot.x)) - first) / (end - first || 1);
	}

	/** Why the gap at @time is left out, in words. @param {number} time in ns */
	gapText(time) {
		const label = this.cuts.find(([first, end]) => time >= first && time < end)?.[2] ?? '';
		return label === 'no faults' ? 'without faults' : label === 'late' ? 'waiting for a processor'
			: label === 'child outside' ? 'waiting for a child outside' : `waiting (${label})`;
	}

	/** What the picture leaves out, in words. */
	gapsText() {
		const {gaps} = this.scale;
		const reasons = [...new Set(gaps.map(([from]) => this.gapText(from)))];
		return gaps.length === 0 ? '' : `${timeText(gaps.reduce((sum, [from, to]) => sum + to - from, 0))} ${reasons.join(', ')} left out. `;
	}

	isFileOpen(/** @type {number} */ object) {
		return object === this.store.choice.object ? !this.isClosed : this.opened.has(object);
	}

	toggle(/** @type {string} */ fold) {
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

	/** Where entry @i of @side is drawn: in its open file, or else in a lane that shows it. @param {Side} side @param {number} i */
	spotOf(side, i) {
		const {data, index, plot} = side;
		if (i >= data.count)
			return null;
		const object = this.recordings.objectOf(index, data.of(i, 'object'));
		if (this.isFileOpen(object))
			return side.fileOf(object).spotOf(i);
		const {pid} = data.header.threads[data.of(i, 'thread')];
		const shows = (/** @type {Track} */ track) => track.side === index && (track.kind === 'file' ? track.files.object === object
			: track.kind === 'process' && track.lanes?.process.pid === pid);
		const track = this.tracks.findLast(shows);
		const x = side.xOfTime(data.time[i] + 0.5);
		return track && x >= plot.x && x <= plot.x + plot.width ? {x, y: track.y + track.height / 2} : null;
	}

	/** How many faults of @side that filters leave are in the time shown, and how many of these stand out. @param {Side} side */
	countShown(side) {
		const {data, choosing} = side;
		const [first, end] = side.timeShown();
		let [shown, alone] = [0, 0];
		const stop = firstFrom(data.time, end);
		const marks = choosing?.marks ?? [];
		for (let i = firstFrom(data.time, first); i < stop; i++) {
			shown += marks[i] ? data.weight(i) : 0;
			alone += marks[i] === 2 ? data.weight(i) : 0;
		}
		return {shown, alone};
	}

	/** Say in words what the picture shows. */
	describe() {
		const {store, view, fileGroups, sides, recordings: {sides: [data]}} = this;
		const [first, end] = view.timeShown();
		const counts = sides.map((side) => this.countShown(side));
		const shown = sides.length === 1 ? nounText(counts[0].shown, 'fault')
			: `${counts.map(({shown: all}) => countText(all)).join(' → ')} faults${sides[0].choosing?.isStressed ? ` (${counts.map(({alone}) => countText(alone)).join(' and ')} of pages touched on one side only)` : ''}`;
		const [zero] = view.span();
		const most = fileGroups.slice(0, 3).map(({object, sides: files}) => `${shortName(this.recordings.nameOf(object))} ${
			files.map((file) => data.isByTime ? timeText(file?.ownNs ?? 0) : nounText(file?.faults ?? 0, 'fault')).join(' → ')}`);
		this.canvas.setAttribute('aria-label', `What ${this.processes.length === 1 ? 'one process' : `${this.processes.length} processes`} did, and the page faults of ${nounText(fileGroups.length, 'file')} by time${sides.length > 1 ? ', before above after' : ''}. `
			+ `From ${timeText(first - zero)} to ${timeText(end - zero)}, ${shown} shown. ${this.gapsText()}`
			+ `Most: ${most.join(', ')}. The tables below have the same numbers.`);
		const {place: range} = store.choice;
		const place = range ? `, ${sizeText((range[1] - range[0]) * data.header.page_size)} of the file` : '';
		this.hint.textContent = `${sides.length > 1 ? 'Each row: before above after. ' : ''}${shown} in ${timeText(end - first)}${place}. ${this.gapsText()}`
			+ (matchMedia('(pointer: coarse)').matches
				? 'Drag to move through time, two fingers zoom; tap a mark for its details, a section’s name to filter.'
				: 'Drag to zoom, wheel zooms time, Shift+wheel the file; click a mark for its details, a section’s name to filter.')
			+ (sides.some((side) => side.data.columns.read_entry.length) ? ' Green areas: pages read from storage.' : '');
	}

	/** Sizes in pixels of the page. */
	measure() {
		const width = Math.max(this.frame.clientWidth, 280);
		const isWide = width >= WIDE;
		const gutter = isWide ? 150 : 84;
		this.right = isWide ? 112 : 0;
		const top = AXIS_HEIGHT * (this.store.choice.ownScales ? this.sides.length : 1);
		const room = Math.round(Math.min(Math.max(innerHeight * 0.72, 430), 760)) - top;
		this.tracks = makeTracks(this.processes, this.fileGroups, (object) => this.isFileOpen(object), this.folds, room)
			.map((track) => ({...track, y: track.y + top}));
		const height = this.tracks.reduce((most, track) => Math.max(most, track.y + track.height), 0) + 4;
		this.plot = {x: gutter, y: top, width: width - gutter - this.right - 4, height: height - top - 4};
		return {width, height};
	}

	draw() {
		const {view, store} = this;
		const {width, height} = this.measure();
		view.length = this.recordings.axisOf(store.choice.object).length;
		this.scale = view.scaleOf(this.plot.width);
		for (const side of this.sides)
			side.prepare();
		this.heads.show(this.tracks, this.plot.x);
		this.paint(contextOf(this.canvas, width, height));
		this.overview.draw(width);
		this.describe();
		this.drawOverlay(null);
	}

	/** Draw what is measured. @param {CanvasRenderingContext2D} context */
	paint(context) {
		const {sides} = this;
		this.cells.clear();
		this.frames.clear();
		const moments = sides.length === 1 ? this.moments(context, sides[0]) : [];
		const drawn = this.store.choice.ownScales ? sides : [this];
		drawn.forEach((each, row) => {
			const y = AXIS_HEIGHT * (row + 0.5);
			drawTimeAxis(each, context, y, moments);
			if (each instanceof Side)
				drawLabel(this, context, each.name, [], {y: AXIS_HEIGHT * row, height: AXIS_HEIGHT});
		});
		for (const track of this.tracks)
			drawTrack(this, context, track);
		drawBreaks(this, context);
		drawMoments(sides[0], context, moments);
	}

	/** When phases began, and marks of the recording that were reached. @param {CanvasRenderingContext2D} context @param {Side} side */
	moments(context, side) {
		const {data: {header, unitNs}, lanes: [first]} = side;
		return momentsOf(side, context, [...(first?.phases ?? []).slice(1).map(({first: time}) => ({time, name: ''})),
			...header.marks.flatMap(({name, time_ns: time}) => time === null ? [] : [{time: time / unitNs, name}])]);
	}

	/** What moves without the faults being drawn again. @param {Box | null} drag */
	drawOverlay(drag) {
		const context = contextOf(this.overlay, Math.max(this.frame.clientWidth, 280), this.canvas.height / (devicePixelRatio || 1));
		context.strokeStyle = context.fillStyle = token('accent');
		context.lineWidth = 2;
		for (const side of this.sides) {
			const {fault} = side.store.choice;
			if (fault === null)
				continue;
			this.drawRing(context, this.spotOf(side, fault), []);
			const other = this.sides[1 - side.index];
			const twin = other ? this.recordings.twinOf(side.index, fault) : -1;
			if (twin >= 0)
				this.drawRing(context, this.spotOf(other, twin), [3, 3]);
		}
		if (drag) {
			context.globalAlpha = 0.18;
			context.fillRect(drag.x, drag.y, drag.width, drag.height);
			context.globalAlpha = 1;
			context.strokeRect(drag.x, drag.y, drag.width, drag.height);
		}
	}

	drawRing(/** @type {CanvasRenderingContext2D} */ context, /** @type {{x: number, y: number} | null} */ spot, /** @type {number[]} */ dash) {
		if (!spot)
			return;
		context.setLineDash(dash);
		context.beginPath();
		context.arc(spot.x, spot.y, 8, 0, 2 * Math.PI);
		context.stroke();
		context.setLineDash([]);
	}
}
