// SPDX-License-Identifier: Apache-2.0
// Light, dark, or as the system has it; the colours of the style sheet for canvases, and those of causes, which the data holds
// (model/words.def); and what is made of them.
import {byId} from './dom.js';

/** Asked for first by who draws: modules are read without a window, too. @type {MediaQueryList | undefined} */
let systemDark;
const THEME_KEY = 'elfault-theme';
/** @type {(() => void)[]} */
const themeListeners = [];

/** Pages from disk may be denied any storage. @param {string | null} value @returns {string | null} */
function keepTheme(value) {
	try {
		if (value !== null)
			localStorage.setItem(THEME_KEY, value);
		return localStorage.getItem(THEME_KEY);
	} catch {
		return null;
	}
}

export function isDark() {
	systemDark ??= matchMedia('(prefers-color-scheme: dark)');
	const {theme} = document.documentElement.dataset;
	return theme === 'dark' || theme !== 'light' && systemDark.matches;
}

/** Call @listener after every change of the colours. @param {() => void} listener */
export function onTheme(listener) {
	themeListeners.push(listener);
}

function tellTheme() {
	for (const listener of themeListeners)
		listener();
}

/** A colour of the style sheet. @param {string} name without its dashes */
export function token(name) {
	return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

/** Follow the menu that chooses the theme. */
export function listenToTheme() {
	const select = /** @type {HTMLSelectElement} */ (byId('theme'));
	select.addEventListener('change', () => {
		document.documentElement.dataset.theme = select.value;
		keepTheme(select.value);
		tellTheme();
	});
	const kept = keepTheme(null);
	select.value = kept === 'light' || kept === 'dark' ? kept : 'system';
	document.documentElement.dataset.theme = select.value;
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', tellTheme);
}

/** The colours of causes now, by the theme, in the order of header.words.initiator. @param {Data} data @returns {string[]} */
export function causeColors(data) {
	const theme = Number(isDark());
	return data.header.colors.initiator.map((pair) => pair[theme]);
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
