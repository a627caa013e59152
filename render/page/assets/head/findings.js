// SPDX-License-Identifier: Apache-2.0
// What costs most and what to change; each finding leads to its faults in the pictures.
import {shortName} from '../shared/describe.js';
import {byId, make} from '../shared/dom.js';
import {countText, nounText, percentText, timeText} from '../shared/format.js';
import {selectEntries} from '../selection/selection.js';
import {initialChoice} from '../selection/store.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 * @typedef {{faults: number, duration_ns: number, is: 'prediction' | 'at-most' | 'at-least',
 *	error: {faults: number, duration_ns: number} | null}} Saving
 * @typedef {{id: string, title: string, object: string | null, faults: number, pages: number, own_ns: number,
 *	saves: Saving, files: {object: string}[],
 *	evidence: string, cures: {for: string, advice: string}[]}} Finding
 */

/** So many are there to see at once. */
const FINDINGS_SHOWN = 3;

/** @param {string} path */
function lastPart(path) {
	return path.slice(path.lastIndexOf('/') + 1) || path;
}

/** The object that @finding is about, or else the one with most of its faults. @param {Data} data @param {number} index @param {Finding} finding */
function objectOfFinding(data, index, finding) {
	const marks = selectEntries(data, {...initialChoice(0), filter: {finding: String(index)}});
	const counts = data.header.objects.map(() => 0);
	let own = -1;
	for (let i = 0; i < data.count; i++) {
		const object = data.of(i, 'object');
		if (!marks[i] || object >= counts.length)
			continue;
		counts[object] += data.weight(i);
		if (data.header.objects[object].path === finding.object)
			own = object;
	}
	return own >= 0 ? own : counts.indexOf(Math.max(...counts));
}

/** Show the faults of the finding with @index alone. @param {Data} data @param {Store} store @param {Finding} finding @param {number} index */
function showFinding(data, store, finding, index) {
	const object = objectOfFinding(data, index, finding);
	store.set({object: object < 0 ? store.choice.object : object, filter: {finding: String(index)},
		search: '', process: null, time: null, place: null, fault: null});
	const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
	byId('timeline').scrollIntoView({behavior: still ? 'auto' : 'smooth'});
}

/** The files that @finding is about, as they follow its title. @param {Finding} finding */
function filesText(finding) {
	const [first, ...others] = finding.files;
	if (!first)
		return '';
	return shortName(lastPart(first.object)) + (others.length > 0 ? ` and ${countText(others.length)} more` : '');
}

/** What following the advice saves, and how that is known. @param {Saving} saves */
export function savingText({faults, duration_ns: time, is, error}) {
	if (time === 0 && faults === 0)
		return '';
	const verb = {'prediction': error ? 'Saves' : 'Saves about', 'at-most': 'Saves up to', 'at-least': 'Saves at least'}[is];
	if (time > 0)
		return `${verb} ${timeText(time)}${error && error.duration_ns > 0 ? ` ± ${timeText(error.duration_ns)}` : ''}.`;
	return `${verb} ${nounText(faults, 'fault')}${error ? ` ± ${countText(error.faults)}` : ''}.`;
}

/** @param {Data} data @param {Store} store @param {Finding} finding @param {number} index @param {boolean} isOpen */
function makeFinding(data, store, finding, index, isOpen) {
	const total = data.header.faults.total;
	const cost = make('span', {class: 'cost'}, make('strong', {}, nounText(finding.faults, 'fault')),
		` ${percentText(finding.faults, total)} · ${nounText(finding.pages, 'page')} · ${timeText(finding.own_ns)}`);
	return make('li', {}, make('details', {open: isOpen},
		make('summary', {}, make('h3', {}, finding.title),
			make('span', {class: 'of'}, filesText(finding)), cost),
		...finding.cures.map((cure) => make('p', {class: 'advice'}, make('strong', {}, `${cure.for}: `), cure.advice)),
		make('p', {}, savingText(finding.saves)),
		make('p', {class: 'muted'}, finding.evidence),
		make('button', {type: 'button', class: 'button', click: () => showFinding(data, store, finding, index)}, 'Show in the pictures')));
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeFindings(data, store, element) {
	/** @type {Finding[]} */
	const findings = data.header.findings;
	if (findings.length === 0) {
		element.append(make('p', {class: 'muted'}, 'No findings.'));
		return;
	}
	element.append(make('ol', {class: 'findings'},
		...findings.slice(0, FINDINGS_SHOWN).map((finding, i) => makeFinding(data, store, finding, i, i === 0))));
	if (findings.length > FINDINGS_SHOWN)
		element.append(make('details', {class: 'more'},
			make('summary', {}, `${countText(findings.length - FINDINGS_SHOWN)} more`),
			make('ol', {class: 'findings', start: FINDINGS_SHOWN + 1},
				...findings.slice(FINDINGS_SHOWN).map((finding, i) => makeFinding(data, store, finding, i + FINDINGS_SHOWN, false)))));
}
