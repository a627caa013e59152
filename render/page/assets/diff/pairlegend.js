// SPDX-License-Identifier: Apache-2.0
// What the colours of both pictures mean, with the faults of each side in the files shown; each is a filter.
import {make} from '../shared/dom.js';
import {countText} from '../shared/format.js';
import {makeScheme} from '../shared/palette.js';
import {SELECTING, drawOn} from '../selection/selected.js';
import {selectEntries} from '../selection/selection.js';
import {isDark, onTheme} from '../shared/theme.js';
import {AFTER, BEFORE} from './sides.js';

/**
 * @typedef {import('./diffdata.js').DiffData} DiffData
 * @typedef {import('./diffstore.js').DiffStore} DiffStore
 */

/**
 * Faults of each group in the object shown, as the choice leaves them without a filter by this word.
 * @param {import('../data/data.js').Data} data @param {import('../selection/store.js').Store} store @param {import('../shared/palette.js').Scheme} scheme
 */
function countGroups(data, store, scheme) {
	const {choice} = store;
	const filter = {...choice.filter};
	delete filter[scheme.word];
	const marks = selectEntries(data, {...choice, filter, process: scheme.word === 'process' ? null : choice.process});
	const counts = scheme.names.map(() => 0);
	const objects = data.columns.combination_object;
	for (let i = 0; i < data.count; i++)
		if (marks[i] && objects[data.combination[i]] === choice.object)
			counts[scheme.groupOf[data.combination[i]]] += data.weight(i);
	return counts;
}

/** @param {DiffData} diff @param {DiffStore} store */
export function makePairLegend(diff, store) {
	const legend = make('div', {class: 'legend', role: 'group'});
	const {ask} = drawOn(store, [...SELECTING, 'object', 'color'], () => {
		const {color, filter} = store.choice;
		const schemes = diff.sides.map((data) => makeScheme(data, color));
		const {names, values, colors} = schemes[BEFORE];
		const counts = [BEFORE, AFTER].map((side) => countGroups(diff.sides[side], store.sides[side], schemes[side]));
		const most = (/** @type {number} */ group) => Math.max(counts[BEFORE][group], counts[AFTER][group]);
		const groups = names.map((_, group) => group).filter((group) => most(group) > 0 || filter[color] === values[group])
			.sort((a, b) => most(b) - most(a));
		const focused = legend.contains(document.activeElement)
			? /** @type {HTMLElement} */ (document.activeElement).dataset.group : null;
		legend.setAttribute('aria-label', `Faults by ${color}, before and after: filter`);
		legend.replaceChildren(...groups.map((group) => {
			const swatch = make('span', {class: 'swatch'});
			swatch.style.background = colors[group][Number(isDark())];
			return make('button', {type: 'button', class: 'share', 'data-group': group, 'aria-pressed': String(filter[color] === values[group]),
				click: () => store.toggle(color, values[group] ?? '')},
			swatch, `${names[group]} ${countText(counts[BEFORE][group])} → ${countText(counts[AFTER][group])}`);
		}));
		if (focused)
			/** @type {HTMLElement | null} */ (legend.querySelector(`[data-group="${focused}"]`))?.focus();
	});
	onTheme(ask);
	return legend;
}
