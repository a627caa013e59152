// SPDX-License-Identifier: Apache-2.0
// Spans of time that have names: what a program was busy with, and runs of initializers.
import {onceOf} from '../data/once.js';
import {NAMELESS, processesOfThreads} from '../data/words.js';

/** The phases of @process: a program that another executed has its pid. @param {Data} data @param {Pick<Process, 'pid' | 'first' | 'end'>} process @returns {Span[]} */
export function phasesOfProcess({header, unitNs}, {pid, first, end}) {
	/** @type {{pid: number, phases: [number, number, number][]}[]} */
	const programs = header.programs;
	return programs.filter((program) => program.pid === pid).flatMap(({phases}) => phases)
		.map(([phase, from, to]) => ({name: header.words.phase[phase], first: from / unitNs, end: to / unitNs}))
		.filter((phase) => phase.first < end && phase.end > first);
}

/** What an initializer is called: by its source, or its function. @param {Data} data @param {number} initializer */
export function initializerLabel(data, initializer) {
	const {source, function: name} = data.header.initializers[initializer];
	return source ? `globals of ${source.slice(source.lastIndexOf('/') + 1)}` : name || NAMELESS;
}

/** Runs by the process that each is of. */
const runsByProcess = onceOf((/** @type {Data} */ data) =>
	Map.groupBy((data.columns.run_thread ?? []).keys(), (run) => processesOfThreads(data)[data.columns.run_thread[run]]));

/** Every run of one initializer in @process, in the order of time; those of dlopen within another lie deeper. @param {Data} data @param {Process} process @returns {Run[]} */
export function runsOf(data, {index}) {
	const {run_initializer: initializers, run_time: at, run_length: lengths, run_depth: depths, run_read: read} = data.columns;
	return (runsByProcess(data).get(index) ?? []).map((run) =>
		({initializer: initializers[run], first: at[run], end: at[run] + lengths[run], depth: depths[run], bytes: read[run]}));
}
