// SPDX-License-Identifier: Apache-2.0
// A canvas's context that writes SVG: what is drawn on it is saved as it is seen. It knows what the pictures of this page use.

/** Text of XML: what would be markup is escaped, what XML cannot hold is dropped. @param {string} text */
export function xmlText(text) {
	return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '').toWellFormed()
		.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;').replaceAll('\'', '&#39;');
}

function short(/** @type {number} */ n) {
	return String(Math.round(n * 100) / 100);
}

/**
 * @typedef {{fillStyle: string | {id: string}, strokeStyle: string, lineWidth: number, font: string, textAlign: keyof ANCHORS, globalAlpha: number, dash: string,
 *	matrix: DOMMatrix, clip: Box | null}} State
 */

const ANCHORS = {left: 'start', start: 'start', center: 'middle', right: 'end', end: 'end'};

export class SvgContext {
	/** @param {CanvasRenderingContext2D} measuring measures texts */
	constructor(measuring) {
		this.measuring = measuring;
		/** @type {string[]} */
		this.lines = [];
		/** @type {string[]} */
		this.patterns = [];
		/** @type {string[]} */
		this.path = [];
		/** @type {Box | null} */
		this.box = null;
		/** @type {State[]} */
		this.saved = [];
		/** @type {State} */
		this.state = {fillStyle: '#000', strokeStyle: '#000', lineWidth: 1, font: '11px sans-serif', textAlign: 'left', globalAlpha: 1, dash: '', matrix: new DOMMatrix(), clip: null};
		for (const name of ['fillStyle', 'strokeStyle', 'lineWidth', 'font', 'textAlign', 'globalAlpha'])
			Object.defineProperty(this, name, {get: () => /** @type {any} */ (this.state)[name], set: (value) => {
				/** @type {any} */ (this.state)[name] = value;
			}});
	}

	save() {
		this.saved.push({...this.state});
	}

	restore() {
		this.state = this.saved.pop() ?? this.state;
	}

	/** @param {number[]} values */
	setTransform(...values) {
		this.state.matrix = new DOMMatrix(values);
	}

	translate(/** @type {number} */ x, /** @type {number} */ y) {
		this.state.matrix = this.state.matrix.translate(x, y);
	}

	rotate(/** @type {number} */ angle) {
		this.state.matrix = this.state.matrix.rotate(angle * 180 / Math.PI);
	}

	/** @param {string} element @param {Object<string, string | number>} attributes @param {string} [content] */
	add(element, attributes, content) {
		const {matrix, globalAlpha} = this.state;
		const {a, b, c, d, e, f} = matrix;
		const all = {...attributes, ...globalAlpha < 1 ? {opacity: globalAlpha} : {}, ...matrix.isIdentity ? {} : {transform: `matrix(${[a, b, c, d, e, f].map(short).join(' ')})`}};
		const text = Object.entries(all).map(([name, value]) => ` ${name}="${typeof value === 'number' ? short(value) : xmlText(value)}"`).join('');
		this.lines.push(content === undefined ? `<${element}${text}/>` : `<${element}${text}>${xmlText(content)}</${element}>`);
	}

	fill() {
		const {fillStyle} = this.state;
		this.add('path', {d: this.path.join(''), fill: typeof fillStyle === 'string' ? fillStyle : `url(#${fillStyle.id})`});
	}

	stroke() {
		const {strokeStyle, lineWidth, dash} = this.state;
		this.add('path', {d: this.path.join(''), fill: 'none', stroke: strokeStyle, 'stroke-width': lineWidth, ...dash ? {'stroke-dasharray': dash} : {}});
	}

	/** What of a box is within what is clipped; null: nothing. @param {number} x @param {number} y @param {number} width @param {number} height */
	clipped(x, y, width, height) {
		const {clip} = this.state;
		const [left, top] = clip ? [Math.max(x, clip.x), Math.max(y, clip.y)] : [x, y];
		const [right, bottom] = clip ? [Math.min(x + width, clip.x + clip.width), Math.min(y + height, clip.y + clip.height)] : [x + width, y + height];
		return right > left && bottom > top ? {x: left, y: top, width: right - left, height: bottom - top} : null;
	}

	fillRect(/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ width, /** @type {number} */ height) {
		const {fillStyle} = this.state;
		const box = this.clipped(x, y, width, height);
		if (box)
			this.add('rect', {...box, fill: typeof fillStyle === 'string' ? fillStyle : `url(#${fillStyle.id})`});
	}

	strokeRect(/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ width, /** @type {number} */ height) {
		const box = this.clipped(x, y, width, height);
		if (box)
			this.add('rect', {...box, fill: 'none', stroke: this.state.strokeStyle, 'stroke-width': this.state.lineWidth});
	}

	clearRect() {}

	beginPath() {
		this.path = [];
	}

	moveTo(/** @type {number} */ x, /** @type {number} */ y) {
		this.path.push(`M${short(x)} ${short(y)}`);
	}

	lineTo(/** @type {number} */ x, /** @type {number} */ y) {
		this.path.push(`L${short(x)} ${short(y)}`);
	}

	rect(/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ width, /** @type {number} */ height) {
		this.box = {x, y, width, height};
	}

	/** To the box that is the path. */
	clip() {
		this.state.clip = this.box;
	}

	setLineDash(/** @type {number[]} */ dash) {
		this.state.dash = dash.join(' ');
	}

	measureText(/** @type {string} */ text) {
		this.measuring.font = this.state.font;
		return this.measuring.measureText(text);
	}

	/** @param {string} text @param {number} x @param {number} y of its middle */
	fillText(text, x, y) {
		const {fillStyle, font, textAlign} = this.state;
		const [, bold, size] = /^(bold )?([\d.]+)px/.exec(font) ?? [];
		if (text && typeof fillStyle === 'string')
			this.add('text', {x, y: y + Number(size) * 0.35, fill: fillStyle, 'font-size': size, 'text-anchor': ANCHORS[textAlign], ...bold ? {'font-weight': 'bold'} : {}}, text);
	}

	createPattern(/** @type {HTMLCanvasElement} */ canvas) {
		const {width, height} = canvas;
		const id = `p${this.patterns.length}`;
		this.patterns.push(`<pattern id="${id}" width="${width}" height="${height}" patternUnits="userSpaceOnUse">`
			+ `<image width="${width}" height="${height}" href="${canvas.toDataURL()}"/></pattern>`);
		return {id};
	}

	drawImage(/** @type {HTMLCanvasElement} */ canvas, /** @type {number} */ x, /** @type {number} */ y) {
		this.add('image', {x, y, width: canvas.width, height: canvas.height, href: canvas.toDataURL(), style: 'image-rendering:pixelated'});
	}
}
