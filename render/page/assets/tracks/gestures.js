// SPDX-License-Identifier: Apache-2.0
// Mouse, pen and fingers on a board: drag zooms, with Shift or another button it pans, the wheel
// zooms, two fingers zoom, one pans through time.
import {hideTooltip} from '../shared/tooltip.js';

/** A pointer that moved less than this did not drag. */
const CLICK_REACH = 4;

/** @typedef {{x: number, y: number}} Spot */

export function listenForGestures(/** @type {Tracks} */ board) {
	const {canvas, view} = board;
	/** @type {Map<number, Spot>} */
	const pointers = new Map();
	/** @type {Spot & {mode: 'zoom' | 'pan' | 'pinch' | 'none', time: [number, number], place: [number, number], pinch: {middle: number, distance: number} | null} | null} */
	let start = null;
	let moved = false;

	const spotOf = (/** @type {MouseEvent} */ event) => {
		const box = canvas.getBoundingClientRect();
		return {x: event.clientX - box.left, y: event.clientY - box.top};
	};

	/** Middle and distance of two fingers along x. */
	const pinchOf = () => {
		const [a, b] = [...pointers.values()];
		return a && b ? {middle: (a.x + b.x) / 2, distance: Math.max(Math.abs(a.x - b.x), 10)} : null;
	};

	/** From @from to @to, within the plot. @param {Spot} from @param {Spot} to @returns {Box} */
	const boxOf = (from, to) => {
		const {plot} = board;
		const clampX = (/** @type {number} */ x) => Math.min(Math.max(x, plot.x), plot.x + plot.width);
		const clampY = (/** @type {number} */ y) => Math.min(Math.max(y, plot.y), plot.y + plot.height);
		const isFlat = Math.abs(to.y - from.y) < 24;
		const top = isFlat ? plot.y : clampY(Math.min(from.y, to.y));
		const bottom = isFlat ? plot.y + plot.height : clampY(Math.max(from.y, to.y));
		const left = clampX(Math.min(from.x, to.x));
		return {x: left, y: top, width: clampX(Math.max(from.x, to.x)) - left, height: bottom - top};
	};

	/** @param {PointerEvent} event @param {boolean} isDone false: taken away by the browser */
	const release = (event, isDone) => {
		const spot = spotOf(event);
		const was = start;
		pointers.delete(event.pointerId);
		if (!was)
			return;
		board.drawOverlay(null);
		if (pointers.size === 0)
			start = null;
		if (!isDone || was.mode === 'pinch')
			return;
		if (!moved && event.button === 0)
			board.click(spot.x, spot.y, event.pointerType === 'touch');
		else if (moved && was.mode === 'zoom')
			board.zoomTo(boxOf(was, spot));
	};

	canvas.addEventListener('pointerdown', (event) => {
		const spot = spotOf(event);
		canvas.setPointerCapture(event.pointerId);
		pointers.set(event.pointerId, spot);
		moved = pointers.size > 1;
		const isPan = event.pointerType === 'touch' || event.shiftKey || event.button !== 0;
		const isPlot = board.partAt(spot.x, spot.y) === 'plot';
		start = {...spot, mode: moved ? 'pinch' : !isPlot ? 'none' : isPan ? 'pan' : 'zoom',
			time: view.timeShown(), place: view.placeShown(), pinch: pinchOf()};
		hideTooltip();
	});
	canvas.addEventListener('pointermove', (event) => {
		const spot = spotOf(event);
		if (!pointers.has(event.pointerId) || !start) {
			board.point(spot.x, spot.y, event);
			return;
		}
		pointers.set(event.pointerId, spot);
		moved ||= Math.hypot(spot.x - start.x, spot.y - start.y) >= CLICK_REACH;
		if (!moved)
			return;
		const {plot} = board;
		const now = pinchOf();
		if (start.mode === 'pinch' && start.pinch && now) {
			const [first, end] = view.busyShown(start.time);
			const width = (end - first) * start.pinch.distance / now.distance;
			const fixed = first + (start.pinch.middle - plot.x) / plot.width * (end - first);
			const from = fixed - (now.middle - plot.x) / plot.width * width;
			view.setBusy(from, from + width);
		} else if (start.mode === 'pan') {
			view.panTime((start.x - spot.x) / plot.width, start.time);
			const file = board.fileAt(start.y);
			if (event.pointerType === 'touch' || !view.store.choice.place || !file)
				return;
			const dp = (start.y - spot.y) / file.plot.height * (start.place[1] - start.place[0]);
			view.setPlace(start.place[0] + dp, start.place[1] + dp);
		} else if (start.mode === 'zoom') {
			board.drawOverlay(boxOf(start, spot));
		}
	});
	canvas.addEventListener('pointerup', (event) => release(event, true));
	canvas.addEventListener('pointercancel', (event) => release(event, false));
	canvas.addEventListener('pointerleave', hideTooltip);
	canvas.addEventListener('contextmenu', (event) => moved && event.preventDefault());
	canvas.addEventListener('wheel', (event) => {
		const spot = spotOf(event);
		if (event.ctrlKey && event.deltaY === 0 || board.partAt(spot.x, spot.y) !== 'plot')
			return;
		const {time, place} = view.store.choice;
		// Shift makes some systems turn the wheel sideways.
		const turned = event.shiftKey && event.deltaY === 0 ? event.deltaX : event.deltaY;
		const isSideways = !event.shiftKey && Math.abs(event.deltaX) > Math.abs(event.deltaY);
		// All is shown already: the page may scroll.
		if (isSideways ? !time : turned > 0 && !(event.shiftKey ? place : time))
			return;
		event.preventDefault();
		const file = board.fileAt(spot.y);
		const factor = Math.exp(Math.min(Math.max(turned, -200), 200) / 300);
		if (isSideways) {
			view.panTime(event.deltaX / board.plot.width);
		} else if (event.shiftKey && file) {
			board.choose(file);
			view.zoomPlace(factor, spot.y - file.plot.y, file.rows);
		} else {
			view.zoomTime(factor, board.busyPart(spot.x));
		}
	}, {passive: false});
}
