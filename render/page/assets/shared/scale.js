// SPDX-License-Identifier: Apache-2.0
// Round values on axes, and room shared out, as render/picture/scale.c does: tests/twins holds both to the same.

/** A place on an axis that is worth a mark. @typedef {{value: number, label: string}} Tick */

/** What labels are written in, from the smallest on. @typedef {[number, string][]} Units */
/** @type {Units} */
export const TIME_UNITS = [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']];

/** The largest of @units that @last has at least one of. @param {number} last @param {Units} units */
export function unitOf(last, units) {
	return units.reduce((found, each) => last >= each[0] ? each : found);
}

/** @param {number} value @param {number} step @param {Units[0]} unit @returns {Tick} */
export function tickOf(value, step, [unit, name]) {
	let decimals = 0;
	while (decimals < 9 && Math.round(step / unit * 10 ** decimals) / 10 ** decimals !== step / unit)
		decimals++;
	return {value, label: value === 0 ? '0' : `${(value / unit).toFixed(decimals)} ${name}`};
}

/** The smallest round step that makes at most @limit ticks of @span. @param {number} span @param {number} limit */
export function decimalStep(span, limit) {
	let step = 10 ** Math.max(Math.floor(Math.log10(span / limit)), 0);
	for (let i = 0; span / step >= limit; i++)
		step *= i % 3 === 1 ? 2.5 : 2;
	return step;
}

function sum(/** @type {number[]} */ values) {
	return values.reduce((all, each) => all + each, 0);
}

/** @total whole units by @weights, largest remainders first. @param {number[]} weights @param {number} total */
function shareByWeight(weights, total) {
	const all = sum(weights);
	const exact = weights.map((each) => all > 0 ? total * (each / all) : 0);
	const shares = exact.map(Math.floor);
	const order = [...exact.keys()].sort((a, b) => exact[b] - shares[b] - (exact[a] - shares[a]) || a - b);
	for (const i of order.slice(0, all > 0 ? total - sum(shares) : 0))
		shares[i]++;
	return shares;
}

/**
 * Share out @total whole units among parts: each gets its minimum, the rest goes by weight. Where minima would take
 * more than two thirds they shrink alike, so that what weighs most still stands out.
 * @param {number[]} weights @param {number[]} minima @param {number} total
 */
export function shareOut(weights, minima, total) {
	const least = 3 * sum(minima) > 2 * total ? shareByWeight(minima, Math.floor(total / 3) * 2) : minima;
	return shareByWeight(weights, total - sum(least)).map((each, i) => least[i] + each);
}
