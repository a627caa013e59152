// SPDX-License-Identifier: Apache-2.0
// What the reader has chosen in a comparison, in one place. Each side has a Store of its own that follows, so that views of one
// trace work as in a report; what is set there is set here for both sides.
import {spanOf} from '../tracks/view.js';
import {Store} from '../selection/store.js';
import {AFTER, BEFORE, SIDE_NAMES} from '../data/recordings.js';

/** One side's Store: its choice is derived, and what is set goes to both sides. */
class SideStore extends Store {
	constructor(/** @type {DiffStore} */ whole, /** @type {number} */ side) {
		super(whole.opening, []);
		this.whole = whole;
		this.side = side;
		const [first, end] = spanOf(whole.diff.sides[side]);
		/** How long the command ran. */
		this.length = end - first;
		/** How much of its own time lies in a part of the axis. */
		const stretch = () => whole.choice.ownScales ? this.length / whole.longest() : 1;
		this.ownTime = (/** @type {number} */ time) => first + time * stretch();
		this.axisTime = (/** @type {number} */ time) => (time - first) / stretch();
		this.aloneMarks = () => whole.choice.stress && !('on' in whole.choice.filter) ? whole.diff.differences.soon(whole.follow)?.[side] ?? null : null;
	}

	set(/** @type {Partial<Choice>} */ change) {
		const {whole, side} = this;
		const both = {...change};
		if (change.object !== undefined)
			both.object = whole.diff.objectOf(side, change.object);
		if (typeof change.fault === 'number')
			both.fault = change.fault + side * whole.diff.sides[BEFORE].count;
		whole.set(both);
	}

	/** Take over what the whole says. */
	follow() {
		const {whole, side} = this;
		const {choice, diff} = whole;
		const fault = choice.fault === null ? -1 : choice.fault - side * diff.sides[BEFORE].count;
		/** @type {Choice} */
		const next = {...choice, object: diff.objectOn(side, choice.object), time: choice.time && [this.ownTime(choice.time[0]), this.ownTime(choice.time[1])],
			place: choice.place && diff.axisOf(choice.object).pagesOn(side, choice.place), fault: fault >= 0 && fault < diff.sides[side].count ? fault : null};
		super.set(next);
	}
}

export class DiffStore extends Store {
	constructor(/** @type {DiffData} */ diff) {
		super({object: diff.mainObject(), metric: diff.sides[AFTER].isByTime ? 'time' : 'faults'}, diff.diff.objects.map(({label}) => label));
		this.diff = diff;
		const [before, after] = [BEFORE, AFTER].map((side) => diff.sides[side].header.objects[diff.objectOn(side, this.opening.object)]?.build_id);
		/** Of one build nearly all is the same: what is not would be all that is seen. */
		this.stressAtFirst = before !== after;
		this.choice = {...this.choice, ownScales: false, stress: this.stressAtFirst};
		const sides = [new SideStore(this, BEFORE), new SideStore(this, AFTER)];
		this.ownSides = this.sides = sides;
		this.follow = () => sides.forEach((side) => side.follow());
		/** The longer of both runs, in ns. */
		this.longest = () => Math.max(...sides.map(({length}) => length));
		this.follow();
		// Before all views.
		this.listen(this.follow);
	}

	set(/** @type {Partial<Choice>} */ change) {
		super.set(change.object !== undefined && change.object !== this.choice.object ? {place: null, fault: null, ...change} : change);
	}

	/** A range of one scale means nothing on the other. */
	toggleScales() {
		this.set({ownScales: !this.choice.ownScales, time: null});
	}

	hash() {
		const {choice, diff} = this;
		const words = new URLSearchParams(super.hash());
		if (choice.ownScales)
			words.set('scale', 'own');
		if (choice.stress !== this.stressAtFirst)
			words.set('stress', choice.stress ? 'yes' : 'no');
		if (choice.fault !== null) {
			const side = Number(choice.fault >= diff.sides[BEFORE].count);
			words.set('fault', `${SIDE_NAMES[side]}:${choice.fault - side * diff.sides[BEFORE].count}`);
		}
		return words.toString();
	}

	restore(/** @type {string} */ text) {
		const words = new URLSearchParams(text.replace(/^#/, ''));
		const [name, number] = (words.get('fault') ?? '').split(':');
		const side = SIDE_NAMES.indexOf(name);
		const index = side >= 0 && /^\d+$/.test(number) && Number(number) < this.diff.sides[side].count ? Number(number) : -1;
		words.set('fault', index < 0 ? '' : String(index + side * this.diff.sides[BEFORE].count));
		super.set({ownScales: words.get('scale') === 'own', stress: (words.get('stress') ?? (this.stressAtFirst ? 'yes' : 'no')) === 'yes'});
		super.restore(words.toString());
	}
}
