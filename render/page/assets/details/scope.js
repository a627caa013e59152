// SPDX-License-Identifier: Apache-2.0
// Details while no fault is chosen: the finding that is, or the file, or all that was recorded, in words.
import {codeParts} from './listing.js';
import {commandLine} from '../shared/copy.js';
import {factList, make, elidedName} from '../shared/dom.js';
import {countText, nounText, percentText, sizeText, timeText, shortName} from '../shared/format.js';
import {filesText, savingText} from '../head/cures.js';
import {PAGE_STATES, makePages} from '../shared/pages.js';
import {phasesOfProcess} from '../tracks/processes.js';
import {NAMELESS, findingNames, functionName, objectName} from '../data/words.js';
import {sumSelection} from '../selection/sums.js';

/** What there is of object.usage. */
const USES = ['delivered by storage', 'mapped', 'touched', 'read into pages that were never mapped'];

/** Index of the largest of @values. @param {number[]} values */
function indexOfMost(values) {
	return values.reduce((best, value, i) => value > values[best] ? i : best, 0);
}

/** The two facts to take away: who caused most faults of the object, and where most lie; by their time where storage is waited for. @param {Data} data @param {number} index */
function headline(data, index) {
	const object = data.header.objects[index];
	if (!object || object.faults === 0)
		return 'No faults.';
	const key = data.isByTime && object.own_ns > 0 ? 'own_ns' : 'faults';
	const shares = key === 'faults' ? object.by_initiator : object.ns_by_initiator;
	const initiator = indexOfMost(shares);
	const sections = object.sections.map((each) => data.header.sections[each]);
	const section = sections[indexOfMost(sections.map((each) => each[key]))];
	const share = percentText(shares[initiator], object[key]);
	const caused = `${share} of ${key === 'faults' ? 'its faults came from' : 'the time of its faults went to'} ${data.header.words.initiator[initiator]}`;
	return section && object.is_elf
		? `${caused}; ${percentText(section[key], object[key])} in ${shortName(section.name || NAMELESS)}.` : `${caused}.`;
}

function fileParts(/** @type {Data} */ data, /** @type {number} */ index) {
	const {header} = data;
	const object = header.objects[index];
	if (!object)
		return [make('p', {}, header.faults.total > 0 ? 'No mapping is known of the memory that faulted.' : 'Nothing faulted.')];
	const {totals} = makePages(data, index);
	const uses = (object.usage ?? []).map((bytes, i) => bytes > 0 ? `${sizeText(bytes)} ${USES[i]}` : '').filter(Boolean).join(', ');
	return [make('p', {class: 'headline'}, headline(data, index)), factList([
		['Faults', `${countText(object.faults)} of ${countText(header.faults.total)} (${percentText(object.faults, header.faults.total)}): `
			+ `${countText(object.faults - object.major)} minor, ${countText(object.major)} major`],
		['Time', `${timeText(object.own_ns)} in them`],
		['Read', object.read_bytes ? `${sizeText(object.read_bytes)} by faults` : null],
		...object.is_file ? /** @type {[string, string | Node | null][]} */ ([['Size', sizeText(object.size)],
			['Pages', PAGE_STATES.map((state, i) => `${countText(totals[i])} ${state}`).reverse().join(', ')], ['Path', elidedName(object.path)],
			['Used', object.usage ? uses || 'nothing' : null]]) : [],
		['Build-id', object.build_id ? elidedName(object.build_id) : null],
	])];
}

function findingParts(/** @type {Finding} */ finding) {
	return [make('p', {class: 'headline'}, `${finding.title}${filesText(finding) ? `: ${filesText(finding)}` : ''}. ${savingText(finding.saves)}`),
		finding.command ? commandLine(finding.command) : null,
		...finding.cures.map((cure) =>
			make('p', {class: 'advice'}, make('strong', {}, `${cure.for}: `), cure.advice)),
		factList([['Costs', `${nounText(finding.faults, 'fault')} on ${nounText(finding.pages, 'page')}, ${timeText(finding.own_ns)}`]]),
		make('h3', {}, 'Evidence'), make('p', {}, finding.evidence)].filter((part) => part !== null);
}

function recordingParts(/** @type {Data} */ data) {
	const {account, axis, marks, processes, trace, faults} = data.header;
	/** @type {[string, string][]} */
	const pairs = [['Faults', countText(faults.total)], ['Recorded', trace.duration_ns === null ? 'no times' : `for ${timeText(trace.duration_ns)}`]];
	const process = processes[account?.process ?? -1];
	const phases = process ? phasesOfProcess(data, {pid: process.pid, first: process.start_ns / data.unitNs, end: process.end_ns / data.unitNs}) : [];
	if (phases.length > 0)
		pairs.push(['Began', phases.map(({name, first}) => `${name} at ${timeText(first * data.unitNs - axis.start_ns)}`).join(', ')]);
	if (marks.length > 0)
		pairs.push(['Reached', marks.map(({name, time_ns: time}) =>
			time === null ? `${name} never` : `${name} at ${timeText(time - axis.start_ns)}`).join(', ')]);
	return factList(pairs);
}

/** Functions of one name, with their code. @param {Data} data @param {Store} store @param {string} name */
function functionParts(data, store, name) {
	const {functions} = data.header;
	const indexes = [...functions.name.keys()].filter((i) => functionName(data, i) === name);
	const {time, faults, major} = sumSelection(data, store);
	return [make('p', {class: 'headline'}, elidedName(name)),
		factList([['Time', timeText(time)], ['Faults', `${countText(faults)}, ${countText(major)} major`],
			['In', indexes.map((i) => objectName(data, functions.object[i])).join(', ')]]),
		...indexes.slice(0, 3).flatMap((i) => codeParts(data, store, i))];
}

/** Heading and content. @param {Data} data @param {Store} store @returns {{title: string, parts: Node[]}} */
export function scopeOf(data, store) {
	const {filter, object} = store.choice;
	const finding = filter.finding === undefined ? -1 : findingNames(data).indexOf(filter.finding);
	if (finding >= 0)
		return {title: 'What to change', parts: findingParts(data.header.findings[finding])};
	if (filter.function !== undefined)
		return {title: 'Function', parts: functionParts(data, store, filter.function)};
	return {title: shortName(objectName(data, object)),
		parts: [...fileParts(data, object), ...filter.file === undefined ? [make('h3', {}, 'Recording'), recordingParts(data)] : []]};
}
