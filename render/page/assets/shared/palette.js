// SPDX-License-Identifier: Apache-2.0
// What colours faults have: those of model/words.def, which the data holds.
import {isDark} from './theme.js';
import {threadName} from '../data/words.js';

/** @typedef {import('../data/data.js').Data} Data */

/**
 * How faults are coloured by one word.
 * @typedef {Object} Scheme
 * @property {string} word
 * @property {string[]} names of the groups
 * @property {(string | null)[]} values to filter by, as the store has them; null: none
 * @property {string[][]} colors of each group: on light, on dark
 * @property {Uint8Array} groupOf combination -> group
 */

/** The colour of an initiator now, by the theme. @param {Data} data @param {number} initiator index of header.words.initiator @returns {string} */
export function initiatorColor(data, initiator) {
	return data.header.colors.initiator[initiator][Number(isDark())];
}

/** Those that fault most have a colour each; all further ones share the last. @param {Data} data @param {string} word thread or process @returns {Scheme} */
function rankedScheme(data, word) {
	const {threads, colors: {ranks}} = data.header;
	/** @type {(thread: number) => string} */
	const keyOf = word === 'thread' ? (thread) => threadName(data, thread) : (thread) => String(threads[thread].pid);
	/** @type {Map<string, number>} */
	const counts = new Map();
	const ofThread = data.columns.combination_thread;
	data.combinationFaults().forEach((faults, c) => {
		const key = keyOf(ofThread[c]);
		counts.set(key, (counts.get(key) || 0) + faults);
	});
	const ranked = [...counts.keys()].sort((a, b) => (counts.get(b) || 0) - (counts.get(a) || 0));
	const own = ranked.length > ranks.length ? ranks.length - 1 : ranked.length;
	const rank = new Map(ranked.map((key, index) => [key, Math.min(index, own)]));
	const names = ranked.slice(0, own).map((key) => {
		const row = threads.find((/** @type {{pid: number}} */ thread) => String(thread.pid) === key);
		return word === 'process' && row ? `${row.comm || '?'} ${key}` : key;
	});
	/** @type {(string | null)[]} */
	const values = ranked.slice(0, own);
	if (own < ranked.length) {
		names.push(`${ranked.length - own} others`);
		values.push(null);
	}
	return {word, names, values, colors: ranks,
		groupOf: Uint8Array.from(ofThread, (thread) => rank.get(keyOf(thread)) ?? 0)};
}

/** How to colour by @word, one of the store's. @param {Data} data @param {string} word @returns {Scheme} */
export function makeScheme(data, word) {
	if (word === 'thread' || word === 'process')
		return rankedScheme(data, word);
	/** @type {string[]} */
	const names = data.header.words[word];
	return {word, names, values: names, colors: data.header.colors[word],
		groupOf: Uint8Array.from(data.columns['combination_' + word])};
}

/** @param {string} color "#rrggbb" */
function luminance(color) {
	const parts = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
		.map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
	return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

/** "#rrggbb" of @part of @color and the rest of @other. @param {string} color @param {string} other @param {number} part */
export function mixColors(color, other, part) {
	return '#' + [1, 3, 5].map((at) => Math.round(parseInt(color.slice(at, at + 2), 16) * part
		+ parseInt(other.slice(at, at + 2), 16) * (1 - part)).toString(16).padStart(2, '0')).join('');
}

/** Black or white: which reads better on @color. @param {string} color */
export function textOn(color) {
	const light = luminance(color);
	return 1.05 / (light + 0.05) >= (light + 0.05) / 0.05 ? '#ffffff' : '#000000';
}

/** "#rrggbb" as ImageData has it in memory of little-endian machines. @param {string} color */
export function pixelOf(color) {
	const n = parseInt(color.slice(1), 16);
	return (0xff000000 | (n & 0xff) << 16 | n & 0xff00 | n >> 16) >>> 0;
}
