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
		/** @type {Partial<SvgContext>[]} */
		this.saved = [];
		/** @type {string | {id: string}} */
		this.fillStyle = '#000';
		this.strokeStyle = '#000';
		this.lineWidth = this.globalAlpha = 1;
		this.font = '11px sans-serif';
		/** @type {keyof ANCHORS} */
		this.textAlign = 'left';
		this.dash = '';
		this.matrix = new DOMMatrix();
		/** What is clipped to. @type {Box | null} */
		this.shown = null;
	}

	save() {
		const {fillStyle, strokeStyle, lineWidth, font, textAlign, globalAlpha, dash, matrix, shown} = this;
		this.saved.push({fillStyle, strokeStyle, lineWidth, font, textAlign, globalAlpha, dash, matrix, shown});
	}

	restore() {
		Object.assign(this, this.saved.pop());
	}

	/** @param {number[]} values */
	setTransform(...values) {
		this.matrix = new DOMMatrix(values);
	}

	translate(/** @type {number} */ x, /** @type {number} */ y) {
		this.matrix = this.matrix.translate(x, y);
	}

	rotate(/** @type {number} */ angle) {
		this.matrix = this.matrix.rotate(angle * 180 / Math.PI);
	}

	/** @param {string} element @param {Object<string, string | number>} attributes @param {string} [content] */
	add(element, attributes, content) {
		const {matrix, globalAlpha} = this;
		const {a, b, c, d, e, f} = matrix;
		const all = {...attributes, ...globalAlpha < 1 ? {opacity: globalAlpha} : {}, ...matrix.isIdentity ? {} : {transform: `matrix(${[a, b, c, d, e, f].map(short).join(' ')})`}};
		const text = Object.entries(all).map(([name, value]) => ` ${name}="${typeof value === 'number' ? short(value) : xmlText(value)}"`).join('');
		this.lines.push(content === undefined ? `<${element}${text}/>` : `<${element}${text}>${xmlText(content)}</${element}>`);
	}

	/** What is filled with. */
	ink() {
		return typeof this.fillStyle === 'string' ? this.fillStyle : `url(#${this.fillStyle.id})`;
	}

	fill() {
		this.add('path', {d: this.path.join(''), fill: this.ink()});
	}

	stroke() {
		const {strokeStyle, lineWidth, dash} = this;
		this.add('path', {d: this.path.join(''), fill: 'none', stroke: strokeStyle, 'stroke-width': lineWidth, ...dash ? {'stroke-dasharray': dash} : {}});
	}

	/** What of a box is within what is clipped. @param {number[]} box @param {Object<string, string | number>} attributes */
	addBox([x, y, width, height], attributes) {
		const {shown: clip} = this;
		const [left, top] = clip ? [Math.max(x, clip.x), Math.max(y, clip.y)] : [x, y];
		const [right, bottom] = clip ? [Math.min(x + width, clip.x + clip.width), Math.min(y + height, clip.y + clip.height)] : [x + width, y + height];
		if (right > left && bottom > top)
			this.add('rect', {x: left, y: top, width: right - left, height: bottom - top, ...attributes});
	}

	fillRect(/** @type {number[]} */ ...box) {
		this.addBox(box, {fill: this.ink()});
	}

	strokeRect(/** @type {number[]} */ ...box) {
		this.addBox(box, {fill: 'none', stroke: this.strokeStyle, 'stroke-width': this.lineWidth});
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
		this.shown = this.box;
	}

	setLineDash(/** @type {number[]} */ dash) {
		this.dash = dash.join(' ');
	}

	measureText(/** @type {string} */ text) {
		this.measuring.font = this.font;
		return this.measuring.measureText(text);
	}

	/** @param {string} text @param {number} x @param {number} y of its middle */
	fillText(text, x, y) {
		const {fillStyle, font, textAlign} = this;
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
