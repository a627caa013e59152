// SPDX-License-Identifier: Apache-2.0
// The whole file as a strip of its pages; a range that is brushed is what the timeline shows.
import {shortName} from './describe.js';
import {make} from './dom.js';
import {countText, hexText, nounText, sizeText} from './format.js';
import {PAGE_STATES, drawPages, fileCombinations, makePages} from './pages.js';
import {sizeTicks} from './scale.js';
import {drawOn} from './selected.js';
import {onTheme, token} from './theme.js';
import {hideTooltip, showTooltip} from './tooltip.js';
import {NAMELESS, objectName} from './words.js';

/**
 * @typedef {import('./data.js').Data} Data
 * @typedef {import('./store.js').Store} Store
 */

const NAMES_HEIGHT = 16;
const PAGES_HEIGHT = 44;
const SIZES_HEIGHT = 16;
const ZOOM_GAP = 22;
const STATE_TOKENS = ['page-cold', 'page-around', 'page-faulted', 'page-written'];

class Layout {
	/** @param {Data} data @param {Store} store @param {HTMLElement} element */
	constructor(data, store, element) {
		this.data = data;
		this.store = store;
		this.canvas = make('canvas', {class: 'picture', tabindex: '0', role: 'img'});
		this.frame = make('div', {class: 'canvas'}, this.canvas);
		this.legend = make('ul', {class: 'legend'});
		this.empty = make('p', {class: 'muted'}, 'This is memory, not a file: there are no pages of a file to show.');
		element.append(this.legend, this.frame, this.empty);
		/** @type {number | null} */
		this.object = null;
		/** @type {{x: number, strip: [number, number]} | null} where a brush began */
		this.brush = null;
		const ask = drawOn(store, ['object', 'place', 'fault'], () => this.draw());
		new ResizeObserver(ask).observe(this.frame);
		onTheme(ask);
		this.listen();
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

	/** The strips there are: the whole file, and below it the range that is shown. @returns {[number, number][]} pages */
	ranges() {
		const count = this.pages ? this.pages.states.length : 0;
		return this.store.choice.place ? [[0, count], this.store.choice.place] : [[0, count]];
	}

	draw() {
		this.prepare();
		const {pages, canvas, frame} = this;
		if (!pages)
			return;
		this.empty.hidden = pages.states.length > 0;
		frame.hidden = this.legend.hidden = pages.states.length === 0;
		if (frame.hidden)
			return;
		const ratio = devicePixelRatio || 1;
		const width = Math.max(frame.clientWidth, 280);
		const stripHeight = NAMES_HEIGHT + PAGES_HEIGHT + SIZES_HEIGHT;
		const ranges = this.ranges();
		const height = stripHeight * ranges.length + ZOOM_GAP * (ranges.length - 1);
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.height = `${height}px`;
		const context = canvas.getContext('2d');
		if (!context)
			return;
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.clearRect(0, 0, width, height);
		context.font = '11px system-ui, sans-serif';
		context.textBaseline = 'middle';
		ranges.forEach((range, i) => this.drawStrip(context, range, i * (stripHeight + ZOOM_GAP), width));
		if (ranges.length > 1)
			this.drawLink(context, ranges, stripHeight, width);
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

	/** From the range in the file to the strip that shows it alone. @param {CanvasRenderingContext2D} context @param {[number, number][]} ranges @param {number} top @param {number} width */
	drawLink(context, ranges, top, width) {
		const [[, count], [first, end]] = ranges;
		const left = first / count * width;
		const right = Math.max(end / count * width, left + 2);
		context.strokeStyle = token('accent');
		context.lineWidth = 2;
		context.strokeRect(left, NAMES_HEIGHT - 1, right - left, PAGES_HEIGHT + 2);
		context.lineWidth = 1;
		context.beginPath();
		context.moveTo(left, NAMES_HEIGHT + PAGES_HEIGHT + 1);
		context.lineTo(0.5, top + ZOOM_GAP);
		context.moveTo(right, NAMES_HEIGHT + PAGES_HEIGHT + 1);
		context.lineTo(width - 0.5, top + ZOOM_GAP);
		context.stroke();
	}

	describe() {
		const {pages, data, store} = this;
		if (!pages)
			return;
		this.legend.replaceChildren(...[3, 2, 1, 0].map((state) => {
			const swatch = make('span', {class: 'swatch'});
			swatch.style.background = token(STATE_TOKENS[state]);
			return make('li', {}, swatch, `${PAGE_STATES[state]} ${countText(pages.totals[state])}`);
		}), make('li', {class: 'muted'}, `${nounText(pages.states.length, 'page')}, ${sizeText(pages.states.length * data.header.page_size)}; drag to choose a part`));
		this.canvas.setAttribute('aria-label', `The file ${shortName(objectName(data, store.choice.object))} as a strip of ${nounText(pages.states.length, 'page')}: `
			+ [3, 2, 1, 0].map((state) => `${countText(pages.totals[state])} ${PAGE_STATES[state]}`).join(', ')
			+ '. Arrow keys move the part that is shown, + and - with Alt zoom.');
	}

	/** The page under @event, and in which strip. @param {MouseEvent} event */
	pageAt(event) {
		const box = this.canvas.getBoundingClientRect();
		const stripHeight = NAMES_HEIGHT + PAGES_HEIGHT + SIZES_HEIGHT;
		const ranges = this.ranges();
		const strip = this.brush ? this.brush.strip
			: ranges[ranges.length > 1 && event.clientY - box.top > stripHeight + ZOOM_GAP / 2 ? 1 : 0];
		const part = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
		return {page: strip[0] + part * (strip[1] - strip[0]), strip};
	}

	/** @param {number} a @param {number} b pages */
	choose(a, b) {
		const first = Math.max(Math.floor(Math.min(a, b)), 0);
		this.store.set({place: [first, Math.max(Math.ceil(Math.max(a, b)), first + 2)]});
	}

	listen() {
		const {canvas} = this;
		canvas.addEventListener('pointerdown', (event) => {
			if (event.button !== 0)
				return;
			canvas.setPointerCapture(event.pointerId);
			const {page, strip} = this.pageAt(event);
			this.brush = {x: page, strip};
			this.brushX = event.clientX;
		});
		canvas.addEventListener('pointermove', (event) => {
			const {page} = this.pageAt(event);
			if (this.brush && Math.abs(event.clientX - (this.brushX ?? 0)) > 3) {
				hideTooltip();
				this.choose(this.brush.x, page);
			} else {
				showTooltip(this.linesAt(Math.floor(page)), event.clientX, event.clientY);
			}
		});
		const end = (/** @type {PointerEvent} */ event) => {
			if (this.brush && event.type === 'pointerup' && Math.abs(event.clientX - (this.brushX ?? 0)) <= 3)
				this.clickAt(this.brush.x);
			this.brush = null;
		};
		canvas.addEventListener('pointerup', end);
		canvas.addEventListener('pointercancel', end);
		canvas.addEventListener('pointerleave', hideTooltip);
		canvas.addEventListener('keydown', (event) => {
			const {place} = this.store.choice;
			const count = this.pages ? this.pages.states.length : 0;
			const [first, last] = place || [0, count];
			const step = (last - first) * (event.key === 'ArrowLeft' ? -0.25 : event.key === 'ArrowRight' ? 0.25 : 0);
			if (step === 0 || event.ctrlKey || event.metaKey || event.altKey)
				return;
			event.preventDefault();
			if (place && first + step >= 0 && last + step <= count)
				this.store.set({place: [first + step, last + step]});
		});
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

	/** What is on @page. @param {number} page */
	linesAt(page) {
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
			symbols.length > shown ? `and ${symbols.length - shown} more names that were touched` : '',
		].filter((line) => line !== '');
	}
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeLayout(data, store, element) {
	return void new Layout(data, store, element);
}
