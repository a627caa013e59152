// SPDX-License-Identifier: Apache-2.0
// What the reader has chosen in a comparison, in one place. Each side has a Store of its own that follows,
// so that views of one trace work as in a report; what is set there is set here for both sides. All of it is
// in location.hash.
import {METRICS} from './change.js';
import {sizeText} from '../shared/format.js';
import {PairAxis} from './pairaxis.js';
import {PairScale} from './pairscale.js';
import {COLORS, FILTER_WORDS, Store, changedKeys, initialChoice, rangeOf, toggledFilter} from '../selection/store.js';
import {AFTER, BEFORE, SIDE_NAMES} from './sides.js';

/**
 * @typedef {import('./diffdata.js').DiffData} DiffData
 * @typedef {import('../selection/store.js').Choice} Choice
 * @typedef {[number, number]} Range
 *
 * @typedef {Object} DiffChoice
 * @property {number} object index into the comparison's objects: whose files the pictures show
 * @property {string} color what marks are coloured by
 * @property {Object<string, string>} filter word -> the value that faults must have, as the comparison names it
 * @property {string} search text that a name of the fault must contain
 * @property {boolean} ownScales each side has a scale of time of its own
 * @property {(Range | null)[]} time range of each side in ns, null: all; on one scale both are the same
 * @property {[number, number] | null} place range of the axis that both files share, in pages: see pairaxis.js
 * @property {boolean} stress marks of what only one side touched stand out
 * @property {string} metric what lists and tables compare
 * @property {{side: number, index: number} | null} fault the one whose details are shown
 */

/** In the address: the range of each side on its own scale. */
const TIME_WORDS = SIDE_NAMES.map((name) => `time.${name}`);

/** @param {number} object @returns {DiffChoice} */
export function initialDiffChoice(object) {
	return {object, color: 'initiator', filter: {}, search: '', ownScales: false, time: [null, null], place: null, stress: true, metric: 'faults', fault: null};
}

/** @param {PairAxis} axis @param {number} side @param {[number, number]} pages of its file @returns {[number, number]} */
function rangeOn(axis, side, [first, end]) {
	return [axis.placeOf(side, first), axis.placeOf(side, end)];
}

/** One side's Store: its choice is derived, and what is set goes to both sides. */
export class SideStore extends Store {
	/** @param {DiffStore} whole @param {number} side */
	constructor(whole, side) {
		const {header} = whole.diff.sides[side];
		super({object: 0, metric: header.weigh}, header.objects.map((/** @type {{path: string}} */ {path}) => path));
		this.whole = whole;
		this.side = side;
	}

	/** @param {Partial<Choice>} change */
	set(change) {
		const {whole, side} = this;
		/** @type {Partial<DiffChoice>} */
		const both = {};
		if (change.object !== undefined)
			both.object = whole.diff.sides[side].columns.link_object[change.object] - 1;
		if (change.color !== undefined)
			both.color = change.color;
		if (change.filter !== undefined)
			both.filter = change.filter;
		if (change.search !== undefined)
			both.search = change.search;
		if (change.time !== undefined)
			both.time = whole.timesWith(side, change.time);
		if (change.place !== undefined)
			both.place = change.place && rangeOn(whole.axis(), side, change.place);
		if (change.fault !== undefined)
			both.fault = change.fault === null ? null : {side, index: change.fault};
		whole.set(both);
	}

	reset() {
		this.whole.reset();
	}

	/** Take over what the whole says. */
	follow() {
		const {choice, diff} = this.whole;
		/** @type {Choice} */
		const next = {...initialChoice({...this.opening, object: diff.objectOn(this.side, choice.object)}), color: choice.color, filter: choice.filter,
			search: choice.search, time: choice.time[this.side], place: this.whole.placeOn(this.side),
			fault: choice.fault?.side === this.side ? choice.fault.index : null};
		super.set(next);
	}
}

export class DiffStore {
	/** @param {DiffData} diff */
	constructor(diff) {
		this.diff = diff;
		this.scale = new PairScale(diff.sides);
		this.mainObject = diff.mainObject();
		this.choice = initialDiffChoice(this.mainObject);
		/** @type {{object: number, axis: PairAxis} | null} */
		this.latestAxis = null;
		/** @type {((changed: Set<string>) => void)[]} */
		this.listeners = [];
		/** @type {[SideStore, SideStore]} */
		this.sides = [new SideStore(this, BEFORE), new SideStore(this, AFTER)];
		this.follow();
	}

	follow() {
		for (const side of this.sides)
			side.follow();
	}

	/** Call @listener with the names of what changed, after every change. @param {(changed: Set<string>) => void} listener */
	listen(listener) {
		this.listeners.push(listener);
	}

	/** Change some of the choice. @param {Partial<DiffChoice>} change */
	set(change) {
		/** @type {Partial<DiffChoice>} */
		const whole = change.object !== undefined && change.object !== this.choice.object
			? {place: null, fault: null, ...change} : change;
		const changed = changedKeys(this.choice, whole);
		if (changed.size === 0)
			return;
		Object.assign(this.choice, whole);
		this.follow();
		for (const listener of this.listeners)
			listener(changed);
	}

	/** Set one filter, or take it away if it has that value already. @param {string} word @param {string} value */
	toggle(word, value) {
		this.set({filter: toggledFilter(this.choice.filter, word, value)});
	}

	/** Back to how the page was opened first; colour, scale and object stay. */
	reset() {
		this.set({...initialDiffChoice(this.choice.object), color: this.choice.color, ownScales: this.choice.ownScales,
			stress: this.choice.stress, metric: this.choice.metric});
	}

	/** On which the files that are shown lie. */
	axis() {
		const {object} = this.choice;
		if (!this.latestAxis || this.latestAxis.object !== object)
			this.latestAxis = {object, axis: new PairAxis(this.diff.sides,
				this.diff.sides.map((_, side) => this.diff.objectOn(side, object)))};
		return this.latestAxis.axis;
	}

	/** The place that is shown, by the sections at its ends; '' where all is shown. */
	placeText() {
		const {place} = this.choice;
		if (!place)
			return '';
		const axis = this.axis();
		const pageSize = this.diff.sides[BEFORE].header.page_size;
		const [from, to] = [place[0], place[1] - 0.01].map((at) => axis.bandAt(Math.max(at, 0)));
		const name = (/** @type {{index: number, page: number} | null} */ at) => at
			? `${axis.items[at.index].label} +${sizeText(Math.round(at.page) * pageSize)}` : 'the end';
		return `${name(from)} to ${name(to)}`;
	}

	/** The ranges of time where @side has @range. @param {number} side @param {Range | null} range */
	timesWith(side, range) {
		return this.choice.ownScales ? this.choice.time.map((time, i) => i === side ? range : time) : [range, range];
	}

	/** Whether less than all of time is shown. */
	isTimed() {
		return this.choice.time.some((range) => range !== null);
	}

	/** Each side on its own scale of time, or both on one; a range of one means nothing on the other. */
	toggleScales() {
		this.set({ownScales: !this.choice.ownScales, time: [null, null]});
	}

	/** The pages of @side's file that are shown, null: all. @param {number} side @returns {[number, number] | null} */
	placeOn(side) {
		const {place} = this.choice;
		return place && this.axis().pagesOn(side, place);
	}

	/** The choice as text for location.hash; "" for the initial one. */
	hash() {
		const {choice} = this;
		const words = new URLSearchParams();
		if (choice.object !== this.mainObject)
			words.set('object', String(choice.object));
		if (choice.color !== 'initiator')
			words.set('color', choice.color);
		for (const word of FILTER_WORDS)
			if (word in choice.filter)
				words.set(word, choice.filter[word]);
		if (choice.search)
			words.set('search', choice.search);
		if (choice.ownScales)
			words.set('scale', 'own');
		choice.time.forEach((range, side) => {
			if (range)
				words.set(choice.ownScales ? TIME_WORDS[side] : 'time', range.map(Math.round).join('-'));
		});
		if (choice.place)
			words.set('place', choice.place.map((page) => page.toFixed(2)).join('-'));
		if (!choice.stress)
			words.set('stress', 'no');
		if (choice.metric !== 'faults')
			words.set('metric', choice.metric);
		if (choice.fault)
			words.set('fault', `${SIDE_NAMES[choice.fault.side]}:${choice.fault.index}`);
		return words.toString();
	}

	/** The choice that @text, of a hash, stands for; what makes no sense in it is left out. @param {string} text */
	restore(text) {
		const words = new URLSearchParams(text.replace(/^#/, ''));
		const choice = initialDiffChoice(this.mainObject);
		const object = Number(words.get('object') ?? NaN);
		if (Number.isInteger(object) && object >= 0 && object < this.diff.diff.objects.length)
			choice.object = object;
		if (COLORS.includes(words.get('color') || ''))
			choice.color = words.get('color') || '';
		for (const word of FILTER_WORDS) {
			const value = words.get(word);
			if (value !== null)
				choice.filter[word] = value;
		}
		choice.search = words.get('search') || '';
		choice.ownScales = words.get('scale') === 'own';
		choice.time = TIME_WORDS.map((word) => rangeOf(words.get(choice.ownScales ? word : 'time')));
		choice.place = rangeOf(words.get('place'));
		choice.stress = words.get('stress') !== 'no';
		const metric = words.get('metric') ?? '';
		if (this.diff.diff.total[metric] && METRICS.some(({key}) => key === metric))
			choice.metric = metric;
		const [faultSide, fault] = sided(words.get('fault'));
		if (faultSide >= 0 && /^\d+$/.test(fault) && Number(fault) < this.diff.sides[faultSide].count)
			choice.fault = {side: faultSide, index: Number(fault)};
		this.set(choice);
	}
}

/** "after:12" as side and rest; the side is -1 where there is none. @param {string | null} text @returns {[number, string]} */
function sided(text) {
	const [name, rest] = (text || '').split(':');
	return [SIDE_NAMES.indexOf(name), rest ?? ''];
}
