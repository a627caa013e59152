// SPDX-License-Identifier: Apache-2.0
// The recorded call stacks as one tree of functions, outermost first, and how much of a
// selection lies in each of its boxes.
import {NODE_CUT, NODE_IP_ALONE} from './data.js';
import {functionName, objectName} from './words.js';

/** The boxes that stand for no function. */
export const BOX_ALL = 0;
const BOX_NO_IP = 1;
const BOX_NO_STACK = 2;
const BOX_CUT = 3;
const OWN_BOXES = ['all stacks', '(in the kernel)', '(no stack recorded)', '(outer frames not recorded)'];

/** Calls of one function from different places of one caller are one box. */
export class StackTree {
	constructor(/** @type {Data} */ data) {
		const {node_parent: parents, node_frame: frames, node_flags: flags} = data.columns;
		const {frame_function: functions, frame_object: objects} = data.columns;
		const names = data.header.functions.name.length;
		const width = names + data.header.objects.length + 2;
		this.data = data;
		/** Function, or functions + object (index + 1), or -1: a box that stands for none. */
		this.keys = [-1, -1, -1, -1];
		this.parents = [-1, BOX_ALL, BOX_ALL, BOX_ALL];
		this.depths = [0, 1, 1, 1];
		this.boxOf = new Int32Array(parents.length);
		/** @type {Map<number, number>} */
		const known = new Map();
		for (let node = 0; node < parents.length; node++) {
			const frame = frames[node];
			const key = functions[frame] ? functions[frame] - 1 : names + objects[frame];
			const parent = parents[node] ? this.boxOf[parents[node] - 1]
				: flags[node] & NODE_IP_ALONE ? BOX_NO_STACK
					: flags[node] & NODE_CUT ? BOX_CUT : BOX_ALL;
			let box = known.get(parent * width + key);
			if (box === undefined) {
				box = this.keys.length;
				known.set(parent * width + key, box);
				this.keys.push(key);
				this.parents.push(parent);
				this.depths.push(this.depths[parent] + 1);
			}
			this.boxOf[node] = box;
		}
		/** Callers stand before what they call. @type {number[][]} */
		this.children = this.keys.map(() => []);
		for (let box = 1; box < this.keys.length; box++)
			this.children[this.parents[box]].push(box);
		this.initiators = data.header.words.initiator.length;
		this.totals = new Float64Array(this.keys.length);
		this.selves = new Float64Array(this.keys.length);
		this.byInitiator = new Float64Array(this.keys.length * this.initiators);
	}

	name(/** @type {number} */ box) {
		const key = this.keys[box];
		if (key < 0)
			return OWN_BOXES[box];
		const names = this.data.header.functions.name;
		if (key >= names.length)
			return key === names.length ? '(not in a file)' : objectName(this.data, key - names.length - 1);
		return names[key] ? functionName(this.data, key)
			: objectName(this.data, this.data.header.functions.object[key]);
	}

	/** Where the function of @box is; '' for boxes that stand for none. @param {number} box */
	object(box) {
		const key = this.keys[box];
		const names = this.data.header.functions.name;
		return key < 0 || key >= names.length ? '' : objectName(this.data, this.data.header.functions.object[key]);
	}

	/**
	 * Sum up what entries amount to. @param {(i: number) => number} amountOf 0: not selected
	 * @param {(add: (node: number, ns: number, cause: number) => void) => void} addOthers what is beside them; node: index + 1, 0: no stack
	 */
	count(amountOf, addOthers) {
		const {data, boxOf, totals, selves, byInitiator, initiators} = this;
		const initiator = data.columns.combination_initiator;
		totals.fill(0);
		selves.fill(0);
		byInitiator.fill(0);
		for (let i = 0; i < data.count; i++) {
			const weight = amountOf(i);
			if (weight === 0)
				continue;
			const box = data.stack[i] ? boxOf[data.stack[i] - 1] : BOX_NO_IP;
			selves[box] += weight;
			byInitiator[box * initiators + initiator[data.combination[i]]] += weight;
		}
		addOthers((node, ns, cause) => {
			const box = node > 0 ? boxOf[node - 1] : BOX_NO_STACK;
			selves[box] += ns;
			byInitiator[box * initiators + cause] += ns;
		});
		totals.set(selves);
		for (let box = totals.length - 1; box > 0; box--) {
			const parent = this.parents[box];
			totals[parent] += totals[box];
			for (let k = 0; k < initiators; k++)
				byInitiator[parent * initiators + k] += byInitiator[box * initiators + k];
		}
		for (const children of this.children)
			if (children.length > 1)
				children.sort((a, b) => totals[b] - totals[a] || a - b);
	}

	/** The initiator of most in @box, and its amount. @param {number} box */
	initiator(box) {
		const from = box * this.initiators;
		let most = 0;
		for (let k = 1; k < this.initiators; k++)
			if (this.byInitiator[from + k] > this.byInitiator[from + most])
				most = k;
		return {index: most, word: /** @type {string} */ (this.data.header.words.initiator[most]),
			amount: this.byInitiator[from + most]};
	}

	/** @box and its callers, innermost first, without the box of all. @param {number} box */
	chain(box) {
		const boxes = [];
		for (let at = box; at > BOX_ALL; at = this.parents[at])
			boxes.push(at);
		return boxes;
	}
}
