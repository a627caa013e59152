// SPDX-License-Identifier: Apache-2.0
// Where the time of the command's first thread went, as a sum and a bar: every number of the sum was made in C.
import {make} from '../shared/dom.js';
import {timeText} from '../shared/format.js';
import {textOn} from '../shared/palette.js';
import {isDark, onTheme} from '../shared/theme.js';

/**
 * @typedef {{state: string, ns: number, text: string, color: string[][]}} State
 */

/** @param {{own: string, of: string?, late_ns: number, recording_ns: number, states: State[]} | null} account null: it is not known */
export function makeAccount(account) {
	const element = make('div', {class: 'account'});
	if (!account)
		return element;
	const {own, of, late_ns: late, recording_ns: recording, states} = account;
	const bar = make('div', {class: 'bar', 'aria-hidden': 'true'});
	const sum = make('p', {class: 'sum'});
	element.append(sum, bar);
	const draw = () => {
		const theme = Number(isDark());
		const swatch = (/** @type {State} */ {color}) => {
			const box = make('span', {class: 'swatch'});
			box.style.background = color[0][theme];
			return box;
		};
		sum.replaceChildren(make('b', {}, own), of ? ` of ${of} = ` : ' = ',
			...states.flatMap((each, i) => [i > 0 ? ' + ' : '', swatch(each), `${each.state} ${each.text}`]),
			recording > 0 ? `; recording added ${timeText(recording)}` : '',
			late > 0 ? `; ${timeText(late)} more waited for a processor` : '');
		bar.replaceChildren(...states.map((each) => {
			const part = make('div', {class: 'part', title: `${each.state} ${each.text}`}, each.state);
			part.style.background = each.color[0][theme];
			part.style.color = textOn(each.color[0][theme]);
			part.style.flexGrow = String(each.ns);
			return part;
		}));
	};
	draw();
	onTheme(draw);
	return element;
}
