// SPDX-License-Identifier: Apache-2.0
// Numbers and names as people read them; the same in every view.

const grouped = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});

/** "1,234". @param {number} n */
export function countText(n) {
	return grouped.format(n);
}

/** "12.3%", "<0.1%". @param {number} part @param {number} whole */
export function percentText(part, whole) {
	const share = whole > 0 ? 100 * part / whole : 0;
	return share > 0 && share < 0.05 ? '<0.1%' : `${share.toFixed(1)}%`;
}

/** "1 fault", "2 faults". @param {number} n @param {string} noun */
export function nounText(n, noun) {
	return `${countText(n)} ${noun}${n === 1 ? '' : 's'}`;
}

/** "950 ns", "28.8 ms"; three digits. @param {number} ns */
export function timeText(ns) {
	if (!Number.isFinite(ns))
		return 'unknown';
	const units = ['ns', 'µs', 'ms', 's'];
	let unit = 0;
	let value = ns;
	while (unit < 3 && Math.abs(value) >= 999.5) {
		value /= 1000;
		unit++;
	}
	const digits = unit === 0 || Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
	return `${value.toFixed(digits)} ${units[unit]}`;
}

/** "4 KiB", "102.4 MiB". @param {number} bytes */
export function sizeText(bytes) {
	const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
	let unit = 0;
	let value = bytes;
	while (unit < 4 && value >= 1024) {
		value /= 1024;
		unit++;
	}
	return `${Number.isInteger(value) ? value : value.toFixed(1)} ${units[unit]}`;
}

/** "0x1f00". @param {number} n */
export function hexText(n) {
	return '0x' + n.toString(16);
}

/** Long names would fill the screen. @param {string} name */
export function shortName(name) {
	const limit = 90;
	return name.length > limit ? name.slice(0, limit) + '…' : name;
}
