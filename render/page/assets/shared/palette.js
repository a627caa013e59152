// SPDX-License-Identifier: Apache-2.0
// Colours of causes: those of model/words.def, which the data holds; and what is made of them.
import {isDark} from './theme.js';

/** The colours of causes now, by the theme, in the order of header.words.initiator. @param {Data} data @returns {string[]} */
export function causeColors(data) {
	return data.header.colors.initiator.map((/** @type {string[]} */ pair) => pair[Number(isDark())]);
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
