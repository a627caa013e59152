// SPDX-License-Identifier: Apache-2.0
// The bar of the account: hue is the cause, texture the state, width the amount.
import {make} from '../shared/dom.js';
import {percentText} from '../shared/format.js';
import {token, textOn} from '../shared/theme.js';
import {COMPUTING, FOR_PROCESSOR, STATES, TILE, tileOf} from '../tracks/textures.js';

/** Room of a letter, and beside a name, in pixels. */
const LETTER = 8;
const BESIDE = 16;

function paint(/** @type {HTMLElement} */ {style, classList}, /** @type {string} */ color, /** @type {number} */ texture) {
	style.background = texture === COMPUTING ? color : texture === FOR_PROCESSOR ? 'transparent'
		: `url(${tileOf(color, token('paper'), texture, devicePixelRatio || 1).toDataURL()}) 0 0 / ${TILE}px`;
	classList.toggle('outline', texture === FOR_PROCESSOR);
}

/** @param {Part[]} parts @param {number} width of the bar, in pixels */
export function makeBar(parts, width) {
	const total = parts.reduce((sum, {amount}) => sum + amount, 0);
	const own = parts.reduce((sum, {amount, isLate}) => sum + (isLate ? 0 : amount), 0);
	return parts.map((part, i) => {
		const {name, amount, text, color, state, ns, error} = part;
		const says = state && !part.isLate ? `${name}, ${STATES[state].says}` : name;
		let group = 0;
		for (let at = i; at < parts.length && parts[at].name === name; at++)
			group += parts[at].amount;
		const isFirst = i === 0 || parts[i - 1].name !== name;
		const label = isFirst && group * width > (name.length * LETTER + BESIDE) * total ? make('span', {class: 'label'}, name) : null;
		const element = make('div', {class: part.isFaded ? 'part faded' : 'part', title: `${says}: ${text}${part.isLate ? '' : `, ${percentText(amount, own)}`}`
			+ (error ? ` (± ${percentText(error, amount)} of it)` : ''), 'data-state': state ?? null, 'data-cause': name, 'data-ns': ns ?? null,
		click: part.press ?? null}, label);
		paint(element, color, state ? STATES[state].texture : COMPUTING);
		if (state)
			label?.classList.add('plate');
		else
			element.style.color = textOn(color);
		element.style.flexGrow = String(amount);
		return element;
	});
}

/** What textures mean, of the states that @parts have. @param {Part[]} parts */
export function makeKey(parts) {
	const seen = new Set(parts.map(({state}) => state));
	/** @type {Map<number, string>} */
	const shown = new Map();
	for (const [state, {texture, says}] of Object.entries(STATES))
		if (seen.has(state) && !shown.has(texture))
			shown.set(texture, says.replace(/ in (faults|calls)$/, ''));
	return [...shown].map(([texture, says]) => {
		const swatch = make('span', {class: 'swatch'});
		paint(swatch, token('soft'), texture);
		return make('span', {}, swatch, says);
	});
}
