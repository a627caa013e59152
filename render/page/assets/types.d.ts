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

/** Told of own time outside faults; moment -1: it is known by process and cause alone. */
type Visit = (moment: number, ns: number, cause: number, pid: number) => void;

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
