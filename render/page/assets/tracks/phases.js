// SPDX-License-Identifier: Apache-2.0
// Spans of time that have names: what a program was busy with, and runs of initializers.
import {NAMELESS} from '../data/words.js';

/** @param {Data} data @param {{phases: [number, number, number][]} | undefined} program @returns {Span[]} */
function spansOf({header, unitNs}, program) {
	return program ? program.phases.map(([phase, first, end]) => ({name: header.words.phase[phase], first: first / unitNs, end: end / unitNs})) : [];
}

/** The phases of @process. @param {Data} data @param {Pick<Process, 'pid' | 'first' | 'end'>} process */
export function phasesOfProcess(data, {pid, first, end}) {
	return spansOf(data, data.header.programs.find((/** @type {{pid: number}} */ program) => program.pid === pid))
		.filter((phase) => phase.first < end && phase.end > first);
}

/** What an initializer is called: by its source, or its function. @param {Data} data @param {number} initializer */
export function initializerLabel(data, initializer) {
	const {source, function: name} = data.header.initializers[initializer];
	return source ? `globals of ${source.slice(source.lastIndexOf('/') + 1)}` : name || NAMELESS;
}

/** Every run of one initializer in @process, in the order of time; those of dlopen within another lie deeper. @param {Data} data @param {Process} process @returns {Run[]} */
export function runsOf(data, {index, pid}) {
	const {columns, header: {threads}} = data;
	const {run_initializer: initializers = [], run_thread: thread, run_time: at, run_length: lengths, run_depth: depths, run_read: read} = columns;
	/** @type {Run[]} */
	const runs = [];
	for (let run = 0; run < initializers.length; run++) {
		const row = threads[thread[run]];
		if (row.process === null ? row.pid === pid : row.process === index)
			runs.push({initializer: initializers[run], first: at[run], end: at[run] + lengths[run], depth: depths[run], bytes: read[run]});
	}
	return runs;
}
