// SPDX-License-Identifier: Apache-2.0
// Both timelines of a comparison: the same section at the same y and, unless each has its own scale of time, the same
// time at the same x.
import {make} from '../shared/dom.js';
import {countText, nounText, timeText} from '../shared/format.js';
import {ONE_SIDE} from './differences.js';
import {pngOf, saveButtons, svgOf} from '../shared/export.js';
import {listenForKeys} from '../shared/keys.js';
import {makePairLegend} from './pairlegend.js';
import {pairPictureOf} from './pairpicture.js';
import {timesText} from './pairscale.js';
import {PairTimeline} from './pairtimeline.js';
import {BothView, SideView} from './pairview.js';
import {fileNameOf} from '../shared/save.js';
import {drawOn} from '../selection/selected.js';
import {objectName} from '../data/words.js';
import {AFTER, BEFORE, SIDE_NAMES} from './sides.js';

/**
 * @typedef {import('./diffdata.js').DiffData} DiffData
 * @typedef {import('./diffstore.js').DiffStore} DiffStore
 * @typedef {{x: number, y: number}} Cross parts of the plot's width and height
 */

/** From so many faults on working out what differs takes longer than readers wait. */
const MANY = 300000;

export class PairTimelines {
	/** @param {DiffData} diff @param {DiffStore} store @param {HTMLElement} element */
	constructor(diff, store, element) {
		this.diff = diff;
		this.store = store;
		this.views = [BEFORE, AFTER].map((side) => new SideView(store, side));
		/** What buttons move, and keys where no picture has the focus. */
		this.view = new BothView(store, this.views);
		/** Where the pointer is, in either. @type {Cross | null} */
		this.cross = null;
		this.isAsked = false;
		this.facts = [make('span', {class: 'muted'}), make('span', {class: 'muted'})];
		this.scaleBadges = [make('span', {class: 'own-scale'}), make('span', {class: 'own-scale'})];
		const parts = [BEFORE, AFTER].map((side) => make('div', {role: 'group', 'aria-label': SIDE_NAMES[side]},
			make('h3', {}, SIDE_NAMES[side], ' ', this.scaleBadges[side], ' ', this.facts[side])));
		this.hint = make('p', {class: 'muted hint'});
		element.append(this.makeOffer(), makePairLegend(diff, store), make('div', {class: 'pair'}, ...parts), this.hint);
		element.querySelector('h2')?.after(this.view.makeTools(), ' ', this.makeScaleToggle(), ' ', this.makeToggles(), ' ', this.makeSave());
		this.timelines = [BEFORE, AFTER].map((side) => new PairTimeline(this, side, parts[side]));
		for (const timeline of this.timelines) {
			timeline.start();
			timeline.canvas.addEventListener('pointerleave', () => this.pointAt(null));
			timeline.canvas.addEventListener('focus', () => {
				this.lastUsed = timeline;
			});
		}
		this.lastUsed = this.timelines[BEFORE];
		// A side in which nothing of a new range lies is told of no change.
		store.listen((changed) => {
			if (changed.has('place') || changed.has('time') || changed.has('stress') || changed.has('ownScales'))
				this.timelines.forEach((each) => each.ask());
			if (changed.has('fault'))
				this.timelines.forEach((each) => each.drawOverlay(null));
		});
		drawOn(store, ['ownScales'], () => {
			this.hint.textContent = (store.choice.ownScales
				? 'Each side has its own time scale and zooms alone; buttons move both. Sections have the same height on both sides. '
				: 'Both sides have the same time scale, and sections the same height. ')
				+ 'Pages touched on one side only, by their place in the section, are highlighted. ' + (matchMedia('(pointer: coarse)').matches
				? 'Drag to move through time, two fingers zoom; tap a mark for its details, a section’s name to filter.'
				: 'Drag to zoom, wheel zooms time, Shift+wheel the file; click a mark for its details, a section’s name to filter.');
		});
		listenForKeys(() => this.viewOfKeys(), store, () => this.current(), this.timelines, {'t': () => store.toggleScales()});
	}

	/** Whether it is known what only one side touched; if not, it soon is: of many faults, pictures come first. */
	knowsAlone() {
		const {differences, sides} = this.diff;
		if (differences.made || sides[BEFORE].count + sides[AFTER].count < MANY)
			return true;
		if (!this.isAsked)
			requestIdleCallback(() => {
				differences.alone();
				this.timelines.forEach((each) => each.ask());
			}, {timeout: 1000});
		this.isAsked = true;
		return false;
	}

	viewOfKeys() {
		return this.timelines.find(({canvas}) => canvas === document.activeElement)?.view ?? this.view;
	}

	/** The timeline that keys are meant for: that of the chosen fault, or else the one used last. */
	current() {
		const {fault} = this.store.choice;
		return this.timelines[fault ? fault.side : this.lastUsed.side];
	}

	/** @param {Cross | null} cross */
	pointAt(cross) {
		if (cross === this.cross)
			return;
		this.cross = cross;
		for (const timeline of this.timelines)
			timeline.drawOverlay(null);
	}

	/** The fault of @side that touched what the chosen fault of the other side did; null: none. @param {number} side @returns {number | null} */
	twinOn(side) {
		const {fault} = this.store.choice;
		const twin = fault && fault.side !== side ? this.diff.differences.twinOf(fault.side, fault.index) : -1;
		return twin < 0 ? null : twin;
	}

	/** Say beside the heading what is there. @param {number} side @param {number} shown faults @param {number | null} alone of these, null: not told apart */
	tell(side, shown, alone) {
		const data = this.diff.sides[side];
		const {object} = this.store.sides[side].choice;
		const row = data.header.objects[object];
		const {filter, search} = this.store.choice;
		const isFiltered = Object.keys(filter).length > 0 || search !== '';
		const badge = this.scaleBadges[side];
		badge.hidden = !this.store.choice.ownScales;
		badge.textContent = badge.hidden ? '' : this.timelines[side].widthText();
		this.facts[side].textContent = [shown === 0 && isFiltered ? `no selected faults ${SIDE_NAMES[side]}`
			: `${nounText(shown, 'fault')} shown${alone === null ? '' : `, ${countText(alone)} only here`}`,
		row ? `${countText(row.faults)} of ${objectName(data, object)} in all` : `the file is not in ${SIDE_NAMES[side]}`].join('; ');
	}

	/** Buttons that save both pictures as they are now. */
	makeSave() {
		const {diff, store} = this;
		return saveButtons([
			['PNG', 'Both current timelines as a bitmap', () => pngOf(pairPictureOf(this))],
			['SVG', 'Both current timelines as a vector drawing', () => new Blob([svgOf(pairPictureOf(this))], {type: 'image/svg+xml'})],
		], (extension) => fileNameOf(`${diff.diff.objects[store.choice.object].label}-before-after`, extension));
	}

	/** A button that gives each side its own scale of time, or both the same. */
	makeScaleToggle() {
		const {store} = this;
		this.scaleToggle = make('button', {type: 'button', class: 'button', title: 'Separate time scales (T)',
			click: () => store.toggleScales()}, 'Each to its own length');
		drawOn(store, ['ownScales'], () => this.scaleToggle?.setAttribute('aria-pressed', String(store.choice.ownScales)));
		return make('div', {class: 'tools', role: 'group', 'aria-label': 'Time scale'}, this.scaleToggle);
	}

	/** A line that offers each side its own scale where one of them is narrow. */
	makeOffer() {
		const {store} = this;
		const {lengths, longest, isNarrow} = store.scale;
		const longer = lengths[BEFORE] === longest ? BEFORE : AFTER;
		const shorter = 1 - longer;
		const line = make('p', {class: 'offer'},
			`${SIDE_NAMES[longer]} lasts ${timeText(longest)}, ${timesText(longest / lengths[shorter])} times as long as ${SIDE_NAMES[shorter]} (${
				timeText(lengths[shorter])}), which is therefore narrow here. `,
			make('button', {type: 'button', class: 'button', click: () => {
				store.toggleScales();
				// The line goes away; this takes the choice back.
				this.scaleToggle?.focus();
			}}, 'Draw each to its own length'));
		drawOn(store, ['ownScales'], () => {
			line.hidden = store.choice.ownScales || !isNarrow;
		});
		return line;
	}

	/** Buttons that say how to show what only one side touched. */
	makeToggles() {
		const {store} = this;
		const stress = make('button', {type: 'button', class: 'button', click: () => store.set({stress: !store.choice.stress})}, 'Highlight differences');
		const only = make('button', {type: 'button', class: 'button', click: () => store.toggle('on', ONE_SIDE)}, 'Only differences');
		drawOn(store, ['stress', 'filter'], () => {
			const isOnly = store.choice.filter.on === ONE_SIDE;
			only.setAttribute('aria-pressed', String(isOnly));
			stress.setAttribute('aria-pressed', String(store.choice.stress && !('on' in store.choice.filter)));
			stress.disabled = 'on' in store.choice.filter;
		});
		return make('div', {class: 'tools', role: 'group', 'aria-label': 'Pages touched on one side only'}, stress, only);
	}
}

/** @param {DiffData} diff @param {DiffStore} store @param {HTMLElement} element */
export function makePairTimelines(diff, store, element) {
	return void new PairTimelines(diff, store, element);
}
