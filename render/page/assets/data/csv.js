// SPDX-License-Identifier: Apache-2.0
// The selected faults as CSV (RFC 4180), in the columns of `elfault analyze --format csv`, which the
// header names. What a page does not keep (addr, by.ip, exact durations) is left out or rounded.
import {visibleText} from '../shared/dom.js';
import {faultFacts} from '../details/faultfacts.js';
import {hexText} from '../shared/format.js';

/** @typedef {string | number | null | undefined} Field */

/**
 * The values that the page knows, but for words, which it knows all. @type {Object<string, (facts: FaultFacts, i: number) => Field>}
 */
const CSV_VALUES = {
	'seq': (_, i) => i,
	'time_ns': (facts) => facts.timeNs,
	'duration_ns': (facts) => Number.isNaN(facts.durationNs) ? null : facts.durationNs,
	'own_ns': (facts) => Number.isNaN(facts.ownNs) ? null : facts.ownNs,
	'late_ns': (facts) => Number.isNaN(facts.lateNs) ? null : facts.lateNs,
	'pid': (facts) => facts.thread.pid,
	'tid': (facts) => facts.thread.tid,
	'comm': (facts) => facts.thread.comm,
	'at.object': (facts) => facts.object,
	'at.offset': (facts) => facts.offset,
	'at.vaddr': (facts) => facts.vaddr === null ? null : hexText(facts.vaddr),
	'at.section': (facts) => facts.section,
	'at.symbol': (facts) => facts.symbol?.name,
	'at.symbol_kind': (facts) => facts.symbol?.kind,
	'at.symbol_offset': (facts) => facts.symbol?.offset,
	'by.object': (facts) => facts.by?.object,
	'by.offset': (facts) => facts.by?.offset,
	'by.function': (facts) => facts.by?.name,
	'by.function_offset': (facts) => facts.by?.name ? facts.by.within : null,
	'by.source': (facts) => facts.by?.source,
	'by.instruction': (facts) => facts.by?.instruction,
	'initializer.array': (facts) => facts.initializer?.array,
	'initializer.index': (facts) => facts.initializer?.index,
	'initializer.function': (facts) => facts.initializer?.function,
	'blame.object': (facts) => facts.blame?.object,
	'blame.function': (facts) => facts.blame?.name,
	'stack': (facts) => facts.stack?.map((place) => place.name ?? '[unknown]').join(';'),
	'mapped.offset': (facts) => facts.around?.offset,
	'mapped.pages': (facts) => facts.around?.pages,
	'read.offset': (facts) => facts.read?.offset,
	'read.pages': (facts) => facts.read?.pages,
	'read.span': (facts) => facts.read?.span,
	'dlopen': (facts) => facts.dlopen === null ? null : String(facts.dlopen),
};

/** @param {Data} data @returns {[string, (facts: FaultFacts, i: number) => Field][]} */
function csvColumns(data) {
	return data.header.csv_columns.filter((/** @type {string} */ name) => CSV_VALUES[name] || data.header.words[name])
		.map((/** @type {string} */ name) => [name, CSV_VALUES[name] ?? ((/** @type {FaultFacts} */ facts) => facts.words[name])]);
}
const CSV_MERGED = 'faults';

/** Lines a part: what is put together at once. */
const PART = 4096;

/**
 * As escape_csv() writes it: text acts on nobody who reads it, and a spreadsheet takes none for a formula.
 * @param {Field} field
 */
export function csvField(field) {
	if (typeof field !== 'string')
		return field === null || field === undefined ? '' : String(field);
	const text = (/^ *[=+\-@]/.test(field) ? '\'' : '') + visibleText(field);
	return /[",]|^ | $/.test(field) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The faults for which @isKept, in parts for a Blob: a million lines are too long for one string.
 * @param {Data} data @param {(i: number) => boolean} isKept
 * @returns {string[]}
 */
export function csvOf(data, isKept) {
	const columns = csvColumns(data);
	const names = columns.map(([name]) => name);
	if (data.merged)
		names.push(CSV_MERGED);
	const parts = [names.join(',') + '\r\n'];
	/** @type {string[]} */
	let lines = [];
	for (let i = 0; i < data.count; i++) {
		if (!isKept(i))
			continue;
		const facts = faultFacts(data, i);
		const fields = columns.map(([, value]) => csvField(value(facts, i)));
		if (data.merged)
			fields.push(String(facts.faults));
		lines.push(fields.join(',') + '\r\n');
		if (lines.length === PART) {
			parts.push(lines.join(''));
			lines = [];
		}
	}
	parts.push(lines.join(''));
	return parts;
}
