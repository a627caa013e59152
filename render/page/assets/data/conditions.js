// SPDX-License-Identifier: Apache-2.0
// Conditions over the words of a fault, as --where writes them: a finding says with one which faults
// it speaks of. docs/findings.md and model/filter.h have the language.
import {NAMELESS, findingNames, wordTest} from './words.js';

/** @typedef {{word: string, isNot: boolean, values: (RegExp | null)[]}} Condition null: where there is none */

/** One value from @at of @text on, as an expression; and where it ends. @param {string} text @param {number} at */
function readValue(text, at) {
	let source = '';
	let isQuoted = false;
	let isPlain = true;
	let end = at;
	for (; end < text.length && (isQuoted || text[end] !== ',' && text[end] !== '|'); end++) {
		let isLiteral = isQuoted;
		if (text[end] === '"') {
			isQuoted = !isQuoted;
			isPlain = false;
			continue;
		}
		if (text[end] === '\\' && end + 1 < text.length) {
			end++;
			isLiteral = true;
			isPlain = false;
		}
		source += !isLiteral && text[end] === '*' ? '.*' : !isLiteral && text[end] === '?' ? '.'
			: text[end].replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
	}
	return {end, value: isPlain && source === 'null' ? null : new RegExp(`^${source}$`, 's')};
}

/** @param {string} text @returns {Condition[]} */
function parseConditions(text) {
	const conditions = [];
	let at = 0;
	while (at < text.length) {
		const head = /^\s*(\w+)(!?)=/.exec(text.slice(at));
		if (!head)
			break;
		/** @type {Condition} */
		const condition = {word: head[1], isNot: head[2] === '!', values: []};
		at += head[0].length;
		for (;;) {
			const {end, value} = readValue(text, at);
			condition.values.push(value);
			at = end + 1;
			if (text[end] !== '|')
				break;
		}
		conditions.push(condition);
	}
	return conditions;
}

/** Whether one of @names, of which some may be missing, has a value of @condition. @param {Condition} condition @param {(string | null)[]} names */
function holds(condition, names) {
	const known = names.filter((name) => name && name !== NAMELESS);
	return condition.isNot !== condition.values.some((value) => value === null ? known.length === 0
		: known.some((name) => value.test(name || '')));
}

/** Which entries meet @condition; null where the page does not know its word. @param {Data} data @param {Condition} condition @returns {((i: number) => boolean) | null} */
function conditionMatcher(data, condition) {
	const {columns, header} = data;
	const {word} = condition;
	if (word !== 'object' && word !== 'init_object')
		return ['symbol', 'function', 'process'].includes(word) || 'combination_' + word in columns ? wordTest(data, word, (text) => holds(condition, [text])) : null;
	// An object is known by several names.
	const has = Uint8Array.from(columns.combination_object, (object, c) => {
		const initializer = columns.combination_initializer[c];
		const row = header.objects[word === 'object' ? object : initializer ? header.initializers[initializer - 1].object : -1];
		return Number(holds(condition, row ? [row.path, row.name, row.soname] : []));
	});
	return (i) => has[data.combination[i]] === 1;
}

/**
 * Which entries the finding that is called @name speaks of; none where there is no such finding.
 * What the page cannot tell of its conditions is left out, so these may be a few too many.
 * @param {Data} data @param {string} name
 * @returns {((i: number) => boolean)[]}
 */
export function findingMatchers(data, name) {
	const finding = data.header.findings[findingNames(data).indexOf(name)];
	if (!finding)
		return [() => false];
	return parseConditions(finding.where || '').map((condition) => conditionMatcher(data, condition))
		.filter((test) => test !== null);
}
