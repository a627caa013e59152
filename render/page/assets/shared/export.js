// SPDX-License-Identifier: Apache-2.0
// Taking the view along: the tracks as PNG and as SVG, as they are now, and the selected faults as CSV.
import {csvOf} from '../data/csv.js';
import {byId, make, visibleText} from './dom.js';
import {fileNameOf, saveBlob} from './copy.js';
import {SvgContext, xmlText} from './svgcontext.js';
import {token} from './theme.js';
import {fitText} from '../tracks/fittext.js';
import {selectedMarks, inRange} from '../selection/selected.js';

/** @typedef {[string, string, () => Blob | Promise<Blob>]} Kind name, what it is, its content */

const FONTS = 'system-ui, sans-serif';
const PNG_SCALE = 2;
const LINE = 20;
/** Beside the picture. */
const MARGIN = 12;

/** The texts of all that @selector finds. @param {string} selector */
function textsBy(selector) {
	return [...document.querySelectorAll(selector)].map((element) => (element.textContent ?? '').replace(/ ×$/, ''));
}

/** Title, accounts, what is chosen and what colours mean; returns how high that is. @param {CanvasRenderingContext2D} context @param {string} title @param {number} width */
function paintHead(context, title, width) {
	let y = LINE;
	const line = (/** @type {string} */ font, /** @type {string} */ color, /** @type {string} */ text) => {
		context.font = `${font}px ${FONTS}`;
		context.fillStyle = token(color);
		context.fillText(visibleText(text), MARGIN, y);
		y += LINE;
	};
	context.textAlign = 'left';
	line('bold 16', 'ink', title);
	for (const text of textsBy('#account .sum'))
		line('12', 'ink', text);
	line('12', 'soft', [...textsBy('#chips .chip'), ...textsBy('#left')].join('; '));
	let x = MARGIN;
	for (const share of document.querySelectorAll('#account .share')) {
		const text = share.textContent ?? '';
		const swatch = /** @type {HTMLElement | null} */ (share.querySelector('.swatch'));
		const room = context.measureText(text).width + 34;
		if (x + room > width)
			break;
		context.fillStyle = swatch?.style.backgroundColor ?? '';
		context.fillRect(x, y - 6, 12, 12);
		context.fillStyle = token('ink');
		context.fillText(text, x + 17, y);
		x += room;
	}
	return y + LINE;
}

/** The names of tracks, which stand over the canvas. @param {CanvasRenderingContext2D} context @param {Tracks} tracks @param {number} top */
function paintNames(context, tracks, top) {
	context.font = `12px ${FONTS}`;
	context.fillStyle = token('ink');
	context.textAlign = 'left';
	for (const head of tracks.heads.element.children)
		if (head instanceof HTMLElement)
			context.fillText(fitText(context, head.textContent ?? '', head.offsetWidth), MARGIN, top + head.offsetTop + head.offsetHeight / 2);
}

function svgOf(/** @type {Tracks} */ tracks, /** @type {string} */ title) {
	const {width, height} = tracks.canvas.getBoundingClientRect();
	const measuring = /** @type {CanvasRenderingContext2D} */ (make('canvas').getContext('2d'));
	const [head, picture] = [new SvgContext(measuring), new SvgContext(measuring)];
	const asCanvas = (/** @type {SvgContext} */ context) => /** @type {CanvasRenderingContext2D} */ (/** @type {unknown} */ (context));
	const top = paintHead(asCanvas(head), title, width);
	const ratio = devicePixelRatio || 1;
	picture.setTransform(ratio, 0, 0, ratio, 0, 0);
	tracks.paint(asCanvas(picture));
	paintNames(asCanvas(head), tracks, top);
	return new Blob([`<svg xmlns="http://www.w3.org/2000/svg" width="${width + 2 * MARGIN}" height="${top + height}" font-family="${FONTS}" role="img">`,
		`<title>${xmlText(visibleText(title))}</title>`, `<defs>${picture.patterns.join('')}</defs>`,
		`<rect width="100%" height="100%" fill="${token('paper')}"/>`, ...head.lines,
		`<g transform="translate(${MARGIN} ${top}) scale(${1 / ratio})">`, ...picture.lines, '</g>', '</svg>', ''].map((line) => line + '\n'), {type: 'image/svg+xml'});
}

/** The same as a bitmap. @param {Tracks} tracks @param {string} title @returns {Promise<Blob>} */
async function pngOf(tracks, title) {
	const image = make('img', {src: URL.createObjectURL(svgOf(tracks, title))});
	await image.decode();
	URL.revokeObjectURL(image.src);
	const canvas = make('canvas', {width: image.width * PNG_SCALE, height: image.height * PNG_SCALE});
	canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
	return new Promise((resolve, reject) => canvas.toBlob(
		(blob) => blob ? resolve(blob) : reject(new Error('the picture could not be created')), 'image/png'));
}

/** Fill the menu of what may be saved. @param {Tracks} tracks @param {string} title @param {Kind[]} [others] */
export function fillSaveMenu(tracks, title, others = []) {
	const status = make('span', {class: 'status', role: 'status'});
	/** @type {Kind[]} */
	const kinds = [
		['PNG', 'The tracks as they are now, as a bitmap', () => pngOf(tracks, title)],
		['SVG', 'The tracks as they are now, as a vector drawing', () => svgOf(tracks, title)],
		...others,
	];
	byId('save').append(make('div', {class: 'export', role: 'group', 'aria-label': 'Save'},
		...kinds.map(([name, about, write]) => make('button', {type: 'button', class: 'button', title: about, 'aria-label': `Save as ${name}`,
			click: async () => {
				try {
					const file = fileNameOf(tracks.recordings.nameOf(tracks.store.choice.object), '.' + name.toLowerCase());
					saveBlob(await write(), file);
					status.textContent = `Saved ${file}`;
				} catch (error) {
					status.textContent = `Not saved: ${error instanceof Error ? error.message : error}`;
				}
			}}, name)), status));
}

/** The selected faults as a table. @param {Data} data @param {Store} store @returns {Kind} */
export function csvKind(data, store) {
	return ['CSV', 'Selected faults as a table', () => {
		const selected = selectedMarks(data, store.choice);
		return new Blob(csvOf(data, (i) => selected[i] === 1 && inRange(data, store.choice, i)), {type: 'text/csv'});
	}];
}
