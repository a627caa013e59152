// SPDX-License-Identifier: Apache-2.0
// Tabs, of which one is shown at a time, and counted while it is.
import {make} from '../shared/dom.js';
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

/**
 * Show @tabs in @element. They count when they are built, when they come into sight, and some time after one of
 * @words changed in @store.
 * @param {Store} store @param {string[]} words @param {Tab[]} tabs @param {HTMLElement} element
 */
export function showTabs(store, words, tabs, element) {
	let current = tabs[0];
	let isBuilt = false;
	const chosen = () => tabs.find(({id}) => id === store.choice.tab) ?? tabs[0];
	const show = (/** @type {Tab} */ shown) => {
		current = shown;
		for (const each of tabs) {
			const isCurrent = each === shown;
			each.tab.setAttribute('aria-selected', String(isCurrent));
			each.tab.tabIndex = isCurrent ? 0 : -1;
			each.panel.hidden = !isCurrent;
		}
		if (isBuilt)
			shown.count();
	};
	const choose = (/** @type {Tab} */ next) => store.set({tab: next.id, sort: ''});
	const list = make('div', {role: 'tablist', class: 'tabs', 'aria-label': 'Tables',
		keydown: (/** @type {KeyboardEvent} */ event) => {
			if (event.key === 'ArrowDown') {
				event.preventDefault();
				event.stopPropagation();
				/** @type {HTMLElement | null} */ (current.panel.querySelector('button.row, canvas'))?.focus();
				return;
			}
			const at = tabs.indexOf(current);
			const to = event.key === 'ArrowRight' ? at + 1 : event.key === 'ArrowLeft' ? at - 1
				: event.key === 'Home' ? 0 : event.key === 'End' ? tabs.length - 1 : null;
			if (to === null || event.ctrlKey || event.altKey || event.metaKey)
				return;
			// Arrows pan the pictures elsewhere.
			event.preventDefault();
			event.stopPropagation();
			choose(tabs[(to + tabs.length) % tabs.length]);
			current.tab.focus();
		}}, ...tabs.map(({tab}) => tab));
	for (const each of tabs)
		each.tab.addEventListener('click', () => choose(each));
	element.append(list, ...tabs.map(({panel}) => panel));
	show(chosen());
	const recount = () => {
		if (isBuilt)
			current.count();
	};
	store.listen((changed) => {
		if (changed.has('tab'))
			show(chosen());
	});
	drawOn(store, [], recount, words);
	buildLater(element, () => {
		isBuilt = true;
		recount();
	});
	/** Show the tab at @index, counted around, and go there. @param {number} index */
	const go = (index) => {
		choose(tabs[(index + tabs.length) % tabs.length]);
		current.tab.focus();
	};
	return {go, step: (/** @type {number} */ step) => go(tabs.indexOf(current) + step)};
}
