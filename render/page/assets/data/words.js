// SPDX-License-Identifier: Apache-2.0
// The words a fault has, as text for people and as predicates for filters.
import {distinctNames} from './search.js';
import {onceOf} from './once.js';

/** What stands where a name is missing. */
export const NAMELESS = '(no name)';

export function objectName(/** @type {Data} */ data, /** @type {number} */ object) {
	return data.header.objects[object]?.name ?? '(not mapped)';
}

/** @param {Data} data @param {number} index of header.functions */
export function functionName(data, index) {
	return data.header.functions.name[index] || NAMELESS;
}

/** @param {Data} data @param {number} index of header.threads */
export function threadName(data, index) {
	const {pid, tid, comm} = data.header.threads[index];
	return pid === tid ? `${comm || '?'} ${pid}` : `${comm || '?'} ${pid}/${tid}`;
}

/** By row of header.threads the process that it is of; what belongs to none has a process of its own, behind them. */
export const processesOfThreads = onceOf((/** @type {Data} */ {header: {threads, processes}}) => {
	const pids = [...new Set(threads.map((/** @type {{pid: number}} */ {pid}) => pid))];
	return Int32Array.from(threads, ({process, pid}) => process ?? processes.length + pids.indexOf(pid));
});

/** @param {Data} data @param {number} index of header.initializers */
export function initializerName(data, index) {
	const row = data.header.initializers[index];
	return `${objectName(data, row.object)} ${row.array}[${row.index}] ${row.function || NAMELESS}`;
}

/** Columns of words that are called otherwise. @type {Object<string, string>} */
const COLUMN_OF = {process: 'thread', file: 'object'};

/** Texts of what words have numbers of, where these are no words themselves. @type {Object<string, (data: Data, value: number) => string>} */
const TEXT_OF = {
	object: objectName,
	file: ({paths}, object) => paths[object] ?? '(not mapped)',
	section: ({header}, section) => section ? header.sections[section - 1].name || NAMELESS : '',
	thread: threadName,
	process: ({header}, thread) => String(header.threads[thread].pid),
	initializer: (data, initializer) => initializer ? initializerName(data, initializer - 1) : '',
	blame: (data, blamed) => blamed ? functionName(data, blamed - 1) : '',
};

/** Text of a word that combinations hold. @param {Data} data @param {string} word @param {number} combination */
function combinationText(data, word, combination) {
	const value = data.columns['combination_' + (COLUMN_OF[word] ?? word)][combination];
	return TEXT_OF[word]?.(data, value) ?? String(data.header.words[word][value] ?? '');
}

/** Index of the function of a stack's innermost node, -1: none. @param {Data} data @param {number} node index + 1 */
export function functionOfNode({columns}, node) {
	return node > 0 ? columns.frame_function[columns.node_frame[node - 1]] - 1 : -1;
}

/** Index of the function that touched, -1: none. @param {Data} data @param {number} i */
export function functionOf(data, i) {
	return functionOfNode(data, data.stack[i]);
}

/** By combination, 1 where its @word is @text. @param {Data} data @param {string} word @param {string} text */
export function combinationsWith({columns, header}, word, text) {
	const wanted = header.words[word].indexOf(text);
	return columns['combination_' + word].map((value) => Number(value === wanted));
}

/** Which combinations waited for storage. */
export const isMajor = onceOf((/** @type {Data} */ data) => combinationsWith(data, 'kind', 'major'));

/** The text of any word of entry @i; '' where it has none. @param {Data} data @param {number} i @param {string} word */
export function textOf(data, i, word) {
	if (word === 'symbol')
		return data.symbol[i] ? data.header.symbols.name[data.symbol[i] - 1] || NAMELESS : '';
	if (word === 'function') {
		const index = functionOf(data, i);
		return index < 0 ? '' : functionName(data, index);
	}
	return combinationText(data, word, data.combination[i]);
}

/**
 * Which entries have a @word that @fits, '' where they have none: tests by index, so that a million take milliseconds.
 * @param {Data} data @param {string} word @param {(text: string) => boolean} fits
 * @returns {(i: number) => boolean}
 */
export function wordTest(data, word, fits) {
	if (word !== 'symbol' && word !== 'function') {
		const has = Uint8Array.from(data.columns.combination_object, (_, c) => Number(fits(combinationText(data, word, c))));
		return (i) => has[data.combination[i]] === 1;
	}
	const isSymbol = word === 'symbol';
	const has = Uint8Array.from((isSymbol ? data.header.symbols : data.header.functions).name, (name) => Number(fits(name || NAMELESS)));
	const hasNone = fits('');
	return (i) => {
		const index = isSymbol ? data.symbol[i] - 1 : functionOf(data, i);
		return index < 0 ? hasNone : has[index] === 1;
	};
}

/** Which entries have @text as their @word. @param {Data} data @param {string} word @param {string} text */
export function matcher(data, word, text) {
	return data.matchers[word]?.(text) ?? wordTest(data, word, (each) => each === text);
}

/** Which entries have a name that contains @text, whatever the case. @param {Data} data @param {string} text @returns {(i: number) => boolean} */
export function searcher(data, text) {
	const wanted = text.toLowerCase();
	const tests = ['object', 'section', 'blame', 'initializer', 'symbol', 'function'].map(
		(word) => wordTest(data, word, (name) => name !== NAMELESS && name.toLowerCase().includes(wanted)));
	return (i) => tests.some((test) => test(i));
}

/** What findings are called in a link: their rule, and the file that they are about. @param {Data} data */
export function findingNames(data) {
	return distinctNames(data.header.findings.map((/** @type {{id: string, object: string | null}} */ {id, object}) => object ? `${id} of ${lastPart(object)}` : id));
}

export function lastPart(/** @type {string} */ path) {
	return path.slice(path.lastIndexOf('/') + 1) || path;
}

/** The command that was started, or the process that ran already. @param {Data} data */
export function commandText({header: {trace: {command, process}}}) {
	return process ? `process ${process.pid}${process.comm ? ` (${process.comm})` : ''}` : command.join(' ');
}

/** One sentence for a word that a fault can have. @param {Data} data @param {string} word @param {string | null} value @returns {string} '' where nothing is to be said */
export function meaningOf(data, word, value) {
	return data.header.meanings[word]?.[data.header.words[word].indexOf(value)] ?? '';
}
