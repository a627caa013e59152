// SPDX-License-Identifier: Apache-2.0
// What stands above the timeline: what a program was busy with, and when initializers ran.

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {{name: string, first: number, end: number}} Span times in units of the trace
 * @typedef {{object: number, first: number, end: number}} InitializerRun likewise
 */

/** @param {Data} data @param {{phases: [number, number, number][]} | undefined} program @returns {Span[]} */
function spansOf({header, unitNs}, program) {
	return program ? program.phases.map(([phase, first, end]) => ({name: header.words.phase[phase], first: first / unitNs, end: end / unitNs})) : [];
}

/** The phases of the program that faults most in @object (derive/phases.h). @param {Data} data @param {number} object */
export function phasesOf(data, object) {
	const {objects, programs} = data.header;
	return spansOf(data, programs[objects[object]?.programs?.[0]]);
}

/** The phases of process @pid. @param {Data} data @param {number} pid */
export function phasesOfProcess(data, pid) {
	return spansOf(data, data.header.programs.find((/** @type {{pid: number}} */ program) => program.pid === pid));
}

/**
 * Every run of the initializers of an object, of process @pid if one is given (derive/initspans.h), in the order of time.
 * @param {Data} data @param {number | null} pid
 * @returns {InitializerRun[]}
 */
export function initializerSpans(data, pid) {
	return data.header.initializer_runs.filter((/** @type {number[]} */ run) => pid === null || run[1] === pid)
		.map((/** @type {number[]} */ [object, , first, end]) =>
			({object, first: first / data.unitNs, end: end / data.unitNs}));
}
