// SPDX-License-Identifier: Apache-2.0
// The JSON of the page's blocks, as far as modules read it: docs/inside/page-format.md says what each part means.

/** Index of words.state, index of words.initiator, ns, error in ns. */
type Cell = [number, number, number, number | null];
/** Bytes read, mapped, touched, of a file also unused. */
type Usage = number[] | null;

interface PageObject {
	name: string;
	path: string;
	soname: string | null;
	build_id: string | null;
	size: number;
	end: number; // how far it reaches: where its size is not known, up to the last fault
	is_file: boolean;
	is_elf: boolean;
	faults: number;
	major: number;
	own_ns: number;
	read_bytes: number | null;
	by_initiator: number[];
	ns_by_initiator: number[];
	sections: number[];
	layout: LayoutSection[];
	usage: Usage;
}
interface LayoutSection {
	name: string;
	offset: number | null;
	file_size: number;
	vaddr: number | null;
	memory_size: number;
}
interface Saving {
	faults: number;
	duration_ns: number;
	is: 'prediction' | 'at-most' | 'at-least';
	error: {faults: number, duration_ns: number} | null;
}
interface Finding {
	id: string;
	title: string;
	object: string | null;
	faults: number;
	pages: number;
	own_ns: number;
	saves: Saving;
	files: {object: string}[];
	command: string | null;
	evidence: string;
	cures: {for: string, advice: string}[];
}
interface HeaderProcess {
	pid: number;
	name: string | null;
	command: string[];
	start_ns: number;
	end_ns: number;
	own_ns: number;
	late_ns: number;
	cells: Cell[];
}
interface Initializer {
	object: number;
	index: number;
	array: string;
	function: string | null;
	source: string | null;
}
interface Listing {
	function: number;
	files: [string, string | null][];
	lines: [number | null, number | null, string | null, string | null][]; // file, number, function that was inlined, text
	code: [number, string | null, number | null, number][]; // offset, text, line, whether it follows the one before
}
interface Header {
	format: string;
	page_size: number;
	main_object: number | null;
	filter: string | null;
	is_narrowed: boolean;
	words: Record<string, string[]> & {dlopen: (boolean | null)[] & string[]};
	meanings: Record<string, string[]>;
	colors: {initiator: [string, string][]};
	trace: {command: string[], process?: {pid: number, comm: string | null}, duration_ns: number | null, complete: boolean, truncated: boolean};
	axis: {start_ns: number, end_ns: number};
	account: {own: string, of: string | null, recording_ns: number, process: number | null, complete: boolean, cells: Cell[]} | null;
	processes: HeaderProcess[];
	operations: {files: {name: string, path: string}[], sections: string[], calls: string[]} | null;
	critical: {steps: {process: number | null, tid: number, start_ns: number, end_ns: number}[]} | null;
	marks: {name: string, time_ns: number | null}[];
	cuts: Cut[];
	weigh: string;
	counts: Record<string, number> & {without_stack: number, without_stack_unknown: number};
	missing: string | null;
	findings: Finding[];
	finding_sets: [number, number][];
	notes: string[];
	objects: PageObject[];
	sections: {object: number, name: string | null, size: number, faults: number, own_ns: number, usage: Usage}[];
	symbols: {name: (string | null)[], section: (number | null)[], vaddr: number[], size: number[], kind: number[]};
	functions: {name: (string | null)[], object: number[]};
	initializers: Initializer[];
	threads: {pid: number, tid: number, comm: string | null, process: number | null}[];
	programs: {pid: number, phases: [number, number, number][]}[];
	code: {source: string | null, instruction: string | null, inlined: {function: string | null, source: string | null}[]}[];
	listings: Listing[];
	faults: {count: number, total: number, merged: boolean, time_unit_ns: number};
	columns: {name: string, type: 'u8' | 'u16' | 'u32', encoding: string, count: number}[];
	csv_columns: string[];
}

type Verdict = 'same' | 'unknown' | 'noise' | 'real';
type Figure = { before: number, after: number, difference: number, verdict: Verdict, p: number, before_runs: number[], after_runs: number[] };
type DiffRow = Record<string, any> & { faults: Figure, major: Figure, pages: Figure, own_ns: Figure };
type DiffFinding = Figure & {id: string, title: string, object: string | null, where: string | null, metric: string, is_cause: boolean, evidence: string, advice: string | null};
type DiffRun = {command: string, path: string, complete: boolean, duration_ns: number};
/** Of a function that runs on a side. */
type MovePlace = {section: string | null, vaddr: string, size: number, page: number, place: number, first_use: number, faults: number};
type Move = {function: string, before: MovePlace, after: MovePlace};
type DiffSide = {path: string, build_id: string | null, size: number};
type DiffObject = {label: string, before: DiffSide | null, after: DiffSide | null, paired_by: string | null, locality: any};
/** The document of `elfault diff --format json`. */
type DiffDocument = Record<string, any> & {objects: DiffObject[], total: Record<string, Figure>, can_tell: boolean, before: DiffRun[], after: DiffRun[],
	findings?: DiffFinding[], by_cause: DiffRow[], by_object: DiffRow[], notes: string[]};
