// SPDX-License-Identifier: Apache-2.0
// What stands above the timeline: what a program was busy with, and when initializers ran.

/**
 * @typedef {import('./data.js').Data} Data
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
 * When the initializers of each object ran, in the order of time.
 * @param {Data} data
 * @returns {{object: number, first: number, end: number, faults: number}[]} times in units of the trace
 */
export function initializerSpans(data) {
	/** @type {Map<number, {object: number, first: number, end: number, faults: number}>} */
	const spans = new Map();
	for (const row of data.header.initializers) {
		if (row.first_ns === null)
			continue;
		const first = row.first_ns / data.unitNs;
		const end = row.last_ns / data.unitNs;
		const span = spans.get(row.object);
		if (!span) {
			spans.set(row.object, {object: row.object, first, end, faults: row.faults});
			continue;
		}
		span.first = Math.min(span.first, first);
		span.end = Math.max(span.end, end);
		span.faults += row.faults;
	}
	return [...spans.values()].sort((a, b) => a.first - b.first);
}
