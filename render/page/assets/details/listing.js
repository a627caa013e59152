// SPDX-License-Identifier: Apache-2.0
// Source lines and instructions of a function, beside what each cost of what is selected.
import {forOwnTime, isSample} from '../selection/moments.js';
import {selectedMarks, inRange} from '../selection/selected.js';
import {madeOf} from '../data/once.js';
import {make} from '../shared/dom.js';
import {countText, hexText, timeText, shortName} from '../shared/format.js';
import {functionOf, lastPart} from '../data/words.js';

/** @typedef {{ns: number, samples: number, faults: number}} Spent */

const SPENT_KINDS = /** @type {(keyof Spent)[]} */ (['ns', 'samples', 'faults']);
const SPENT_TITLES = {ns: 'Time', samples: 'Samples', faults: 'Faults'};
/** Lines and instructions beside the one of a fault. */
const NEAR_BY = {lines: 2, code: 3};

function addSpent(/** @type {Map<number, Spent>} */ sums, /** @type {number} */ key, /** @type {Spent} */ spent) {
	const sum = madeOf(sums, key, () => ({ns: 0, samples: 0, faults: 0}));
	for (const kind of SPENT_KINDS)
		sum[kind] += spent[kind];
}

/** What is selected of function @index, by offset in it. @param {Data} data @param {Store} store @param {number} index */
function spentByOffset(data, store, index) {
	const {columns} = data;
	const {choice} = store;
	/** @type {Map<number, Spent>} */
	const sums = new Map();
	const offsetOf = (/** @type {number} */ node) => columns.frame_function_offset[columns.node_frame[node - 1]];
	const marks = selectedMarks(data, store.choice);
	for (let i = 0; i < data.count; i++)
		if (marks[i] && functionOf(data, i) === index && inRange(data, choice, i))
			addSpent(sums, offsetOf(data.stack[i]), {ns: data.own[i], samples: 0, faults: data.weight(i)});
	forOwnTime(data, choice, (moment, ns) => {
		if (moment >= 0 && functionOf(data, moment, data.moments) === index)
			addSpent(sums, offsetOf(data.moments.stack[moment]), {ns, samples: Number(isSample(data, moment)), faults: 0});
	});
	return sums;
}

function spentCells(/** @type {Spent | undefined} */ spent, /** @type {(keyof Spent)[]} */ kinds) {
	return kinds.map((kind) => make('td', {class: 'number'},
		!spent || spent[kind] === 0 ? '' : kind === 'ns' ? timeText(spent.ns) : countText(spent[kind])));
}

/** @param {string} caption @param {(keyof Spent)[]} kinds @param {string[]} titles @param {Node[]} rows */
function listingTable(caption, kinds, titles, rows) {
	return make('section', {class: 'listing', tabindex: '0', 'aria-label': caption}, make('table', {},
		make('thead', {}, make('tr', {}, ...kinds.map((kind) => make('th', {scope: 'col', class: 'number'}, SPENT_TITLES[kind])),
			...titles.map((title) => make('th', {scope: 'col'}, title)))),
		make('tbody', {}, ...rows)));
}

/** A row for what is left out between others. @param {number} columns */
function gapRow(columns) {
	return make('tr', {class: 'gap'}, make('td', {colspan: columns}, '⋯'));
}

/** The blanks that all own lines begin with. @param {Listing} listing */
function indentOf({lines}) {
	const indents = lines.filter(([, , inlined, text]) => inlined === null && text?.trim()).map(([, , , text]) => (text ?? '').search(/\S/));
	return Math.min(...indents, 80);
}

/** @param {Listing} listing @param {Map<number, Spent>} byLine own lines with what was inlined there @param {Map<number, Spent>} inlined @param {(keyof Spent)[]} kinds @param {(line: number) => boolean} isNear */
function lineRows(listing, byLine, inlined, kinds, isNear) {
	const indent = indentOf(listing);
	let last = 0;
	return listing.lines.flatMap(([file, number, called, text], at) => {
		if (!isNear(at) || called !== null && !inlined.has(at))
			return [];
		const isBehindGap = called === null && last > 0 && number !== null && number > last + 1;
		last = called === null ? number ?? 0 : last;
		// There is little room: half the blanks tell as much.
		const shown = called === null ? text?.slice(indent).replace(/^( +)\1/, '$1') ?? ''
			: `  ${file === null ? '?' : lastPart(listing.files[file][0])}:${number ?? '?'} ${shortName(called)}`;
		return [...isBehindGap ? [gapRow(kinds.length + 2)] : [], make('tr', {class: called === null ? null : 'inlined'},
			...spentCells((called === null ? byLine : inlined).get(at), kinds),
			make('td', {class: 'number'}, called === null ? String(number ?? '?') : ''), make('td', {class: 'text'}, shown))];
	});
}

/** @param {Listing} listing @param {Map<number, Spent>} spent @param {(keyof Spent)[]} kinds @param {(at: number) => boolean} isNear */
function codeRows(listing, spent, kinds, isNear) {
	return listing.code.flatMap(([offset, text, , follows], at) => !isNear(at) ? [] : [...follows || at === 0 || !isNear(at - 1) ? [] : [gapRow(kinds.length + 2)],
		make('tr', {}, ...spentCells(spent.get(offset), kinds), make('td', {class: 'number'}, `+${hexText(offset)}`),
			make('td', {class: 'text'}, text ?? '(not decoded)'))]);
}

/** One function. @param {Listing} listing @param {Map<number, Spent>} spent by offset @param {number | null} near the offset of a fault, beside which all is shown */
function listingParts(listing, spent, near) {
	/** @type {Map<number, Spent>} */
	const byLine = new Map();
	/** @type {Map<number, Spent>} */
	const inlined = new Map();
	/** @type {number[]} the own line of each */
	const owners = [];
	listing.lines.forEach(([, , called], at) => owners.push(called === null ? at : owners[at - 1]));
	for (const [offset, , line] of listing.code) {
		const sum = spent.get(offset);
		if (!sum || line === null)
			continue;
		addSpent(byLine, owners[line], sum);
		if (owners[line] !== line)
			addSpent(inlined, line, sum);
	}
	const kinds = SPENT_KINDS.filter((kind) => [...spent.values()].some((sum) => sum[kind] > 0));
	const at = near === null ? -1 : listing.code.findIndex(([offset]) => offset === near);
	const line = at < 0 ? null : listing.code[at][2];
	const number = line === null ? null : listing.lines[owners[line]][1];
	const isNearLine = (/** @type {number} */ each) => near === null || line !== null && (each === line
		|| listing.lines[each][2] === null && listing.lines[each][0] === listing.lines[owners[line]][0] && Math.abs((listing.lines[each][1] ?? 0) - (number ?? 0)) <= NEAR_BY.lines);
	const lines = lineRows(listing, byLine, inlined, kinds, isNearLine);
	const code = codeRows(listing, spent, kinds, (each) => near === null || at >= 0 && Math.abs(each - at) <= NEAR_BY.code);
	const [path, problem] = listing.files[0] ?? [null, null];
	return [
		...lines.length === 0 ? [] : [make('h3', {}, 'Source'), make('p', {class: 'muted'}, `${path ?? 'no file'}${problem ? `: ${problem}` : ''}`),
			listingTable('Source', kinds, ['Line', 'Code'], lines)],
		...code.length === 0 ? [] : [make('h3', {}, 'Instructions'), listingTable('Instructions', kinds, ['At', 'Instruction'], code)],
	];
}

/** The code of function @index; near the offset @near alone, where that is not null. @param {Data} data @param {Store} store @param {number} index @param {number | null} [near] @returns {Node[]} */
export function codeParts(data, store, index, near = null) {
	const listings = data.header.listings.filter((each) => each.function === index);
	if (listings.length === 0)
		return near === null ? [make('p', {class: 'muted'}, 'Its code is not in this page, which has that of the dearest functions: elfault analyze --function shows it.')] : [];
	const spent = spentByOffset(data, store, index);
	return [...listings.flatMap((listing) => listingParts(listing, spent, near)),
		...near === null ? [make('p', {class: 'muted'}, 'Code that cost nothing in the whole run is left out, but for a little beside what did.')] : []];
}
