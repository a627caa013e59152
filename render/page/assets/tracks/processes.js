// SPDX-License-Identifier: Apache-2.0
// The processes of a trace, busiest first, with their threads; spans of their time that have names: phases and runs of initializers; what they
// waited for storage for, file by file; and files, dearest first.
import {NO_OBJECT} from '../data/data.js';
import {NAMELESS, isMajor, objectName, processesOfThreads, sectionName} from '../data/words.js';
import {OWN_STATES} from '../selection/moments.js';
import {groupIndexes, threadsOf} from './threads.js';
import {madeOf, onceOf} from '../data/once.js';

/** Own time of @entries. @param {Data} data @param {Uint32Array} entries */
function ownOf({own}, entries) {
	let sum = 0;
	for (let at = 0; at < entries.length; at++)
		sum += own[entries[at]];
	return sum;
}

/** Of what an account has, the time that was run or waited for storage: own_ns has waits for others as well. @param {Data} data @param {Cell[]} cells */
function ownOfCells({header: {words}}, cells) {
	return cells.reduce((sum, [state, , ns]) => sum + (OWN_STATES.includes(words.state[state]) ? ns : 0), 0);
}

/** How busy @thread was, for an order. @param {Data} data @param {Thread} thread */
function businessOf(data, {entries, samples}) {
	let sum = ownOf(data, entries);
	for (const m of samples)
		sum += data.columns.moment_own[m] * data.unitNs;
	return sum;
}

/** @param {Data} data @returns {Process[]} */
export function processesOf(data) {
	const {header, unitNs} = data;
	const rows = header.processes;
	const known = threadsOf(data).filter(({entries, lives, samples}) => entries.length + lives.length + samples.length > 0);
	return [...Map.groupBy(known, ({process}) => process)].map(([index, threads]) => {
		const row = rows[index];
		const business = new Map(threads.map((thread) => [thread, businessOf(data, thread)]));
		const isFirst = (/** @type {Thread} */ {pid, tid}) => Number(pid === tid);
		threads.sort((a, b) => isFirst(b) - isFirst(a) || (business.get(b) ?? 0) - (business.get(a) ?? 0));
		const faultNs = threads.reduce((sum, thread) => sum + ownOf(data, thread.entries), 0);
		return {index, pid: threads[0].pid, name: row?.name ?? threads[0].name, command: row?.command?.join(' ') ?? '', ownNs: row ? ownOfCells(data, row.cells) : faultNs, lateNs: row?.late_ns ?? 0,
			first: (row?.start_ns ?? 0) / unitNs, end: (row?.end_ns ?? Infinity) / unitNs, threads};
	}).sort((a, b) => b.ownNs - a.ownNs || a.index - b.index);
}

/** What the end of the command waited for, thread by thread; where that is not known, the first thread of the busiest process. @param {Data} data @param {Process[]} processes @returns {Step[]} */
export function criticalSteps({header, unitNs}, processes) {
	const steps = header.critical?.steps ?? [];
	const known = steps.flatMap(({process, tid, start_ns: first, end_ns: end}) => {
		const threads = processes.find(({index}) => index === process)?.threads ?? [];
		return threads.filter((thread) => thread.tid === tid).map((thread) => ({thread, first: first / unitNs, end: end / unitNs}));
	});
	return known.length > 0 ? known : processes.slice(0, 1).map(({threads: [thread]}) => ({thread, first: 0, end: Infinity}));
}

/** Files and kinds of memory that faulted. @param {Data} data @returns {FileFaults[]} */
export function filesOf(data) {
	const {objects} = data.header;
	const {combination, columns: {combination_object: objectOf}} = data;
	// Behind the last one: what no file or memory is known of.
	return groupIndexes(data.count, objects.length + 1, (i) => Math.min(objectOf[combination[i]], objects.length))
		.map((entries, object) => ({object, entries, ownNs: ownOf(data, entries),
			faults: data.merged ? entries.reduce((sum, i) => sum + data.weight(i), 0) : entries.length}))
		.filter(({entries}) => entries.length > 0)
		.sort((a, b) => (data.isByTime ? b.ownNs - a.ownNs : 0) || b.faults - a.faults || a.object - b.object);
}

/** The files that @process waited for, the longest waits first: by faults, and by calls of which the trace has operations. @param {Data} data @param {Process} process @returns {FileWaits[]} */
export function waitsOf(data, {threads, index}) {
	const {header, columns, combination, unitNs, operations} = data;
	const {combination_object: objects, combination_initiator: causes, combination_section: sections, combination_thread: threadOf} = columns;
	const major = isMajor(data);
	/** @type {Map<number, FileWaits>} */
	const files = new Map();
	const add = (/** @type {number} */ c, /** @type {number} */ ownNs, /** @type {Omit<Wait, 'initiator' | 'section'>} */ wait) => {
		const object = objects[c];
		const file = madeOf(files, object, () => ({name: objectName(data, object), object: object < header.objects.length ? object : -1, ownNs: 0, bytes: 0, waits: []}));
		file.ownNs += ownNs;
		file.bytes += wait.bytes;
		file.waits.push({...wait, initiator: causes[c], section: sectionName(data, sections[c])});
	};
	for (const {entries} of threads)
		for (const i of entries)
			if (major[combination[i]])
				add(combination[i], data.own[i], {first: data.time[i], own: data.own[i] / unitNs, length: data.duration[i] / unitNs,
					bytes: columns.read_pages[i] * header.page_size, entry: i});
	const {operation_time: at, operation_wait: waited, operation_bytes: bytes} = columns;
	operations.combination.forEach((c, o) => {
		if (objects[c] !== NO_OBJECT && header.threads[threadOf[c]].process === index)
			add(c, waited[o] * unitNs, {first: at[o], own: waited[o], length: waited[o], bytes: bytes[o], entry: -1});
	});
	for (const file of files.values())
		file.waits.sort((a, b) => a.first - b.first);
	return [...files.values()].sort((a, b) => b.ownNs - a.ownNs || a.object - b.object);
}

/** The phases of @process: a program that another executed has its pid. @param {Data} data @param {Pick<Process, 'pid' | 'first' | 'end'>} process @returns {Span[]} */
export function phasesOfProcess({header, unitNs}, {pid, first, end}) {
	return header.programs.filter((program) => program.pid === pid).flatMap(({phases}) => phases)
		.map(([phase, from, to]) => ({name: header.words.phase[phase], first: from / unitNs, end: to / unitNs}))
		.filter((phase) => phase.first < end && phase.end > first);
}

/** What an initializer is called: by its source, or its function. @param {Data} data @param {number} initializer */
export function initializerLabel(data, initializer) {
	const {source, function: name} = data.header.initializers[initializer];
	return source ? `globals of ${source.slice(source.lastIndexOf('/') + 1)}` : name || NAMELESS;
}

/** Runs by the process that each is of. */
const runsByProcess = onceOf((/** @type {Data} */ data) =>
	Map.groupBy((data.columns.run_thread ?? []).keys(), (run) => processesOfThreads(data)[data.columns.run_thread[run]]));

/** Every run of one initializer in @process, in the order of time; those of dlopen within another lie deeper. @param {Data} data @param {Process} process @returns {Run[]} */
export function runsOf(data, {index}) {
	const {run_initializer: initializers, run_time: at, run_length: lengths, run_depth: depths, run_read: read} = data.columns;
	return (runsByProcess(data).get(index) ?? []).map((run) =>
		({initializer: initializers[run], first: at[run], end: at[run] + lengths[run], depth: depths[run], bytes: read[run]}));
}
