// SPDX-License-Identifier: Apache-2.0
// What changed, the differences that matter first: what rules say of them, then causes, an initiator on a section of a file. A
// click shows the faults of both sides.
import {METRICS, bothText, changeMark, changeShare, changeText, verdictText} from './change.js';
import {choiceOf, fullName, isRowChosen, metricOf, toggleChosen} from './diffrows.js';
import {make} from '../shared/dom.js';
import {makeBoxes} from '../head/cures.js';
import {drawOn} from '../selection/selected.js';
import {AFTER} from '../data/recordings.js';
import {findingNames} from '../data/words.js';

/** More than these nobody reads; the table of causes has all. */
const CAUSES_MOST = 12;

function isBeyondNoise(/** @type {Figure} */ figure) {
	return figure.difference !== 0 && figure.verdict !== 'noise';
}

/** What of the row matters to one who counts @metric: where faults do not differ beyond noise, what they waited for. @param {DiffRow} row @param {Metric} metric */
function matteringMetric(row, metric) {
	const [faults, major] = METRICS;
	if (metric !== faults || isBeyondNoise(row.faults))
		return metric;
	return isBeyondNoise(row.major) ? major : METRICS.find(({key}) => key === 'read_bytes' && row[key] && isBeyondNoise(row[key])) ?? metric;
}

/** Differences beyond noise: in faults as the document has them, else real ones first, then the largest. @param {DiffData} diff @param {Metric} metric @returns {DiffRow[]} */
function matteringRows(diff, metric) {
	const rows = diff.diff.by_cause.filter((row) => isBeyondNoise(row[matteringMetric(row, metric).key]));
	const weight = (/** @type {DiffRow} */ row) => (row[metric.key].verdict === 'real' ? 1e15 : 0) + Math.abs(row[metric.key].difference);
	return metric.key === 'faults' ? rows : rows.sort((a, b) => weight(b) - weight(a));
}

/** @param {DiffData} diff @param {DiffStore} store @param {DiffRow} row @param {Metric} counted @returns {CureBox} */
function causeBox(diff, store, row, counted) {
	const metric = matteringMetric(row, counted);
	const figure = row[metric.key];
	const wanted = choiceOf(diff, 'cause', row);
	const name = fullName(diff, 'cause', row);
	const share = changeShare(figure.before, figure.after);
	const facts = [`${bothText(metric.show, figure)} ${metric.title}${share.endsWith('%') ? `, ${share}` : ''}`,
		diff.diff.can_tell ? verdictText(figure.verdict, figure.p) : '', row.explanation ?? ''].filter(Boolean).join('; ');
	return {name, head: [make('strong', {}, changeMark(changeText(metric.show, figure.difference), figure.difference, figure.verdict)), ' ', name], title: `${name}: ${facts}. Click for its faults.`,
		isChosen: () => isRowChosen(store, wanted), press: () => toggleChosen(store, wanted), who: '', advice: facts, isFact: true};
}

/** @param {DiffData} diff @param {DiffStore} store @param {DiffFinding} finding @param {number} index @returns {CureBox} */
function findingBox(diff, store, finding, index) {
	const metric = METRICS.find(({key}) => key === finding.metric) ?? METRICS[0];
	const {title, evidence, advice, where} = finding;
	const name = findingNames(diff.sides[AFTER])[index];
	const isChosen = () => store.choice.filter.finding === name;
	const press = () => {
		const object = diff.diff.objects.findIndex((each) => finding.object !== null
			&& [each.before?.path, each.after?.path].includes(finding.object));
		if (isChosen())
			store.toggle('finding', name);
		else
			store.set({filter: {finding: name}, search: '', time: null, place: null, fault: null, ...object < 0 ? {} : {object}});
	};
	return {name, head: [make('strong', {}, changeMark(changeText(metric.show, finding.difference), finding.difference, finding.verdict), ` ${metric.title}`), ' ', title],
		title: `${title}. ${evidence}${where === null ? '' : ' Click for its faults.'}`, isChosen, press: where === null ? () => {} : press,
		who: '', advice: advice ?? evidence, isFact: advice === null};
}

export function makeChanges(/** @type {DiffData} */ diff, /** @type {DiffStore} */ store, /** @type {HTMLElement} */ element) {
	const findings = diff.diff.findings ?? [];
	drawOn(store, ['metric'], () => {
		const metric = metricOf(diff, store.choice.metric);
		const rows = matteringRows(diff, metric).slice(0, CAUSES_MOST);
		element.replaceChildren(...findings.length + rows.length > 0 ? [] : [make('p', {class: 'muted'}, `No difference in ${metric.title} exceeds noise.`)]);
		makeBoxes(store, element, [...findings.map((finding, i) => findingBox(diff, store, finding, i)), ...rows.map((row) => causeBox(diff, store, row, metric))]);
	});
}
