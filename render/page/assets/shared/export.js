// SPDX-License-Identifier: Apache-2.0
// Taking the view along: as PNG, as SVG, and the selected faults as CSV.
import {csvOf} from '../data/csv.js';
import {make} from './dom.js';
import {pictureOf} from './picture.js';
import {fileNameOf, saveBlob} from './save.js';
import {inRange} from '../selection/selection.js';
import {selectedMarks} from '../selection/selected.js';
import {objectName} from '../data/words.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 * @typedef {import('./picture.js').Picture} Picture
 */

const FONTS = 'system-ui, sans-serif';
const PNG_SCALE = 2;

/** Text of XML: what would be markup is escaped, what XML cannot hold is dropped. @param {string} text */
export function xmlText(text) {
	return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '').toWellFormed()
		.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;').replaceAll('\'', '&#39;');
}

/** @param {number} n */
function short(n) {
	return String(Math.round(n * 100) / 100);
}

/** @param {Picture} picture */
export function svgOf({width, height, title, shapes}) {
	const lines = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" `
		+ `role="img" font-family="${FONTS}">`, `<title>${xmlText(title)}</title>`];
	for (const shape of shapes) {
		if (shape.kind === 'rect') {
			const start = `<rect x="${short(shape.x)}" y="${short(shape.y)}" width="${short(shape.width)}" `
				+ `height="${short(shape.height)}" fill="${shape.color}"`;
			lines.push(shape.title ? `${start}><title>${xmlText(shape.title)}</title></rect>` : `${start}/>`);
		} else {
			lines.push(`<text x="${short(shape.x)}" y="${short(shape.y)}" font-size="${shape.size}" fill="${shape.color}"`
				+ (shape.isBold ? ' font-weight="bold"' : '')
				+ (shape.isUpright ? ` transform="rotate(-90 ${short(shape.x)} ${short(shape.y)})"` : '')
				+ (shape.anchor ? ` text-anchor="${shape.anchor}"` : '') + `>${xmlText(shape.text)}</text>`);
		}
	}
	return lines.join('\n') + '\n</svg>\n';
}

/** @param {Picture} picture @returns {Promise<Blob>} */
export function pngOf({width, height, shapes}) {
	const canvas = make('canvas', {width: width * PNG_SCALE, height: height * PNG_SCALE});
	const context = canvas.getContext('2d');
	if (!context)
		throw new Error('this browser cannot draw pictures');
	context.scale(PNG_SCALE, PNG_SCALE);
	for (const shape of shapes) {
		context.fillStyle = shape.color;
		if (shape.kind === 'rect') {
			context.fillRect(shape.x, shape.y, shape.width, shape.height);
		} else {
			context.font = `${shape.isBold ? 'bold ' : ''}${shape.size}px ${FONTS}`;
			context.textAlign = shape.anchor === 'middle' ? 'center' : shape.anchor ?? 'start';
			context.save();
			context.translate(shape.x, shape.y);
			context.rotate(shape.isUpright ? -Math.PI / 2 : 0);
			context.fillText(shape.text, 0, 0);
			context.restore();
		}
	}
	return new Promise((resolve, reject) => canvas.toBlob(
		(blob) => blob ? resolve(blob) : reject(new Error('the picture could not be created')), 'image/png'));
}

/**
 * Buttons that each save one kind of file.
 * @param {[string, string, () => Blob | Promise<Blob>][]} kinds name, what it is, its content
 * @param {(extension: string) => string} fileName
 */
export function saveButtons(kinds, fileName) {
	const status = make('span', {class: 'status', role: 'status'});
	return make('div', {class: 'export', role: 'group', 'aria-label': 'Save'},
		make('span', {'aria-hidden': 'true'}, 'Save'),
		...kinds.map(([name, title, write]) => make('button', {type: 'button', class: 'button', title, 'aria-label': `Save as ${name}`,
			click: async () => {
				try {
					const file = fileName('.' + name.toLowerCase());
					saveBlob(await write(), file);
					status.textContent = `Saved ${file}`;
				} catch (error) {
					status.textContent = `Not saved: ${error instanceof Error ? error.message : error}`;
				}
			}}, name)), status);
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeExport(data, store, element) {
	const fileName = (/** @type {string} */ extension) => fileNameOf(objectName(data, store.choice.object), extension);
	const marks = () => {
		const selected = selectedMarks(data, store);
		return (/** @type {number} */ i) => selected[i] === 1 && inRange(data, store.choice, i);
	};
	/** @type {[string, string, () => Blob | Promise<Blob>][]} */
	const kinds = [
		['PNG', 'Current timeline as a bitmap', () => pngOf(pictureOf(data, store))],
		['SVG', 'Current timeline as a vector drawing', () =>
			new Blob([svgOf(pictureOf(data, store))], {type: 'image/svg+xml'})],
		['CSV', 'Selected faults as a table', () =>
			new Blob(csvOf(data, marks()), {type: 'text/csv'})],
	];
	element.append(saveButtons(kinds, fileName));
}
