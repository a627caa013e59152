// SPDX-License-Identifier: Apache-2.0
// A strip along which places lie, in whole and, below it, the part that is shown; a part is chosen by brushing.
import {make} from '../shared/dom.js';
import {onTheme, token} from '../shared/theme.js';
import {hideTooltip, showTooltip} from '../shared/tooltip.js';

/** What keeps the place that is chosen, in pages; null: all. @typedef {{choice: {place: [number, number] | null}, set: (change: {place: [number, number]}) => void}} Placed */

const ZOOM_GAP = 22;

/** What is drawn, and what is said of it, is left to those that extend this. */
export class Brushed {
	/** @param {Placed} placed whose place is brushed */
	constructor(placed) {
		this.placed = placed;
		this.canvas = make('canvas', {class: 'picture', tabindex: '0', role: 'img'});
		this.frame = make('div', {class: 'canvas'}, this.canvas);
		/** Of one strip with its names, in pixels. */
		this.stripHeight = 0;
		/** What a frame around a part encloses, from the top of a strip. */
		this.framed = {top: 0, bottom: 0};
		/** Where places begin, in pixels. */
		this.left = 0;
		/** @type {{x: number, strip: [number, number]} | null} where a brush began */
		this.brush = null;
		this.brushX = 0;
	}

	/** Pages that there are. */
	length() {
		return 0;
	}

	/** @param {CanvasRenderingContext2D} _context @param {[number, number]} _range @param {number} _top @param {number} _width */
	drawStrip(_context, _range, _top, _width) {}

	/** What to say of @_place. @param {number} _place @param {number} _y from the top of its strip @returns {string[]} */
	linesAt(_place, _y) {
		return [];
	}

	/** @param {number} _place */
	clickAt(_place) {}

	/** The strips there are: the whole, and below it the range that is shown. @returns {[number, number][]} pages */
	ranges() {
		const {place} = this.placed.choice;
		return place ? [[0, this.length()], place] : [[0, this.length()]];
	}

	/** Draw all strips. @returns {boolean} whether there was anything to draw */
	drawStrips() {
		const {canvas, frame, stripHeight} = this;
		frame.hidden = this.length() === 0;
		if (frame.hidden)
			return false;
		const ratio = devicePixelRatio || 1;
		const width = Math.max(frame.clientWidth, 280);
		const ranges = this.ranges();
		const height = stripHeight * ranges.length + ZOOM_GAP * (ranges.length - 1);
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.height = `${height}px`;
		const context = canvas.getContext('2d');
		if (!context)
			return false;
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.clearRect(0, 0, width, height);
		context.font = '11px system-ui, sans-serif';
		context.textBaseline = 'middle';
		ranges.forEach((range, i) => this.drawStrip(context, range, i * (stripHeight + ZOOM_GAP), width));
		if (ranges.length > 1)
			this.drawLink(context, ranges, width);
		return true;
	}

	/** From the range in the whole to the strip that shows it alone. @param {CanvasRenderingContext2D} context @param {[number, number][]} ranges @param {number} width */
	drawLink(context, ranges, width) {
		const [[, count], [first, end]] = ranges;
		const {top, bottom} = this.framed;
		const wide = width - this.left;
		const left = this.left + first / count * wide;
		const right = Math.max(this.left + end / count * wide, left + 2);
		context.strokeStyle = token('accent');
		context.lineWidth = 2;
		context.strokeRect(left, top, right - left, bottom - top);
		context.lineWidth = 1;
		context.beginPath();
		context.moveTo(left, bottom);
		context.lineTo(this.left + 0.5, this.stripHeight + ZOOM_GAP);
		context.moveTo(right, bottom);
		context.lineTo(width - 0.5, this.stripHeight + ZOOM_GAP);
		context.stroke();
	}

	/** The place under @event, and in which strip. @param {MouseEvent} event */
	placeAt(event) {
		const box = this.canvas.getBoundingClientRect();
		const ranges = this.ranges();
		const isSecond = ranges.length > 1 && event.clientY - box.top > this.stripHeight + ZOOM_GAP / 2;
		const strip = this.brush ? this.brush.strip : ranges[isSecond ? 1 : 0];
		const part = Math.min(Math.max((event.clientX - box.left - this.left) / (box.width - this.left), 0), 1);
		return {place: strip[0] + part * (strip[1] - strip[0]), strip,
			y: event.clientY - box.top - (isSecond ? this.stripHeight + ZOOM_GAP : 0)};
	}

	/** @param {number} a @param {number} b pages */
	choose(a, b) {
		const first = Math.max(Math.floor(Math.min(a, b)), 0);
		this.placed.set({place: [first, Math.max(Math.ceil(Math.max(a, b)), first + 2)]});
	}

	/** Call @draw now, when the size changes and when the colours do; and take brush and keys. @param {() => void} draw */
	start(draw) {
		new ResizeObserver(draw).observe(this.frame);
		onTheme(draw);
		const {canvas} = this;
		canvas.addEventListener('pointerdown', (event) => {
			if (event.button !== 0)
				return;
			canvas.setPointerCapture(event.pointerId);
			const {place, strip} = this.placeAt(event);
			this.brush = {x: place, strip};
			this.brushX = event.clientX;
		});
		canvas.addEventListener('pointermove', (event) => {
			const {place, y} = this.placeAt(event);
			if (this.brush && Math.abs(event.clientX - this.brushX) > 3) {
				hideTooltip();
				this.choose(this.brush.x, place);
			} else {
				showTooltip(this.linesAt(place, y), event.clientX, event.clientY);
			}
		});
		const end = (/** @type {PointerEvent} */ event) => {
			if (this.brush && event.type === 'pointerup' && Math.abs(event.clientX - this.brushX) <= 3)
				this.clickAt(this.brush.x);
			this.brush = null;
		};
		canvas.addEventListener('pointerup', end);
		canvas.addEventListener('pointercancel', end);
		canvas.addEventListener('pointerleave', hideTooltip);
		canvas.addEventListener('keydown', (event) => {
			const {place} = this.placed.choice;
			const [first, last] = place || [0, this.length()];
			const step = (last - first) * (event.key === 'ArrowLeft' ? -0.25 : event.key === 'ArrowRight' ? 0.25 : 0);
			if (step === 0 || event.ctrlKey || event.metaKey || event.altKey)
				return;
			event.preventDefault();
			if (place && first + step >= 0 && last + step <= this.length())
				this.placed.set({place: [first + step, last + step]});
		});
	}
}
