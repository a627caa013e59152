// SPDX-License-Identifier: Apache-2.0
// The head of the page: what was recorded, how many faults, who caused them, and all that may be missing.
import {makeAccount} from './account.js';
import {visibleText} from '../shared/visible.js';
import {shortName} from '../shared/describe.js';
import {make} from '../shared/dom.js';
import {countText, nounText, percentText, sizeText, timeText} from '../shared/format.js';
import {lossesOf, makeNoteList} from '../shared/losses.js';
import {drawOn} from '../selection/selected.js';
import {makeShares} from '../shared/shares.js';
import {NAMELESS, commandText, objectName} from '../data/words.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 */

/** Index of the largest of @values. @param {number[]} values */
function indexOfMost(values) {
	return values.reduce((best, value, i) => value > values[best] ? i : best, 0);
}

/**
 * The two facts to take away: who caused most faults of the object, and where most lie; by their time where storage is
 * waited for. @param {Data} data @param {number} index
 */
export function headline(data, index) {
	const object = data.header.objects[index];
	if (!object || object.faults === 0)
		return 'No faults.';
	const key = data.header.weigh === 'time' && object.own_ns > 0 ? 'own_ns' : 'faults';
	const shares = key === 'faults' ? object.by_initiator : object.ns_by_initiator;
	const initiator = indexOfMost(shares);
	const sections = object.sections.map((/** @type {number} */ each) => data.header.sections[each]);
	const section = sections[indexOfMost(sections.map((/** @type {Record<string, number>} */ each) => each[key]))];
	const share = percentText(shares[initiator], object[key]);
	const caused = `${data.header.words.initiator[initiator]} ${key === 'faults' ? `caused ${share} of them` : `took ${share} of their time`}`;
	return section && object.is_elf
		? `${caused}; ${percentText(section[key], object[key])} in ${shortName(section.name || NAMELESS)}` : caused;
}

/** @param {Data} data */
function makeNotes(data) {
	const {counts, trace, notes} = data.header;
	return makeNoteList(lossesOf(data), notes, counts.missing > 0 || !trace.complete);
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeHead(data, store, element) {
	const {trace, faults: all} = data.header;
	const title = make('h1', {}, visibleText(`Page faults of ${shortName(commandText(data))}`));
	const facts = make('p', {class: 'facts'});
	const line = make('p', {class: 'headline'});
	const shares = make('div', {class: 'shares'});
	element.append(title, makeAccount(data.header.account), facts, line, shares, makeNotes(data));
	makeShares(data, store, shares);
	drawOn(store, ['object'], () => {
		const {object: index} = store.choice;
		const object = data.header.objects[index];
		line.textContent = visibleText(headline(data, index));
		if (!object) {
			facts.replaceChildren('nothing faulted');
			return;
		}
		facts.replaceChildren(visibleText(`${shortName(objectName(data, index))}: `)
			+ `${countText(object.faults)} of ${nounText(all.total, 'fault')} `
			+ `(${percentText(object.faults, all.total)}): ${countText(object.faults - object.major)} minor, `
			+ `${countText(object.major)} major; ${timeText(object.own_ns)} in them; `
			+ (object.read_bytes ? `${sizeText(object.read_bytes)} read by faults; ` : '')
			+ (trace.duration_ns === null ? 'no times were recorded' : `recorded for ${timeText(trace.duration_ns)}`));
	});
}
