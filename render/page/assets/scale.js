// SPDX-License-Identifier: Apache-2.0
// Round values on axes, and room shared out.

/** A place on an axis that is worth a mark. @typedef {{value: number, label: string}} Tick */

/** @param {number} value @param {number} step @param {number} unit @param {string} name @returns {Tick} */
function tickOf(value, step, unit, name) {
	let decimals = 0;
	while (decimals < 9 && Math.round(step / unit * 10 ** decimals) / 10 ** decimals !== step / unit)
		decimals++;
	return {value, label: value === 0 ? '0' : `${(value / unit).toFixed(decimals)} ${name}`};
}

/**
 * @param {number} first @param {number} last @param {number} step
 * @param {[number, string][]} units from the smallest on
 */
function ticksOf(first, last, step, units) {
	// From two of a unit on, so that few labels need decimals.
	const [unit, name] = units.reduce((found, each) => last >= 2 * each[0] ? each : found);
	/** @type {Tick[]} */
	const ticks = [];
	for (let n = Math.ceil(first / step); n * step <= last; n++)
		ticks.push(tickOf(n * step, step, unit, name));
	return ticks;
}

/** Up to @limit round times from @first to @last, in ns. @param {number} first @param {number} last @param {number} limit */
export function timeTicks(first, last, limit) {
	const span = Math.max(last - first, 1);
	let step = 10 ** Math.floor(Math.log10(span / limit));
	for (let i = 0; span / step >= limit; i++)
		step *= i % 3 === 1 ? 2.5 : 2;
	return ticksOf(first, last, step, [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']]);
}

/** The same for bytes. @param {number} first @param {number} last @param {number} limit */
export function sizeTicks(first, last, limit) {
	const step = 2 ** Math.max(Math.floor(Math.log2(Math.max(last - first, 1) / limit)) + 1, 0);
	return ticksOf(first, last, step,
		[[1, 'B'], [2 ** 10, 'KiB'], [2 ** 20, 'MiB'], [2 ** 30, 'GiB'], [2 ** 40, 'TiB']]);
}

/**
 * Share out @total among parts: each gets its minimum, the rest goes by weight; minima that are too
 * much together shrink alike.
 * @param {number[]} weights @param {number[]} minima @param {number} total
 */
export function shareOut(weights, minima, total) {
	const least = minima.reduce((sum, each) => sum + each, 0);
	const weight = weights.reduce((sum, each) => sum + each, 0) || 1;
	if (least >= total)
		return minima.map((each) => each * total / (least || 1));
	return weights.map((each, i) => minima[i] + (total - least) * each / weight);
}
