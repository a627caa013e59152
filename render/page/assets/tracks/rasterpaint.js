// SPDX-License-Identifier: Apache-2.0
// Puts cells on a canvas: short faults as squares, longer ones as bars that begin and end when the fault did.
import {make} from '../shared/dom.js';
import {pixelOf} from '../shared/theme.js';
import {isOutlined} from './raster.js';
import {FOR_PROCESSOR, FOR_STORAGE, IN_FAULT} from './textures.js';

/** Whether the fault of cell @where takes the one before or after it, too. @param {Raster} raster @param {number} where */
function isOfBar({entry, columns}, where) {
	const column = where % columns;
	return column > 0 && entry[where - 1] === entry[where] || column + 1 < columns && entry[where + 1] === entry[where];
}

/**
 * The cells of faults that take one each, in one colour; what is between them stays as it is.
 * @param {Painting} painting @param {string} ghost of faults filtered out @param {string[]} pale of fault-around and of what was read
 */
export function paintCells({context, raster, pixels, left, top, colorOf}, ghost, pale) {
	const {columns, lines, entry, ghosts, around} = raster;
	const image = new ImageData(columns * pixels, lines * pixels);
	const memory = new Uint32Array(image.data.buffer);
	const palePixels = [0, ...pale.map(pixelOf)];
	const ghostPixel = pixelOf(ghost);
	let color = '';
	let pixel = 0;
	const inkOf = (/** @type {number} */ where) => {
		if (entry[where] === 0 || isOfBar(raster, where))
			return ghosts[where] ? ghostPixel : palePixels[around[where]];
		const next = colorOf(where);
		if (next !== color)
			pixel = pixelOf(color = next);
		return pixel;
	};
	for (let where = 0; where < columns * lines; where++) {
		const ink = inkOf(where);
		if (ink === 0)
			continue;
		const start = (Math.floor(where / columns) * columns * pixels + where % columns) * pixels;
		for (let line = 0; line < pixels; line++)
			memory.fill(ink, start + line * columns * pixels, start + line * columns * pixels + pixels);
	}
	const canvas = make('canvas', {width: image.width, height: image.height});
	canvas.getContext('2d')?.putImageData(image, 0, 0);
	context.drawImage(canvas, left, top);
}

/** How much of the time of a fault was its own: the rest it could have run, or waited for others. @param {Data} data @param {number} i @returns {number} */
function ownPart(data, i) {
	const length = data.duration[i];
	return length > 0 && data.own[i] < length ? data.own[i] / length : 1;
}

/**
 * A bar from @x to @end: the fault's own time in its texture, and the rest as an outline.
 * @param {CanvasRenderingContext2D} context @param {Inks} ink @param {string} color @param {number} texture
 * @param {{x: number, y: number, width: number, height: number}} box in pixels of the screen @param {number} own part
 */
function paintBar(context, ink, color, texture, {x, y, width, height}, own) {
	const line = Math.max(Math.round(devicePixelRatio || 1), 1);
	const outline = (/** @type {number} */ from, /** @type {number} */ wide) => {
		context.strokeStyle = color;
		context.lineWidth = line;
		context.strokeRect(from + line / 2, y + line / 2, Math.max(wide - line, 0), height - line);
	};
	const filled = width * own;
	if (own < 1) {
		context.fillStyle = ink(color, FOR_PROCESSOR);
		context.fillRect(x, y, width, height);
		outline(x, width);
	}
	context.fillStyle = ink(color, texture);
	context.fillRect(x, y, filled, height);
	if (texture !== IN_FAULT && filled >= 3 * line)
		outline(x, filled);
}

/**
 * The faults that take several cells, as bars over them; and a box around the others that waited for storage.
 * @param {Painting} painting @param {Inks} ink @param {string} box colour of the boxes
 * @param {Data} data @param {(unit: number) => number} placeOf pixels of the screen, from the left of the plot
 */
export function paintBars({context, raster, pixels, left, top, colorOf}, ink, box, data, placeOf) {
	const {columns, lines, entry} = raster;
	const line = Math.max(Math.round(devicePixelRatio || 1), 1);
	context.strokeStyle = box;
	context.lineWidth = line;
	const bars = [];
	for (let row = 0; row < lines; row++) {
		for (let column = 0; column < columns; column++) {
			const first = column;
			const where = row * columns + first;
			const i = entry[where] - 1;
			if (i < 0)
				continue;
			while (column + 1 < columns && entry[where + column + 1 - first] - 1 === i)
				column++;
			const isMajor = isOutlined(raster, where);
			if (column === first) {
				if (isMajor)
					context.strokeRect(left + first * pixels - line / 2, top + row * pixels - line / 2, pixels + line, pixels + line);
				continue;
			}
			const start = placeOf(data.time[i]);
			const end = placeOf(data.time[i] + data.duration[i] / data.unitNs);
			const x = Math.max(start, first * pixels);
			const stop = Math.max(Math.min(end, (column + 1) * pixels), x + pixels);
			const own = start + (end - start) * ownPart(data, i);
			bars.push(() => paintBar(context, ink, colorOf(where), isMajor ? FOR_STORAGE : IN_FAULT,
				{x: left + x, y: top + row * pixels, width: stop - x, height: pixels}, Math.min(Math.max((own - x) / (stop - x), 0), 1)));
		}
	}
	// The squares below them would show through.
	for (const bar of bars)
		bar();
}
