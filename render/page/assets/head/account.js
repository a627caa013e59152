// SPDX-License-Identifier: Apache-2.0
// Where the time of the command's first thread went, as a sum and a bar: every number of the sum was made in C.
// Once something is selected, the bar shares out the selection by its causes; they are a legend and filters at once.
import {make} from '../shared/dom.js';
import {nounText, percentText, timeText} from '../shared/format.js';
import {lossesOf, makeNoteList} from '../shared/losses.js';
import {makeScheme, textOn} from '../shared/palette.js';
import {SELECTING, drawOn} from '../selection/selected.js';
import {selectEntries} from '../selection/selection.js';
import {METRIC_TEXTS, pagePairs, sumGroups} from '../selection/sums.js';
import {isDark, onTheme} from '../shared/theme.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 * @typedef {{state: string, ns: number, text: string, color: string[][]}} State
 * @typedef {{name: string, amount: number, text: string, color: string, isFaded?: boolean, press?: () => void}} Part
 */

/** @param {Store} store */
function isWhole({choice}) {
	return Object.keys(choice.filter).length === 0 && choice.process === null && !choice.search && !choice.time && !choice.place;
}

/** @param {Part[]} parts */
function makeBar(parts) {
	const total = parts.reduce((sum, {amount}) => sum + amount, 0);
	return parts.map(({name, amount, text, color, isFaded, press}) => {
		const part = make('div', {class: isFaded ? 'part faded' : 'part', title: `${name} ${text}, ${percentText(amount, total)}`, click: press ?? null},
			amount > 0.06 * total ? name : '');
		part.style.background = color;
		part.style.color = textOn(color);
		part.style.flexGrow = String(amount);
		return part;
	});
}

/** The sum of the account. @param {any} account */
function makeSum(account) {
	const {own, of, late_ns: late, recording_ns: recording} = account;
	return [make('strong', {}, own), of ? ` of ${of} = ` : ' = ',
		...account.states.flatMap((/** @type {State} */ each, /** @type {number} */ i) => [i > 0 ? ' + ' : '', `${each.state} ${each.text}`]),
		recording > 0 ? `; recording added ${timeText(recording)}` : '',
		late > 0 ? `; ${timeText(late)} more waited for a processor` : ''];
}

/** What was lost and noted, folded. @param {Data} data */
function makeNotes(data) {
	const {counts, trace, notes} = data.header;
	const losses = lossesOf(data);
	const isLossy = counts.missing > 0 || !trace.complete;
	const title = [isLossy ? 'incomplete' : 'complete', notes.length > 0 ? nounText(notes.length, 'note') : '',
		losses.length > 0 ? nounText(losses.length, 'loss').replace(/losss$/, 'losses') : ''].filter(Boolean).join(', ');
	return make('details', {class: 'fold', id: 'notes'}, make('summary', {class: isLossy ? 'warn' : ''}, title),
		make('div', {class: 'menu'}, makeNoteList(losses, notes, isLossy)));
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeAccount(data, store, element) {
	const {account} = data.header;
	const sum = make('p', {class: 'sum'});
	const bar = make('div', {class: 'bar', 'aria-hidden': 'true'});
	const legend = make('div', {class: 'legend', role: 'group', 'aria-label': 'Causes: filter'});
	element.append(sum, bar, make('div', {class: 'below'}, legend, makeNotes(data)));
	sum.replaceChildren(...account ? makeSum(account)
		: [make('strong', {}, nounText(data.header.faults.total, 'fault')), '; where the time went is not known']);
	const scheme = makeScheme(data, 'initiator');
	const grouping = {count: scheme.names.length, values: data.combination, groupOf: Int32Array.from(scheme.groupOf)};
	/** @type {ReturnType<typeof pagePairs> | null} */
	let pairs = null;
	const draw = () => {
		const theme = Number(isDark());
		const {metric, filter: {initiator: chosen, ...filter}, ...choice} = store.choice;
		pairs = pairs ?? pagePairs(data, grouping);
		const marks = selectEntries(data, {...choice, filter});
		const amounts = sumGroups(data, store, grouping, pairs, marks)[/** @type {'time'} */ (metric)];
		const groups = [...amounts.keys()].filter((group) => amounts[group] > 0 || scheme.values[group] === chosen)
			.sort((a, b) => amounts[b] - amounts[a]);
		/** @type {Part[]} */
		const parts = groups.map((group) => ({name: scheme.names[group], amount: amounts[group], text: METRIC_TEXTS[metric].text(amounts[group]),
			color: scheme.colors[group][theme], isFaded: chosen !== undefined && scheme.values[group] !== chosen,
			press: () => store.toggle('initiator', scheme.names[group])}));
		bar.replaceChildren(...makeBar(account && metric === 'time' && isWhole(store)
			? account.states.map((/** @type {State} */ {state, ns, text, color}) => ({name: state, amount: ns, text, color: color[0][theme]})) : parts));
		const focused = legend.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.name : null;
		const buttons = parts.map((part) => {
			const swatch = make('span', {class: 'swatch'});
			swatch.style.background = part.color;
			return make('button', {type: 'button', class: 'share', 'data-name': part.name, 'aria-pressed': String(part.name === chosen), click: part.press},
				swatch, `${part.name} ${part.text}`);
		});
		legend.replaceChildren(...buttons);
		buttons.find((button) => button.dataset.name === focused)?.focus();
	};
	const {ask} = drawOn(store, [...SELECTING, 'metric', 'time', 'place', 'object'], draw);
	onTheme(ask);
}
