// SPDX-License-Identifier: Apache-2.0
// The hue of a mark is its cause, the texture its state: solid computing, dots inside a fault, diagonal lines waiting
// for storage, horizontal lines waiting for others, an outline waiting for a processor.
import {madeOf} from '../data/once.js';
import {make} from '../shared/dom.js';
import {mixColors} from '../shared/theme.js';

export const COMPUTING = 0;
export const IN_FAULT = 1;
export const FOR_STORAGE = 2;
export const FOR_OTHERS = 3;
export const FOR_PROCESSOR = 4;
export const TEXTURES = 5;

/** How states are drawn, in the order in which they stand within a cause. @type {Object<string, {texture: number, says: string}>} */
export const STATES = {
	'cpu': {texture: COMPUTING, says: 'computing'},
	'fault': {texture: IN_FAULT, says: 'inside faults'},
	'fault-io': {texture: FOR_STORAGE, says: 'waiting for storage in faults'},
	'file-io': {texture: FOR_STORAGE, says: 'waiting for storage in calls'},
	'wait': {texture: FOR_OTHERS, says: 'waiting for others'},
	'runnable': {texture: FOR_PROCESSOR, says: 'waiting for a processor'},
};

/** Side of a tile in pixels of the page: lines and dots repeat after it. */
export const TILE = 6;
/** Of the hue, in what lies between dots and lines. */
const BETWEEN = 0.3;

/** One tile. @param {string} color @param {string} paper @param {number} texture @param {number} ratio pixels of the screen for one of the page */
export function tileOf(color, paper, texture, ratio) {
	const side = Math.round(TILE * ratio);
	const canvas = make('canvas', {width: side, height: side});
	const context = canvas.getContext('2d');
	if (!context)
		throw new Error('no canvas');
	context.fillStyle = texture === FOR_PROCESSOR ? paper : mixColors(color, paper, BETWEEN);
	context.fillRect(0, 0, side, side);
	context.fillStyle = context.strokeStyle = color;
	if (texture === IN_FAULT) {
		const dot = Math.max(Math.round(1.5 * ratio), 1);
		for (const [x, y] of [[0, 0], [0.5, 0.5]])
			context.fillRect(Math.round(x * side), Math.round(y * side), dot, dot);
	} else if (texture === FOR_STORAGE) {
		context.lineWidth = 2.2 * ratio;
		context.beginPath();
		for (const shift of [-side, 0, side]) {
			context.moveTo(shift - side, 2 * side);
			context.lineTo(shift + 2 * side, -side);
		}
		context.stroke();
	} else if (texture === FOR_OTHERS) {
		context.fillRect(0, 0, side, Math.max(Math.round(1.5 * ratio), 1));
		context.fillRect(0, Math.round(side / 2), side, Math.max(Math.round(1.5 * ratio), 1));
	}
	return canvas;
}

/** Tiles by what they are made of: lanes have the same ones. @type {Map<string, HTMLCanvasElement>} */
const tiles = new Map();

/** What to fill with on one canvas, by hue and texture: each is made once. @param {CanvasRenderingContext2D} context whose units are pixels of the screen @param {string} paper @param {number} ratio @returns {Inks} */
export function inksOf(context, paper, ratio) {
	/** @type {Map<string, string | CanvasPattern>} */
	const made = new Map();
	return (color, texture) => texture === COMPUTING ? color : madeOf(made, `${color} ${texture}`, () => {
		const tile = madeOf(tiles, `${color} ${texture} ${paper} ${ratio}`, () => tileOf(color, paper, texture, ratio));
		return context.createPattern(tile, 'repeat') ?? color;
	});
}
