// SPDX-License-Identifier: Apache-2.0
// The page of a comparison: the report's views, each of both sides.
import {readDiff} from './diffdata.js';
import {makeDiffDetail, headlineText} from './diffdetail.js';
import {ONE_SIDE} from './differences.js';
import {makeChanges} from './changes.js';
import {DiffStore} from './diffstore.js';
import {makeDiffTables} from './difftables.js';
import {makeAccounts} from '../head/account.js';
import {makeControls} from '../head/controls.js';
import {makeScope} from '../head/scope.js';
import {followHash} from '../selection/store.js';
import {drawOn} from '../selection/selected.js';
import {byId, make} from '../shared/dom.js';
import {fillSaveMenu} from '../shared/export.js';
import {sizeText} from '../shared/format.js';
import {foldedNotes, lossesOf} from '../shared/losses.js';
import {startPage} from '../shared/start.js';
import {cutsOfBoth} from '../tracks/timescale.js';
import {makeTracksView} from '../tracks/tracks.js';
import {AFTER, BEFORE, SIDE_NAMES} from '../data/recordings.js';

/** As shown: of a process that ran already "process 12 (app)". @param {DiffData} diff */
function titleOf(diff) {
	const [before, after] = [BEFORE, AFTER].map((side) => diff.diff[SIDE_NAMES[side]][diff.shown[side]].command);
	return before === after ? `${after}, before and after` : `${before}, then ${after}`;
}

/** What was lost or noted on either side; each is a sentence. @param {DiffData} diff */
function notesOfBoth(diff) {
	const losses = [];
	const notes = [...diff.diff.notes];
	let isLossy = false;
	for (const side of [BEFORE, AFTER]) {
		const name = SIDE_NAMES[side];
		const {header} = diff.sides[side];
		/** @type {DiffRun[]} */
		const incomplete = diff.diff[name].filter((/** @type {DiffRun} */ run) => !run.complete);
		isLossy ||= header.counts.missing > 0 || incomplete.length > 0;
		losses.push(...lossesOf(diff.sides[side]).map((text) => `${name}: ${text}`), ...incomplete.map((run) => `${name}: ${run.path} is incomplete.`));
		// The comparison has the notes of all runs: what only the run that is shown says.
		const told = diff.diff.run_notes[name];
		notes.push(...header.notes.filter((note) => !told.some((/** @type {{text: string}} */ {text}) => note === text || note.startsWith(`${text} (`)))
			.map((note) => `${name}: ${note}`));
	}
	return foldedNotes('', losses, notes, isLossy);
}

/** What neither side does anything in: behind its end one does nothing. @param {DiffStore} store @returns {Cut[]} */
function cutsOf({ownSides: sides, diff}) {
	const [before, after] = sides.map((side, index) => {
		const {cuts} = diff.sides[index].header;
		return [...cuts.map(([first, end, why]) => /** @type {Cut} */ ([side.axisTime(first), side.axisTime(end), why])), /** @type {Cut} */ ([side.length, Infinity, ''])];
	});
	return cutsOfBoth(before, after).filter(([, end]) => end < Infinity);
}

function addTools(/** @type {DiffStore} */ store, /** @type {Element | null} */ tools) {
	const button = (/** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ click) => make('button', {type: 'button', class: 'button', title, click}, text);
	const stress = button('Highlight differences', 'Pages touched on one side only stand out', () => store.set({stress: !store.choice.stress}));
	const only = button('Only differences', 'Faults on pages touched on one side only', () => store.toggle('on', ONE_SIDE));
	const scales = button('Each to its own length', 'Separate time scales (T)', () => store.toggleScales());
	tools?.append(stress, only, scales);
	drawOn(store, ['stress', 'filter', 'ownScales'], () => {
		const {choice} = store;
		only.setAttribute('aria-pressed', String(choice.filter.on === ONE_SIDE));
		stress.setAttribute('aria-pressed', String(choice.stress && !('on' in choice.filter)));
		stress.disabled = 'on' in choice.filter;
		scales.setAttribute('aria-pressed', String(choice.ownScales));
	});
}

startPage('comparison', async () => {
	const diff = await readDiff(byId);
	const store = new DiffStore(diff);
	followHash(store, () => {});
	const title = titleOf(diff);
	const text = diff.amounts[0] ?? headlineText(diff);
	const placeText = (/** @type {[number, number]} */ [first, end]) => [first, Math.max(end - 0.01, first)].map((place) =>
		diff.axisOf(store.choice.object).placeText(place, (pages) => sizeText(Math.round(pages) * diff.sides[BEFORE].header.page_size))).join(' to ');
	return {title, views: [
		['controls', (element) => makeControls(title, store, element)],
		['account', (element) => {
			element.append(make('p', {class: 'amount', title: text}, text));
			makeAccounts(diff.sides, SIDE_NAMES, store, element, notesOfBoth(diff));
		}],
		['cures', (element) => makeChanges(diff, store, element)],
		['scope', (element) => makeScope(diff.sides, store, element, placeText)],
		['timeline', (element) => {
			const tracks = makeTracksView(diff, store, element, () => [0, store.longest()], cutsOf(store), {'t': () => store.toggleScales()});
			addTools(store, element.querySelector('.tools'));
			fillSaveMenu(tracks, title);
		}],
		['detail', (element) => makeDiffDetail(diff, store, element)],
		['drawer', (element) => makeDiffTables(diff, store, element)],
	]};
});
