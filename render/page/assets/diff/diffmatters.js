// SPDX-License-Identifier: Apache-2.0
// What changed, the differences that matter first: what rules say of them, then causes, an initiator on a section
// of a file. Each leads to its faults in the pictures of both sides.
import {METRICS, bothText, changeMark, changeShare, verdictText} from './change.js';
import {choiceOf, fullName, isRowChosen, metricsOf, toggleChosen} from './diffrows.js';
import {byId, make} from '../shared/dom.js';
import {countText, nounText} from '../shared/format.js';
import {drawOn} from '../selection/selected.js';

/**
 * @typedef {import('./diffdata.js').DiffData} DiffData
 * @typedef {import('./diffdata.js').DiffRow} DiffRow
 * @typedef {import('./diffdata.js').Figure} Figure
 * @typedef {import('./diffstore.js').DiffStore} DiffStore
 * @typedef {Figure & {id: string, title: string, object: string | null, where: string | null, metric: string, is_cause: boolean,
 *	evidence: string, advice: string | null}} ChangeFinding
 */

/** So many are there to see at once. */
const MATTERS_SHOWN = 10;
const CHANGES_SHOWN = 5;
/** More than these nobody reads; the tables have all. */
const MATTERS_MOST = 100;

/** @param {Figure} figure */
function isBeyondNoise(figure) {
	return figure.difference !== 0 && figure.verdict !== 'noise';
}

/** What of the row matters to one who counts @metric: where faults do not differ beyond noise, what they waited for. @param {DiffRow} row @param {string} metric */
function matteringMetric(row, metric) {
	if (metric !== 'faults' || isBeyondNoise(row.faults))
		return metric;
	return isBeyondNoise(row.major) ? 'major' : row.read_bytes && isBeyondNoise(row.read_bytes) ? 'read_bytes' : metric;
}

/** Differences beyond noise: in faults as the document has them, else real ones first, then the largest. @param {DiffData} diff @param {string} metric @returns {DiffRow[]} */
function matteringRows(diff, metric) {
	/** @type {DiffRow[]} */
	const rows = diff.diff.by_cause.filter((/** @type {DiffRow} */ row) => isBeyondNoise(row[matteringMetric(row, metric)]));
	const weight = (/** @type {DiffRow} */ row) => (row[metric].verdict === 'real' ? 1e15 : 0) + Math.abs(row[metric].difference);
	return metric === 'faults' ? rows : rows.sort((a, b) => weight(b) - weight(a));
}

/** Bring the pictures into sight. */
export function scrollToPictures() {
	const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
	byId('timelines').scrollIntoView({behavior: still ? 'auto' : 'smooth'});
}

/** @param {DiffData} diff @param {DiffStore} store @param {DiffRow} row @param {string} counted */
function makeMatter(diff, store, row, counted) {
	const key = matteringMetric(row, counted);
	const figure = row[key];
	const metric = METRICS.find((each) => each.key === key) ?? METRICS[0];
	const wanted = choiceOf(diff, 'cause', row);
	const isOn = isRowChosen(store, wanted);
	const button = make('button', {type: 'button', class: 'row', title: 'Show in the pictures', 'aria-pressed': String(isOn),
		'data-row': diff.diff.by_cause.indexOf(row), click: () => {
			toggleChosen(store, wanted);
			if (!isOn)
				scrollToPictures();
		}}, fullName(diff, 'cause', row));
	return make('li', {class: 'matter'},
		make('span', {class: 'by'}, changeMark(metric, figure.difference, figure.verdict), key !== counted ? ` ${key === 'major' ? 'major' : 'read'}` : ''),
		make('span', {class: 'what'}, button,
			make('span', {class: 'muted'}, `${bothText(metric.show, figure)}${key === 'own_ns' || key === 'read_bytes' ? '' : ` ${metric.title}`}`
				+ (changeShare(figure.before, figure.after).endsWith('%') ? `, ${changeShare(figure.before, figure.after)}` : '')
				+ (diff.diff.can_tell ? `; ${verdictText(figure.verdict, figure.p)}` : '')
				// It counts in the order of the rows, so it is to be seen.
				+ (key === 'faults' && isBeyondNoise(row.major) ? `; ${bothText(metric.show, row.major)} of them major` : '')),
			row.explanation ? make('span', {class: 'why'}, row.explanation) : null));
}

/** @param {DiffData} diff @param {DiffStore} store @param {ChangeFinding} finding @param {number} index */
function makeChange(diff, store, finding, index) {
	const metric = metricsOf(diff).find(({key}) => key === finding.metric) ?? METRICS[0];
	const show = () => {
		const object = diff.diff.objects.findIndex((/** @type {any} */ each) => finding.object !== null
			&& [each.before?.path, each.after?.path].includes(finding.object));
		store.set({filter: {finding: String(index)}, search: '', time: [null, null], place: null, fault: null,
			...object < 0 ? {} : {object}});
		scrollToPictures();
	};
	return make('li', {}, make('details', {open: index === 0},
		make('summary', {}, make('h3', {}, finding.title),
			make('span', {class: 'cost'}, changeMark(metric, finding.difference, finding.verdict), ` ${metric.title}`)),
		finding.advice ? make('p', {class: 'advice'}, make('strong', {}, 'Do: '), finding.advice) : null,
		make('p', {class: 'muted'}, finding.evidence),
		finding.where === null ? null
			: make('button', {type: 'button', class: 'button', click: show}, 'Show in the pictures')));
}

/** The first @most of @items in a list, the others under a summary. @param {HTMLElement} element @param {string} list class @param {HTMLElement[]} items @param {number} most */
function appendList(element, list, items, most) {
	element.append(make('ol', {class: list}, ...items.slice(0, most)));
	if (items.length > most)
		element.append(make('details', {class: 'more'}, make('summary', {}, `${countText(items.length - most)} more`),
			make('ol', {class: list, start: most + 1}, ...items.slice(most))));
}

/** @param {DiffData} diff @param {DiffStore} store @param {HTMLElement} element */
function drawMatters(diff, store, element) {
	const {metric} = store.choice;
	const rows = matteringRows(diff, metric);
	const quiet = diff.diff.by_cause.filter((/** @type {DiffRow} */ row) => row[metric].difference !== 0 && row[metric].verdict === 'noise').length;
	const title = metricsOf(diff).find(({key}) => key === metric)?.title ?? metric;
	const hadFocus = element.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.row : undefined;
	const wasOpen = element.querySelector('details')?.open ?? false;
	const rest = [
		rows.length === 0 ? `No difference in ${title} exceeds noise.` : '',
		rows.length > MATTERS_MOST ? `${countText(rows.length - MATTERS_MOST)} smaller ones: see the table of causes.` : '',
		quiet > 0 ? `${nounText(quiet, 'other difference')} ${quiet === 1 ? 'lies' : 'lie'} within noise.` : '',
	].filter(Boolean);
	element.replaceChildren();
	if (rows.length > 0)
		appendList(element, 'matters', rows.slice(0, MATTERS_MOST).map((row) => makeMatter(diff, store, row, metric)), MATTERS_SHOWN);
	if (rest.length > 0)
		element.append(make('p', {class: 'muted'}, rest.join(' ')));
	const more = element.querySelector('details');
	if (more)
		more.open = wasOpen;
	if (hadFocus)
		/** @type {HTMLElement | null} */ (element.querySelector(`[data-row="${Number(hadFocus)}"]`))?.focus();
}

/** @param {DiffData} diff @param {DiffStore} store @param {HTMLElement} element */
export function makeMatters(diff, store, element) {
	/** @type {ChangeFinding[]} */
	const findings = diff.diff.findings ?? [];
	if (findings.length > 0)
		appendList(element, 'findings', findings.map((finding, i) => makeChange(diff, store, finding, i)), CHANGES_SHOWN);
	const list = make('div');
	element.append(list);
	drawOn(store, ['filter', 'object', 'metric'], () => drawMatters(diff, store, list));
}
