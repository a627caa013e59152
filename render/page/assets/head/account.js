// SPDX-License-Identifier: Apache-2.0
// Where the time of the command went, or of the process that is chosen: a sentence, and a bar by cause and state, exact as C
// counted it. Once more is selected, the bar shares out the selected faults by their causes. Causes are filters.
import {STATES, makeBar, makeKey} from './accountbar.js';
import {make} from '../shared/dom.js';
import {nounText, timeText} from '../shared/format.js';
import {lossesOf, makeNoteList} from '../shared/losses.js';
import {makeScheme} from '../shared/palette.js';
import {SELECTING, drawOn} from '../selection/selected.js';
import {METRIC_TEXTS, pagePairs, sumGroups} from '../selection/sums.js';
import {isDark, onTheme, token} from '../shared/theme.js';

/**
 * @typedef {import('../data/data.js').Data} Data
 * @typedef {import('../selection/store.js').Store} Store
 * @typedef {import('./accountbar.js').Part} Part
 * @typedef {[number, number, number, number | null][]} Cells state, cause, ns, error in ns
 */

/** Causes with less than this part of the first are in their table only. */
const LEAST_NAMED = 0.02;
/** Room of waiting for a processor, as a part of the rest. */
const LATE_ROOM = 0.2;
/** Causes that the sentence names. */
const NAMED_CAUSES = 3;

/** Cells of one state and cause as one. @param {Cells} cells @returns {Cells} */
function sumCells(cells) {
	/** @type {Map<string, Cells[0]>} */
	const sums = new Map();
	for (const [state, cause, ns, error] of cells) {
		const known = sums.get(`${state} ${cause}`);
		sums.set(`${state} ${cause}`, [state, cause, ns + (known?.[2] ?? 0), error === null && !known?.[3] ? null : Math.hypot(error ?? 0, known?.[3] ?? 0)]);
	}
	return [...sums.values()];
}

/** The account that the choice asks for, null where faults are all that is known. @param {Data} data @param {Store} store @returns {{cells: Cells, own: string, of: string, isComplete: boolean} | null} */
function accountOf(data, {choice}) {
	const {account, processes} = data.header;
	const isNarrowed = Object.keys(choice.filter).some((word) => word !== 'initiator') || choice.search || choice.time || choice.place;
	if (!account || isNarrowed || choice.metric !== 'time')
		return null;
	if (choice.process === null)
		return {cells: account.cells, own: account.own, of: account.of ?? '', isComplete: account.complete};
	// A process that executed programs has a row for each.
	/** @type {{pid: number, name: string | null, own_ns: number, cells: Cells}[]} */
	const lives = processes.filter((/** @type {{pid: number}} */ {pid}) => pid === choice.process);
	return lives.length === 0 ? null : {cells: sumCells(lives.flatMap(({cells}) => cells)), own: timeText(lives.reduce((sum, life) => sum + life.own_ns, 0)),
		of: `${lives[0].name ?? '?'} ${choice.process}`, isComplete: account.complete};
}

/** @param {Data} data @param {Cells} cells @returns {{cause: number, own: number, cells: Cells}[]} causes, most time first, with their states in the order of STATES */
function causesOf(data, cells) {
	const states = data.header.words.state;
	const order = Object.keys(STATES);
	/** @type {Map<number, Cells>} */
	const byCause = new Map();
	for (const cell of cells)
		if (STATES[states[cell[0]]] && cell[2] > 0)
			byCause.set(cell[1], [...byCause.get(cell[1]) ?? [], cell]);
	const rank = (/** @type {number} */ state) => order.indexOf(states[state]);
	return [...byCause].map(([cause, own]) => ({cause, cells: own.sort((a, b) => rank(a[0]) - rank(b[0])),
		own: own.reduce((sum, [state, , ns]) => sum + (states[state] === 'runnable' ? 0 : ns), 0)})).sort((a, b) => b.own - a.own);
}

/** Time of @cells in states that @isIn. @param {Data} data @param {Cells} cells @param {(state: string) => boolean} isIn */
function timeIn(data, cells, isIn) {
	return cells.reduce((sum, [state, , ns]) => sum + (isIn(data.header.words.state[state]) ? ns : 0), 0);
}

/** @param {Data} data @param {NonNullable<ReturnType<typeof accountOf>>} account */
function sentenceOf(data, {cells, own, of, isComplete}) {
	const late = timeIn(data, cells, (state) => state === 'runnable');
	const storage = timeIn(data, cells, (state) => state === 'fault-io' || state === 'file-io');
	const causes = causesOf(data, cells).filter(({own: ns}) => ns > 0);
	return [make('strong', {}, own), of ? ` of ${of}` : '',
		late > 0 ? make('span', {class: 'late'}, ` + ${timeText(late)} waiting for a processor`) : '',
		' · ', causes.slice(0, NAMED_CAUSES).map(({cause, own: ns}) => `${data.header.words.initiator[cause]} ${timeText(ns)}`).join(', '),
		storage > 0 ? ` · ${timeText(storage)} of it waits for storage` : '',
		isComplete ? '' : ' · not all of it is known'];
}

/** What was lost and noted, folded. @param {Data} data */
function makeNotes(data) {
	const {account, counts, trace, notes} = data.header;
	const recording = account ? account.recording_ns : 0;
	const losses = lossesOf(data);
	const isLossy = counts.missing > 0 || !trace.complete;
	const title = [recording > 0 ? `recording added ${timeText(recording)}` : '', isLossy ? 'incomplete' : 'complete', notes.length > 0 ? nounText(notes.length, 'note') : '',
		losses.length > 0 ? nounText(losses.length, 'loss').replace(/losss$/, 'losses') : ''].filter(Boolean).join(', ');
	return make('details', {class: 'fold', id: 'notes'}, make('summary', {class: isLossy ? 'warn' : ''}, title),
		make('div', {class: 'menu'}, makeNoteList(losses, notes, isLossy)));
}

/** @param {Data} data @param {Store} store @param {HTMLElement} element */
export function makeAccount(data, store, element) {
	const sum = make('p', {class: 'sum'});
	const key = make('span', {class: 'texture-key', 'aria-hidden': 'true'});
	const bar = make('div', {class: 'bar', 'aria-hidden': 'true'});
	const legend = make('div', {class: 'legend', role: 'group', 'aria-label': 'Causes: filter'});
	element.append(make('div', {class: 'sentence'}, sum, key), bar, make('div', {class: 'below'}, legend, makeNotes(data)));
	const scheme = makeScheme(data, 'initiator');
	const grouping = {count: scheme.names.length, values: data.combination, groupOf: Int32Array.from(scheme.groupOf),
		momentGroup: (/** @type {number} */ _, /** @type {number} */ cause) => cause};
	/** @type {ReturnType<typeof pagePairs> | null} */
	let pairs = null;

	/** Pieces by cause and state. @param {Cells} cells @param {number} theme @param {(name: string) => {isFaded: boolean, press: () => void}} pressOf @returns {Part[]} */
	const cellParts = (cells, theme, pressOf) => {
		const causes = causesOf(data, cells);
		const parts = causes.flatMap(({cause, cells: own}) => own.map(([state, , ns, error]) => ({name: scheme.names[cause], amount: ns, ns, error,
			text: timeText(ns), color: scheme.colors[cause][theme], state: data.header.words.state[state], ...pressOf(scheme.names[cause])})));
		const used = parts.filter(({state}) => state !== 'runnable');
		const late = timeIn(data, cells, (state) => state === 'runnable');
		if (late <= 0)
			return used;
		// Beside all shares, and never so wide that these cannot be seen.
		const room = LATE_ROOM * used.reduce((all, {amount}) => all + amount, 0);
		return [...used, {name: 'for a processor', amount: Math.min(late, room), ns: late, isLate: true, state: 'runnable', color: token('soft'),
			text: timeText(late) + (late > room ? ' (not to scale)' : '')}];
	};

	/** Pieces by cause, of faults. @param {number} theme @param {(name: string) => {isFaded: boolean, press: () => void}} pressOf @returns {Part[]} */
	const faultParts = (theme, pressOf) => {
		const {metric, filter: {initiator: chosen, ...filter}, ...choice} = store.choice;
		pairs = pairs ?? pagePairs(data, grouping);
		const amounts = sumGroups(data, store, grouping, pairs, {...choice, metric, filter})[/** @type {'time'} */ (metric)];
		return [...amounts.keys()].filter((group) => amounts[group] > 0 || scheme.names[group] === chosen)
			.sort((a, b) => amounts[b] - amounts[a])
			.map((group) => ({name: scheme.names[group], amount: amounts[group], text: METRIC_TEXTS[metric].text(amounts[group]),
				color: scheme.colors[group][theme], ...pressOf(scheme.names[group])}));
	};

	const draw = () => {
		const theme = Number(isDark());
		const {metric, filter: {initiator: chosen}} = store.choice;
		const pressOf = (/** @type {string} */ name) => ({isFaded: chosen !== undefined && name !== chosen, press: () => store.toggle('initiator', name)});
		const account = accountOf(data, store);
		const parts = account ? cellParts(account.cells, theme, pressOf) : faultParts(theme, pressOf);
		const whole = account ?? accountOf(data, /** @type {Store} */ ({choice: {...store.choice, filter: {}, search: '', time: null, place: null, metric: 'time'}}));
		sum.replaceChildren(...whole ? sentenceOf(data, whole)
			: [make('strong', {}, nounText(data.header.faults.total, 'fault')), '; where the time went is not known']);
		bar.replaceChildren(...makeBar(parts, bar.clientWidth));
		key.replaceChildren(...makeKey(parts));
		const focused = legend.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.name : null;
		/** @type {Map<string, Part>} */
		const causes = new Map();
		for (const part of parts)
			if (!part.isLate)
				causes.set(part.name, {...part, amount: part.amount + (causes.get(part.name)?.amount ?? 0)});
		const most = Math.max(...[...causes.values()].map(({amount}) => amount), 0);
		const buttons = [...causes.values()].filter(({name, amount}) => name === chosen || amount >= LEAST_NAMED * most).map((part) => {
			const swatch = make('span', {class: 'swatch'});
			swatch.style.background = part.color;
			return make('button', {type: 'button', class: 'share', 'data-name': part.name, 'aria-pressed': String(part.name === chosen), click: part.press},
				swatch, `${part.name} ${METRIC_TEXTS[metric].text(part.amount)}`);
		});
		legend.replaceChildren(...buttons);
		// One line of them, dearest first: the table of causes has all.
		for (const button of buttons)
			if (button.offsetTop > buttons[0].offsetTop && button.dataset.name !== chosen)
				button.remove();
		buttons.find((button) => button.dataset.name === focused)?.focus();
	};
	const {ask} = drawOn(store, [...SELECTING, 'metric', 'time', 'place', 'object'], draw);
	onTheme(ask);
	addEventListener('resize', ask);
}
