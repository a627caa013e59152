// SPDX-License-Identifier: Apache-2.0
// The graphs: what ran and what it touched, and the files and which needs which. They were laid out
// when the report was made, for all faults; a node is a filter.
import {visibleText} from '../shared/visible.js';
import {make} from '../shared/dom.js';
import {countText, nounText, percentText} from '../shared/format.js';
import {buildLater} from '../shared/later.js';
import {initiatorColor} from '../shared/palette.js';
import {onTheme} from '../shared/theme.js';
import {functionName, initializerName, NAMELESS} from '../data/words.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 *
 * @typedef {{x: number, y: number, width: number, height: number, lines: string[], name: string, faults: number,
 *	initiator: number, word: string | null, index: number | null, symbol?: string, object?: number}} GraphNode
 * @typedef {{from: number, to: number, faults: number, initiator: number, points: number[]}} GraphEdge
 * @typedef {{missing: string | null, width: number, height: number, explained: string, nodes: GraphNode[],
 *	edges: GraphEdge[]}} GraphData
 */

/** What is chosen by a node: an object, or the value of a word and perhaps the object it is of. @typedef {{word: string | null, value: string, object: number | null}} GraphTarget */

const GRAPH_SPACE = 'http://www.w3.org/2000/svg';
/** As render/graph/svg.c draws them. */
const GRAPH_PADDING = 8;
const GRAPH_LINE = 16;
const GRAPH_BAR = 4;
const WIDEST_EDGE = 20;
const LABELLED_SHARE = 0.03;

/** On narrower screens a graph made to fit cannot be read. */
const READABLE_WIDTH = 700;

const GRAPH_KINDS = [
	{id: 'causes', title: 'Who causes what'},
	{id: 'objects', title: 'File by file'},
];

/** @param {string} tag @param {Object<string, string | number>} attributes @param {...(Node | string)} children @returns {SVGElement} */
function shape(tag, attributes, ...children) {
	const element = /** @type {SVGElement} */ (document.createElementNS(GRAPH_SPACE, tag));
	for (const [name, value] of Object.entries(attributes))
		element.setAttribute(name, String(value));
	element.append(...children.map((child) => typeof child === 'string' ? visibleText(child) : child));
	return element;
}

/** @param {Data} data @param {GraphNode} node @returns {GraphTarget | null} */
function targetOf(data, node) {
	const {header} = data;
	const index = node.index ?? 0;
	switch (node.word) {
	case 'initiator':
		return {word: 'initiator', value: header.words.initiator[index], object: null};
	case 'initializer':
		return {word: 'initializer', value: initializerName(data, index), object: null};
	case 'blame':
		return {word: 'blame', value: functionName(data, index), object: null};
	case 'section':
		return {word: 'section', value: header.sections[index].name || NAMELESS, object: header.sections[index].object};
	case 'symbol':
		return {word: 'symbol', value: node.symbol || NAMELESS, object: node.object ?? null};
	case 'object':
		return {word: null, value: '', object: index};
	default:
		return null;
	}
}

/** One of the graphs, drawn. */
class GraphView {
	/** @param {Data} data @param {Store} store @param {GraphData} graph @param {string} title */
	constructor(data, store, graph, title) {
		this.data = data;
		this.store = store;
		this.graph = graph;
		this.total = data.header.faults.total;
		/** @type {{element: SVGElement, target: GraphTarget}[]} */
		this.buttons = [];
		/** @type {SVGElement[]} */
		this.edges = graph.edges.map((edge) => this.makeEdge(edge));
		/** @type {SVGElement[]} */
		this.nodes = graph.nodes.map((node, i) => this.makeNode(node, i));
		const counts = graph.edges.filter((edge) => edge.faults / this.total >= LABELLED_SHARE && edge.points.length >= 8)
			.map((edge) => this.makeCount(edge));
		this.picture = shape('svg', {class: 'graph', role: 'group', 'aria-label': title,
			viewBox: `-4 -4 ${graph.width + 8} ${graph.height + 8}`, width: graph.width + 8, height: graph.height + 8},
		shape('defs', {}, shape('marker', {id: 'graph-tip', viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 9,
			markerHeight: 9, orient: 'auto', markerUnits: 'userSpaceOnUse'},
		shape('path', {class: 'graph-tip', d: 'M0 0L10 5L0 10z'}))),
		...this.edges, ...this.nodes, ...counts);
		this.tellChoice();
	}

	/** @param {number} initiator */
	color(initiator) {
		return initiatorColor(this.data, initiator);
	}

	/** @param {GraphEdge} edge */
	makeEdge(edge) {
		const {nodes} = this.graph;
		const numbers = [...edge.points];
		let d = '';
		for (let i = 0; i < numbers.length; i += 2)
			d += `${i === 0 ? 'M' : i % 6 === 2 ? 'C' : ' '}${numbers[i]} ${numbers[i + 1]}`;
		if (edge.faults === 0)
			return shape('path', {class: 'graph-need', 'marker-end': 'url(#graph-tip)', d},
				shape('title', {}, `${nodes[edge.from].name} needs ${nodes[edge.to].name}`));
		return shape('path', {class: 'graph-edge', 'stroke-width': (1 + (WIDEST_EDGE - 1) * edge.faults / this.total).toFixed(1), d},
			shape('title', {}, `${nodes[edge.from].name} touched ${nodes[edge.to].name}: ${nounText(edge.faults, 'fault')}, ${
				percentText(edge.faults, this.total)}`));
	}

	/** How many faults, in the middle of the edge. @param {GraphEdge} edge */
	makeCount(edge) {
		const p = edge.points;
		const at = 6 * Math.floor((p.length / 2 - 1) / 3 / 2);
		const [x, y] = [0, 1].map((i) => (p[at + i] + 3 * p[at + 2 + i] + 3 * p[at + 4 + i] + p[at + 6 + i]) / 8);
		return shape('text', {class: 'graph-count', x: x.toFixed(0), y: (y + 4).toFixed(0)}, countText(edge.faults));
	}

	/** @param {GraphNode} node @param {number} index */
	makeNode(node, index) {
		const {x, y, width, height} = node;
		const target = targetOf(this.data, node);
		const isCut = node.name !== node.lines[0];
		const element = shape('g', {class: target ? 'graph-node' : 'graph-node still'},
			...isCut ? [shape('title', {}, node.name + ' ')] : [],
			shape('rect', {class: 'graph-box', x, y, width, height, rx: 4}),
			shape('rect', {class: 'graph-bar', x, y: y + height - GRAPH_BAR, height: GRAPH_BAR,
				width: (width * node.faults / (this.total || 1)).toFixed(1)}),
			...node.lines.map((line, i) => shape('text', {class: i ? 'graph-fact' : 'graph-name', x: x + GRAPH_PADDING,
				y: y + GRAPH_PADDING + 12 + i * GRAPH_LINE}, `${line} `)));
		const light = (/** @type {boolean} */ on) => this.light(index, on);
		element.addEventListener('mouseenter', () => light(true));
		element.addEventListener('mouseleave', () => light(false));
		if (!target)
			return element;
		element.setAttribute('role', 'button');
		element.setAttribute('tabindex', '0');
		// As it is to be seen: who speaks to a button says what stands on it.
		element.setAttribute('aria-label', [...isCut ? [node.name] : [], ...node.lines].join(' '));
		element.addEventListener('click', () => this.choose(target));
		element.addEventListener('keydown', (event) => {
			if (event.key !== 'Enter' && event.key !== ' ')
				return;
			event.preventDefault();
			this.choose(target);
		});
		element.addEventListener('focus', () => light(true));
		element.addEventListener('blur', () => light(false));
		this.buttons.push({element, target});
		return element;
	}

	/** Let the edges of node @index stand out. @param {number} index @param {boolean} on */
	light(index, on) {
		this.picture.classList.toggle('lit', on);
		this.graph.edges.forEach((edge, i) => {
			this.edges[i].classList.toggle('on', on && (edge.from === index || edge.to === index));
		});
	}

	/** @param {GraphTarget} target */
	isChosen(target) {
		const {choice} = this.store;
		return (target.object === null || choice.object === target.object)
			&& (target.word === null || choice.filter[target.word] === target.value);
	}

	/** @param {GraphTarget} target */
	choose(target) {
		const {word, value, object} = target;
		if (word !== null && this.isChosen(target)) {
			this.store.toggle(word, value);
			return;
		}
		const filter = word === null ? this.store.choice.filter : {...this.store.choice.filter, [word]: value};
		this.store.set({filter, ...object === null ? {} : {object}});
	}

	tellChoice() {
		for (const {element, target} of this.buttons)
			element.setAttribute('aria-pressed', String(this.isChosen(target)));
	}

	/** Colours by the theme. */
	paint() {
		this.graph.edges.forEach((edge, i) => {
			if (edge.faults)
				this.edges[i].style.stroke = this.color(edge.initiator);
		});
		this.graph.nodes.forEach((node, i) => {
			const color = this.color(node.initiator);
			const [box, bar] = /** @type {NodeListOf<SVGElement>} */ (this.nodes[i].querySelectorAll('rect'));
			box.style.stroke = color;
			bar.style.fill = color;
		});
	}
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeGraph(data, store, element) {
	const graphs = GRAPH_KINDS.map((kind) => ({...kind, graph: /** @type {GraphData} */ (data.header.graphs[kind.id])}));
	const about = make('p', {class: 'about'});
	const scroll = make('section', {class: 'graph-scroll', tabindex: '0', 'aria-label': 'Graph'});
	const fit = make('input', {type: 'checkbox', checked: innerWidth >= READABLE_WIDTH, change: () => scroll.classList.toggle('fit', fit.checked)});
	const buttons = graphs.map(({title}, i) => make('button', {type: 'button', class: 'button', 'aria-pressed': 'false',
		click: () => show(i)}, title));
	/** @type {(GraphView | null)[]} */
	const views = graphs.map(() => null);
	const show = (/** @type {number} */ chosen) => {
		const {graph, title} = graphs[chosen];
		buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(i === chosen)));
		if (graph.missing !== null || graph.nodes.length === 0) {
			about.textContent = graph.missing === null ? 'No faults.' : `No graph: ${graph.missing}.`;
			scroll.replaceChildren();
			return;
		}
		about.textContent = `${graph.explained} It shows all faults of the report, regardless of filters; click a node to filter by it.`;
		const view = views[chosen] ??= new GraphView(data, store, graph, title);
		view.paint();
		scroll.replaceChildren(view.picture);
	};
	scroll.classList.toggle('fit', fit.checked);
	element.append(make('div', {class: 'table-top'}, ...buttons, make('label', {class: 'nowrap'}, fit, ' fit to the page')), about, scroll);
	buildLater(element, () => {
		show(0);
		store.listen(() => views.forEach((view) => view?.tellChoice()));
		onTheme(() => views.forEach((view) => view?.paint()));
	});
}
