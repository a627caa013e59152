// SPDX-License-Identifier: Apache-2.0
// The colours of faults: the same as render/palette.c has for its pictures, in which they were
// chosen to stay apart for colour-blind readers; tests/lint/palette.py compares them.
import {isDark} from './theme.js';
import {threadName} from './words.js';

/** @typedef {import('./data.js').Data} Data */

/** Value of a word -> [on light, on dark]. */
const INITIATORS = {
	'exec': ['#57545a', '#b7bcaa'],
	'loader': ['#3694fe', '#6ecfff'],
	'symbol-lookup': ['#a67e05', '#ffad20'],
	'relocation': ['#ae2000', '#ff3f00'],
	'ifunc': ['#70614c', '#e7d090'],
	'tls-setup': ['#ad9310', '#c2ff90'],
	'lazy-binding': ['#e348ca', '#c283b1'],
	'static-init': ['#123881', '#9490ff'],
	'static-fini': ['#4900f8', '#a650f0'],
	'unwind': ['#976900', '#ffff37'],
	'startup': ['#3b9a6c', '#5cffe4'],
	'program': ['#348189', '#169f63'],
	'unknown': ['#869893', '#64656b'],
};
const MECHANISMS = {
	'file-map': ['#3694fe', '#6ecfff'],
	'private-write': ['#ae2000', '#ff3f00'],
	'cow-break': ['#a67e05', '#ffad20'],
	'zero-fill': ['#348189', '#169f63'],
	'fork-cow': ['#e348ca', '#c283b1'],
	'other': ['#57545a', '#b7bcaa'],
};
const ACCESSES = {
	'read': ['#3694fe', '#6ecfff'],
	'write': ['#ae2000', '#ff3f00'],
	'exec': ['#348189', '#169f63'],
	'unknown': ['#869893', '#64656b'],
};
const KINDS = {
	'minor': ['#3694fe', '#6ecfff'],
	'major': ['#ae2000', '#ff3f00'],
};
/** Of threads and processes, those that fault most first; all further ones share the last. */
const RANKED = [
	['#ae2000', '#ff3f00'], ['#123881', '#9490ff'], ['#348189', '#169f63'], ['#a67e05', '#ffad20'],
	['#3694fe', '#6ecfff'], ['#e348ca', '#c283b1'], ['#57545a', '#b7bcaa'], ['#869893', '#64656b'],
];

/** @type {Object<string, Object<string, string[]>>} */
const TABLES = {initiator: INITIATORS, mechanism: MECHANISMS, access: ACCESSES, kind: KINDS};

/**
 * How faults are coloured by one word.
 * @typedef {Object} Scheme
 * @property {string} word
 * @property {string[]} names of the groups
 * @property {(string | null)[]} values to filter by, as the store has them; null: none
 * @property {string[][]} colors of each group: on light, on dark
 * @property {Uint8Array} groupOf combination -> group
 */

/** The colour of @value of @word now, by the theme. @param {string} word @param {string} value */
export function colorOf(word, value) {
	const pair = TABLES[word]?.[value] || RANKED[RANKED.length - 1];
	return pair[Number(isDark())];
}

/** @param {Data} data @param {string} word thread or process @returns {Scheme} */
function rankedScheme(data, word) {
	const {threads} = data.header;
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
	const last = RANKED.length - 1;
	const own = ranked.length > RANKED.length ? last : ranked.length;
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
	return {word, names, values, colors: RANKED,
		groupOf: Uint8Array.from(ofThread, (thread) => rank.get(keyOf(thread)) ?? 0)};
}

/** How to colour by @word, one of the store's. @param {Data} data @param {string} word @returns {Scheme} */
export function makeScheme(data, word) {
	if (word === 'thread' || word === 'process')
		return rankedScheme(data, word);
	/** @type {string[]} */
	const names = data.header.words[word];
	return {word, names, values: names,
		colors: names.map((name) => TABLES[word][name] || RANKED[RANKED.length - 1]),
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
