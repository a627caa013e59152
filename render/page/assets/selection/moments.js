// SPDX-License-Identifier: Apache-2.0
// Own time outside faults: what samples of the processor stand for, and waits for storage in calls. What neither has is known
// by process and cause alone.
import {latestOf, onceOf} from '../data/once.js';
import {functionName, functionOfNode, initializerName, threadName} from '../data/words.js';

/**
 * @callback Visit
 * @param {number} moment -1: what is known by process and cause alone
 * @param {number} ns
 * @param {number} cause
 * @param {number} pid
 */

/** In a moment's flags. */
export const SAMPLE = 1;
const LEFT_OUT = 4;

/** States that are own time: running, or waiting for storage. */
export const OWN_STATES = ['cpu', 'fault', 'fault-io', 'file-io'];

/** The function that was running; -1: none is known. @param {Data} data @param {number} moment */
export function functionOfMoment(data, moment) {
	return functionOfNode(data, data.columns.moment_stack[moment]);
}

/** Texts of the words that a moment has; all others are of faults. @param {Data} data @returns {Object<string, (moment: number) => string>} */
function textsOf(data) {
	const {columns, header} = data;
	const {moment_initiator: causes, moment_thread: threads, moment_blame: blamed, moment_initializer: initializers} = columns;
	const named = (/** @type {number} */ index) => index < 0 ? '' : functionName(data, index);
	return {
		initiator: (moment) => header.words.initiator[causes[moment]],
		thread: (moment) => threadName(data, threads[moment]),
		function: (moment) => named(functionOfMoment(data, moment)),
		blame: (moment) => named(blamed[moment] - 1),
		initializer: (moment) => initializers[moment] > 0 ? initializerName(data, initializers[moment] - 1) : '',
	};
}

/** Whether @filter, which may ask for more words than there are @texts of, and @search, in @searched, keep what has them. @param {Object<string, (i: number) => string>} texts @param {Pick<Choice, 'filter' | 'search'>} choice @param {string[]} searched */
export function textsFit(texts, {filter, search}, searched) {
	const wanted = search.toLowerCase();
	const filters = Object.entries(filter);
	return (/** @type {number} */ i) => filters.every(([word, text]) => texts[word]?.(i) === text)
		&& (!search || searched.some((word) => texts[word](i).toLowerCase().includes(wanted)));
}

/** Marks of all moments: 1 where filters, search and process keep it. */
export const momentMarks = latestOf((data, {filter, search, process}) => {
	const {moment_flags: flags = [], moment_thread: threads} = data.columns;
	const fits = textsFit(textsOf(data), {filter, search}, ['function', 'blame', 'initializer']);
	return Uint8Array.from(flags, (flag, m) => Number((flag & LEFT_OUT) === 0
		&& (process === null || data.header.threads[threads[m]].pid === process)
		&& fits(m)));
});

/** What of each process's account neither faults nor moments have, by process and cause. */
const restsOf = onceOf((/** @type {Data} */ data) => {
	const {columns, header, combination} = data;
	/** @type {{cells: [number, number, number][]}[]} */
	const processes = header.processes;
	const causes = header.words.initiator.length;
	const known = new Float64Array(processes.length * causes);
	processes.forEach(({cells}, process) => {
		for (const [state, cause, ns] of cells)
			if (OWN_STATES.includes(header.words.state[state]))
				known[process * causes + cause] += ns;
	});
	const take = (/** @type {number} */ thread, /** @type {number} */ cause, /** @type {number} */ ns) => {
		const process = header.threads[thread].process;
		if (process !== null)
			known[process * causes + cause] -= ns;
	};
	for (let i = 0; i < data.count; i++)
		take(columns.combination_thread[combination[i]], columns.combination_initiator[combination[i]], data.own[i]);
	forMoments(data, (moment, ns, cause) => take(columns.moment_thread[moment], cause, ns));
	return known;
});

/** Call @visit for each moment of own time outside faults. @param {Data} data @param {Visit} visit */
function forMoments({columns, header, unitNs}, visit) {
	const {moment_own: own = [], moment_state: states, moment_initiator: causes, moment_thread: threads} = columns;
	const counts = header.words.state.map((/** @type {string} */ state) => state === 'cpu' || state === 'file-io');
	for (let m = 0; m < own.length; m++)
		if (own[m] > 0 && counts[states[m]])
			visit(m, own[m] * unitNs, causes[m], header.threads[threads[m]].pid);
}

export function addSample(/** @type {Sampled} */ to, /** @type {number} */ ns) {
	to.moments++;
	to.ns += ns;
	to.squares += ns * ns;
}

/** True if @moment is a sample of the processor. @param {Data} data @param {number} moment -1: none */
export function isSample({columns}, moment) {
	return moment >= 0 && (columns.moment_flags[moment] & SAMPLE) !== 0;
}

/** All samples. */
const allSampled = onceOf((/** @type {Data} */ data) => {
	const all = {moments: 0, ns: 0, squares: 0};
	forMoments(data, (moment, ns) => isSample(data, moment) ? addSample(all, ns) : undefined);
	return all;
});

/** The true time is nearer than this to that of @part in 19 of 20 cases, in ns: as derive/hot.c works it out. @param {Data} data @param {Sampled} part */
export function errorOf(data, {moments, ns, squares}) {
	const whole = allSampled(data);
	if (moments === 0)
		return 0;
	const likely = (ns / whole.ns * whole.moments + 1) / (whole.moments + 2);
	const shrunk = whole.moments / (whole.moments + 2);
	return Math.floor(1.96 * Math.sqrt((squares + squares / moments) * shrunk * shrunk * (1 - likely)));
}

/** Call @visit for what @choice leaves of the own time outside faults; of a place in a file it leaves nothing. @param {Data} data @param {Choice} choice @param {Visit} visit */
export function forOwnTime(data, choice, visit) {
	const {account, processes, words, is_narrowed: isNarrowed} = data.header;
	const {filter: {initiator, ...others}, time, place} = choice;
	if (!account || place)
		return;
	const marks = momentMarks(data, choice);
	const at = data.columns.moment_time;
	forMoments(data, (moment, ns, cause, pid) => {
		const now = at[moment] * data.unitNs;
		if (marks[moment] && (!time || now >= time[0] && now < time[1]))
			visit(moment, ns, cause, pid);
	});
	if (isNarrowed || time || choice.search || Object.keys(others).length > 0)
		return;
	restsOf(data).forEach((ns, i) => {
		const cause = i % words.initiator.length;
		const {pid} = processes[Math.floor(i / words.initiator.length)];
		if (ns !== 0 && (initiator === undefined || words.initiator[cause] === initiator) && (choice.process === null || pid === choice.process))
			visit(-1, ns, cause, pid);
	});
}
