// SPDX-License-Identifier: Apache-2.0
// The selected faults as CSV (RFC 4180), in the columns of `elfault analyze --format csv`, which the
// header names. What a page does not keep (addr, by.ip, exact durations) is left out or rounded.
import {visibleText} from '../shared/dom.js';
import {faultFacts} from '../details/faultfacts.js';
import {hexText} from '../shared/format.js';

/** @typedef {string | number | boolean | null | undefined} Field */

/** What the page does not keep. */
const NOT_KEPT = ['addr', 'at.build_id', 'at.segment', 'by.ip', 'by.build_id', 'by.vaddr', 'by.section', 'by.inlined', 'initializer.object', 'initializer.build_id',
	'blame.build_id', 'stack_end', 'mapped.object'];

/** What a column shows of @facts: its name says where it is in them. @param {FaultFacts} facts @param {string} name @returns {Field} */
function fieldOf(facts, name) {
	const {words, at, stack} = facts;
	if (name in words)
		return words[name];
	if (name === 'at.vaddr')
		return at.vaddr === null ? null : hexText(at.vaddr);
	if (name === 'stack')
		return stack?.map((place) => place.function ?? '[unknown]').join(';');
	return name.split('.').reduce((/** @type {any} */ value, key) => value?.[key], facts);
}

/** Lines a part: what is put together at once. */
const PART = 4096;

/** As escape_csv() writes it: text acts on nobody who reads it, and a spreadsheet takes none for a formula. @param {Field} field */
export function csvField(field) {
	if (typeof field !== 'string')
		return field === null || field === undefined ? '' : String(field);
	const text = (/^ *[=+\-@]/.test(field) ? '\'' : '') + visibleText(field);
	return /[",]|^ | $/.test(field) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The faults for which @isKept, in parts for a Blob: a million lines are too long for one string. @param {Data} data @param {(i: number) => boolean} isKept @returns {string[]} */
export function csvOf(data, isKept) {
	const names = [...data.header.csv_columns.filter((name) => !NOT_KEPT.includes(name)), ...data.merged ? ['faults'] : []];
	const parts = [names.join(',') + '\r\n'];
	let lines = [];
	for (let i = 0; i < data.count; i++) {
		if (!isKept(i))
			continue;
		const facts = faultFacts(data, i);
		lines.push(names.map((name) => csvField(fieldOf(facts, name))).join(',') + '\r\n');
		if (lines.length === PART) {
			parts.push(lines.join(''));
			lines = [];
		}
	}
	parts.push(lines.join(''));
	return parts;
}
