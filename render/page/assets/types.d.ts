// SPDX-License-Identifier: Apache-2.0
// The things that modules of the page hand to each other. tests/lint/javascript.sh holds the modules to them.

type Data = import('./data/data.js').Data;
type Recordings = import('./data/recordings.js').Recordings;
type DiffData = import('./diff/diffdata.js').DiffData;
type DiffStore = import('./diff/diffstore.js').DiffStore;
type Store = import('./selection/store.js').Store;
type FileAxis = import('./tracks/fileaxis.js').FileAxis;
type FilePlot = import('./tracks/fileplot.js').FilePlot;
type Inks = (color: string, texture: number) => string | CanvasPattern;
type LaneCells = import('./tracks/lanes.js').LaneCells;
type Side = import('./tracks/side.js').Side;
type TrackPicture = import('./tracks/trackpicture.js').TrackPicture;
type Tracks = import('./tracks/tracks.js').Tracks;
type View = import('./tracks/view.js').View;

type Columns = Record<string, Uint8Array | Uint16Array | Uint32Array>;
type Box = { x: number, y: number, width: number, height: number };

// What is selected, and its sums.

interface Choice {
	object: number; // index into header.objects: the file that is open in the pictures
	process: number | null; // pid, null: all
	filter: Record<string, string>; // word -> the value that faults must have, by its text
	search: string; // text that a name of the fault must contain
	time: [number, number] | null; // range in ns, null: all
	place: [number, number] | null; // range of pages of the main lane, null: all
	fault: number | null; // the one whose details are shown
	metric: string; // what numbers, bars and orders go by: time, faults, bytes, pages
	tab: string; // of the tables
	open: string[]; // files and sections that are open in the table of files: paths, and paths with a section's name; or ALL_…
	ownScales?: boolean; // of a comparison: each side is drawn as long as the other
	stress?: boolean; // likewise: marks of what only one side touched stand out
	sort: string; // key of the column that rows of the tab are sorted by, after a - if largest first; '': by the metric
}
/** What selects faults; ranges of time and place are what pictures show. */
type Selecting = Pick<Choice, 'filter' | 'search' | 'process'>;
type Opening = Pick<Choice, 'object' | 'metric'>;

/** What has a cause, a thread and mostly a stack: faults, moments, or waits of calls for storage. */
interface Rows {
	count: number;
	combination: Uint32Array;
	stack: Uint32Array;
	symbol?: Uint32Array;
}
/** How rows fall into groups. */
interface Grouping {
	count: number; // how many groups there are
	valuesOf: (rows: Rows) => Uint32Array | null; // one number a row; null: they are in no group
	groupOf: Int32Array; // the group of each such number, -1: none
	restGroup?: (cause: number, pid: number) => number; // that of own time of which no more is known: see forOwnTime()
}
/** By group. */
interface Sums {
	faults: Float64Array;
	major: Float64Array;
	time: Float64Array; // ns that threads ran or waited for storage, in faults and outside
	error: Float64Array; // of the time: see errorOf()
	bytes: Float64Array; // that faults read from storage
	lazy: Float64Array; // faults of lazy binding
	pages: Float64Array; // that are different
	total: number; // faults that fell into any group
}
/** Samples that stand for some time. */
type Sampled = { moments: number, ns: number, squares: number };

// Head and drawer.

/** A piece of the account's bar; pieces of one name stand side by side. */
interface Part {
	name: string;
	amount: number;
	text: string;
	color: string;
	state?: string;
	ns?: number;
	error?: number | null;
	isLate?: boolean;
	isFaded?: boolean;
	press?: () => void;
}
/** A box of what may be changed, or of what changed. */
interface CureBox {
	name: string;
	head: (Node | string | null)[];
	title: string; // the same, and what a click does
	isChosen: () => boolean;
	press: () => void;
	who: string; // can act
	advice: string;
	isCommand?: boolean;
	isFact?: boolean; // nothing to copy
}
type Tab = { id: string, tab: HTMLElement, panel: HTMLElement, count: () => void };
interface SortedColumn {
	key: string;
	title: string;
	help?: string; // what the title leaves open
	isText?: boolean;
	isProse?: boolean; // text whose beginning tells most
	isPlace?: boolean; // a number that is no amount: an address, a position
	value: (row: number) => number | string; // what rows are sorted by
	show: (row: number) => string;
	mark?: (row: number, text: string) => (Node | string | null)[]; // what stands there instead
}
/** What a table shows, and what a click on a row does. */
interface TableSpec {
	id: string;
	title: string;
	about?: string; // one sentence
	columns: SortedColumn[]; // the first names the row
	prepare?: () => void; // before rows are asked for
	rows: () => number[]; // every row there is to show, in no order
	measure?: (rows: number[]) => void; // those that are listed, before they are drawn
	firstKey?: () => string; // what rows are sorted by unless the link says otherwise: the metric; '': rows come in their own order
	isPressed?: (row: number) => boolean; // it is what is chosen
	press?: (row: number) => void;
	isQuiet?: (row: number) => boolean; // it says nothing that matters
	isRest?: (row: number) => boolean; // it comes behind all others, however they are sorted, and is no filter
	order?: (a: number, b: number) => number; // of rows that are equal in the sorted column
	statusText?: (rows: number[]) => string; // of those that are listed
}
/** A table of groups. */
interface TableKind {
	id: string;
	title: string;
	about: string; // one sentence
	grouping: () => Grouping;
	isListed?: (row: number) => boolean; // rows without faults too, if this says so
	isRest?: (row: number) => boolean; // what is in none of the others: it comes last, and is no filter
	name: (row: number) => string;
	columns: (sums: () => Sums) => SortedColumn[]; // the first names the row
	isPressed: (row: number) => boolean;
	press: (row: number) => void;
}

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

// Details and comparisons.

type FaultFacts = ReturnType<typeof import('./details/faultfacts.js').faultFacts>;
type CodePlace = NonNullable<FaultFacts['by']>;
type Numbers = Pick<Figure, 'before' | 'after' | 'verdict' | 'p'>;
/** What is counted of each row. */
interface Metric {
	key: string; // of the document
	metric: string; // what the page calls it, '' where nothing goes by it
	title: string;
	show: (n: number) => string;
}
/** By metric, numbers by row. */
type SideTally = Record<string, Float64Array>;
