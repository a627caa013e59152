// SPDX-License-Identifier: Apache-2.0
// Tabs, of which one is shown at a time, and counted while it is.
import {make} from '../shared/dom.js';
import {listenForKeys} from '../shared/keys.js';
import {drawOn} from '../selection/selected.js';

/** Call @build once: when @element comes near the screen, before printing, or when the page is idle. @param {Element} element @param {() => void} build */
function buildLater(element, build) {
	let isBuilt = false;
	const once = () => {
		if (isBuilt)
			return;
		isBuilt = true;
		observer.disconnect();
		build();
	};
	const observer = new IntersectionObserver((entries) => {
		if (entries.some((entry) => entry.isIntersecting))
			once();
	}, {rootMargin: '300px'});
	observer.observe(element);
	addEventListener('beforeprint', once);
	requestIdleCallback(once, {timeout: 4000});
}

/** A tab's button. @param {string} id @param {string} title @param {string} [help] */
export function tabButton(id, title, help) {
	return make('button', {type: 'button', role: 'tab', id: `tab-${id}`, 'aria-selected': 'false',
		'aria-controls': `panel-${id}`, tabindex: '-1', title: help ?? null}, title);
}

/** What the tab @id shows. @param {string} id @param {...Node} children */
export function tabPanel(id, ...children) {
	return make('div', {role: 'tabpanel', id: `panel-${id}`, 'aria-labelledby': `tab-${id}`, hidden: true}, ...children);
}

/** What tabs count by. */
const COUNTED_BY = ['filter', 'search', 'process', 'time', 'place', 'object', 'metric', 'sort', 'ownScales'];

/**
 * Show @tabs in @element, with their keys. They count when they are built, when they come into sight, and some time after
 * what they count by changed.
 * @param {Store} store @param {Tab[]} tabs @param {HTMLElement} element
 */
export function showTabs(store, tabs, element) {
	let current = tabs[0];
	let isBuilt = false;
	const recount = () => {
		if (isBuilt)
			current.count();
	};
	/** Show what is chosen. */
	const show = () => {
		current = tabs.find(({id}) => id === store.choice.tab) ?? tabs[0];
		for (const each of tabs) {
			const isCurrent = each === current;
			each.tab.setAttribute('aria-selected', String(isCurrent));
			each.tab.tabIndex = isCurrent ? 0 : -1;
			each.panel.hidden = !isCurrent;
		}
		recount();
	};
	const choose = (/** @type {Tab} */ next) => store.set({tab: next.id, sort: ''});
	/** Show the tab at @index, counted around, and go there. @param {number} index */
	const go = (index) => {
		choose(tabs[(index + tabs.length) % tabs.length]);
		current.tab.focus();
	};
	const step = (/** @type {number} */ by) => go(tabs.indexOf(current) + by);
	/** @type {Object<string, () => void>} */
	const keys = {'ArrowRight': () => step(1), 'ArrowLeft': () => step(-1), 'Home': () => go(0), 'End': () => go(-1),
		'ArrowDown': () => /** @type {HTMLElement | null} */ (current.panel.querySelector('button.row, canvas'))?.focus()};
	const list = make('div', {role: 'tablist', class: 'tabs', 'aria-label': 'Tables',
		keydown: (/** @type {KeyboardEvent} */ event) => {
			if (!(event.key in keys) || event.ctrlKey || event.altKey || event.metaKey)
				return;
			// Arrows pan the pictures elsewhere.
			event.preventDefault();
			event.stopPropagation();
			keys[event.key]();
		}}, ...tabs.map(({tab}) => tab));
	for (const each of tabs)
		each.tab.addEventListener('click', () => choose(each));
	element.append(list, ...tabs.map(({panel}) => panel));
	show();
	store.listen((changed) => changed.has('tab') && show());
	drawOn(store, [], recount, COUNTED_BY);
	buildLater(element, () => {
		isBuilt = true;
		recount();
	});
	listenForKeys({'[': () => step(-1), ']': () => step(1), ...Object.fromEntries(Array.from({length: 9}, (_, i) => [i + 1, () => go(i)]))});
}
