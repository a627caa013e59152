// SPDX-License-Identifier: Apache-2.0
// Own time outside faults: what samples of the processor stand for, and waits for storage in calls. What neither has is known
// by process and cause alone.
import {latestOf, onceOf} from '../data/once.js';
import {selectEntries} from './selected.js';

/** In a moment's flags. */
export const SAMPLE = 1;
const LEFT_OUT = 4;

/** States that are own time: running, or waiting for storage. */
export const OWN_STATES = ['cpu', 'fault', 'fault-io', 'file-io'];

/** Marks of all moments: 1 where filters, search and process keep it. */
export const momentMarks = latestOf((data, choice) => selectEntries(data, choice, data.moments)
	.map((mark, m) => data.columns.moment_flags[m] & LEFT_OUT ? 0 : mark));

/** What of each process's account neither faults nor moments have, by process and cause. */
const restsOf = onceOf((/** @type {Data} */ data) => {
	const {columns, header, combination} = data;
	const {processes} = header;
	const causes = header.words.initiator.length;
	const known = new Float64Array(processes.length * causes);
	processes.forEach(({cells}, process) => {
		for (const [state, cause, ns] of cells)
			if (OWN_STATES.includes(header.words.state[state]))
				known[process * causes + cause] += ns;
	});
	const take = (/** @type {number} */ c, /** @type {number} */ ns) => {
		const {process} = header.threads[columns.combination_thread[c]];
		if (process !== null)
			known[process * causes + columns.combination_initiator[c]] -= ns;
	};
	for (let i = 0; i < data.count; i++)
		take(combination[i], data.own[i]);
	forMoments(data, (moment, ns) => take(data.moments.combination[moment], ns));
	return known;
});

/** Call @visit for each moment of own time outside faults. @param {Data} data @param {Visit} visit */
function forMoments({columns, header, unitNs, moments: {count, combination}}, visit) {
	const {moment_own: own, moment_state: states, combination_initiator: causes, combination_thread: threads} = columns;
	const counts = header.words.state.map((state) => state === 'cpu' || state === 'file-io');
	for (let m = 0; m < count; m++)
		if (own[m] > 0 && counts[states[m]])
			visit(m, own[m] * unitNs, causes[combination[m]], header.threads[threads[combination[m]]].pid);
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
