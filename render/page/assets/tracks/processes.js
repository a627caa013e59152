// SPDX-License-Identifier: Apache-2.0
// The processes and the files of a trace, dearest first, each with its faults in the order of time; and what a process
// waited for storage for, file by file.
import {durationTable} from '../data/tally.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 *
 * @typedef {Object} Process
 * @property {number} pid
 * @property {string} name of its first thread
 * @property {number} ownNs in faults
 * @property {Uint32Array} entries its faults, in the order of time
 *
 * A file, or a kind of memory.
 * @typedef {Object} FileFaults
 * @property {number} object
 * @property {number} ownNs in faults
 * @property {number} faults
 * @property {Uint32Array} entries
 *
 * @typedef {Object} FileWaits
 * @property {number} object
 * @property {number} ownNs waited
 * @property {number} pages read by it
 * @property {number[]} entries
 */

/** Entries by the group of their combination, each in the order of time. @param {Data} data @param {number} count @param {Uint32Array} groupOf combination -> group */
function groupEntries(data, count, groupOf) {
	const counts = new Uint32Array(count);
	const ownNs = new Float64Array(count);
	const nsOf = durationTable();
	const {combination, columns: {own}} = data;
	for (let i = 0; i < data.count; i++) {
		const group = groupOf[combination[i]];
		counts[group]++;
		ownNs[group] += nsOf[own[i]] * data.weight(i);
	}
	const lists = Array.from(counts, (length) => new Uint32Array(length));
	counts.fill(0);
	for (let i = 0; i < data.count; i++) {
		const group = groupOf[combination[i]];
		lists[group][counts[group]++] = i;
	}
	return lists.map((entries, group) => ({entries, ownNs: ownNs[group]}));
}

/** @param {Data} data @returns {Process[]} */
export function processesOf(data) {
	const {threads} = data.header;
	/** @type {Map<number, string>} */
	const known = new Map();
	for (const {pid, tid, comm} of threads)
		if (pid === tid || !known.has(pid))
			known.set(pid, comm || '?');
	const pids = [...known.keys()];
	const indexOf = new Map(pids.map((pid, index) => [pid, index]));
	const groups = groupEntries(data, pids.length, Uint32Array.from(data.columns.combination_thread, (thread) => indexOf.get(threads[thread].pid) ?? 0));
	return pids.map((pid, index) => ({pid, name: known.get(pid) ?? '?', ...groups[index]}))
		.sort((a, b) => b.ownNs - a.ownNs || b.entries.length - a.entries.length || a.pid - b.pid);
}

/** Files and kinds of memory that faulted. @param {Data} data @returns {FileFaults[]} */
export function filesOf(data) {
	const {objects, weigh} = data.header;
	const faultsOf = (/** @type {Uint32Array} */ entries) => data.merged ? entries.reduce((sum, i) => sum + data.weight(i), 0) : entries.length;
	// Behind the last one: what no file or memory is known of.
	return groupEntries(data, objects.length + 1, Uint32Array.from(data.columns.combination_object, (object) => Math.min(object, objects.length)))
		.map(({ownNs, entries}, object) => ({object, ownNs, entries, faults: faultsOf(entries)}))
		.filter(({entries}) => entries.length > 0)
		.sort((a, b) => (weigh === 'time' ? b.ownNs - a.ownNs : 0) || b.faults - a.faults || a.object - b.object);
}

/** Which combinations waited for storage. @param {Data} data */
export function majorCombinations(data) {
	const major = data.header.words.kind.indexOf('major');
	return Uint8Array.from(data.columns.combination_kind, (kind) => Number(kind === major));
}

/** The files whose pages @process waited for, the longest waits first. @param {Data} data @param {Process} process @returns {FileWaits[]} */
export function waitsOf(data, {entries}) {
	const isMajor = majorCombinations(data);
	const nsOf = durationTable();
	const {own, read_pages: readPages, combination_object: objects} = data.columns;
	/** @type {Map<number, FileWaits>} */
	const files = new Map();
	for (const i of entries) {
		const c = data.combination[i];
		if (!isMajor[c])
			continue;
		let file = files.get(objects[c]);
		if (!file)
			files.set(objects[c], file = {object: objects[c], ownNs: 0, pages: 0, entries: []});
		file.ownNs += nsOf[own[i]] * data.weight(i);
		file.pages += readPages[i];
		file.entries.push(i);
	}
	return [...files.values()].sort((a, b) => b.ownNs - a.ownNs || a.object - b.object);
}
