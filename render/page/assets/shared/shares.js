// SPDX-License-Identifier: Apache-2.0
// The bar that shares out the object's faults by what marks are coloured by: legend and filter at once.
import {make} from './dom.js';
import {countText, nounText, percentText, timeText} from './format.js';
import {makeScheme, textOn} from './palette.js';
import {SELECTING, drawOn} from '../selection/selected.js';
import {selectEntries} from '../selection/selection.js';
import {durationTable} from '../data/tally.js';
import {isDark, onTheme} from './theme.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 * @typedef {import('./palette.js').Scheme} Scheme
 */

/** Faults of each group, or with @ofTime the time in them, of the object shown, as the choice leaves them without a filter by this word. @param {Data} data @param {Store} store @param {Scheme} scheme */
export function countGroups(data, store, scheme, ofTime = false) {
	const {choice} = store;
	const filter = {...choice.filter};
	delete filter[scheme.word];
	const marks = selectEntries(data, {...choice, filter, process: scheme.word === 'process' ? null : choice.process});
	const counts = scheme.names.map(() => 0);
	const objects = data.columns.combination_object;
	const {own} = data.columns;
	const nsOf = ofTime ? durationTable() : null;
	for (let i = 0; i < data.count; i++)
		if (marks[i] && objects[data.combination[i]] === choice.object)
			counts[scheme.groupOf[data.combination[i]]] += data.weight(i) * (nsOf ? nsOf[own[i]] : 1);
	return counts;
}

/** @param {Store} store @param {Scheme} scheme @param {number} group */
function isChosen(store, scheme, group) {
	const value = scheme.values[group];
	return value !== null && (scheme.word === 'process' ? String(store.choice.process) === value
		: store.choice.filter[scheme.word] === value);
}

/** @param {Store} store @param {Scheme} scheme @param {number} group */
function choose(store, scheme, group) {
	const value = scheme.values[group];
	if (value === null)
		return;
	if (scheme.word === 'process')
		store.set({process: isChosen(store, scheme, group) ? null : Number(value)});
	else
		store.toggle(scheme.word, value);
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeShares(data, store, element) {
	const bar = make('div', {class: 'bar', 'aria-hidden': 'true'});
	const legend = make('div', {class: 'legend', role: 'group'});
	element.append(bar, legend);
	const isTime = data.header.weigh === 'time';
	const long = (/** @type {number} */ n) => isTime ? `${timeText(n)} in faults` : nounText(n, 'fault');
	const short = (/** @type {number} */ n) => isTime ? timeText(n) : countText(n);
	const draw = () => {
		const scheme = makeScheme(data, store.choice.color);
		const counts = countGroups(data, store, scheme, isTime);
		const total = counts.reduce((sum, each) => sum + each, 0);
		const theme = Number(isDark());
		const groups = counts.map((_, group) => group).filter((group) => counts[group] > 0 || isChosen(store, scheme, group))
			.sort((a, b) => counts[b] - counts[a]);
		const isAnyChosen = groups.some((group) => isChosen(store, scheme, group));
		legend.setAttribute('aria-label', `${isTime ? 'Time in faults' : 'Faults'} by ${scheme.word}: filter`);
		bar.replaceChildren(...groups.map((group) => {
			const color = scheme.colors[group][theme];
			const share = counts[group] / (total || 1);
			const part = make('div', {class: isAnyChosen && !isChosen(store, scheme, group) ? 'part faded' : 'part',
				title: `${scheme.names[group]}: ${long(counts[group])}, ${percentText(counts[group], total)}`,
				click: () => choose(store, scheme, group)},
				share > 0.12 ? `${scheme.names[group]} ${percentText(counts[group], total)}` : '');
			part.style.background = color;
			part.style.color = textOn(color);
			part.style.flexGrow = String(counts[group]);
			return part;
		}));
		const focused = legend.contains(document.activeElement)
			? /** @type {HTMLElement} */ (document.activeElement).dataset.group : null;
		legend.replaceChildren(...groups.map((group) => {
			const swatch = make('span', {class: 'swatch'});
			swatch.style.background = scheme.colors[group][theme];
			return make('button', {type: 'button', class: 'share', 'data-group': group, 'aria-pressed': String(isChosen(store, scheme, group)),
				disabled: scheme.values[group] === null, click: () => choose(store, scheme, group)},
				swatch, `${scheme.names[group]} ${short(counts[group])} (${percentText(counts[group], total)})`);
		}));
		if (focused)
			/** @type {HTMLElement | null} */ (legend.querySelector(`[data-group="${focused}"]`))?.focus();
	};
	const {ask} = drawOn(store, [...SELECTING, 'object', 'color'], draw);
	onTheme(ask);
}
