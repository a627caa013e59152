// SPDX-License-Identifier: Apache-2.0
// Mouse, pen and fingers on a board: drag zooms, with Shift or another button it pans, the wheel
// zooms, two fingers zoom, one pans through time.
import {hideTooltip} from '../shared/tooltip.js';

/** A pointer that moved less than this did not drag. */
const CLICK_REACH = 4;

export class Gestures {
	constructor(/** @type {Tracks} */ board) {
		this.board = board;
		/** @type {Map<number, {x: number, y: number}>} */
		this.pointers = new Map();
		/** @type {{x: number, y: number, mode: 'zoom' | 'pan' | 'pinch' | 'none', time: [number, number], place: [number, number]} | null} */
		this.start = null;
		this.moved = false;
		const {canvas} = board;
		canvas.addEventListener('pointerdown', (event) => this.down(event));
		canvas.addEventListener('pointermove', (event) => this.move(event));
		canvas.addEventListener('pointerup', (event) => this.up(event, true));
		canvas.addEventListener('pointercancel', (event) => this.up(event, false));
		canvas.addEventListener('pointerleave', hideTooltip);
		canvas.addEventListener('contextmenu', (event) => {
			if (this.moved)
				event.preventDefault();
		});
		canvas.addEventListener('wheel', (event) => this.wheel(event), {passive: false});
	}

	spotOf(/** @type {MouseEvent} */ event) {
		const box = this.board.canvas.getBoundingClientRect();
		return {x: event.clientX - box.left, y: event.clientY - box.top};
	}

	down(/** @type {PointerEvent} */ event) {
		const spot = this.spotOf(event);
		const {board} = this;
		board.canvas.setPointerCapture(event.pointerId);
		this.pointers.set(event.pointerId, spot);
		this.moved = this.pointers.size > 1;
		const isPan = event.pointerType === 'touch' || event.shiftKey || event.button !== 0;
		const isPlot = board.partAt(spot.x, spot.y) === 'plot';
		this.start = {...spot, mode: this.pointers.size > 1 ? 'pinch' : !isPlot ? 'none' : isPan ? 'pan' : 'zoom',
			time: board.view.timeShown(), place: board.view.placeShown()};
		this.pinchStart = this.pinchOf();
		hideTooltip();
	}

	/** Middle and distance of two fingers along x. */
	pinchOf() {
		const [a, b] = [...this.pointers.values()];
		return a && b ? {middle: (a.x + b.x) / 2, distance: Math.max(Math.abs(a.x - b.x), 10)} : null;
	}

	move(/** @type {PointerEvent} */ event) {
		const spot = this.spotOf(event);
		const {board, start} = this;
		if (!this.pointers.has(event.pointerId) || !start) {
			board.point(spot.x, spot.y, event);
			return;
		}
		this.pointers.set(event.pointerId, spot);
		if (Math.hypot(spot.x - start.x, spot.y - start.y) >= CLICK_REACH)
			this.moved = true;
		if (!this.moved)
			return;
		const {plot} = board;
		const [first, end] = board.view.busyShown(start.time);
		if (start.mode === 'pinch' && this.pinchStart) {
			const now = this.pinchOf();
			if (!now)
				return;
			const width = (end - first) * this.pinchStart.distance / now.distance;
			const fixed = first + (this.pinchStart.middle - plot.x) / plot.width * (end - first);
			const from = fixed - (now.middle - plot.x) / plot.width * width;
			board.view.setBusy(from, from + width);
		} else if (start.mode === 'pan') {
			board.view.panTime((start.x - spot.x) / plot.width, start.time);
			const file = board.fileAt(start.y);
			if (event.pointerType === 'touch' || !board.view.store.choice.place || !file)
				return;
			const dp = (start.y - spot.y) / file.plot.height * (start.place[1] - start.place[0]);
			board.view.setPlace(start.place[0] + dp, start.place[1] + dp);
		} else if (start.mode === 'zoom') {
			board.drawOverlay(this.boxTo(spot));
		}
	}

	/** From the start of the drag to @spot, within the plot. @param {{x: number, y: number}} spot */
	boxTo(spot) {
		const {plot} = this.board;
		const start = this.start || spot;
		const clampX = (/** @type {number} */ x) => Math.min(Math.max(x, plot.x), plot.x + plot.width);
		const clampY = (/** @type {number} */ y) => Math.min(Math.max(y, plot.y), plot.y + plot.height);
		const isFlat = Math.abs(spot.y - start.y) < 24;
		const top = isFlat ? plot.y : clampY(Math.min(start.y, spot.y));
		const bottom = isFlat ? plot.y + plot.height : clampY(Math.max(start.y, spot.y));
		const left = clampX(Math.min(start.x, spot.x));
		return {x: left, y: top, width: clampX(Math.max(start.x, spot.x)) - left, height: bottom - top};
	}

	/** @param {PointerEvent} event @param {boolean} isDone false: taken away by the browser */
	up(event, isDone) {
		const spot = this.spotOf(event);
		const {start} = this;
		this.pointers.delete(event.pointerId);
		if (!start)
			return;
		this.board.drawOverlay(null);
		if (this.pointers.size === 0)
			this.start = null;
		if (!isDone || start.mode === 'pinch')
			return;
		if (!this.moved && event.button === 0)
			this.board.click(spot.x, spot.y, event.pointerType === 'touch');
		else if (this.moved && start.mode === 'zoom') {
			this.start = start;
			this.board.zoomTo(this.boxTo(spot));
			this.start = null;
		}
	}

	wheel(/** @type {WheelEvent} */ event) {
		const spot = this.spotOf(event);
		const {board} = this;
		if (event.ctrlKey && event.deltaY === 0 || board.partAt(spot.x, spot.y) !== 'plot')
			return;
		const {view} = board;
		const {time, place} = view.store.choice;
		// Shift makes some systems turn the wheel sideways.
		const turned = event.shiftKey && event.deltaY === 0 ? event.deltaX : event.deltaY;
		const isSideways = !event.shiftKey && Math.abs(event.deltaX) > Math.abs(event.deltaY);
		// All is shown already: the page may scroll.
		if (isSideways ? !time : turned > 0 && !(event.shiftKey ? place : time))
			return;
		event.preventDefault();
		const {plot} = board;
		const file = board.fileAt(spot.y);
		const factor = Math.exp(Math.min(Math.max(turned, -200), 200) / 300);
		if (isSideways)
			view.panTime(event.deltaX / plot.width);
		else if (event.shiftKey && file)
			this.zoomPlace(file, factor, spot.y);
		else
			view.zoomTime(factor, board.busyPart(spot.x));
	}

	/** @param {FilePlot} file @param {number} factor @param {number} y of the canvas */
	zoomPlace(file, factor, y) {
		this.board.choose(file);
		this.board.view.zoomPlace(factor, y - file.plot.y, file.rows);
	}
}
