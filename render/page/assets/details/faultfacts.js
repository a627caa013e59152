// SPDX-License-Identifier: Apache-2.0
// All that the page knows of one fault, as plain values: for its details and for CSV.
import {durationNs, LANE_BSS, LANE_FILE, LANE_UNMAPPED, NODE_CUT, NODE_IP_ALONE, NO_OFFSET} from '../data/data.js';

const NAMED_WORDS = ['kind', 'access', 'mode', 'mechanism', 'initiator', 'certainty', 'step'];

/** A place in code. @param {Data} data @param {number} frame */
function placeOf(data, frame) {
	const {columns, header} = data;
	const object = columns.frame_object[frame];
	const at = columns.frame_function[frame];
	const code = columns.frame_code[frame] ? header.code[columns.frame_code[frame] - 1] : null;
	return {
		object: /** @type {string | null} */ (object ? header.objects[object - 1].path : null),
		offset: columns.frame_offset[frame] === NO_OFFSET ? null : columns.frame_offset[frame],
		name: /** @type {string | null} */ (at ? header.functions.name[at - 1] : null),
		within: columns.frame_function_offset[frame],
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

/** @param {Data} data @param {number} i @param {number} c @param {number} object */
function positionOf(data, i, c, object) {
	const size = data.header.page_size;
	const byte = data.columns.byte[i];
	const lane = data.columns.combination_lane[c];
	const at = data.page[i] * size + byte;
	if (lane === LANE_FILE)
		return {offset: at, vaddr: vaddrOf(data, object, at), address: null};
	if (lane === LANE_BSS)
		return {offset: null, vaddr: at, address: null};
	// The highest addresses are more than doubles can hold.
	const address = BigInt(data.memoryPage(data.page[i])) * BigInt(size) + BigInt(byte);
	return {offset: null, vaddr: null, address: '0x' + address.toString(16)};
}

/** @param {Data} data @param {number} i @param {number | null} vaddr */
function symbolOf(data, i, vaddr) {
	const index = data.symbol[i] - 1;
	if (index < 0)
		return null;
	const {symbols, words} = data.header;
	return {name: symbols.name[index], kind: words.symbol_kind[symbols.kind[index]],
		offset: vaddr === null ? 0 : vaddr - symbols.vaddr[index]};
}

/** Names are null where there is none, times NaN where unknown. @param {Data} data @param {number} i */
export function faultFacts(data, i) {
	const {columns, header} = data;
	const c = data.combination[i];
	const object = columns.combination_object[c];
	const lane = columns.combination_lane[c];
	const isKnown = lane !== LANE_UNMAPPED && object < header.objects.length;
	const position = positionOf(data, i, c, object);
	const section = columns.combination_section[c];
	const initializer = columns.combination_initializer[c];
	const blame = columns.combination_blame[c];
	const node = data.stack[i];
	const frames = data.framesOf(node);
	let outermost = node;
	while (outermost && columns.node_parent[outermost - 1])
		outermost = columns.node_parent[outermost - 1];
	const flags = outermost ? columns.node_flags[outermost - 1] : 0;
	const pages = columns.around_pages[i];
	const read = data.readBy(i);
	return {
		timeNs: data.timeNs(i), durationNs: durationNs(columns.duration[i]),
		ownNs: columns.own[i] === NO_OFFSET ? NaN : data.own[i], lateNs: durationNs(columns.late[i]), faults: data.weight(i),
		thread: header.threads[columns.combination_thread[c]],
		words: Object.fromEntries(NAMED_WORDS.map((word) =>
			[word, header.words[word][columns['combination_' + word][c]] ?? ''])),
		dlopen: header.words.dlopen[columns.combination_dlopen[c]],
		object: isKnown ? header.objects[object].path : null,
		...position,
		section: section ? header.sections[section - 1].name : null,
		symbol: symbolOf(data, i, position.vaddr),
		initializer: initializer ? header.initializers[initializer - 1] : null,
		blame: blame ? {name: header.functions.name[blame - 1],
			object: header.objects[header.functions.object[blame - 1]]?.path ?? null} : null,
		by: frames.length ? placeOf(data, frames[0]) : null,
		stack: frames.length && !(flags & NODE_IP_ALONE) ? frames.map((frame) => placeOf(data, frame)) : null,
		isCut: (flags & NODE_CUT) !== 0,
		around: pages && lane === LANE_FILE
			? {offset: (data.page[i] - columns.around_before[i]) * header.page_size, pages} : null,
		read: read && {offset: read.page * header.page_size, pages: read.pages, span: read.span},
	};
}
