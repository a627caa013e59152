// SPDX-License-Identifier: Apache-2.0
// Moments of threads, samples and pauses: what the reader's choice leaves of them, and what there is to say of one.
import {shortName} from '../shared/describe.js';
import {timeText} from '../shared/format.js';
import {functionName} from '../data/words.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Choice} Choice
 */

const SAMPLED = 1;
const LEFT_OUT = 4;

/** Whether @choice leaves a moment; of causes, processes and threads alone it can be told: all else is of faults. @param {Data} data @param {Choice} choice @returns {(moment: number) => boolean} */
export function momentKeeper({columns, header}, {filter, search, process}) {
	const {initiator, ...others} = filter;
	const {moment_initiator: causes, moment_flags: flags, moment_thread: threads} = columns;
	const cause = initiator === undefined ? -1 : header.words.initiator.indexOf(initiator);
	const isAll = !search && Object.keys(others).length === 0;
	return (moment) => isAll && (moment < 0 ? cause < 0 : (cause < 0 || causes[moment] === cause) && (flags[moment] & LEFT_OUT) === 0
		&& (process === null || header.threads[threads[moment]].pid === process));
}

/** What @moment was. @param {Data} data @param {number} moment @param {number} zero what times are told from, in ns @returns {string[]} */
export function momentLines(data, moment, zero) {
	const {columns, header: {words}, unitNs} = data;
	const {moment_time: at, moment_length: lengths, moment_own: owns, moment_state: states, moment_initiator: causes, moment_wait: waits, moment_flags: flags, moment_stack: stacks} = columns;
	const isSample = (flags[moment] & SAMPLED) !== 0;
	const own = owns[moment] * unitNs;
	const late = (lengths[moment] - owns[moment]) * unitNs;
	const node = stacks[moment];
	const name = node > 0 ? functionName(data, columns.frame_function[columns.node_frame[node - 1]] - 1) : '';
	const state = words.state[states[moment]];
	return [
		`${words.initiator[causes[moment]]}: ${isSample ? 'computing' : state === 'wait' ? `waiting (${words.wait[waits[moment]]})` : 'waiting for storage'}`,
		name ? `in ${shortName(name)}` : '',
		isSample ? `a sample, which stands for ${timeText(own)}` : `${timeText(own)}${late > 0 ? `, then ${timeText(late)} for a processor` : ''}`,
		`at ${timeText(at[moment] * unitNs - zero)}`,
	].filter(Boolean);
}
