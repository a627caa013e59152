// SPDX-License-Identifier: Apache-2.0
// What stands above the timeline: what a program was busy with, and when initializers ran.

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {{name: string, first: number, end: number}} Span times in units of the trace
 */

/**
 * The phases of the program that faults most in @object, of process @pid if one is given (derive/phases.h).
 * @param {Data} data @param {number} object @param {number | null} pid
 * @returns {Span[]}
 */
export function phasesOf({header, unitNs}, object, pid) {
	/** @type {number[]} */
	const programs = header.objects[object]?.programs ?? [];
	const program = programs.find((each) => pid === null || header.programs[each].pid === pid);
	return program === undefined ? [] : header.programs[program].phases.map((/** @type {[number, number, number]} */ [phase, first, end]) =>
		({name: header.words.phase[phase], first: first / unitNs, end: end / unitNs}));
}

/**
 * Every run of the initializers of an object, of process @pid if one is given (derive/initspans.h), in the order of time.
 * @param {Data} data @param {number | null} pid
 * @returns {{object: number, first: number, end: number}[]} times in units of the trace
 */
export function initializerSpans(data, pid) {
	return data.header.initializer_runs.filter((/** @type {number[]} */ run) => pid === null || run[1] === pid)
		.map((/** @type {number[]} */ [object, , first, end]) =>
			({object, first: first / data.unitNs, end: end / data.unitNs}));
}
