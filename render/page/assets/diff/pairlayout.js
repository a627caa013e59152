// SPDX-License-Identifier: Apache-2.0
// Both files as strips of their pages, before above after: a section begins at the same place in both and
// has the room of the larger one. A part that is brushed is what all pictures show.
import {BAND_FILE} from '../tracks/bands.js';
import {Brushed} from '../tracks/brushed.js';
import {shortName} from '../shared/describe.js';
import {make} from '../shared/dom.js';
import {countText, nounText, percentText, sizeText} from '../shared/format.js';
import {PAGE_STATES, drawPages} from '../shared/pages.js';
import {placeOfFault} from './pairaxis.js';
import {drawOn} from '../selection/selected.js';
import {token} from '../shared/theme.js';
import {AFTER, BEFORE, SIDE_NAMES} from './sides.js';

/**
 * @typedef {import('./diffdata.js').DiffData} DiffData
 * @typedef {import('./diffstore.js').DiffStore} DiffStore
 */

const NAME_HEIGHT = 16;
const SIDE_HEIGHT = 34;
const CHANGE_HEIGHT = 18;
const SIDE_GUTTER = 46;
const SIDE_TOPS = [NAME_HEIGHT, NAME_HEIGHT + SIDE_HEIGHT + CHANGE_HEIGHT];

/** "1.2 MiB → 1 MiB (−16.7%)" and shorter ways to say it, the longest first. @param {number | null} before @param {number | null} after bytes @returns {string[]} */
function changeTexts(before, after) {
	if (before === null || after === null)
		return [before === null ? `new: ${sizeText(after ?? 0)}` : `gone: ${sizeText(before)}`];
	if (before === after)
		return [sizeText(before)];
	const sign = after > before ? '+' : '−';
	const share = `${sign}${percentText(Math.abs(after - before), before)}`;
	// Sizes that read the same do not say what changed.
	const sizes = sizeText(before) === sizeText(after) ? `${sizeText(before)} ${sign} ${sizeText(Math.abs(after - before))}`
		: `${sizeText(before)} → ${sizeText(after)}`;
	return [`${sizes} (${share})`, sizes, share];
}

/** Colours of the states of pages. */
const STATE_TOKENS = ['page-cold', 'page-around', 'page-faulted', 'page-written'];

/** Item of a legend. @param {number} state of pages @param {string} text */
function stateItem(state, text) {
	const swatch = make('span', {class: 'swatch'});
	swatch.style.background = token(STATE_TOKENS[state]);
	return make('li', {}, swatch, `${PAGE_STATES[state]} ${text}`);
}

class PairLayout extends Brushed {
	/** @param {DiffData} diff @param {DiffStore} store @param {HTMLElement} element */
	constructor(diff, store, element) {
		super(store);
		this.diff = diff;
		this.store = store;
		this.stripHeight = SIDE_TOPS[AFTER] + SIDE_HEIGHT;
		this.framed = {top: NAME_HEIGHT - 1, bottom: this.stripHeight + 1};
		this.left = SIDE_GUTTER;
		this.legend = make('ul', {class: 'legend'});
		this.empty = make('p', {class: 'muted'}, 'This is memory, not a file; it has no file pages to show.');
		element.append(this.legend, this.frame, this.empty);
		this.start(drawOn(store, ['object', 'place', 'fault'], () => this.draw()).ask);
	}

	length() {
		return this.store.axis().length;
	}

	draw() {
		this.empty.hidden = this.length() > 0;
		this.legend.hidden = !this.empty.hidden;
		if (this.drawStrips())
			this.describe();
	}

	/** Bytes of the band @index on @side, null: it is not there. @param {number} side @param {number} index */
	bytesOn(side, index) {
		const pages = this.store.axis().sizeOn(side, index);
		return pages === null ? null : Math.round(pages * this.diff.sides[side].header.page_size);
	}

	/** @param {CanvasRenderingContext2D} context @param {[number, number]} range @param {number} top @param {number} width */
	drawStrip(context, range, top, width) {
		const axis = this.store.axis();
		const wide = width - SIDE_GUTTER;
		const xOf = (/** @type {number} */ place) => SIDE_GUTTER + (place - range[0]) / (range[1] - range[0]) * wide;
		const colors = STATE_TOKENS.map(token);
		context.textAlign = 'left';
		for (const side of [BEFORE, AFTER]) {
			context.fillStyle = token('ink');
			context.fillText(SIDE_NAMES[side], 0, top + SIDE_TOPS[side] + SIDE_HEIGHT / 2);
			for (const stretch of axis.axes[side].bands.file) {
				const start = axis.items[stretch.band].first;
				const from = Math.max(start, range[0]);
				const to = Math.min(start + stretch.end - stretch.first, range[1]);
				if (from < to)
					drawPages(context, axis.axes[side].pages, stretch.first + from - start, stretch.first + to - start,
						{x: xOf(from), y: top + SIDE_TOPS[side], width: xOf(to) - xOf(from), height: SIDE_HEIGHT}, colors, false);
			}
		}
		let nameFree = SIDE_GUTTER;
		let changeFree = SIDE_GUTTER;
		axis.items.forEach((band, index) => {
			if (band.kind !== BAND_FILE || band.end <= range[0] || band.first >= range[1])
				return;
			const left = Math.max(xOf(band.first), SIDE_GUTTER);
			const right = Math.min(xOf(band.end), width);
			context.fillStyle = token('soft');
			if (left > SIDE_GUTTER && right - left > 2)
				context.fillRect(Math.round(left), top, 1, this.stripHeight);
			if (!band.isSection)
				return;
			const name = shortName(band.label);
			if (left >= nameFree && context.measureText(name).width + 8 < right - left) {
				context.fillStyle = token('ink');
				context.fillText(name, left + 4, top + NAME_HEIGHT / 2);
				nameFree = right;
			}
			const [before, after] = [this.bytesOn(BEFORE, index), this.bytesOn(AFTER, index)];
			const text = changeTexts(before, after).find((each) => context.measureText(each).width + 8 < right - left);
			if (left >= changeFree && text) {
				context.fillStyle = token(before === after ? 'soft' : 'ink');
				context.fillText(text, left + 4, top + NAME_HEIGHT + SIDE_HEIGHT + CHANGE_HEIGHT / 2);
				changeFree = right;
			}
		});
		const {fault} = this.store.choice;
		const place = fault && placeOfFault(axis, this.diff.sides[fault.side], fault.side, fault.index);
		if (fault && place !== null && place >= range[0] && place < range[1]) {
			context.fillStyle = token('accent');
			context.fillRect(xOf(place) - 1, top + SIDE_TOPS[fault.side] - 4, 3, SIDE_HEIGHT + 8);
		}
	}

	describe() {
		const {axes, items} = this.store.axis();
		const totals = axes.map(({pages}) => pages.totals);
		const states = PAGE_STATES.map((_, state) => state).reverse();
		const sum = (/** @type {number} */ side) => totals[side].reduce((all, each) => all + each, 0);
		this.legend.replaceChildren(...states.map((state) => stateItem(state, `${countText(totals[BEFORE][state])} → ${countText(totals[AFTER][state])}`)),
			make('li', {class: 'muted'}, `${countText(sum(BEFORE))} → ${nounText(sum(AFTER), 'page')} in the files; only loaded ones are drawn; drag to select a part`));
		const changed = items.flatMap((band, index) => band.isSection && band.kind === BAND_FILE
			&& this.bytesOn(BEFORE, index) !== this.bytesOn(AFTER, index)
			? [{index, size: Math.abs((this.bytesOn(AFTER, index) ?? 0) - (this.bytesOn(BEFORE, index) ?? 0))}] : [])
			.sort((a, b) => b.size - a.size);
		this.canvas.setAttribute('aria-label', 'Both files as strips of pages, section beside section. '
			+ [BEFORE, AFTER].map((side) => `${SIDE_NAMES[side]}: ${nounText(sum(side), 'page')}, `
				+ states.map((state) => `${countText(totals[side][state])} ${PAGE_STATES[state]}`).join(', ')).join('. ')
			+ (changed.length ? `. Changed sizes: ${changed.slice(0, 5).map(({index}) => `${shortName(items[index].label)} ${
				changeTexts(this.bytesOn(BEFORE, index), this.bytesOn(AFTER, index))[0]}`).join(', ')}` : '')
			+ '. Arrow keys move the visible part; Alt with + or - zooms.');
	}

	/** A click shows the section it hits. @param {number} place */
	clickAt(place) {
		const axis = this.store.axis();
		const at = axis.bandAt(place);
		if (at)
			this.choose(axis.items[at.index].first, axis.items[at.index].end);
	}

	/** @param {number} place @param {number} y @returns {string[]} */
	linesAt(place, y) {
		const axis = this.store.axis();
		const at = axis.bandAt(place);
		if (!at)
			return ['past the end'];
		const pointed = y < SIDE_TOPS[AFTER] - CHANGE_HEIGHT / 2 ? BEFORE : AFTER;
		const sides = [BEFORE, AFTER].map((side) => {
			const size = axis.sizeOn(side, at.index);
			if (size === null || at.page >= size)
				return `${SIDE_NAMES[side]}: ${size === null ? 'not there' : 'ended before'}`;
			const stretch = axis.axes[side].bands.file.find(({band}) => band === at.index);
			const page = Math.floor((stretch?.first ?? 0) + at.page);
			return `${SIDE_NAMES[side]}: page ${countText(page)}, ${PAGE_STATES[axis.axes[side].pages.states[page]] ?? 'unknown'}`;
		});
		return [shortName(axis.items[at.index].label), changeTexts(this.bytesOn(BEFORE, at.index), this.bytesOn(AFTER, at.index))[0],
			...pointed === BEFORE ? sides : sides.reverse()];
	}
}

/** @param {DiffData} diff @param {DiffStore} store @param {HTMLElement} element */
export function makePairLayout(diff, store, element) {
	return void new PairLayout(diff, store, element);
}
