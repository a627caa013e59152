// SPDX-License-Identifier: Apache-2.0
// What there is to say of a moment of a thread: a sample, or a pause.
import {shortName} from '../shared/describe.js';
import {timeText} from '../shared/format.js';
import {functionOfMoment, isSample} from '../selection/moments.js';
import {functionName} from '../data/words.js';
/** @import {Data} from '../data/data.js' */

/** What @moment was. @param {Data} data @param {number} moment @param {number} zero what times are told from, in ns @returns {string[]} */
export function momentLines(data, moment, zero) {
	const {columns, header: {words}, unitNs} = data;
	const {moment_time: at, moment_length: lengths, moment_own: owns, moment_state: states, moment_initiator: causes, moment_wait: waits} = columns;
	const isComputing = isSample(data, moment);
	const own = owns[moment] * unitNs;
	const late = (lengths[moment] - owns[moment]) * unitNs;
	const index = functionOfMoment(data, moment);
	const name = index < 0 ? '' : functionName(data, index);
	const state = words.state[states[moment]];
	return [
		`${words.initiator[causes[moment]]}: ${isComputing ? 'computing' : state === 'wait' ? `waiting (${words.wait[waits[moment]]})` : 'waiting for storage'}`,
		name ? `in ${shortName(name)}` : '',
		isComputing ? `a sample, which stands for ${timeText(own)}` : `${timeText(own)}${late > 0 ? `, then ${timeText(late)} for a processor` : ''}`,
		`at ${timeText(at[moment] * unitNs - zero)}`,
	].filter(Boolean);
}
