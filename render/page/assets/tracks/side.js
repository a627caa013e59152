// SPDX-License-Identifier: Apache-2.0
// One recording on the tracks: a report has one, a comparison has two, before above after. It has the scale on which its times
// are drawn, what is chosen of it, and what its lanes show.
import {madeOf} from '../data/once.js';
import {momentMarks} from '../selection/moments.js';
import {selectedMarks} from '../selection/selected.js';
import {amountsOf, numberedPages} from '../selection/sums.js';
import {FilePlot} from './fileplot.js';
import {phasesOfProcess, runsOf, filesOf, processesOf, waitsOf} from './processes.js';
import {FRAME_HEIGHT, depthOf} from './stacktrack.js';
import {TimeScale} from './timescale.js';

export class Side {
	constructor(/** @type {TrackPicture} */ tracks, /** @type {number} */ index) {
		const {recordings, store} = tracks;
		this.tracks = tracks;
		this.index = index;
		this.name = recordings.names[index];
		this.data = recordings.sides[index];
		this.store = store.sides[index];
		const {data} = this;
		this.processes = processesOf(data);
		const hasStacks = data.columns.node_parent.some((/** @type {number} */ parent) => parent > 0);
		this.lanes = this.processes.map((process) => ({process, phases: phasesOfProcess(data, process), runs: runsOf(data, process),
			waits: waitsOf(data, process), hasStacks, stackHeight: () => depthOf(data, process.threads[0]) * FRAME_HEIGHT}));
		this.fileFaults = filesOf(data);
		this.scale = new TimeScale(0, 1, 1, []);
		/** @type {Choosing | null} */
		this.choosing = null;
		/** What filters leave, and that with what stands out. @type {{of: Uint8Array, marks: Uint8Array} | null} */
		this.stressed = null;
		/** Pictures of files that are open, by the page's number of the file. @type {Map<number, FilePlot>} */
		this.files = new Map();
		/** By metric and object. @type {Map<string, number>} */
		this.fileAmounts = new Map();
	}

	get plot() {
		return this.tracks.plot;
	}

	/** Take over what time is shown, and what is chosen. */
	prepare() {
		const {tracks: {view, plot}, data, store} = this;
		const gaps = view.gaps().map(([first, end]) => /** @type {[number, number]} */ ([store.ownTime(first), store.ownTime(end)]));
		this.scale = view.scaleOf(plot.width, (time) => store.ownTime(time), gaps);
		const {filter, search} = store.choice;
		const marks = selectedMarks(data, store.choice);
		const alone = store.aloneMarks();
		if (alone && this.stressed?.of !== marks)
			this.stressed = {of: marks, marks: marks.map((mark, i) => mark + (mark & alone[i]))};
		this.choosing = {marks: alone && this.stressed ? this.stressed.marks : marks, moments: momentMarks(data, store.choice),
			isAll: Object.keys(filter).length === 0 && !search, isStressed: alone !== null};
	}

	/** The time that is shown, in units of the trace. @returns {[number, number]} */
	timeShown() {
		return [this.scale.first / this.data.unitNs, this.scale.end / this.data.unitNs];
	}

	/** @param {number} time in units of the trace */
	xOfTime(time) {
		return this.plot.x + this.scale.place(time * this.data.unitNs);
	}

	/** @param {number} object of the page @returns {FilePlot} */
	fileOf(object) {
		return madeOf(this.files, object, () => new FilePlot(this, object));
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

	/** What a file amounts to in all. @param {FileFaults} file */
	amountOfFile({object, entries}) {
		return madeOf(this.fileAmounts, `${this.store.choice.metric} ${object}`, () => {
			const amountOf = this.amounts();
			return entries.reduce((sum, i) => sum + amountOf(i), 0);
		});
	}
}
