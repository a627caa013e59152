// SPDX-License-Identifier: Apache-2.0
// Details of a comparison: the chosen fault, of whichever side it is, and what the other side has in its place; without one the
// file that is shown, whether it is one build or two, and all that was compared.
import {bothText, changeMark, changeShare, changeText, verdictText} from './change.js';
import {makeDetail} from '../details/detail.js';
import {commandLine} from '../shared/copy.js';
import {faultLines} from '../details/faultfacts.js';
import {metricsOf} from './diffrows.js';
import {factList, make} from '../shared/dom.js';
import {countText, nounText, timeText, shortName} from '../shared/format.js';
import {AFTER, BEFORE, SIDE_NAMES} from '../data/recordings.js';

const SIDES = [BEFORE, AFTER];

/** "4.1 MiB → 4.0 MiB", once where both are the same. @param {(string | null | undefined)[]} both */
function bothNames([before, after]) {
	return before === after ? before ?? '' : `${before ?? 'none'} → ${after ?? 'none'}`;
}

/** The file that is shown: one build, two, or one side's alone; a guess is said, and how to undo it. @param {DiffData} diff @param {number} object */
function fileParts(diff, object) {
	const {before, after, paired_by: pairedBy} = diff.diff.objects[object] ?? {};
	const rows = SIDES.map((side) => diff.sides[side].header.objects[diff.objectOn(side, object)]);
	const isGuess = pairedBy === 'guess' || pairedBy === 'program';
	const apart = `elfault diff --no-guess ${SIDES.map((side) => diff.diff[SIDE_NAMES[side]].map((/** @type {{path: string}} */ run) => run.path).join(' ')).join(
		diff.diff.before.length + diff.diff.after.length > 2 ? ' --after ' : ' ')}`;
	const isOne = before?.build_id && before.build_id === after?.build_id;
	return [!before || !after ? make('p', {}, before || after ? `Only ${before ? 'before' : 'after'}.` : 'In no file.') : null,
		isGuess ? make('p', {class: 'guess'}, `${pairedBy === 'program' ? 'Compared as the programs of both sides' : 'Compared because their names are alike'}: a guess. To leave them apart:`) : null,
		isGuess ? commandLine(apart) : null,
		factList([['Faults', bothNames(rows.map((row) => row && countText(row.faults)))],
			['Time', rows.some((row) => row?.own_ns > 0) ? `${bothNames(rows.map((row) => timeText(row?.own_ns ?? 0)))} in them` : ''],
			['Path', bothNames([before?.path, after?.path])],
			['Paired', before && after && before.path !== after.path && !isGuess ? `by ${pairedBy === 'pair' ? '--pair' : pairedBy}` : ''],
			['Build-id', isOne ? `${before.build_id}: the same build` : before?.build_id || after?.build_id ? bothNames([before?.build_id, after?.build_id]) : '']])];
}

function medianOf(/** @type {number[]} */ values) {
	const sorted = [...values].sort((a, b) => a - b);
	const half = sorted.length >> 1;
	return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** All that was counted on both sides. @param {DiffData} diff */
function totalsTable(diff) {
	const {total, can_tell: tells} = diff.diff;
	const lasted = SIDES.map((side) => medianOf(diff.diff[SIDE_NAMES[side]].map((/** @type {any} */ run) => run.duration_ns)));
	/** @type {[Metric, Figure | {before: number, after: number, verdict: 'unknown' | 'same', p: number}][]} */
	const rows = [...metricsOf(diff).map((metric) => /** @type {[Metric, Figure]} */ ([metric, total[metric.key]])),
		[{key: '', metric: '', title: 'recorded for', show: timeText}, {before: lasted[BEFORE], after: lasted[AFTER], verdict: 'unknown', p: 1}]];
	return make('table', {class: 'totals'}, make('caption', {class: 'unseen'}, 'All faults on both sides'),
		make('thead', {}, make('tr', {}, ...['', 'Before', 'After', 'Difference', '%'].map((title) => title ? make('th', {scope: 'col', class: 'number'}, title) : make('td')))),
		make('tbody', {}, ...rows.map(([{title, show}, {before, after, verdict, p}]) => make('tr', {title: tells ? verdictText(verdict, p) : null},
			make('th', {scope: 'row', class: 'text'}, title), ...[before, after].map((n) => make('td', {class: 'number'}, show(n))),
			make('td', {class: 'number'}, changeMark(changeText(show, after - before), after - before, verdict)), make('td', {class: 'number'}, changeShare(before, after))))));
}

/** Which run of a side is shown. @param {DiffData} diff @param {number} side */
function runText(diff, side) {
	const runs = diff.diff[SIDE_NAMES[side]];
	const {command, path} = runs[diff.shown[side]];
	const {before_runs: before, after_runs: after} = diff.diff.total.faults;
	const faults = [before, after][side][diff.shown[side]];
	return make('span', {}, make('code', {}, command), ` (${path}): ${runs.length === 1 ? nounText(faults, 'fault')
		: `run ${diff.shown[side] + 1} of ${countText(runs.length)} is shown, nearest to the median: ${nounText(faults, 'fault')}`}`);
}

/** What is told without a fault. @param {DiffData} diff @param {DiffStore} store */
function scopeParts(diff, store) {
	return [...fileParts(diff, store.choice.object), make('h3', {}, 'What changed'),
		...diff.amounts.map((text) => make('p', {}, text)), totalsTable(diff), make('p', {class: 'muted'}, diff.noise),
		make('h3', {}, 'Recordings'), factList(SIDES.map((side) => [SIDE_NAMES[side], runText(diff, side)]))].filter((part) => part !== null);
}

/** What the other side has at the place of the chosen fault. @param {DiffData} diff @param {DiffStore} store @param {number} side @param {number} fault */
function twinParts(diff, store, side, fault) {
	const other = 1 - side;
	const index = diff.twinOf(side, fault);
	if (index < 0)
		return [`No fault at this place ${SIDE_NAMES[other]}.`];
	const data = diff.sides[other];
	return [make('button', {type: 'button', class: 'button', click: () => store.sides[other].set({fault: index})}, `The same place ${SIDE_NAMES[other]}`),
		` fault ${countText(index + 1)}, at ${timeText(store.sides[other].axisTime(data.timeNs(index)))}: ${faultLines(data, index).slice(0, 3).join('; ')}`];
}

export function makeDiffDetail(/** @type {DiffData} */ diff, /** @type {DiffStore} */ store, /** @type {HTMLElement} */ element) {
	// What scrolls is to be reached by keys.
	element.tabIndex = 0;
	makeDetail(diff.sides, store, element, () => ({title: shortName(diff.nameOf(store.choice.object)), parts: scopeParts(diff, store)}),
		(side, fault) => [make('p', {class: 'of-side'}, SIDE_NAMES[side]), make('p', {class: 'twin', role: 'status'}, ...twinParts(diff, store, side, fault))]);
}

/** The totals in a sentence. @param {DiffData} diff */
export function headlineText(diff) {
	const {faults, major} = diff.diff.total;
	const share = changeShare(faults.before, faults.after);
	const change = faults.before === faults.after ? `${nounText(faults.after, 'fault')} on both sides`
		: `${bothText(countText, faults)} faults: ${countText(Math.abs(faults.difference))} ${faults.difference > 0 ? 'more' : 'fewer'}${share.endsWith('%') ? ` (${share})` : ''}`;
	return `${change}${major.before === major.after ? '' : `; ${bothText(countText, major)} major`}.`;
}
