// SPDX-License-Identifier: Apache-2.0
// Both timelines of a comparison as one picture that stands alone, as they are now.
import {countText, nounText} from '../shared/format.js';
import {makeScheme} from '../shared/palette.js';
import {HEIGHT, chosenTexts, legendShapes, plotShapes, titleShapes} from '../shared/picture.js';
import {token} from '../shared/theme.js';
import {visibleText} from '../shared/visible.js';
import {AFTER, BEFORE, SIDE_NAMES} from './sides.js';

/** @typedef {import('./pairtimelines.js').PairTimelines} PairTimelines */

const PAIR_WIDTH = 1600;
const PAIR_GUTTER = 170;
const BOX = {y: 96, width: 610, height: 598};
/** Of the line below the axis that says how much time the width is. */
const WIDTH_ROOM = 18;

/** How much time the width is, along a line as long. @param {PairTimelines} both @param {number} side @param {{x: number}} box @returns {import('../shared/picture.js').Shape[]} */
function widthShapes(both, side, {x}) {
	const text = both.timelines[side].widthText();
	const [color, ink] = ['accent', 'ink'].map(token);
	const y = BOX.y + BOX.height + 33;
	const part = BOX.width / 2 - text.length * 4 - 8;
	return [
		{kind: 'rect', x, y: y - 6, width: 2, height: 12, color},
		{kind: 'rect', x, y: y - 1, width: part, height: 2, color},
		{kind: 'text', x: x + BOX.width / 2, y: y + 4, text, color: ink, size: 13, isBold: true, anchor: 'middle'},
		{kind: 'rect', x: x + BOX.width - part, y: y - 1, width: part, height: 2, color},
		{kind: 'rect', x: x + BOX.width - 2, y: y - 6, width: 2, height: 12, color},
	];
}

/** @param {PairTimelines} both @returns {import('../shared/picture.js').Picture} */
export function pairPictureOf(both) {
	const {diff, store, timelines} = both;
	const {choice} = store;
	const axis = store.axis();
	const plots = [BEFORE, AFTER].map((side) => {
		const data = diff.sides[side];
		const box = {...BOX, x: side * PAIR_WIDTH / 2 + PAIR_GUTTER};
		const sideAxis = axis.axes[side];
		return {box, scheme: makeScheme(data, choice.color), ...plotShapes({data, axis: sideAxis, rows: sideAxis.rows(choice.place, box.height),
			scheme: makeScheme(data, choice.color), marks: timelines[side].marksShown(), isStressed: timelines[side].isStressed(),
			time: timelines[side].view.timeShown(), gaps: timelines[side].view.gaps(), box})};
	});
	const totals = plots.map((plot) => plot.totals.reduce((sum, each) => sum + each, 0));
	const {label} = diff.diff.objects[choice.object];
	const title = visibleText(`Page faults of ${label}: ${countText(totals[BEFORE])} before, ${countText(totals[AFTER])} after`);
	const commands = diff.sides.map((data) => data.header.trace.command.join(' '));
	const line = [commands[BEFORE] === commands[AFTER] ? commands[BEFORE] : `${commands[BEFORE]} before, ${commands[AFTER]} after`,
		...chosenTexts(choice), ...choice.ownScales ? ['separate time scales'] : [], ...timelines[BEFORE].isStressed() ? ['pages touched on one side only are highlighted'] : []].join('; ');
	const {scheme} = plots[BEFORE];
	const most = scheme.names.map((_, group) => Math.max(plots[BEFORE].totals[group], plots[AFTER].totals[group]));
	const texts = scheme.names.map((name, group) => `${name} ${countText(plots[BEFORE].totals[group])} → ${countText(plots[AFTER].totals[group])}`);
	/** @type {import('../shared/picture.js').Shape[]} */
	const names = plots.map(({box}, side) => ({kind: 'text', x: box.x, y: box.y - 8, text: `${SIDE_NAMES[side]}: ${nounText(totals[side], 'fault')}`,
		color: token('ink'), size: 14, isBold: true}));
	return {width: PAIR_WIDTH, height: HEIGHT, title, shapes: [...titleShapes(PAIR_WIDTH, HEIGHT, title, line), ...names,
		...plots.flatMap(({shapes}) => shapes), ...choice.ownScales ? plots.flatMap(({box}, side) => widthShapes(both, side, box)) : [],
		...legendShapes(scheme, Float64Array.from(most), texts, PAIR_WIDTH, BOX.y + BOX.height + 46 + (choice.ownScales ? WIDTH_ROOM : 0))]};
}
