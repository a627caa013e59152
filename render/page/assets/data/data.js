// SPDX-License-Identifier: Apache-2.0
// The data block of the page, unpacked: docs/inside/page-format.md says what each part means.
import {distinctNames} from './distinct.js';

/** What stands for "none" in 16-bit and 32-bit columns. */
const NO_LENGTH = 65535;
export const NO_OFFSET = 0xffffffff;

/** Own times from here on are in units of 1,024 ns. */
const EXACT = 2 ** 31;

export const LANE_FILE = 0;
export const LANE_BSS = 1;
export const LANE_MEMORY = 2;
export const LANE_UNMAPPED = 3;

/** The object of what is of no file and no memory. */
export const NO_OBJECT = 65534;

export const NODE_CUT = 1;
export const NODE_IP_ALONE = 2;

/** Bytes of base64 text. @param {string} text */
function bytesOfBase64(text) {
	const binary = atob(text.trim());
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < binary.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

/** @param {Uint8Array} bytes @returns {Promise<Uint8Array>} */
async function gunzip(bytes) {
	const stream = new Blob([/** @type {BlobPart} */ (bytes)]).stream();
	const unpacked = stream.pipeThrough(new DecompressionStream('gzip'));
	return new Uint8Array(await new Response(unpacked).arrayBuffer());
}

const WIDTHS = {u8: 1, u16: 2, u32: 4};

/** One column: its byte planes put together, its encoding undone. @param {Uint8Array} bytes of the column alone @param {Header['columns'][0]} info */
function decodeColumn(bytes, {count, type, encoding}) {
	if (type === 'u8' && encoding === 'plain')
		return bytes.slice();
	// Of one type whatever the column's: loops that have several take twice as long. Most upper bytes are 0.
	const values = new Uint32Array(bytes.subarray(0, count));
	for (let plane = 1; plane < WIDTHS[type]; plane++) {
		const part = bytes.subarray(plane * count, (plane + 1) * count);
		for (let i = 0; i < count; i++)
			if (part[i] !== 0)
				values[i] |= part[i] << 8 * plane;
	}
	let before = 0;
	let next = 0;
	if (encoding === 'delta')
		for (let i = 0; i < count; i++)
			values[i] = before = before + values[i] >>> 0;
	else if (encoding === 'zigzag')
		for (let i = 0; i < count; i++)
			values[i] = before = before + (values[i] >>> 1 ^ -(values[i] & 1)) >>> 0;
	else if (encoding === 'recent')
		for (let i = 0; i < count; i++) {
			values[i] = values[i] === 0 ? next : next - values[i];
			next = Math.max(next, values[i] + 1);
		}
	return type === 'u8' ? new Uint8Array(values) : type === 'u16' ? new Uint16Array(values) : values;
}

/** Nanoseconds of a stored length, 0 where it is not known. @param {number} code */
function lengthNs(code) {
	if (code < 1024)
		return code;
	return code === NO_LENGTH ? 0 : (512 + (code - 1024 & 511)) * 2 ** ((code - 1024 >> 9) + 1);
}

const NS_OF_CODE = new Float64Array(NO_LENGTH + 1).map((_, code) => lengthNs(code));

/** Nanoseconds of stored lengths. @param {Columns[string]} codes */
function lengthsNs(codes) {
	const lengths = new Float64Array(codes.length);
	for (let i = 0; i < codes.length; i++)
		lengths[i] = NS_OF_CODE[codes[i]];
	return lengths;
}

/** Nanoseconds of stored own times, 0 where unknown. @param {Columns[string]} codes */
function exactNs(codes) {
	// Most traces need no other numbers: a million of them take time and memory.
	if (codes.every((code) => code < EXACT))
		return codes;
	return codes.every((code) => code < EXACT || code === NO_OFFSET) ? codes.map((code) => code === NO_OFFSET ? 0 : code) : Float64Array.from(codes, (code) => code === NO_OFFSET ? 0 : code < EXACT ? code : (code - EXACT) * 1024);
}

/** Everything in the page, as typed columns and the header's tables. */
export class Data {
	constructor(/** @type {Header} */ header, /** @type {Columns} */ columns) {
		this.header = header;
		this.columns = columns;
		/** What objects are called in filters and links: several files may have one path, in different roots. */
		this.paths = distinctNames([...header.objects, ...header.operations?.files ?? []].map(({path}) => path));
		/** Entries; each stands for one fault unless header.faults.merged. */
		this.count = header.faults.count;
		this.unitNs = header.faults.time_unit_ns;
		/** True if numbers and orders go by times at first: where there is an account, and where faults waited for storage. */
		this.isByTime = Boolean(header.account) || header.weigh === 'time';
		/** Of each entry, of all the faults that it stands for, in ns: running, or waiting for storage. */
		this.own = exactNs(columns.own);
		/** Of each entry, in ns: able to run, and not running; 0 where unknown. */
		this.late = lengthsNs(columns.late);
		/** Of each entry, in ns: all that it lasted, 0 where unknown. */
		this.duration = lengthsNs(columns.rest);
		for (let i = 0; i < this.count; i++)
			this.duration[i] += this.own[i] + this.late[i];
		this.time = /** @type {Uint32Array} */ (columns.time);
		this.page = /** @type {Uint32Array} */ (columns.page);
		this.combination = /** @type {Uint32Array} */ (columns.combination);
		this.symbol = /** @type {Uint32Array} */ (columns.symbol);
		this.stack = /** @type {Uint32Array} */ (columns.stack);
		this.merged = /** @type {Uint32Array | undefined} */ (columns.merged);
		const {symbol, combination, stack} = this;
		this.faults = {count: this.count, combination, stack, symbol};
		this.moments = this.rowsOf('moment');
		/** Waits of calls for storage. @type {Rows} */
		this.operations = this.rowsOf('operation');
		/** Words whose values mean something of their own in this page: word -> which rows have @text. @type {Object<string, (text: string, rows: Rows) => (i: number) => boolean>} */
		this.matchers = {};
	}

	/** @param {string} kind @returns {Rows} */
	rowsOf(kind) {
		const combination = /** @type {Uint32Array} */ (this.columns[`${kind}_combination`]);
		return {count: combination.length, combination, stack: /** @type {Uint32Array} */ (this.columns[`${kind}_stack`])};
	}

	/** How many faults entry @i stands for. @param {number} i */
	weight(i) {
		return this.merged ? this.merged[i] : 1;
	}

	/** Whether it is known how long entry @i lasted. @param {number} i */
	isTimed(i) {
		return this.columns.own[i] !== NO_OFFSET;
	}

	/** When entry @i happened. @param {number} i */
	timeNs(i) {
		return this.time[i] * this.unitNs;
	}

	/** What entry @i read from storage, of all faults that it stands for. @param {number} i @returns {{page: number, pages: number, span: number} | null} */
	readBy(i) {
		if (!this.readsOf) {
			const {read_entry: entries, read_page: first, read_span: spans, read_pages: pages} = this.columns;
			this.readsOf = new Map();
			for (let r = 0; r < entries.length; r++) {
				const entry = entries[r];
				const known = this.readsOf.get(entry);
				const page = Math.min(first[r], known?.page ?? first[r]);
				const end = Math.max(first[r] + spans[r], known ? known.page + known.span : 0);
				this.readsOf.set(entry, {page, pages: pages[entry], span: end - page});
			}
		}
		return this.readsOf.get(i) ?? null;
	}

	/** One property of a fault that its combination holds. @param {number} i @param {string} word */
	of(i, word) {
		return this.columns['combination_' + word][this.combination[i]];
	}

	/** Number of the page of memory outside files at index @i of memory_page. @param {number} i */
	memoryPage(i) {
		return this.columns.memory_page_high[i] * 2 ** 32 + this.columns.memory_page_low[i];
	}

	/** @node (index + 1) and those it is called by, innermost first. @param {number} node */
	nodesOf(node) {
		const nodes = [];
		for (let at = node; at > 0; at = this.columns.node_parent[at - 1])
			nodes.push(at);
		return nodes;
	}
}

/** Read the block that @element holds, and take it out of the page, which need not keep it twice. @param {Element} element @returns {Promise<{header: any, columns: Columns}>} */
export async function readBlock(element) {
	const bytes = await gunzip(bytesOfBase64(element.textContent || ''));
	element.remove();
	const length = new DataView(bytes.buffer).getUint32(0, true);
	const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
	/** @type {Columns} */
	const columns = {};
	let at = 4 + length;
	for (const info of /** @type {Header['columns']} */ (header.columns || [])) {
		const size = info.count * WIDTHS[info.type];
		columns[info.name] = decodeColumn(bytes.subarray(at, at + size), info);
		at += size;
	}
	return {header, columns};
}

/** The faults that the block of @element holds. @param {Element} element */
export async function readData(element) {
	const {header, columns} = await readBlock(element);
	if (header.format !== 'elfault.page/1')
		throw new Error(`unknown format ${header.format}`);
	return new Data(header, columns);
}
