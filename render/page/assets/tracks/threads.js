// SPDX-License-Identifier: Apache-2.0
// What a thread did, one stretch after the other: computing, inside a fault, waiting for storage, for others, for a
// processor. A life that neither faults nor pauses fill was computing, for the causes that its samples have.
import {SAMPLE} from '../selection/moments.js';
import {onceOf} from '../data/once.js';
import {isMajor, processesOfThreads} from '../data/words.js';
import {COMPUTING, FOR_OTHERS, FOR_PROCESSOR, FOR_STORAGE, IN_FAULT, STATES} from './textures.js';

/** Indexes by the group of each, in their order. @param {number} count @param {number} groups @param {(i: number) => number} groupOf -1: none */
export function groupIndexes(count, groups, groupOf) {
	const counts = new Uint32Array(groups);
	for (let i = 0; i < count; i++)
		if (groupOf(i) >= 0)
			counts[groupOf(i)]++;
	const lists = Array.from(counts, (length) => new Uint32Array(length));
	counts.fill(0);
	for (let i = 0; i < count; i++) {
		const group = groupOf(i);
		if (group >= 0)
			lists[group][counts[group]++] = i;
	}
	return lists;
}

/** Every thread, by the process and the number that it has. @param {Data} data @returns {Thread[]} */
export function threadsOf(data) {
	const {threads: rows} = data.header;
	const processes = processesOfThreads(data);
	/** @type {Map<string, number>} */
	const known = new Map();
	const indexOf = Int32Array.from(rows, ({tid}, row) => {
		const key = `${processes[row]} ${tid}`;
		const index = known.get(key) ?? known.size;
		known.set(key, index);
		return index;
	});
	const {columns, combination, moments} = data;
	const threadOf = Int32Array.from(columns.combination_thread, (row) => indexOf[row]);
	const {moment_flags: flags, life_thread: lifeThread, life_start: starts, life_length: lengths} = columns;
	const entries = groupIndexes(data.count, known.size, (i) => threadOf[combination[i]]);
	const samples = groupIndexes(moments.count, known.size, (m) => flags[m] & SAMPLE ? threadOf[moments.combination[m]] : -1);
	const pauses = groupIndexes(moments.count, known.size, (m) => flags[m] & SAMPLE ? -1 : threadOf[moments.combination[m]]);
	const lives = groupIndexes(lifeThread.length, known.size, (life) => indexOf[lifeThread[life]]);
	return [...known.values()].map((index) => {
		// Its last name.
		const row = indexOf.lastIndexOf(index);
		return {process: processes[row], pid: rows[row].pid, tid: rows[row].tid, name: rows[row].comm || '?', entries: entries[index],
			samples: samples[index], pauses: pauses[index],
			lives: Array.from(lives[index], (life) => ({first: starts[life], end: starts[life] + lengths[life]})).sort((a, b) => a.first - b.first)};
	});
}

/** Call @emit for each stretch of @thread, in the order of time. @param {Data} data @param {Thread} thread @param {Emit} emit */
function sweepThread(data, thread, emit) {
	const {entries, samples, pauses, lives} = thread;
	const {columns, combination, time, duration, late, unitNs, count, own, moments} = data;
	const {moment_time: at, moment_length: lengths, moment_own: owns, moment_state: states, combination_initiator: initiators} = columns;
	const textures = data.header.words.state.map((state) => STATES[state]?.texture ?? FOR_OTHERS);
	const major = isMajor(data);
	const unknown = data.header.words.initiator.indexOf('unknown');
	const tell = (/** @type {number} */ first, /** @type {number} */ end, /** @type {number} */ texture, /** @type {number} */ initiator, /** @type {number} */ answer) => {
		if (end > first)
			emit(first, end, texture, initiator, answer);
	};
	let sample = 0;
	/** Computing, by the sample that stands for it: the next one. @param {number} first @param {number} end */
	const compute = (first, end) => {
		let start = first;
		while (start < end) {
			while (sample < samples.length && at[samples[sample]] < start)
				sample++;
			const next = sample < samples.length ? samples[sample] : samples.length > 0 ? samples[samples.length - 1] : -1;
			const stop = sample < samples.length ? Math.min(at[next] + 1, end) : end;
			tell(start, stop, COMPUTING, next < 0 ? unknown : initiators[moments.combination[next]], next < 0 ? -1 : count + next);
			start = stop;
		}
	};
	/** A pause, of fault @i if one is given; when it is over. @param {number} m @param {number} i @param {number} limit */
	const pause = (m, i, limit) => {
		const end = Math.min(at[m] + lengths[m], limit);
		const woken = Math.min(at[m] + owns[m], end);
		const answer = i < 0 ? count + m : i;
		const cause = initiators[moments.combination[m]];
		tell(at[m], woken, textures[states[m]], cause, answer);
		tell(woken, end, FOR_PROCESSOR, cause, answer);
		return end;
	};
	let p = 0;
	/** A fault with the pauses in it; when it is over. @param {number} i */
	const fault = (i) => {
		const initiator = initiators[combination[i]];
		// A moment is seen, too.
		const end = time[i] + Math.max(duration[i] / unitNs, 1);
		let start = time[i];
		while (p < pauses.length && at[pauses[p]] < start)
			p++;
		if (lives.length === 0) {
			// No account: the fault alone says how long it waited for a processor.
			const woken = Math.max(end - late[i] / unitNs, start);
			tell(start, Math.max(woken, start), major[combination[i]] && own[i] > 0 ? FOR_STORAGE : IN_FAULT, initiator, i);
			tell(woken, end, FOR_PROCESSOR, initiator, i);
			return end;
		}
		for (; p < pauses.length && at[pauses[p]] < end; p++) {
			tell(start, at[pauses[p]], IN_FAULT, initiator, i);
			start = Math.max(pause(pauses[p], i, end), start);
		}
		tell(start, end, IN_FAULT, initiator, i);
		return end;
	};
	let e = 0;
	for (const life of lives.length > 0 ? lives : [{first: 0, end: 0xffffffff}]) {
		let cursor = life.first;
		const isKnown = lives.length > 0;
		for (;;) {
			while (e < entries.length && time[entries[e]] < life.first)
				e++;
			const nextFault = e < entries.length ? time[entries[e]] : Infinity;
			while (p < pauses.length && at[pauses[p]] < life.first)
				p++;
			const nextPause = p < pauses.length ? at[pauses[p]] : Infinity;
			const next = Math.min(nextFault, nextPause);
			if (next >= life.end)
				break;
			if (isKnown)
				compute(cursor, next);
			cursor = Math.max(cursor, nextFault <= nextPause ? fault(entries[e++]) : pause(pauses[p++], -1, life.end));
		}
		if (isKnown)
			compute(cursor, life.end);
	}
}

/** The stretches of a thread. */
export const stretchesOf = onceOf((/** @type {Thread} */ thread, /** @type {Data} */ data) => {
	const {entries, samples, pauses, lives} = thread;
	const most = 2 * entries.length + 5 * pauses.length + 2 * samples.length + 2 * lives.length + 2;
	const made = {count: 0, first: new Float64Array(most), end: new Float64Array(most), texture: new Uint8Array(most), initiator: new Uint8Array(most), answer: new Int32Array(most)};
	sweepThread(data, thread, (first, end, texture, initiator, answer) => {
		const at = made.count++;
		made.first[at] = first;
		made.end[at] = end;
		made.texture[at] = texture;
		made.initiator[at] = initiator;
		made.answer[at] = answer;
	});
	return made;
});
