// SPDX-License-Identifier: Apache-2.0
// One fault: everything known of it. Without one, what is selected is told instead, if there is anything to tell.
import {factList, make, visibleText} from '../shared/dom.js';
import {faultFacts} from './faultfacts.js';
import {codeParts} from './listing.js';
import {countText, hexText, nounText, sizeText, timeText} from '../shared/format.js';
import {shortName} from '../shared/describe.js';
import {elidedName} from '../shared/name.js';
import {inRange} from '../selection/selection.js';
import {chooseFault, selectedMarks} from '../selection/selected.js';
import {NAMELESS, functionOf, lastPart, meaningOf} from '../data/words.js';

/** The entry of the selection that follows @from in direction @step, -1: none. @param {Data} data @param {Store} store @param {number} from @param {1 | -1} step */
function neighbourOf(data, store, from, step) {
	const marks = selectedMarks(data, store.choice);
	for (let i = from + step; i >= 0 && i < data.count; i += step)
		if (marks[i] === 1 && inRange(data, store.choice, i))
			return i;
	return -1;
}

/** "name+0x10". @param {string | null} name @param {number} offset */
function withOffset(name, offset) {
	return make('span', {class: 'place'}, elidedName(name || NAMELESS), offset ? `+${hexText(offset)}` : '');
}

/** @param {string | null} path */
function fileOf(path) {
	return path ? visibleText(lastPart(path)) : '';
}

/** @param {CodePlace} place @returns {HTMLElement} */
function placeLine(place) {
	return make('span', {}, withOffset(place.name, place.name ? place.within : 0),
		place.object ? ` in ${fileOf(place.object)}` : '',
		place.offset === null ? '' : ` at ${hexText(place.offset)}`,
		place.source ? make('span', {class: 'source'}, ' ', visibleText(place.source)) : null);
}

/** A word and what it means. @param {Data} data @param {string} word @param {string} value */
function wordLine(data, word, value) {
	const meaning = meaningOf(data, word, value);
	return make('span', {}, make('strong', {}, value), meaning ? `: ${meaning}` : '');
}

/**
 * The facts as pairs of term and description, in groups.
 * @param {Data} data @param {FaultFacts} facts
 * @returns {[string, [string, Node | string][]][]}
 */
function groupsOf(data, facts) {
	/** @type {[string, Node | string][]} */
	const touched = [['File', facts.object ? elidedName(facts.object) : 'not mapped']];
	if (facts.offset !== null)
		touched.push(['File offset', `${hexText(facts.offset)} (page ${countText(Math.floor(facts.offset / data.header.page_size))})`]);
	if (facts.vaddr !== null)
		touched.push(['Address in the file', hexText(facts.vaddr)]);
	if (facts.address !== null)
		touched.push(['Address in the process', facts.address]);
	if (facts.section)
		touched.push(['Section', elidedName(facts.section)]);
	if (facts.symbol) {
		const meaning = meaningOf(data, 'symbol_kind', facts.symbol.kind ?? '');
		touched.push(['Symbol', make('span', {}, withOffset(facts.symbol.name, facts.symbol.offset),
			meaning ? ` (${meaning})` : '')]);
	}
	if (facts.around)
		touched.push(['Mapped at once', `${nounText(facts.around.pages, 'page')} (${sizeText(facts.around.pages * data.header.page_size)}) `
			+ `from ${hexText(facts.around.offset)}`]);
	if (facts.read)
		touched.push(['Read from storage', `${nounText(facts.read.pages, 'page')} (${sizeText(facts.read.pages * data.header.page_size)}) `
			+ (facts.read.span > facts.read.pages ? `among ${countText(facts.read.span)} ` : '') + `from ${hexText(facts.read.offset)}`]);

	/** @type {[string, Node | string][]} */
	const why = [['Initiator', wordLine(data, 'initiator', facts.words.initiator)]];
	if (facts.words.certainty)
		why.push(['Certainty', wordLine(data, 'certainty', facts.words.certainty)]);
	if (facts.initializer)
		why.push(['Initializer', make('span', {},
			elidedName(`${facts.initializer.array}[${facts.initializer.index}] ${facts.initializer.function || NAMELESS}`),
			facts.initializer.source ? ` ${visibleText(facts.initializer.source)}` : '')]);
	if (facts.blame)
		why.push(['On whose behalf', make('span', {}, elidedName(facts.blame.name || NAMELESS),
			facts.blame.object ? ` in ${fileOf(facts.blame.object)}` : '')]);
	if (facts.dlopen !== null)
		why.push(['Inside dlopen', facts.dlopen ? 'yes' : 'no']);

	/** @type {[string, Node | string][]} */
	const how = ['mechanism', 'kind', 'access', 'mode'].map((word) =>
		[word[0].toUpperCase() + word.slice(1), wordLine(data, word, facts.words[word])]);

	const {pid, tid, comm} = facts.thread;
	/** @type {[string, Node | string][]} */
	const when = [['Time', `${timeText(facts.timeNs)} after the start`],
		['Took', timeText(facts.ownNs) + (facts.lateNs > 0 ? `; waited ${timeText(facts.lateNs)} for a processor` : '')],
		['Process', `${pid}`], ['Thread', make('span', {}, `${tid} `, elidedName(comm || ''))]];
	if (facts.faults > 1)
		when.push(['Stands for', nounText(facts.faults, 'fault')]);
	return [['What was touched', touched], ['Why', why], ['How', how], ['When and who', when]];
}

/** @param {FaultFacts} facts @returns {HTMLElement[]} */
function codeOf(facts) {
	if (!facts.by)
		return [make('p', {}, 'No program instruction: the kernel touched the page.')];
	/** @type {HTMLElement[]} */
	const parts = [make('p', {}, placeLine(facts.by))];
	if (facts.by.instruction)
		parts.push(make('pre', {tabindex: '0', 'aria-label': 'Instruction'}, facts.by.instruction));
	if (facts.by.inlined.length)
		parts.push(make('ul', {}, ...facts.by.inlined.map((call) => make('li', {}, 'inlined: ',
			elidedName(call.function || NAMELESS), call.source ? ` ${visibleText(call.source)}` : ''))));
	return parts;
}

/** The fault in one sentence. @param {Data} data @param {FaultFacts} facts */
function faultSentence(data, facts) {
	const time = facts.words.kind === 'major' ? 'Waited' : 'Took';
	return visibleText([Number.isNaN(facts.ownNs) ? 'A fault' : `${time} ${timeText(facts.ownNs)}`, facts.read ? `for ${sizeText(facts.read.pages * data.header.page_size)} of` : 'on',
		facts.object ? lastPart(facts.object) : 'memory that is not mapped', facts.section ?? '', facts.by?.name ? `by ${shortName(facts.by.name)}` : '']
		.filter(Boolean).join(' ') + '.');
}

/** @param {FaultFacts} facts @returns {HTMLElement} */
function stackOf(facts) {
	if (!facts.stack)
		return make('p', {}, 'No call stack was recorded.');
	return make('div', {}, make('ol', {class: 'stack'}, ...facts.stack.map((place) => make('li', {}, placeLine(place)))),
		facts.isCut ? make('p', {}, 'Outer frames were not recorded.') : null);
}

/** How to find @element again, also where its table has been drawn anew. @param {Element | null} element @returns {() => HTMLElement | null} */
function finderOf(element) {
	const row = element?.getAttribute('data-row');
	const panel = element?.closest('[role="tabpanel"]');
	return () => element instanceof HTMLElement && element.isConnected ? element : row && panel ? panel.querySelector(`[data-row="${row}"]`) : null;
}

/**
 * @param {Data} data @param {Store} store @param {HTMLElement} element
 * @param {((data: Data, store: Store) => {title: string, parts: Node[]}) | null} scopeOf what to tell without a fault
 */
export function makeDetail(data, store, element, scopeOf = null) {
	const heading = /** @type {HTMLElement} */ (element.querySelector('h2'));
	const body = make('div', {class: 'detail'});
	/** @param {string} text @param {1 | -1} step */
	const stepper = (text, step) => make('button', {type: 'button', class: 'button', click: () => {
		const to = store.choice.fault === null ? -1 : neighbourOf(data, store, store.choice.fault, step);
		if (to >= 0)
			chooseFault(data, store, to);
	}}, text);
	const previous = stepper('Previous', -1);
	const next = stepper('Next', 1);
	const close = make('button', {type: 'button', class: 'button', click: () => store.set({fault: null})}, 'Close');
	let cameFrom = finderOf(null);
	let isOpen = false;
	heading.tabIndex = -1;
	const hands = make('div', {class: 'detail-hands'}, previous, next, close);
	element.append(hands, body);
	element.addEventListener('keydown', (event) => {
		if (event.key !== 'Escape' || store.choice.fault === null)
			return;
		event.stopPropagation();
		store.set({fault: null});
	});

	/** @param {boolean} movesFocus */
	const draw = (movesFocus) => {
		const {fault} = store.choice;
		if (fault === null || fault >= data.count) {
			const hadFocus = element.contains(document.activeElement);
			element.hidden = !scopeOf;
			hands.hidden = true;
			element.classList.remove('open');
			if (scopeOf) {
				const {title, parts} = scopeOf(data, store);
				heading.textContent = title;
				body.replaceChildren(...parts);
			}
			if (isOpen && hadFocus)
				cameFrom()?.focus();
			isOpen = false;
			return;
		}
		const facts = faultFacts(data, fault);
		heading.textContent = `Fault ${countText(fault + 1)} of ${countText(data.count)}`;
		previous.disabled = neighbourOf(data, store, fault, -1) < 0;
		next.disabled = neighbourOf(data, store, fault, 1) < 0;
		body.replaceChildren(
			make('p', {class: 'headline'}, faultSentence(data, facts)),
			make('div', {class: 'facts-groups'}, ...groupsOf(data, facts).map(([title, pairs]) => make('div', {},
				make('h3', {}, title), factList(pairs)))),
			make('h3', {}, 'Who touched it'), make('div', {class: 'code'}, ...codeOf(facts)),
			...facts.by ? codeParts(data, store, functionOf(data, fault), facts.by.within) : [],
			make('h3', {}, 'Call stack, innermost first'), stackOf(facts));
		element.hidden = false;
		hands.hidden = false;
		element.classList.add('open');
		if (!isOpen && movesFocus) {
			cameFrom = finderOf(document.activeElement);
			heading.focus({preventScroll: true});
			element.scrollIntoView({block: 'nearest'});
		} else if (document.activeElement === document.body && movesFocus) {
			// The button that had it is disabled now.
			heading.focus({preventScroll: true});
		}
		isOpen = true;
	};
	// A link to a fault leads to its details.
	draw(store.choice.fault !== null);
	store.listen((changed) => {
		if (changed.has('fault'))
			draw(true);
		else if ((isOpen || scopeOf) && ['filter', 'search', 'process', 'time', 'place', 'object'].some((word) => changed.has(word)))
			draw(false);
	});
}
