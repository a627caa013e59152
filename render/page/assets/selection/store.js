// SPDX-License-Identifier: Apache-2.0
// What the reader has chosen, in one place: views read it, change it through set() and are told. All
// of it is in location.hash, so that a link restores the view.

/**
 * @typedef {Object} Choice
 * @property {number} object index into header.objects: whose file the pictures show
 * @property {string} color what marks are coloured by: initiator, mechanism, access, kind, thread, process
 * @property {number | null} process pid, null: all
 * @property {Object<string, string>} filter word -> the value that faults must have, by its text
 * @property {string} search text that a name of the fault must contain
 * @property {[number, number] | null} time range in ns, null: all
 * @property {[number, number] | null} place range of pages of the main lane, null: all
 * @property {number | null} fault the one whose details are shown
 */

/** Words that `filter` may hold, in the order in which they are shown; `on` in comparisons: see differences.js. */
export const FILTER_WORDS = ['initiator', 'mechanism', 'access', 'kind', 'mode', 'certainty', 'section',
	'symbol', 'function', 'blame', 'initializer', 'thread', 'finding', 'on'];

export const COLORS = ['initiator', 'mechanism', 'access', 'kind', 'thread', 'process'];

/** @param {number} mainObject @returns {Choice} */
export function initialChoice(mainObject) {
	return {object: mainObject, color: 'initiator', process: null, filter: {}, search: '', time: null,
		place: null, fault: null};
}

/** @param {string | null} text @returns {[number, number] | null} */
export function rangeOf(text) {
	const [start, end] = (text || '').split('-').map(Number);
	return Number.isFinite(start) && Number.isFinite(end) && start < end ? [start, end] : null;
}

/** The keys whose values @change makes others. @param {Object<string, any>} choice @param {Object<string, any>} change */
export function changedKeys(choice, change) {
	return new Set(Object.keys(change).filter((key) => JSON.stringify(choice[key]) !== JSON.stringify(change[key])));
}

/** @filter with @word set to @value, or without it if it has that value already. @param {Object<string, string>} filter @param {string} word @param {string} value */
export function toggledFilter(filter, word, value) {
	const {[word]: was, ...others} = filter;
	return was === value ? others : {...filter, [word]: value};
}

export class Store {
	/** @param {number} mainObject @param {number} objectCount */
	constructor(mainObject, objectCount) {
		this.mainObject = mainObject;
		this.objectCount = objectCount;
		this.choice = initialChoice(mainObject);
		/** @type {((changed: Set<string>) => void)[]} */
		this.listeners = [];
	}

	/** Call @listener with the names of what changed, after every change. @param {(changed: Set<string>) => void} listener */
	listen(listener) {
		this.listeners.push(listener);
	}

	/** Change some of the choice. @param {Partial<Choice>} change */
	set(change) {
		const changed = changedKeys(this.choice, change);
		if (changed.size === 0)
			return;
		Object.assign(this.choice, change);
		for (const listener of this.listeners)
			listener(changed);
	}

	/** Set one filter, or take it away if it has that value already. @param {string} word @param {string} value */
	toggle(word, value) {
		this.set({filter: toggledFilter(this.choice.filter, word, value)});
	}

	/** Back to how the page was opened first; colour and object stay. */
	reset() {
		this.set({...initialChoice(this.choice.object), color: this.choice.color});
	}

	/** The choice as text for location.hash; "" for the initial one. */
	hash() {
		const {choice} = this;
		const words = new URLSearchParams();
		if (choice.object !== this.mainObject)
			words.set('object', String(choice.object));
		if (choice.color !== 'initiator')
			words.set('color', choice.color);
		if (choice.process !== null)
			words.set('process', String(choice.process));
		for (const word of FILTER_WORDS)
			if (word in choice.filter)
				words.set(word, choice.filter[word]);
		if (choice.search)
			words.set('search', choice.search);
		if (choice.time)
			words.set('time', choice.time.map(Math.round).join('-'));
		if (choice.place)
			words.set('place', choice.place.map((page) => page.toFixed(2)).join('-'));
		if (choice.fault !== null)
			words.set('fault', String(choice.fault));
		return words.toString();
	}

	/** The choice that @text, of a hash, stands for; what makes no sense in it is left out. @param {string} text */
	restore(text) {
		const words = new URLSearchParams(text.replace(/^#/, ''));
		const choice = initialChoice(this.mainObject);
		const object = Number(words.get('object') ?? NaN);
		if (Number.isInteger(object) && object >= 0 && object < this.objectCount)
			choice.object = object;
		if (COLORS.includes(words.get('color') || ''))
			choice.color = words.get('color') || '';
		const process = Number(words.get('process') ?? NaN);
		if (Number.isInteger(process))
			choice.process = process;
		for (const word of FILTER_WORDS) {
			const value = words.get(word);
			if (value !== null)
				choice.filter[word] = value;
		}
		choice.search = words.get('search') || '';
		choice.time = rangeOf(words.get('time'));
		choice.place = rangeOf(words.get('place'));
		const fault = Number(words.get('fault') ?? NaN);
		if (Number.isInteger(fault) && fault >= 0)
			choice.fault = fault;
		this.set(choice);
	}
}
