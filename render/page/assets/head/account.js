// SPDX-License-Identifier: Apache-2.0
// Where the time of the command went, or of the process that is chosen: a sentence, and a bar by cause and state, exact as C
// counted it. Once more is selected, the bar shares out the selected faults by their causes. Causes are filters. Of a comparison
// each side has its own, on one scale.
import {makeBar, makeKey} from './accountbar.js';
import {onceOf} from '../data/once.js';
import {make} from '../shared/dom.js';
import {nounText, timeText} from '../shared/format.js';
import {SELECTING, drawOn} from '../selection/selected.js';
import {METRIC_TEXTS, combinationsOf, pagePairs, sumGroups} from '../selection/sums.js';
import {onTheme, token, causeColors} from '../shared/theme.js';
import {STATES} from '../tracks/textures.js';

/** Causes with less than this part of the first are in their table only. */
const LEAST_NAMED = 0.02;
/** Room of waiting for a processor, as a part of the rest. */
const LATE_ROOM = 0.2;
/** Causes that the sentence names. */
const NAMED_CAUSES = 3;

/** Cells of one state and cause as one. @param {Cell[]} cells @returns {Cell[]} */
function sumCells(cells) {
	return [...Map.groupBy(cells, ([state, cause]) => `${state} ${cause}`).values()].map((same) => {
		const [[state, cause]] = same;
		return [state, cause, same.reduce((sum, [, , ns]) => sum + ns, 0), Math.hypot(...same.map(([, , , error]) => error ?? 0)) || null];
	});
}

/** The account that the choice asks for, null where faults are all that is known. @param {Data} data @param {Pick<Store, 'choice'>} store @returns {{cells: Cell[], own: string, of: string, isComplete: boolean} | null} */
function accountOf(data, {choice}) {
	const {account, processes} = data.header;
	const isNarrowed = Object.keys(choice.filter).some((word) => word !== 'initiator') || choice.search || choice.time || choice.place;
	if (!account || isNarrowed || choice.metric !== 'time')
		return null;
	if (choice.process === null)
		return {cells: account.cells, own: account.own, of: account.of ?? '', isComplete: account.complete};
	// A process that executed programs has a row for each.
	const lives = processes.filter(({pid}) => pid === choice.process);
	return lives.length === 0 ? null : {cells: sumCells(lives.flatMap(({cells}) => cells)), own: timeText(lives.reduce((sum, life) => sum + life.own_ns, 0)),
		of: `${lives[0].name ?? '?'} ${choice.process}`, isComplete: account.complete};
}

/** @param {Data} data @param {Cell[]} cells @returns {{cause: number, own: number, cells: Cell[]}[]} causes, most time first, with their states in the order of STATES */
function causesOf(data, cells) {
	const states = data.header.words.state;
	const order = Object.keys(STATES);
	const byCause = Map.groupBy(cells.filter(([state, , ns]) => STATES[states[state]] && ns > 0), ([, cause]) => cause);
	const rank = (/** @type {number} */ state) => order.indexOf(states[state]);
	return [...byCause].map(([cause, own]) => ({cause, cells: own.sort((a, b) => rank(a[0]) - rank(b[0])),
		own: own.reduce((sum, [state, , ns]) => sum + (states[state] === 'runnable' ? 0 : ns), 0)})).sort((a, b) => b.own - a.own);
}

/** Time of @cells in states that @isIn. @param {Data} data @param {Cell[]} cells @param {(state: string) => boolean} isIn */
function timeIn(data, cells, isIn) {
	return cells.reduce((sum, [state, , ns]) => sum + (isIn(data.header.words.state[state]) ? ns : 0), 0);
}

function sentenceOf(/** @type {Data} */ data, /** @type {NonNullable<ReturnType<typeof accountOf>>} */ {cells, own, of, isComplete}) {
	const late = timeIn(data, cells, (state) => state === 'runnable');
	const waits = [{what: 'storage', states: ['fault-io', 'file-io']}, {what: 'others', states: ['wait']}]
		.map(({what, states}) => ({what, ns: timeIn(data, cells, (state) => states.includes(state))})).filter(({ns}) => ns > 0)
		.map(({what, ns}, i) => `${timeText(ns)}${i === 0 ? ' of it waits' : ''} for ${what}`);
	const causes = causesOf(data, cells).filter(({own: ns}) => ns > 0);
	return [make('strong', {}, own), of ? ` of ${of}` : '',
		late > 0 ? make('span', {class: 'late'}, ` + ${timeText(late)} waiting for a processor`) : '',
		' · ', causes.slice(0, NAMED_CAUSES).map(({cause, own: ns}) => `${data.header.words.initiator[cause]} ${timeText(ns)}`).join(', '),
		waits.length > 0 ? ` · ${waits.join(', ')}` : '',
		isComplete ? '' : ' · not all of it is known'];
}

/** The account of one recording. @param {Data} data @param {Store} store @param {string} name of the side, '' where there is one */
function makeAccount(data, store, name) {
	const sum = make('p', {class: 'sum'});
	const bar = make('div', {class: 'bar', 'aria-hidden': 'true'});
	/** Of causes. */
	const names = data.header.words.initiator;
	const grouping = {count: names.length, valuesOf: combinationsOf, groupOf: Int32Array.from(data.columns.combination_initiator),
		restGroup: (/** @type {number} */ cause) => cause};
	const pairsOf = onceOf((/** @type {Data} */ each) => pagePairs(each, grouping));
	/** @type {Part[]} */
	let parts = [];

	/** What a piece of the bar does. */
	const pressOf = (/** @type {string} */ cause) => {
		const {filter: {initiator: chosen}} = store.choice;
		return {isFaded: chosen !== undefined && cause !== chosen, press: () => store.toggle('initiator', cause)};
	};

	/** Pieces by cause and state. @param {Cell[]} cells @returns {Part[]} */
	const cellParts = (cells) => {
		const colors = causeColors(data);
		const all = causesOf(data, cells).flatMap(({cause, cells: own}) => own.map(([state, , ns, error]) => ({name: names[cause], amount: ns, ns, error,
			text: timeText(ns), color: colors[cause], state: data.header.words.state[state], ...pressOf(names[cause])})));
		const used = all.filter(({state}) => state !== 'runnable');
		const late = timeIn(data, cells, (state) => state === 'runnable');
		if (late <= 0)
			return used;
		// Beside all shares, and never so wide that these cannot be seen.
		const room = LATE_ROOM * used.reduce((sumOf, {amount}) => sumOf + amount, 0);
		return [...used, {name: 'for a processor', amount: Math.min(late, room), ns: late, isLate: true, state: 'runnable', color: token('soft'),
			text: timeText(late) + (late > room ? ' (not to scale)' : '')}];
	};

	/** Pieces by cause, of faults. @returns {Part[]} */
	const faultParts = () => {
		const colors = causeColors(data);
		const {metric, filter: {initiator: chosen, ...filter}, ...choice} = store.choice;
		const amounts = sumGroups(data, store, grouping, metric === 'pages' ? pairsOf(data) : null, {...choice, metric, filter})[/** @type {'time'} */ (metric)];
		return [...amounts.keys()].filter((group) => amounts[group] > 0 || names[group] === chosen)
			.sort((x, y) => amounts[y] - amounts[x])
			.map((group) => ({name: names[group], amount: amounts[group], text: METRIC_TEXTS[metric].text(amounts[group]),
				color: colors[group], ...pressOf(names[group])}));
	};

	/** How long the whole bar is. */
	const total = () => parts.reduce((all, {amount}) => all + amount, 0);
	return {sum, bar, total, parts: () => parts,
		/** Count what is chosen, and say it. */
		count() {
			const account = accountOf(data, store);
			parts = account ? cellParts(account.cells) : faultParts();
			const whole = account ?? accountOf(data, {choice: {...store.choice, filter: {}, search: '', time: null, place: null, metric: 'time'}});
			sum.replaceChildren(name ? make('span', {class: 'of-side'}, `${name} `) : '', ...whole ? sentenceOf(data, whole)
				: [make('strong', {}, nounText(data.header.faults.total, 'fault')), '; where the time went is not known']);
		},
		/** @param {number} most the longest bar */
		draw(most) {
			bar.style.width = `${100 * total() / (most || 1)}%`;
			bar.replaceChildren(...makeBar(parts, bar.clientWidth));
		},
		/** The pieces of each cause as one. */
		causes: () => new Map([...Map.groupBy(parts.filter(({isLate}) => !isLate), (part) => part.name)]
			.map(([cause, same]) => [cause, {...same[0], amount: same.reduce((all, {amount}) => all + amount, 0)}])),
	};
}

/**
 * The accounts of all recordings below each other, on one scale.
 * @param {Data[]} sides @param {string[]} names @param {Store} store @param {HTMLElement} element @param {HTMLElement} notes
 */
export function makeAccounts(sides, names, store, element, notes) {
	const accounts = sides.map((data, side) => makeAccount(data, store.sides[side], names[side]));
	const key = make('span', {class: 'texture-key', 'aria-hidden': 'true'});
	const legend = make('div', {class: 'legend', role: 'group', 'aria-label': 'Causes: filter'});
	element.append(...accounts.flatMap(({sum, bar}, i) => [i === 0 ? make('div', {class: 'sentence'}, sum, key) : sum, bar]),
		make('div', {class: 'below'}, legend, notes));

	const drawLegend = () => {
		const {metric, filter: {initiator: chosen}} = store.choice;
		const focused = legend.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.name : null;
		const all = accounts.map((account) => account.causes());
		const mostOf = (/** @type {string} */ name) => Math.max(...all.map((causes) => causes.get(name)?.amount ?? 0));
		const causes = [...new Map(all.flatMap((each) => [...each])).values()].sort((a, b) => mostOf(b.name) - mostOf(a.name));
		const most = Math.max(...causes.map(({name}) => mostOf(name)), 0);
		const buttons = causes.filter(({name}) => name === chosen || mostOf(name) >= LEAST_NAMED * most).map(({name, color, press}) => {
			const swatch = make('span', {class: 'swatch'});
			swatch.style.background = color;
			return make('button', {type: 'button', class: 'share', 'data-name': name, 'aria-pressed': String(name === chosen), click: press},
				swatch, `${name} ${all.map((each) => METRIC_TEXTS[metric].text(each.get(name)?.amount ?? 0)).join(' → ')}`);
		});
		legend.replaceChildren(...buttons);
		// One line of them, dearest first: the table of causes has all.
		for (const button of buttons)
			if (button.offsetTop > buttons[0].offsetTop && button.dataset.name !== chosen)
				button.remove();
		buttons.find((button) => button.dataset.name === focused)?.focus();
	};
	const {ask} = drawOn(store, [...SELECTING, 'metric', 'object'], () => {
		for (const account of accounts)
			account.count();
		const most = Math.max(...accounts.map((account) => account.total()));
		for (const account of accounts)
			account.draw(most);
		key.replaceChildren(...makeKey(accounts.flatMap(({parts}) => parts())));
		drawLegend();
	}, ['time', 'place']);
	onTheme(ask);
	addEventListener('resize', ask);
}
