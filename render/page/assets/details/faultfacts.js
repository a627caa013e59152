// SPDX-License-Identifier: Apache-2.0
// All that the page knows of one fault, by the names of its JSON, for its details and for CSV; and in a few lines.
import {LANE_BSS, LANE_FILE, LANE_UNMAPPED, NODE_CUT, NODE_IP_ALONE, NO_OFFSET} from '../data/data.js';
import {countText, hexText, shortName, sizeText, timeText} from '../shared/format.js';
import {textOf} from '../data/words.js';

const NAMED_WORDS = ['kind', 'access', 'mode', 'mechanism', 'initiator', 'certainty', 'step'];

/** A place in code. @param {Data} data @param {number} frame */
function placeOf(data, frame) {
	const {columns, header} = data;
	const object = columns.frame_object[frame];
	const at = columns.frame_function[frame];
	const name = at ? header.functions.name[at - 1] : null;
	const within = columns.frame_function_offset[frame];
	const code = columns.frame_code[frame] ? header.code[columns.frame_code[frame] - 1] : null;
	return {
		object: /** @type {string | null} */ (object ? header.objects[object - 1].path : null),
		offset: columns.frame_offset[frame] === NO_OFFSET ? null : columns.frame_offset[frame],
		function: /** @type {string | null} */ (name), function_offset: name === null ? null : within, within,
		source: /** @type {string | null} */ (code?.source ?? null), instruction: /** @type {string | null} */ (code?.instruction ?? null),
		/** Innermost first. @type {{function: string | null, source: string | null}[]} */
		inlined: code?.inlined ?? [],
	};
}

/** The address that the file writes for @offset of @object. @param {Data} data @param {number} object @param {number} offset */
function vaddrOf(data, object, offset) {
	for (const section of data.header.objects[object].layout)
		if (section.offset !== null && section.vaddr !== null && offset >= section.offset
			&& offset < section.offset + section.file_size)
			return section.vaddr + offset - section.offset;
	return null;
}

/** Where entry @i lies in its file, or else its address in the process. @param {Data} data @param {number} i @param {number} object */
function positionOf(data, i, object) {
	const size = data.header.page_size;
	const byte = data.columns.byte[i];
	const lane = data.of(i, 'lane');
	const at = data.page[i] * size + byte;
	if (lane === LANE_FILE)
		return {offset: at, vaddr: vaddrOf(data, object, at), address: null};
	if (lane === LANE_BSS)
		return {offset: null, vaddr: at, address: null};
	// The highest addresses are more than doubles can hold.
	const address = BigInt(data.memoryPage(data.page[i])) * BigInt(size) + BigInt(byte);
	return {offset: null, vaddr: null, address: '0x' + address.toString(16)};
}

/** What is missing is null. @param {Data} data @param {number} i */
export function faultFacts(data, i) {
	const {columns, header} = data;
	const [object, lane, section, initializer, blame] = ['object', 'lane', 'section', 'initializer', 'blame'].map((word) => data.of(i, word));
	const {vaddr, offset, address} = positionOf(data, i, object);
	const symbol = data.symbol[i] - 1;
	const {symbols, functions, words} = header;
	const nodes = data.nodesOf(data.stack[i]);
	const frames = nodes.map((node) => columns.node_frame[node - 1]);
	const flags = nodes.length ? columns.node_flags[nodes[nodes.length - 1] - 1] : 0;
	const pages = columns.around_pages[i];
	const read = data.readBy(i);
	const known = (/** @type {number} */ ns) => data.isTimed(i) ? ns : null;
	const {pid, tid, comm} = header.threads[data.of(i, 'thread')];
	return {
		seq: i, time_ns: data.timeNs(i), duration_ns: known(data.duration[i]),
		own_ns: known(data.own[i]), late_ns: known(data.late[i]),
		pid: /** @type {number} */ (pid), tid: /** @type {number} */ (tid), comm: /** @type {string | null} */ (comm),
		faults: data.weight(i),
		words: /** @type {Object<string, string>} */ (Object.fromEntries(NAMED_WORDS.map((word) => [word, words[word][data.of(i, word)] ?? '']))),
		dlopen: /** @type {boolean | null} */ (words.dlopen[data.of(i, 'dlopen')]),
		address,
		at: {
			object: /** @type {string | null} */ (lane !== LANE_UNMAPPED ? header.objects[object]?.path ?? null : null),
			offset, vaddr,
			section: /** @type {string | null} */ (section ? header.sections[section - 1].name : null),
			...symbol < 0 ? {symbol: null, symbol_kind: null, symbol_offset: null}
				: {symbol: /** @type {string | null} */ (symbols.name[symbol]), symbol_kind: /** @type {string} */ (words.symbol_kind[symbols.kind[symbol]]),
					symbol_offset: vaddr === null ? 0 : vaddr - symbols.vaddr[symbol]},
		},
		by: frames.length ? placeOf(data, frames[0]) : null,
		initializer: initializer ? header.initializers[initializer - 1] : null,
		blame: blame ? {function: functions.name[blame - 1], object: header.objects[functions.object[blame - 1]]?.path ?? null} : null,
		stack: frames.length && !(flags & NODE_IP_ALONE) ? frames.map((frame) => placeOf(data, frame)) : null,
		/** Whether the stack lacks outer frames. */
		isCut: (flags & NODE_CUT) !== 0,
		mapped: pages && lane === LANE_FILE ? {offset: (data.page[i] - columns.around_before[i]) * header.page_size, pages} : null,
		read: read && {offset: read.page * header.page_size, pages: read.pages, span: read.span},
	};
}

/** @param {Data} data @param {number} i @returns {string[]} the most important first */
export function faultLines(data, i) {
	const word = (/** @type {string} */ name) => textOf(data, i, name);
	const by = word('function');
	const blame = word('blame');
	const late = data.late[i];
	const around = data.columns.around_pages[i];
	const weight = data.weight(i);
	const read = data.readBy(i);
	const {offset, vaddr, address} = positionOf(data, i, data.of(i, 'object'));
	return [
		`${word('initiator')}: ${word('object')} ${word('section')}`,
		shortName(word('symbol')) || (offset !== null ? `offset ${hexText(offset)}` : vaddr === null ? `address ${address}` : `address in the file's memory ${hexText(vaddr)}`),
		by ? `by ${shortName(by)}` : '',
		blame && blame !== by ? `for ${shortName(blame)}` : '',
		word('initializer') ? `in ${shortName(word('initializer'))}` : '',
		`${word('kind')}, ${word('access')}, ${word('mechanism')}`
			+ (around > 1 ? `; ${around} pages mapped at once` : '')
			+ (read ? `; ${sizeText(read.pages * data.header.page_size)} read` : ''),
		`at ${timeText(data.timeNs(i))}` + (!data.isTimed(i) ? '' : `, took ${timeText(data.own[i])}${late > 0 ? `; waited ${timeText(late)} for a processor` : ''}`)
			+ `, ${word('thread')}`,
		weight > 1 ? `${countText(weight)} merged faults` : '',
	].filter((line) => line !== '');
}
