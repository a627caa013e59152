// SPDX-License-Identifier: Apache-2.0
// What a process was busy with, one thing after the other, as its faults show it: as derive/phases.c.

/** @typedef {import('./data.js').Data} Data */

/** @typedef {{name: string, first: number, end: number}} Span times in units of the trace */

/**
 * The program that each entry is of. A process may run several, one after the other: a fault of exec
 * after others begins the next.
 * @param {Data} data
 */
function programsOf(data) {
	const {combination_initiator: initiators, combination_thread: threads} = data.columns;
	const exec = data.header.words.initiator.indexOf('exec');
	/** @type {Map<number, number>} */
	const processes = new Map();
	const processOf = Uint32Array.from(threads, (thread) => {
		const {pid} = data.header.threads[thread];
		const index = processes.get(pid) ?? processes.size;
		processes.set(pid, index);
		return index;
	});
	const current = Int32Array.from({length: processes.size}, (_, index) => index);
	const isInExec = new Uint8Array(processes.size);
	const programs = new Int32Array(data.count);
	let next = processes.size;
	for (let i = 0; i < data.count; i++) {
		const c = data.combination[i];
		const process = processOf[c];
		const isExec = Number(initiators[c] === exec);
		if (isExec > isInExec[process])
			current[process] = next++;
		isInExec[process] = isExec;
		programs[i] = current[process];
	}
	return programs;
}

/** The program, of process @pid if one is given, that faults most in @object; -1: none. @param {Data} data @param {Int32Array} programs @param {number} object @param {number | null} pid */
function busiestProgram(data, programs, object, pid) {
	const {combination_object: objects, combination_thread: threads} = data.columns;
	const isCounted = Uint8Array.from(objects, (each, c) => Number(each === object
		&& (pid === null || data.header.threads[threads[c]].pid === pid)));
	/** @type {Map<number, number>} */
	const counts = new Map();
	let busiest = -1;
	for (let i = 0; i < data.count; i++) {
		if (!isCounted[data.combination[i]])
			continue;
		const count = (counts.get(programs[i]) || 0) + data.weight(i);
		counts.set(programs[i], count);
		if (count > (counts.get(busiest) || 0))
			busiest = programs[i];
	}
	return busiest;
}

/**
 * The phases of the program that faults most in @object, of process @pid if one is given. They follow each other, so
 * the borders are put where the fewest faults contradict them. None where nothing tells phases apart.
 * @param {Data} data @param {number} object @param {number | null} pid
 * @returns {Span[]}
 */
export function findPhases(data, object, pid) {
	const programs = programsOf(data);
	const program = busiestProgram(data, programs, object, pid);
	/** @type {{names: string[], by_initiator: (number | null)[]}} */
	const {names, by_initiator: byInitiator} = data.header.phases;
	const phaseOf = Int8Array.from(data.columns.combination_initiator, (initiator) => byInitiator[initiator] ?? -1);
	const steps = new Uint8Array(data.count * names.length);
	const costs = names.map(() => 0);
	let last = -1;
	for (let i = 0; i < data.count; i++) {
		const phase = phaseOf[data.combination[i]];
		if (phase < 0 || programs[i] !== program)
			continue;
		last = i;
		// Backwards, since each cost rests on those of earlier phases.
		for (let to = names.length - 1; to >= 0; to--) {
			let best = 0;
			for (let from = 1; from <= to; from++)
				if (costs[from] <= costs[best])
					best = from;
			steps[i * names.length + to] = best;
			costs[to] = costs[best] + Number(to !== phase);
		}
	}
	/** @type {Span[]} */
	const spans = [];
	let phase = costs.indexOf(Math.min(...costs));
	let end = last < 0 ? 0 : data.time[last];
	for (let i = last; i >= 0; i--) {
		if (phaseOf[data.combination[i]] < 0 || programs[i] !== program)
			continue;
		if (spans.length === 0 || spans[0].name !== names[phase])
			spans.unshift({name: names[phase], first: data.time[i], end});
		spans[0].first = data.time[i];
		const before = steps[i * names.length + phase];
		if (before !== phase)
			end = data.time[i];
		phase = before;
	}
	return spans.length > 1 ? spans : [];
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
