// SPDX-License-Identifier: Apache-2.0
// The words a fault has, as text for people and as predicates for filters.
import {NO_OBJECT} from './data.js';
import {distinctNames} from './distinct.js';
import {onceOf} from './once.js';

/** What stands where a name is missing. */
export const NAMELESS = '(no name)';

/** @param {Data} data @param {number} object of header.objects, or behind them of those that were never mapped */
export function objectName({header: {objects, operations}}, object) {
	return (objects[object] ?? operations?.files[object - objects.length])?.name ?? '(not mapped)';
}

/** @param {Data} data @param {number} section index + 1, of header.sections or behind them of those of operations; 0: none @returns {string} */
export function sectionName({header: {sections, operations}}, section) {
	if (section === 0)
		return '';
	return section > sections.length ? operations?.sections[section - 1 - sections.length] ?? '' : sections[section - 1].name || NAMELESS;
}

/** @param {Data} data @param {number} index of header.functions */
export function functionName(data, index) {
	return data.header.functions.name[index] || NAMELESS;
}

/** @param {Data} data @param {number} index of header.threads */
function threadName(data, index) {
	const {pid, tid, comm} = data.header.threads[index];
	return pid === tid ? `${comm || '?'} ${pid}` : `${comm || '?'} ${pid}/${tid}`;
}

/** By row of header.threads the process that it is of; what belongs to none has a process of its own, behind them. */
export const processesOfThreads = onceOf((/** @type {Data} */ {header: {threads, processes}}) => {
	const pids = [...new Set(threads.map(({pid}) => pid))];
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
	object: (data, object) => object === NO_OBJECT ? '' : objectName(data, object),
	file: ({paths}, object) => object === NO_OBJECT ? '' : paths[object] ?? '(not mapped)',
	section: sectionName,
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

/** Index of the function that ran, -1: none. @param {Data} data @param {number} i @param {Rows} [rows] */
export function functionOf(data, i, rows = data.faults) {
	return functionOfNode(data, rows.stack[i]);
}

/** By combination, 1 where its @word is @text. @param {Data} data @param {string} word @param {string} text */
export function combinationsWith({columns, header}, word, text) {
	const wanted = header.words[word].indexOf(text);
	return columns['combination_' + word].map((value) => Number(value === wanted));
}

/** Which combinations waited for storage. */
export const isMajor = onceOf((/** @type {Data} */ data) => combinationsWith(data, 'kind', 'major'));

/** The text of any word of row @i; '' where it has none. @param {Data} data @param {number} i @param {string} word @param {Rows} [rows] @returns {string} */
export function textOf(data, i, word, rows = data.faults) {
	if (word === 'symbol')
		return rows.symbol?.[i] ? data.header.symbols.name[rows.symbol[i] - 1] || NAMELESS : '';
	if (word === 'function') {
		const index = functionOf(data, i, rows);
		return index < 0 ? '' : functionName(data, index);
	}
	return combinationText(data, word, rows.combination[i]);
}

/**
 * Which rows have a @word that @fits, '' where they have none: tests by index, so that a million take milliseconds.
 * @param {Data} data @param {Rows} rows @param {string} word @param {(text: string) => boolean} fits
 * @returns {(i: number) => boolean}
 */
function wordTest(data, rows, word, fits) {
	if (word !== 'symbol' && word !== 'function') {
		const has = Uint8Array.from(data.columns.combination_object, (_, c) => Number(fits(combinationText(data, word, c))));
		return (i) => has[rows.combination[i]] === 1;
	}
	const isSymbol = word === 'symbol';
	const has = Uint8Array.from((isSymbol ? data.header.symbols : data.header.functions).name, (name) => Number(fits(name || NAMELESS)));
	const hasNone = fits('');
	return (i) => {
		const index = isSymbol ? (rows.symbol?.[i] ?? 0) - 1 : functionOf(data, i, rows);
		return index < 0 ? hasNone : has[index] === 1;
	};
}

/** Which rows the finding that is called @name speaks of; none where there is no such finding. @param {Data} data @param {Rows} rows @param {string} name */
function findingTest(data, rows, name) {
	const wanted = findingNames(data).indexOf(name);
	const has = [false];
	for (const [parent, finding] of data.header.finding_sets)
		has.push(has[parent] || finding === wanted);
	return (/** @type {number} */ i) => has[data.columns.combination_findings[rows.combination[i]]];
}

/** Which rows have @text as their @word. @param {Data} data @param {Rows} rows @param {string} word @param {string} text */
export function matcher(data, rows, word, text) {
	return word === 'finding' ? findingTest(data, rows, text) : data.matchers[word]?.(text, rows) ?? wordTest(data, rows, word, (each) => each === text);
}

/** Which rows have a name that contains @text, whatever the case. @param {Data} data @param {Rows} rows @param {string} text @returns {(i: number) => boolean} */
export function searcher(data, rows, text) {
	const wanted = text.toLowerCase();
	const tests = ['object', 'section', 'blame', 'initializer', 'symbol', 'function'].map(
		(word) => wordTest(data, rows, word, (name) => name !== NAMELESS && name.toLowerCase().includes(wanted)));
	return (i) => tests.some((test) => test(i));
}

/** What findings are called in a link: their rule, and the file that they are about. @param {Data} data */
export function findingNames(data) {
	return distinctNames(data.header.findings.map(({id, object}) => object ? `${id} of ${lastPart(object)}` : id));
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
	return data.header.meanings[word]?.[data.header.words[word].indexOf(value ?? '')] ?? '';
}
