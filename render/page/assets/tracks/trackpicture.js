// SPDX-License-Identifier: Apache-2.0
// Draws the tracks of a report: processes with what each was busy with, and below them files, all on one axis of time.
import {fileAxis} from './fileaxis.js';
import {Board} from './board.js';
import {drawBreaks, drawTimeAxis, drawTimeLines} from './boardparts.js';
import {momentMarks} from '../selection/moments.js';
import {METRIC_TEXTS, amountsOf, numberedPages} from '../selection/sums.js';
import {make} from '../shared/dom.js';
import {FilePlot} from './fileplot.js';
import {fitText} from './fittext.js';
import {sizeText, timeText} from '../shared/format.js';
import {drawFaultLane, drawSpanLane, drawThread, drawWaits} from './lanes.js';
import {makeScheme} from '../shared/palette.js';
import {initializerLabel, phasesOfProcess, runsOf} from './phases.js';
import {Overview} from './overview.js';
import {criticalSteps, filesOf, processesOf, waitsOf} from './processes.js';
import {SELECTING, selectedMarks} from '../selection/selected.js';
import {token} from '../shared/theme.js';
import {HEAD_HEIGHT, LANE_HEIGHT, heightOf, makeTracks} from './trackrows.js';
import {FRAME_HEIGHT, depthOf, drawStacks} from './stacktrack.js';
import {TrackHeads} from './trackheads.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 * @typedef {import('./fileaxis.js').Axis} Axis
 * @typedef {import('./trackrows.js').Track} Track
 * @typedef {import('./trackrows.js').FileTrack} FileTrack
 * @typedef {import('./lanecells.js').LaneCells} LaneCells
 */

const AXIS_HEIGHT = 20;
/** Of the first of two sums. */
const SUM_WIDTH = 50;
/** From this width on there is room for names and sums beside the tracks. */
const WIDE = 600;

/** "7.5 MiB": as exact as there is room for beside a track. @param {number} bytes */
function shortSize(bytes) {
	if (bytes === 0)
		return '0 B';
	const unit = 2 ** Math.min(Math.max(Math.floor(Math.log2(bytes) / 10), 0) * 10, 40);
	return sizeText(bytes / unit >= 100 ? Math.round(bytes / unit) * unit : bytes);
}

export class TrackPicture extends Board {
	/** @param {Data} data @param {Store} store @param {HTMLElement} element @param {import('./view.js').View} view */
	constructor(data, store, element, view) {
		super(data, store, element, view);
		const processes = processesOf(data);
		this.overview = new Overview(this, criticalSteps(data, processes));
		this.frame.before(this.overview.element);
		this.heads = new TrackHeads(data, (fold) => this.toggle(fold));
		this.frame.append(this.heads.element);
		this.hint = make('p', {class: 'muted hint'});
		element.append(this.hint);
		this.lanes = processes.map((process) => ({process, phases: phasesOfProcess(data, process),
			runs: runsOf(data, process), waits: waitsOf(data, process), hasStacks: data.columns.node_parent.some((/** @type {number} */ parent) => parent > 0),
			stackHeight: () => depthOf(data, process.threads[0]) * FRAME_HEIGHT}));
		this.fileFaults = filesOf(data);
		/** @type {import('./lanes.js').Choosing | null} */
		this.choosing = null;
		/** Room for sums. */
		this.right = 0;
		/** What is opened or closed against its beginning. @type {Set<string>} */
		this.folds = new Set();
		/** @type {Track[]} */
		this.tracks = [];
		/** What answers for the columns of each lane. @type {Map<Track, LaneCells>} */
		this.cells = new Map();
		/** By metric and object. @type {Map<string, number>} */
		this.fileAmounts = new Map();
		/** The frames of stacks that are open. @type {Map<Track, Int32Array[]>} */
		this.frames = new Map();
		/** Those that are open, by object. @type {Map<number, FilePlot>} */
		this.files = new Map();
		/** @type {Map<number, Axis>} */
		this.axes = new Map();
	}

	start() {
		this.startOn([...SELECTING, 'object', 'color', 'time', 'place', 'metric']);
		return this;
	}

	/** @param {string} _fold */
	toggle(_fold) {}

	describe() {}

	/** @param {number} object */
	isFileOpen(object) {
		return object === this.store.choice.object;
	}

	/** Sizes in pixels of the page. */
	measure() {
		const width = Math.max(this.frame.clientWidth, 280);
		const isWide = width >= WIDE;
		const gutter = isWide ? 150 : 84;
		this.right = isWide ? 112 : 0;
		const room = Math.round(Math.min(Math.max(innerHeight * 0.72, 430), 760)) - AXIS_HEIGHT;
		this.tracks = makeTracks(this.lanes, this.fileFaults, (object) => this.isFileOpen(object), this.folds, room)
			.map((track) => ({...track, y: track.y + AXIS_HEIGHT}));
		const height = heightOf(this.tracks) + 4;
		this.plot = {x: gutter, y: AXIS_HEIGHT, width: width - gutter - this.right - 4, height: height - AXIS_HEIGHT - 4};
		return {width, height};
	}

	draw() {
		const {data, store, view} = this;
		const {width, height} = this.measure();
		view.length = this.axisOf(store.choice.object).length;
		const context = this.contextOf(this.canvas, width, height);
		this.makeScale();
		this.choosing = {scheme: makeScheme(data, store.choice.color), marks: selectedMarks(data, store), moments: momentMarks(data, store.choice),
			isAll: Object.keys(store.choice.filter).length === 0 && !store.choice.search};
		this.cells.clear();
		this.frames.clear();
		drawTimeAxis(this, context, AXIS_HEIGHT / 2);
		for (const track of this.tracks)
			this.drawTrack(context, track);
		drawBreaks(this, context);
		const [lanes] = this.lanes;
		if (lanes)
			drawTimeLines(this, context, lanes.phases.slice(1).map(({first}) => ({time: first, name: ''})));
		drawTimeLines(this, context, data.header.marks.map((/** @type {{name: string, time_ns: number}} */ {name, time_ns: time}) => ({time: time / data.unitNs, name})));
		this.overview.draw(width);
		this.heads.show(this.tracks, this.folds, this.plot.x);
		this.describe();
		this.drawOverlay(null);
	}

	/** @param {number} object */
	axisOf(object) {
		let axis = this.axes.get(object);
		if (!axis)
			this.axes.set(object, axis = fileAxis(this.data, object, true));
		return axis;
	}

	/** What entries amount to by the metric; of pages each counts once, with the first that is asked for. @returns {(i: number) => number} */
	amounts() {
		const {data, store: {choice: {metric}}} = this;
		if (metric !== 'pages')
			return amountsOf(data, metric);
		const {numbers, distinct} = numberedPages(data);
		const seen = new Uint8Array(distinct);
		return (i) => {
			const isNew = 1 - seen[numbers[i]];
			seen[numbers[i]] = 1;
			return isNew;
		};
	}

	/** An amount of the metric, beside a track. @param {number} amount */
	amountText(amount) {
		const {metric} = this.store.choice;
		return metric === 'bytes' ? shortSize(amount) : METRIC_TEXTS[metric].text(amount);
	}

	/** What a file amounts to in all. @param {import('./processes.js').FileFaults} file */
	amountOfFile({object, entries}) {
		const key = `${this.store.choice.metric} ${object}`;
		let sum = this.fileAmounts.get(key);
		if (sum === undefined) {
			const amountOf = this.amounts();
			sum = 0;
			for (const i of entries)
				sum += amountOf(i);
			this.fileAmounts.set(key, sum);
		}
		return sum;
	}

	/** @param {CanvasRenderingContext2D} context @param {Track} track */
	drawTrack(context, track) {
		const {data, choosing, cells} = this;
		if (!choosing)
			return;
		const {y, height} = track;
		const lane = {y: y + 1, height: Math.min(height, HEAD_HEIGHT) - 3};
		switch (track.kind) {
		case 'process': {
			const {threads: [first], ownNs, lateNs} = track.lanes.process;
			cells.set(track, drawThread(this, context, lane, first, choosing));
			this.label(context, '', [timeText(ownNs), lateNs > 0 ? `+${timeText(lateNs)}` : ''], track);
			break;
		}
		case 'thread':
			cells.set(track, drawThread(this, context, lane, track.thread, choosing));
			this.label(context, `${track.thread.name} ${track.thread.tid}`, [], track);
			break;
		case 'phases':
			drawSpanLane(this, context, track.lanes.phases.map(({name, first, end}) =>
				({first, end, labels: [`${name} ${timeText((end - first) * data.unitNs)}`, name]})), y, height);
			this.label(context, 'phases', [], track);
			break;
		case 'initializers':
			drawSpanLane(this, context, track.lanes.runs.filter(({depth}) => depth === track.depth)
				.map(({initializer, first, end}) => ({first, end, labels: [initializerLabel(data, initializer)]})), y, height);
			this.label(context, track.depth === 0 ? 'initializers' : '', [], track);
			break;
		case 'stacks':
			if (track.isOpen) {
				const stacks = drawStacks(this, context, {y: y + LANE_HEIGHT, height: height - LANE_HEIGHT}, track.lanes.process.threads[0]);
				cells.set(track, stacks.cells);
				this.frames.set(track, stacks.nodes);
			}
			break;
		case 'waits':
			cells.set(track, drawWaits(this, context, lane, track.file.waits, choosing));
			this.label(context, track.file.name, [timeText(track.file.ownNs), track.file.bytes > 0 ? shortSize(track.file.bytes) : ''], track);
			break;
		case 'file':
			if (track.isOpen)
				this.drawFile(context, track);
			else
				cells.set(track, drawFaultLane(this, context, lane, track.file.entries, choosing));
			this.label(context, '', [this.amountText(this.amountOfFile(track.file))], {...track, height: Math.min(height, HEAD_HEIGHT)});
			break;
		default:
			break;
		}
	}

	/** A name before a track, and sums behind it. @param {CanvasRenderingContext2D} context @param {string} name @param {string[]} sums @param {{y: number, height: number}} track */
	label(context, name, [first, second], {y, height}) {
		const {plot} = this;
		const middle = y + height / 2;
		context.textAlign = 'right';
		context.fillStyle = token('soft');
		context.fillText(fitText(context, name, plot.x - 8), plot.x - 6, middle);
		if (this.right === 0)
			return;
		context.fillText(second ?? '', plot.x + plot.width + this.right, middle);
		context.fillStyle = token('ink');
		context.fillText(first ?? '', plot.x + plot.width + SUM_WIDTH, middle);
	}

	/** @param {CanvasRenderingContext2D} context @param {FileTrack} track */
	drawFile(context, {file: {object}, y, height}) {
		const {store, choosing, plot} = this;
		if (!choosing)
			return;
		const {scheme, marks} = choosing;
		let file = this.files.get(object);
		if (!file)
			this.files.set(object, file = new FilePlot(this, object));
		const box = {x: plot.x, y: y + HEAD_HEIGHT, width: plot.width, height: height - HEAD_HEIGHT};
		const axis = this.axisOf(object);
		const hasStrip = this.right > 0 && axis.length > 0;
		const left = hasStrip ? 40 : 0;
		file.place(axis, {plot: box, labels: {...box, x: left, width: plot.x - left}, strip: {...box, x: 2, width: hasStrip ? 16 : 0},
			sums: {...box, x: plot.x + plot.width, width: this.right && SUM_WIDTH}});
		file.draw(context, {place: object === store.choice.object ? store.choice.place : null, scheme, marks, isStressed: false,
			absent: '', emptyParts: () => [], sumText: (amount) => this.amountText(amount), amountOf: this.amounts()});
	}
}
