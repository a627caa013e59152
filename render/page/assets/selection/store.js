// SPDX-License-Identifier: Apache-2.0
// What the reader has chosen, in one place: views read it, change it through set() and are told. All
// of it is in location.hash by names, so that a link restores the view, and Back takes back one act.

/** Words that `filter` may hold, in the order in which they are shown; `on` in comparisons: see differences.js. */
export const FILTER_WORDS = ['file', 'section', 'symbol', 'initiator', 'mechanism', 'access', 'kind', 'mode', 'certainty',
	'function', 'blame', 'initializer', 'thread', 'finding', 'on'];

/** What numbers, bars and orders may go by. */
export const METRIC_NAMES = ['time', 'faults', 'bytes', 'pages'];

const FIRST_TAB = 'causes';

/** In the list of what is open. */
export const ALL_FILES = '*';
export const ALL_SECTIONS = '* *';

/** @param {Opening} opening @returns {Choice} */
function initialChoice({object, metric}) {
	return {object, process: null, filter: {}, search: '', time: null, place: null, fault: null,
		metric, tab: FIRST_TAB, open: [], sort: ''};
}

/** @param {string} text @returns {[number, number] | null} */
function rangeOf(text) {
	const [start, end] = text.split('-').map(Number);
	return Number.isFinite(start) && Number.isFinite(end) && start < end ? [start, end] : null;
}

/** @param {string} text */
function naturalOf(text) {
	return /^\d+$/.test(text) ? Number(text) : null;
}

/** What of a choice stands in the address as a word of its own: how it is read, null where it makes no sense, and written, where not as it is. @type {Object<string, {read: (text: string) => any, write?: (value: any) => string}>} */
const ADDRESS = {
	process: {read: naturalOf},
	search: {read: (text) => text || null},
	metric: {read: (text) => METRIC_NAMES.includes(text) ? text : null},
	tab: {read: (text) => text || null},
	sort: {read: (text) => text || null},
	time: {read: rangeOf, write: (range) => range.map(Math.round).join('-')},
	place: {read: rangeOf, write: (range) => range.map((/** @type {number} */ page) => page.toFixed(2)).join('-')},
	fault: {read: naturalOf},
};

/** The keys whose values @change makes others. @param {Object<string, any>} choice @param {Object<string, any>} change */
function changedKeys(choice, change) {
	return new Set(Object.keys(change).filter((key) => JSON.stringify(choice[key]) !== JSON.stringify(change[key])));
}

/** The filters of @filter without @words. @param {Object<string, string>} filter @param {string[]} words */
export function filterWithout(filter, words) {
	return Object.fromEntries(Object.entries(filter).filter(([word]) => !words.includes(word)));
}

export class Store {
	/** @param {Opening} opening @param {string[]} paths of the objects */
	constructor(opening, paths) {
		this.opening = opening;
		this.paths = paths;
		this.choice = initialChoice(opening);
		/** What each recording is asked by: a comparison has two. @type {Store[]} */
		this.sides = [this];
		/** @type {((changed: Set<string>) => void)[]} */
		this.listeners = [];
		/** The recording's time at a time of the axis, both in ns; and back. @type {(time: number) => number} */
		this.ownTime = this.axisTime = (time) => time;
		/** By entry, 1 where the other side of a comparison has none at its place; null: they do not stand out. @type {() => Uint8Array | null} */
		this.aloneMarks = () => null;
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
		const {filter, filter: {[word]: was, ...others}} = this.choice;
		this.set({filter: was === value ? others : {...filter, [word]: value}});
	}

	/** Back to how the page was opened first; what is open and how it is sorted stay. */
	reset() {
		const {object, metric, tab, open, sort} = this.choice;
		this.set({...initialChoice(this.opening), object, metric, tab, open, sort});
	}

	/** The choice as text for location.hash; "" for the initial one. */
	hash() {
		/** @type {Record<string, any>} */
		const choice = this.choice;
		const first = initialChoice(this.opening);
		const words = new URLSearchParams();
		if (choice.object !== first.object)
			words.set('object', this.paths[choice.object]);
		for (const word of FILTER_WORDS)
			if (word in choice.filter)
				words.set(word, choice.filter[word]);
		for (const name of choice.open)
			words.append('open', name);
		for (const word of changedKeys(first, choice))
			if (word in ADDRESS)
				words.set(word, ADDRESS[word].write?.(choice[word]) ?? choice[word]);
		return words.toString();
	}

	/** The choice that @text, of a hash, stands for; what makes no sense in it is left out. @param {string} text */
	restore(text) {
		const words = new URLSearchParams(text.replace(/^#/, ''));
		/** @type {Record<string, any>} */
		const choice = initialChoice(this.opening);
		const object = this.paths.indexOf(words.get('object') ?? '');
		if (object >= 0)
			choice.object = object;
		for (const word of FILTER_WORDS)
			if (words.has(word))
				choice.filter[word] = words.get(word);
		choice.open = words.getAll('open');
		for (const [word, {read}] of Object.entries(ADDRESS))
			choice[word] = read(words.get(word) ?? '') ?? choice[word];
		this.set(choice);
	}
}

/** Moves through time and place that follow each other faster than this are one act, in ms. */
const ONE_ACT = 700;
/** What changes on the way while a picture is moved or a word is typed. */
const MOVING = new Set(['time', 'place', 'search']);

/** Keep @store and the address the same. @check is called after the store took over an address. @param {Store} store @param {() => void} check */
export function followHash(store, check) {
	let isRestoring = false;
	let lastMove = -Infinity;
	const restore = () => {
		isRestoring = true;
		store.restore(location.hash);
		check();
		isRestoring = false;
	};
	restore();
	store.listen((changed) => {
		if (isRestoring)
			return;
		const isMove = [...changed].every((word) => MOVING.has(word));
		const now = performance.now();
		const isSameAct = isMove && now - lastMove < ONE_ACT;
		lastMove = isMove ? now : -Infinity;
		history[isSameAct ? 'replaceState' : 'pushState'](null, '', '#' + store.hash());
	});
	addEventListener('hashchange', restore);
}
