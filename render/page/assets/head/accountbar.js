// SPDX-License-Identifier: Apache-2.0
// The bar of the account: hue is the cause, texture the state, width the amount.
import {make} from '../shared/dom.js';
import {percentText} from '../shared/format.js';
import {token, mixColors, textOn} from '../shared/theme.js';

/** How states are drawn, in the order in which they stand within a cause. @type {Object<string, {texture: string, says: string}>} */
export const STATES = {
	'cpu': {texture: '', says: 'computing'},
	'fault': {texture: 'dots', says: 'inside faults'},
	'fault-io': {texture: 'diagonal', says: 'waiting for storage in faults'},
	'file-io': {texture: 'diagonal', says: 'waiting for storage in calls'},
	'wait': {texture: 'lines', says: 'waiting for others'},
	'runnable': {texture: 'outline', says: 'waiting for a processor'},
};

/** Room of a letter, and beside a name, in pixels. */
const LETTER = 8;
const BESIDE = 16;

function paint(/** @type {HTMLElement} */ element, /** @type {string} */ color, /** @type {string} */ texture) {
	const between = mixColors(color, token('paper'), 0.3);
	const {style} = element;
	style.backgroundColor = texture === '' ? color : texture === 'outline' ? 'transparent' : between;
	style.backgroundImage = texture === 'dots' ? `radial-gradient(${color} 1.2px, transparent 1.4px)`
		: texture === 'diagonal' ? `repeating-linear-gradient(135deg, ${color} 0 2px, transparent 2px 4.5px)`
			: texture === 'lines' ? `repeating-linear-gradient(${color} 0 1.5px, transparent 1.5px 4px)` : '';
	style.backgroundSize = texture === 'dots' ? '4px 4px' : '';
	element.classList.toggle('outline', texture === 'outline');
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
		paint(element, color, state ? STATES[state].texture : '');
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
	/** @type {Map<string, string>} */
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
