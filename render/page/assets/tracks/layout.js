// SPDX-License-Identifier: Apache-2.0
// The whole file as a strip of its pages; a range that is brushed is what the timeline shows.
import {Brushed} from './brushed.js';
import {shortName} from '../shared/describe.js';
import {make} from '../shared/dom.js';
import {countText, hexText, nounText, sizeText} from '../shared/format.js';
import {PAGE_STATES, drawPages, fileCombinations, makePages} from '../shared/pages.js';
import {sizeTicks} from '../shared/scale.js';
import {drawOn} from '../selection/selected.js';
import {token} from '../shared/theme.js';
import {NAMELESS, objectName} from '../data/words.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 */

const NAMES_HEIGHT = 16;
const PAGES_HEIGHT = 44;
const SIZES_HEIGHT = 16;
/** Colours of the states of pages. */
export const STATE_TOKENS = ['page-cold', 'page-around', 'page-faulted', 'page-written'];

/** Item of a legend. @param {number} state of pages @param {string} text */
export function stateItem(state, text) {
	const swatch = make('span', {class: 'swatch'});
	swatch.style.background = token(STATE_TOKENS[state]);
	return make('li', {}, swatch, `${PAGE_STATES[state]} ${text}`);
}

class Layout extends Brushed {
	/** @param {Data} data @param {Store} store @param {HTMLElement} element */
	constructor(data, store, element) {
		super(store);
		this.data = data;
		this.store = store;
		this.stripHeight = NAMES_HEIGHT + PAGES_HEIGHT + SIZES_HEIGHT;
		this.framed = {top: NAMES_HEIGHT - 1, bottom: NAMES_HEIGHT + PAGES_HEIGHT + 1};
		this.legend = make('ul', {class: 'legend'});
		this.empty = make('p', {class: 'muted'}, 'This is memory, not a file; it has no file pages to show.');
		element.append(this.legend, this.frame, this.empty);
		/** @type {number | null} */
		this.object = null;
		this.start(drawOn(store, ['object', 'place', 'fault'], () => this.draw()).ask);
	}

	length() {
		return this.pages ? this.pages.states.length : 0;
	}

	prepare() {
		const {object} = this.store.choice;
		if (this.object === object)
			return;
		const {data} = this;
		this.object = object;
		this.pages = makePages(data, object);
		/** Sections of the file, in its order. */
		this.sections = (data.header.objects[object]?.layout || [])
			.filter((/** @type {any} */ each) => each.offset !== null && each.file_size > 0)
			.sort((/** @type {any} */ a, /** @type {any} */ b) => a.offset - b.offset);
		/** Names that were touched in the file, by offset. @type {{start: number, end: number, name: string}[]} */
		this.symbols = [];
		const {name, section, offset, size} = data.header.symbols;
		for (let i = 0; i < name.length; i++)
			if (offset[i] !== null && data.header.sections[section[i]]?.object === object)
				this.symbols.push({start: offset[i], end: offset[i] + Math.max(size[i], 1), name: name[i] || NAMELESS});
	}

	draw() {
		this.prepare();
		this.empty.hidden = this.length() > 0;
		this.legend.hidden = !this.empty.hidden;
		if (this.drawStrips())
			this.describe();
	}

	/** @param {CanvasRenderingContext2D} context @param {[number, number]} range @param {number} top @param {number} width */
	drawStrip(context, range, top, width) {
		const {pages, data} = this;
		if (!pages)
			return;
		const {page_size: pageSize} = data.header;
		const xOf = (/** @type {number} */ page) => (page - range[0]) / (range[1] - range[0]) * width;
		drawPages(context, pages, range[0], range[1],
			{x: 0, y: top + NAMES_HEIGHT, width, height: PAGES_HEIGHT}, STATE_TOKENS.map(token), false);
		context.textAlign = 'left';
		let free = 0;
		for (const section of this.sections) {
			const left = Math.max(xOf(section.offset / pageSize), 0);
			const right = Math.min(xOf((section.offset + section.file_size) / pageSize), width);
			if (right <= 0 || left >= width)
				continue;
			context.fillStyle = token('soft');
			if (left > 0 && right - left > 2)
				context.fillRect(Math.round(left), top, 1, NAMES_HEIGHT + PAGES_HEIGHT);
			const name = shortName(section.name || '');
			if (left >= free && context.measureText(name).width + 8 < right - left) {
				context.fillStyle = token('ink');
				context.fillText(name, left + 4, top + NAMES_HEIGHT / 2);
				free = right;
			}
		}
		context.fillStyle = token('soft');
		for (const tick of sizeTicks(range[0] * pageSize, range[1] * pageSize, width / 90)) {
			const x = xOf(tick.value / pageSize);
			if (x > width - 50)
				continue;
			context.fillRect(Math.round(x), top + NAMES_HEIGHT + PAGES_HEIGHT, 1, 4);
			context.fillText(tick.label, x + 3, top + NAMES_HEIGHT + PAGES_HEIGHT + SIZES_HEIGHT / 2 + 1);
		}
		const {fault, object} = this.store.choice;
		if (fault !== null && fault < data.count && fileCombinations(data, object)[data.combination[fault]]) {
			context.fillStyle = token('accent');
			context.fillRect(xOf(data.page[fault]) - 1, top + NAMES_HEIGHT - 4, 3, PAGES_HEIGHT + 8);
		}
	}

	describe() {
		const {pages, data, store} = this;
		if (!pages)
			return;
		this.legend.replaceChildren(...[3, 2, 1, 0].map((state) => stateItem(state, countText(pages.totals[state]))), make('li', {class: 'muted'}, `${nounText(pages.states.length, 'page')}, ${sizeText(pages.states.length * data.header.page_size)}; drag to select a part`));
		this.canvas.setAttribute('aria-label', `The file ${shortName(objectName(data, store.choice.object))} as a strip of ${nounText(pages.states.length, 'page')}: `
			+ [3, 2, 1, 0].map((state) => `${countText(pages.totals[state])} ${PAGE_STATES[state]}`).join(', ')
			+ '. Arrow keys move the visible part; Alt with + or - zooms.');
	}

	/** A click shows the section it hits. @param {number} page */
	clickAt(page) {
		const {page_size: pageSize} = this.data.header;
		const section = this.sectionAt(page * pageSize);
		if (section)
			this.choose(section.offset / pageSize, (section.offset + section.file_size) / pageSize);
	}

	/** @param {number} offset */
	sectionAt(offset) {
		return this.sections.find((/** @type {any} */ each) => offset >= each.offset && offset < each.offset + each.file_size);
	}

	/** What is on a page. @param {number} place */
	linesAt(place) {
		const page = Math.floor(place);
		const {pages, data} = this;
		const {page_size: pageSize} = data.header;
		if (!pages || page >= pages.states.length)
			return ['past the end of the file'];
		const start = page * pageSize;
		const sections = this.sections.filter((/** @type {any} */ each) =>
			each.offset < start + pageSize && each.offset + each.file_size > start);
		const symbols = (this.symbols || []).filter((each) => each.start < start + pageSize && each.end > start);
		const shown = 6;
		return [
			`page ${countText(page)}: ${PAGE_STATES[pages.states[page]]}`,
			`${sections.slice(0, 4).map((/** @type {any} */ each) => shortName(each.name || NAMELESS)).join(', ') || 'no section'}, from offset ${hexText(start)}`,
			...symbols.slice(0, shown).map((each) => shortName(each.name)),
			symbols.length > shown ? `and ${symbols.length - shown} more touched names` : '',
		].filter((line) => line !== '');
	}
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeLayout(data, store, element) {
	return void new Layout(data, store, element);
}
