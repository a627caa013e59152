// SPDX-License-Identifier: Apache-2.0
// Light, dark, or as the system has it; and the colours of the style sheet for canvases.
import {byId} from './dom.js';

const systemDark = matchMedia('(prefers-color-scheme: dark)');
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
	systemDark.addEventListener('change', tellTheme);
}
