// SPDX-License-Identifier: Apache-2.0
// Differences as people read them: a sign, a share, what can be said of noise. What is more, less or noise
// shows in a sign as well as in a colour.
import {make} from '../shared/dom.js';
import {sizeText, timeText} from '../shared/format.js';

/** Medians of an even number of runs may end in a half. */
const halves = new Intl.NumberFormat('en-US', {maximumFractionDigits: 1});

/** "1,234", "12.5". @param {number} n */
export function medianText(n) {
	return Number.isFinite(n) ? halves.format(n) : 'unknown';
}

export const METRICS = [
	{key: 'faults', metric: 'faults', title: 'faults', show: medianText},
	{key: 'major', metric: '', title: 'major faults', show: medianText},
	{key: 'pages', metric: 'pages', title: 'pages', show: medianText},
	{key: 'own_ns', metric: 'time', title: 'fault time', show: timeText},
	{key: 'read_bytes', metric: 'bytes', title: 'bytes read', show: sizeText},
];

/** "+1,234", "−12.5", "0". @param {(n: number) => string} show @param {number} difference */
export function changeText(show, difference) {
	return difference === 0 ? '0' : (difference > 0 ? '+' : '−') + show(Math.abs(difference));
}

/** What grew tenfold is told as a factor: percent of that size say nothing. */
const TIMES_FROM = 10;

/** "−47.3%", "× 145"; "new" and "gone" where one side has nothing, "" for no change. @param {number} before @param {number} after */
export function changeShare(before, after) {
	if (before === after || !Number.isFinite(before) || !Number.isFinite(after))
		return '';
	if (before === 0)
		return 'new';
	if (after === 0)
		return 'gone';
	if (after >= TIMES_FROM * before)
		return `× ${Math.round(after / before)}`;
	const share = 100 * (after - before) / before;
	return share > 0 ? `+${share < 0.05 ? '<0.1' : share.toFixed(1)}%`
		// Of what is still there, however little, not all went.
		: `−${share > -0.05 ? '<0.1' : Math.min(-share, 99.9).toFixed(1)}%`;
}

/** "768.2 KiB → 120 B", "7.4 MiB" for no change. @param {number | null} before @param {number | null} after */
export function sizesText(before, after) {
	if (before === null || after === null)
		return before === after ? '' : before === null ? `new: ${sizeText(after ?? 0)}` : `gone: ${sizeText(before)}`;
	if (before === after)
		return sizeText(after);
	const [was, is] = [sizeText(before), sizeText(after)];
	return was === is ? `${is} (${after > before ? '+' : '−'}${Math.abs(after - before)} B)` : `${was} → ${is}`;
}

/** How a difference is shown: its class in the style sheet. Only what is known to be real has a colour. @param {number} difference @param {Verdict} verdict */
export function changeClass(difference, verdict) {
	if (difference === 0 || verdict === 'noise')
		return 'quiet';
	return verdict === 'real' ? difference > 0 ? 'rise' : 'fall' : 'open';
}

/** A sign before the number: up, down, or about the same. @param {number} difference @param {Verdict} verdict */
function changeSign(difference, verdict) {
	return difference === 0 ? '=' : verdict === 'noise' ? '≈' : difference > 0 ? '▲' : '▼';
}

/** @text with such a sign before it. @param {string} text @param {number} difference @param {Verdict} verdict */
export function changeMark(text, difference, verdict) {
	return make('span', {class: `change ${changeClass(difference, verdict)}`},
		make('span', {'aria-hidden': 'true', class: 'sign'}, changeSign(difference, verdict)), ' ', text);
}

const VERDICTS = {same: 'same', unknown: 'unknown', noise: 'within noise', real: 'real'};

/** "4 → 9"; without a verdict nothing points from one side to the other: "4, then 9". @param {(n: number) => string} show @param {Figure} figure */
export function bothText(show, {before, after, verdict}) {
	return `${show(before)}${verdict === 'real' ? ' → ' : ', then '}${show(after)}`;
}

/** p of a difference that is real: of another it would speak for it. @param {Verdict} verdict @param {number} p */
export function verdictText(verdict, p) {
	return verdict === 'real' ? `${VERDICTS[verdict]}, p = ${p < 0.001 ? p.toExponential(0) : p.toFixed(3)}` : VERDICTS[verdict];
}
