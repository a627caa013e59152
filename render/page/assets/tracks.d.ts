// SPDX-License-Identifier: Apache-2.0
// The things that modules of the tracks hand to each other.

// The file over time.

/** What became of the pages of a file. */
interface Pages {
	states: Uint8Array; // PAGE_…
	totals: number[]; // pages in each state
	size: number; // of the file in bytes
}
interface Band {
	kind: number; // BAND_…
	first: number; // page; of the file, of addresses in .bss, 0 in lanes
	end: number; // page, parts of pages included
	label: string;
	isSection: boolean;
	isLoaded: boolean;
	faults: number;
	faulted: Float64Array; // numbers of the pages that faulted, sorted, each once; of lanes, what stands for them
}
/** Neighbouring pages of the file, and the band they lie in from its start on. */
type Stretch = { first: number, end: number, band: number };
interface Bands {
	items: Band[]; // in the order of their kinds, then of their places
	bandOf: Uint16Array; // entry -> band
	at: Float32Array; // entry -> pages from the start of its band
	file: Stretch[]; // where the pages of the file lie, in their order
}
/** A band as it is drawn: one or several neighbours. */
interface Row {
	kind: number;
	label: string;
	section: string | null; // to filter by; null: not one section
	sections: number; // that it stands for
	first: number; // page shown
	end: number;
	firstBand: number;
	endBand: number;
	faults: number;
	isAbsent?: boolean; // the file has no such section, though that of the other side has
	top: number; // in pixels, once placed
	height: number;
}
/** The y axis of a file as one recording sees it. */
interface Axis {
	bands: Bands;
	pages: Pages; // of the file
	length: number; // of the file's part of the axis, in pages
	rows: (place: [number, number] | null, height: number) => Row[];
	emptyParts: (row: Row) => [number, number][]; // the parts of a row that have no page in the file
}
interface Raster {
	cell: number; // size of a cell in pixels of the page
	columns: number;
	lines: number;
	entry: Int32Array; // of each cell: index + 1 of its dearest fault; 0: none that filters leave
	cost: Float64Array; // of that fault: those that stand out before others, then by their own time, then major ones
	faults: Uint32Array; // of each cell
	ghosts: Uint8Array; // 1 where faults are that filters leave out
	around: Uint8Array; // MAPPED where pages were mapped by the fault of a neighbour, else READ where one read them
	bandSums: Float64Array; // of what is shown, by band: see Frame
}
/** What is drawn of a file. */
interface Shown {
	place: [number, number] | null;
	marks: Uint8Array;
	isStressed: boolean; // some marks stand out from the others
	amountOf: (i: number) => number; // what is summed of each entry
	sumText: (amount: number) => string;
	side: number; // of the recording: before above after
	sides: number; // how many there are
	absent: string; // what to say of a section that only the other side of a comparison has
}

// Time and tracks. Times are in units of the trace, but for gaps and cuts.

/** Time left out, in ns. */
type Gap = [number, number];
/** The same, and why. */
type Cut = [number, number, string];
/** A stretch of the axis on which time is even. */
type Piece = { first: number, end: number, place: number, length: number, isGap: boolean };
interface Thread {
	process: number; // that it is of: see Process
	pid: number;
	tid: number;
	name: string;
	entries: Uint32Array; // its faults, in the order of time
	samples: Uint32Array; // indexes of moments, likewise
	pauses: Uint32Array;
	lives: { first: number, end: number }[]; // none where the trace has no account
}
/** A part of the time of one thread. */
type Step = { thread: Thread, first: number, end: number };
type Span = { name: string, first: number, end: number };
/** Of one initializer; bytes that storage delivered for it. */
type Run = { initializer: number, first: number, end: number, depth: number, bytes: number };
/** A program that a process ran: one that executes another is two. */
interface Process {
	index: number; // of header.processes, or without these of its own
	pid: number;
	name: string;
	command: string; // with its arguments
	ownNs: number; // its own time; without an account that of its faults
	lateNs: number;
	first: number;
	end: number;
	threads: Thread[]; // the first one first, then the busiest
}
/** A file, or a kind of memory. */
interface FileFaults {
	object: number;
	ownNs: number; // in faults
	faults: number;
	entries: Uint32Array;
}
interface Wait {
	first: number;
	own: number; // of its length: waiting
	length: number;
	bytes: number; // that were read
	initiator: number;
	entry: number; // the fault that waited; -1: a call
	section: string;
}
interface FileWaits {
	name: string;
	object: number; // -1: never mapped
	ownNs: number; // waited
	bytes: number; // read by it
	waits: Wait[];
}
/** A process with what its lanes show; stackHeight: what the stacks of its first thread need, in pixels. */
type ProcessLanes = { process: Process, phases: Span[], runs: Run[], waits: FileWaits[], hasStacks: boolean, stackHeight: () => number };
/** The same process of each side, null: it is not there; and the files it waited for. */
type ProcessGroup = { key: string | number, sides: (ProcessLanes | null)[], waits: { sides: (FileWaits | null)[] }[] };
/** object: of the page */
type FileGroup = { object: number, sides: (FileFaults | null)[] };
type TrackRow = { y: number, height: number, side: number };
type LaneTrack = TrackRow & { group: ProcessGroup, lanes: ProcessLanes | null } & ({ kind: 'process' | 'stacks', isOpen: boolean } | { kind: 'phases' }
	| { kind: 'thread', index: number } | { kind: 'initializers', depth: number } | { kind: 'waits', files: (FileWaits | null)[] });
/** An open one is of all sides. */
type FileTrack = TrackRow & { kind: 'file', files: FileGroup, isOpen: boolean };
type Track = LaneTrack | FileTrack | TrackRow & { kind: 'more', fold: string, isOpen: boolean, text: string };
/** What is left of all. */
interface Choosing {
	marks: Uint8Array; // by entry; 2: it stands out
	moments: Uint8Array; // their marks
	isStressed: boolean; // some marks stand out from the others
	isAll: boolean; // nothing narrows them: what has no mark of its own is left, too
}

/** What of a file is drawn where. */
interface Frame {
	first: number; // time in units of the trace
	end: number;
	pieces: Piece[]; // of the axis, in the same units
	width: number; // in pixels
	height: number;
	rows: Row[];
	amountOf: (i: number) => number; // what is summed of each entry
}
/** Lengths are in pixels of the screen. */
interface Painting {
	context: CanvasRenderingContext2D; // whose units these are
	raster: Raster;
	pixels: number; // that a cell is wide and high
	left: number; // of the plot
	top: number;
	colorOf: (where: number) => string; // of the fault of a cell
}
interface StackPicture {
	nodes: Int32Array[]; // by depth, then by column of pixels of the page: index + 1 of the node, 0: none
	cells: LaneCells; // what answers for each column
}
/** What a thread did, as columns, in units of the trace. */
interface Stretches {
	count: number;
	first: Float64Array;
	end: Float64Array;
	texture: Uint8Array;
	initiator: Uint8Array;
	answer: Int32Array; // the fault, or behind all faults the moment, that it is of; -1: none
}
/** A stretch of these. */
type Emit = (first: number, end: number, texture: number, initiator: number, answer: number) => void;
