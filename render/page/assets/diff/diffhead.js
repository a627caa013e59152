// SPDX-License-Identifier: Apache-2.0
// The head of a comparison: what was compared, the totals of both sides, what can be known of noise, and all
// that may be missing.
import {bothText, changeMark, changeShare, medianText, verdictText} from './change.js';
import {shortName} from '../shared/describe.js';
import {metricsOf} from './diffrows.js';
import {make} from '../shared/dom.js';
import {countText, nounText, timeText} from '../shared/format.js';
import {lossesOf, makeNoteList} from '../shared/losses.js';
import {drawOn} from '../selection/selected.js';
import {visibleText} from '../shared/visible.js';
import {AFTER, BEFORE, SIDE_NAMES} from './sides.js';

/**
 * @typedef {import('./diffdata.js').DiffData} DiffData
 * @typedef {import('./diffdata.js').Figure} Figure
 * @typedef {import('./diffstore.js').DiffStore} DiffStore
 * @typedef {import('./change.js').Metric} Metric
 */

/** As shown: of a process that ran already "process 12 (app)". @param {DiffData} diff @param {number} side */
export function commandOf(diff, side) {
	return diff.diff[SIDE_NAMES[side]][diff.shown[side]].command;
}

/** The totals in a sentence. @param {Figure} faults */
export function totalText(faults) {
	const {before, after} = faults;
	if (before === after)
		return `${nounText(after, 'fault')} on both sides`;
	const share = changeShare(before, after);
	const change = `${medianText(Math.abs(after - before))} ${after > before ? 'more' : 'fewer'}`;
	return `${bothText(medianText, faults)} faults: ${change}${share.endsWith('%') ? ` (${share})` : ''}`;
}

/** What to take away: all faults, and what else of them changed. @param {DiffData} diff */
function headlineText(diff) {
	const {faults, major, own_ns: ns} = diff.diff.total;
	return [totalText(faults),
		major.before === major.after ? '' : `${bothText(medianText, major)} major`,
		ns.before > 0 && ns.after > 0 ? `${bothText(timeText, ns)} in them` : ''].filter(Boolean).join('; ');
}

/** @param {number[]} values */
function medianOf(values) {
	const sorted = [...values].sort((a, b) => a - b);
	const half = sorted.length >> 1;
	return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Every fault is minor or major: minor faults of each run. @param {DiffData} diff @returns {[number, number]} medians */
function minorFaults(diff) {
	const {faults, major} = diff.diff.total;
	return [medianOf(faults.before_runs.map((/** @type {number} */ n, /** @type {number} */ i) => n - major.before_runs[i])),
		medianOf(faults.after_runs.map((/** @type {number} */ n, /** @type {number} */ i) => n - major.after_runs[i]))];
}

/** @param {DiffData} diff */
function totalsTable(diff) {
	const tells = diff.diff.can_tell;
	const row = (/** @type {string} */ title, /** @type {Metric} */ metric, /** @type {number} */ before, /** @type {number} */ after, /** @type {Figure | null} */ figure) =>
		make('tr', {},
			make('th', {scope: 'row', class: 'text'}, title),
			make('td', {class: 'number'}, metric.show(before)), make('td', {class: 'number'}, metric.show(after)),
			make('td', {class: 'number'}, changeMark(metric, after - before, figure?.verdict ?? 'unknown')),
			make('td', {class: 'number'}, changeShare(before, after)),
			tells ? make('td', {class: 'text'}, figure ? verdictText(figure.verdict, figure.p) : '') : null);
	const rows = metricsOf(diff).map((metric) => {
		const figure = diff.diff.total[metric.key];
		return row(metric.title, metric, figure.before, figure.after, figure);
	});
	const [faults] = metricsOf(diff);
	const minor = minorFaults(diff);
	rows.splice(1, 0, row('minor faults', faults, minor[0], minor[1], null));
	const lasted = [BEFORE, AFTER].map((side) => medianOf(diff.diff[SIDE_NAMES[side]].map((/** @type {any} */ run) => run.duration_ns)));
	rows.push(row('recorded for', {key: '', title: '', show: timeText}, lasted[0], lasted[1], null));
	return make('div', {class: 'scroll totals'}, make('table', {},
		make('caption', {class: 'unseen'}, 'All faults on both sides'),
		make('thead', {}, make('tr', {},
			...['', 'Before', 'After', 'Difference', '%', ...tells ? ['Verdict'] : []].map((title, i) => title
				? make('th', {scope: 'col', class: i === 5 ? 'text' : 'number'}, title) : make('td')))),
		make('tbody', {}, ...rows)));
}

/** Which run is shown. @param {DiffData} diff @param {number} side */
function runText(diff, side) {
	const runs = diff.diff[SIDE_NAMES[side]];
	const faults = diff.diff.total.faults[`${SIDE_NAMES[side]}_runs`][diff.shown[side]];
	return runs.length === 1 ? nounText(faults, 'fault')
		: `The pictures show run ${diff.shown[side] + 1} of ${countText(runs.length)}, nearest to the median: ${nounText(faults, 'fault')}`;
}

/** @param {DiffData} diff @param {number} side */
function sideOf(diff, side) {
	const run = diff.diff[SIDE_NAMES[side]][diff.shown[side]];
	return make('div', {class: `side ${SIDE_NAMES[side]}`},
		make('h2', {}, SIDE_NAMES[side] === 'before' ? 'Before' : 'After'),
		make('p', {}, make('code', {}, run.command)),
		make('p', {class: 'muted'}, `${runText(diff, side)}; `, make('code', {}, run.path)));
}

/** What was lost or left out on either side; each is a sentence. @param {DiffData} diff */
function makeDiffNotes(diff) {
	/** @type {string[]} */
	const losses = [];
	let isLossy = false;
	for (const side of [BEFORE, AFTER]) {
		const {header} = diff.sides[side];
		isLossy ||= header.counts.missing > 0;
		losses.push(...lossesOf(diff.sides[side]).map((text) => `${SIDE_NAMES[side]}: ${text}`));
		for (const run of diff.diff[SIDE_NAMES[side]].filter((/** @type {any} */ each) => !each.complete)) {
			isLossy = true;
			losses.push(`${SIDE_NAMES[side]}: ${run.path} is incomplete.`);
		}
	}
	return makeNoteList(losses, [...diff.diff.notes, ...[BEFORE, AFTER].flatMap((side) => ownNotes(diff, side))], isLossy);
}

/** What only the run that is shown says: the comparison has the notes of all runs. @param {DiffData} diff @param {number} side */
function ownNotes(diff, side) {
	/** @type {{text: string}[]} */
	const told = diff.diff.run_notes[SIDE_NAMES[side]];
	/** @type {string[]} */
	const notes = diff.sides[side].header.notes;
	return notes.filter((note) => !told.some(({text}) => note === text || note.startsWith(`${text} (`)))
		.map((note) => `${SIDE_NAMES[side]}: ${note}`);
}

/** Whether the file shown is one build or two. @param {DiffData} diff @param {number} object */
function buildsText(diff, object) {
	const {label, before, after, paired_by: pairedBy} = diff.diff.objects[object];
	const name = shortName(label);
	if (!before || !after)
		return `${name} is on one side only: ${before ? 'before' : 'after'}.`;
	const paths = before.path === after.path ? '' : ` ${before.path} and ${after.path}, matched ${pairedBy === 'program' ? 'as the programs of both sides' : `by ${pairedBy === 'pair' ? '--pair' : pairedBy}`}.`;
	if (!before.build_id && !after.build_id)
		return paths ? `${name}:${paths}` : '';
	return before.build_id === after.build_id ? `${name}: the same build on both sides, ${before.build_id}.${paths}`
		: `${name}: build-id ${before.build_id ?? 'none'} → ${after.build_id ?? 'none'}.${paths}`;
}

/** @param {DiffData} diff @param {DiffStore} store @param {HTMLElement} element */
export function makeDiffHead(diff, store, element) {
	const [before, after] = [commandOf(diff, BEFORE), commandOf(diff, AFTER)];
	const builds = make('p', {class: 'muted builds'});
	element.append(make('h1', {}, before === after ? `Page faults of ${shortName(after)}, before and after`
		: `Page faults of ${shortName(before)} and of ${shortName(after)}`),
	...diff.amounts.map((/** @type {string} */ text) => make('p', {class: 'headline'}, visibleText(text))),
	make('p', {class: diff.amounts.length > 0 ? 'facts' : 'headline'}, headlineText(diff)),
	make('p', {class: 'facts'}, diff.noise),
	make('div', {class: 'compared'}, make('div', {class: 'sides'}, sideOf(diff, BEFORE), sideOf(diff, AFTER), builds, makeDiffNotes(diff)), totalsTable(diff)));
	drawOn(store, ['object'], () => {
		builds.textContent = visibleText(buildsText(diff, store.choice.object));
	});
}
