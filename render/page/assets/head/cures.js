// SPDX-License-Identifier: Apache-2.0
// What to change: what each finding saves, who can act, and the command. A click shows the finding's faults alone.
import {copyButton} from '../shared/copy.js';
import {make, visibleText} from '../shared/dom.js';
import {countText, nounText, timeText, shortName} from '../shared/format.js';
import {drawOn} from '../selection/selected.js';
import {combinationsOf, sumGroups} from '../selection/sums.js';
import {findingNames, lastPart} from '../data/words.js';

/** The object that @finding is about, or else the one with most of its faults. @param {Data} data @param {Store} store @param {string} name @param {Finding} finding */
function objectOfFinding(data, store, name, finding) {
	const {objects} = data.header;
	const grouping = {count: objects.length, valuesOf: combinationsOf, groupOf: Int32Array.from(data.columns.combination_object, (object) => object < objects.length ? object : -1)};
	const {faults} = sumGroups(data, store, grouping, null, {...store.choice, filter: {finding: name}, search: '', process: null, time: null, place: null});
	const own = objects.findLastIndex(({path}, object) => path === finding.object && faults[object] > 0);
	return own >= 0 ? own : faults.indexOf(Math.max(...faults));
}

/** Show the faults of the finding that is called @name alone, or all again. @param {Data} data @param {Store} store @param {Finding} finding @param {string} name */
function showFinding(data, store, finding, name) {
	if (store.choice.filter.finding === name) {
		store.toggle('finding', name);
		return;
	}
	const object = objectOfFinding(data, store, name, finding);
	store.set({object: object < 0 ? store.choice.object : object, filter: {finding: name},
		search: '', process: null, time: null, place: null, fault: null});
}

/** The files that @finding is about, as they follow its title. @param {Finding} finding */
export function filesText(finding) {
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

/** The same in as few letters as it can be said. @param {Saving} saves */
function shortSaving({faults, duration_ns: time, is}) {
	if (time === 0 && faults === 0)
		return '';
	return {'prediction': '', 'at-most': '≤ ', 'at-least': '≥ '}[is] + (time > 0 ? `−${timeText(time)}` : `−${nounText(faults, 'fault')}`);
}

function makeBox(/** @type {CureBox} */ {name, head, title, press, who, advice, isCommand, isFact}) {
	const text = visibleText(advice);
	return make('li', {class: 'cure'},
		make('button', {type: 'button', class: 'cure-head', 'data-finding': name, 'aria-pressed': 'false', title, click: press}, ...head),
		make('div', {class: 'command'}, make('span', {class: 'for'}, who),
			isCommand ? make('code', {title: text}, text) : make('span', {class: 'advice', title: text}, text),
			isFact ? null : copyButton(text, isCommand ? 'the command' : 'the advice')));
}

/** The first few boxes in a row, the others once they are asked for. @param {Store} store @param {HTMLElement} element @param {CureBox[]} boxes */
export function makeBoxes(store, element, boxes) {
	const items = boxes.map(makeBox);
	const more = make('button', {type: 'button', class: 'button', 'aria-expanded': 'false', id: 'all-cures', click: () => {
		const isAll = element.classList.toggle('all');
		more.setAttribute('aria-expanded', String(isAll));
		more.textContent = isAll ? 'Fewer ▴' : `All ${countText(boxes.length)} ▾`;
	}}, `All ${countText(boxes.length)} ▾`);
	element.append(make('ol', {class: 'cures'}, ...items), more);
	element.dataset.count = String(Math.min(boxes.length, 4));
	drawOn(store, ['filter', 'object'], () => items.forEach((item, i) =>
		item.querySelector('.cure-head')?.setAttribute('aria-pressed', String(boxes[i].isChosen()))));
}

export function makeCures(/** @type {Data} */ data, /** @type {Store} */ store, /** @type {HTMLElement} */ element) {
	const {findings} = data.header;
	if (findings.length === 0) {
		element.append(make('p', {class: 'muted'}, 'Nothing stands out that could be changed.'));
		return;
	}
	const names = findingNames(data);
	makeBoxes(store, element, findings.map((finding, i) => {
		const {title, saves, command, cures} = finding;
		const files = filesText(finding);
		return {name: names[i], head: [make('strong', {}, shortSaving(saves)), ' ', title, files ? make('span', {class: 'of'}, ` ${files}`) : null],
			title: `${title}${files ? `: ${files}` : ''}. ${savingText(saves)} Click for its faults and evidence.`,
			isChosen: () => store.choice.filter.finding === names[i], press: () => showFinding(data, store, finding, names[i]),
			who: cures[0]?.for ?? '', advice: command ?? cures[0]?.advice ?? '', isCommand: command !== null};
	}));
}
