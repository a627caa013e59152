// SPDX-License-Identifier: Apache-2.0
// One fault: everything known of it. Without one, what is selected is told instead, if there is anything to tell.
import {factList, make, elidedName} from '../shared/dom.js';
import {faultFacts} from './faultfacts.js';
import {codeParts} from './listing.js';
import {countText, hexText, nounText, sizeText, timeText, shortName} from '../shared/format.js';
import {chooseFault, neighbourOf, inRange} from '../selection/selected.js';
import {NAMELESS, functionOf, lastPart, meaningOf} from '../data/words.js';

/** "name+0x10". @param {string | null} name @param {number | null} offset */
function withOffset(name, offset) {
	return make('span', {class: 'place'}, elidedName(name || NAMELESS), offset ? `+${hexText(offset)}` : '');
}

/** @param {CodePlace} place @returns {HTMLElement} */
function placeLine(place) {
	return make('span', {}, withOffset(place.function, place.function_offset),
		place.object ? ` in ${lastPart(place.object)}` : '',
		place.offset === null ? '' : ` at ${hexText(place.offset)}`,
		place.source ? make('span', {class: 'source'}, ' ', place.source) : null);
}

/** A word and what it means. @param {Data} data @param {string} word @param {string} value */
function wordLine(data, word, value) {
	const meaning = meaningOf(data, word, value);
	return make('span', {}, make('strong', {}, value), meaning ? `: ${meaning}` : '');
}

/** The facts as pairs of term and description, in groups. @param {Data} data @param {FaultFacts} facts @returns {[string, [string, Node | string | null][]][]} */
function groupsOf(data, {at: {object, offset, vaddr, section, ...at}, address, mapped, read, words, initializer, blame, dlopen, ...facts}) {
	const {page_size: pageSize} = data.header;
	const pagesText = (/** @type {number} */ pages) => `${nounText(pages, 'page')} (${sizeText(pages * pageSize)})`;
	const meaning = meaningOf(data, 'symbol_kind', at.symbol_kind);
	return [
		['What was touched', [
			['File', object ? elidedName(object) : 'not mapped'],
			['File offset', offset === null ? null : `${hexText(offset)} (page ${countText(Math.floor(offset / pageSize))})`],
			['Address in the file', vaddr === null ? null : hexText(vaddr)],
			['Address in the process', address],
			['Section', section ? elidedName(section) : null],
			['Symbol', at.symbol_kind && make('span', {}, withOffset(at.symbol, at.symbol_offset), meaning ? ` (${meaning})` : '')],
			['Mapped at once', mapped && `${pagesText(mapped.pages)} from ${hexText(mapped.offset)}`],
			['Read from storage', read && `${pagesText(read.pages)} ${read.span > read.pages ? `among ${countText(read.span)} ` : ''}from ${hexText(read.offset)}`],
		]],
		['Why', [
			['Initiator', wordLine(data, 'initiator', words.initiator)],
			['Certainty', words.certainty ? wordLine(data, 'certainty', words.certainty) : null],
			['Initializer', initializer && make('span', {}, elidedName(`${initializer.array}[${initializer.index}] ${initializer.function || NAMELESS}`),
				initializer.source ? ` ${initializer.source}` : '')],
			['On whose behalf', blame && make('span', {}, elidedName(blame.function || NAMELESS), blame.object ? ` in ${lastPart(blame.object)}` : '')],
			['Inside dlopen', dlopen === null ? null : dlopen ? 'yes' : 'no'],
		]],
		['How', ['mechanism', 'kind', 'access', 'mode'].map((word) => [word[0].toUpperCase() + word.slice(1), wordLine(data, word, words[word])])],
		['When and who', [
			['Time', `${timeText(facts.time_ns)} after the start`],
			['Took', timeText(facts.own_ns ?? NaN) + (facts.late_ns ? `; waited ${timeText(facts.late_ns)} for a processor` : '')],
			['Process', `${facts.pid}`], ['Thread', make('span', {}, `${facts.tid} `, elidedName(facts.comm || ''))],
			['Stands for', facts.faults > 1 ? nounText(facts.faults, 'fault') : null],
		]],
	];
}

function codeOf(/** @type {FaultFacts} */ {by}) {
	if (!by)
		return [make('p', {}, 'No program instruction: the kernel touched the page.')];
	return [make('p', {}, placeLine(by)),
		by.instruction ? make('pre', {tabindex: '0', 'aria-label': 'Instruction'}, by.instruction) : null,
		by.inlined.length === 0 ? null : make('ul', {}, ...by.inlined.map((call) =>
			make('li', {}, 'inlined: ', elidedName(call.function || NAMELESS), call.source ? ` ${call.source}` : '')))];
}

/** The fault in one sentence. @param {Data} data @param {FaultFacts} facts */
function faultSentence(data, {own_ns: own, words, read, at, by}) {
	const time = words.kind === 'major' ? 'Waited' : 'Took';
	return [own === null ? 'A fault' : `${time} ${timeText(own)}`, read ? `for ${sizeText(read.pages * data.header.page_size)} of` : 'on',
		at.object ? lastPart(at.object) : 'memory that is not mapped', at.section ?? '', by?.function ? `by ${shortName(by.function)}` : '']
		.filter(Boolean).join(' ') + '.';
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

/** All that is known of a fault. @param {Data} data @param {Store} store @param {number} fault @returns {Node[]} */
function faultParts(data, store, fault) {
	const facts = faultFacts(data, fault);
	return [
		make('p', {class: 'headline'}, faultSentence(data, facts)),
		make('div', {class: 'facts-groups'}, ...groupsOf(data, facts).map(([title, pairs]) => make('div', {}, make('h3', {}, title), factList(pairs)))),
		make('h3', {}, 'Who touched it'), make('div', {class: 'code'}, ...codeOf(facts)),
		...facts.by ? codeParts(data, store, functionOf(data, fault), facts.by.within) : [],
		make('h3', {}, 'Call stack, innermost first'), stackOf(facts)];
}

/**
 * Details of the fault that is chosen, of whichever recording.
 * @param {Data[]} sides @param {Store} store @param {HTMLElement} element
 * @param {() => {title: string, parts: Node[]}} scopeOf what to tell without a fault
 * @param {(side: number, fault: number) => Node[]} [beside] what to say first of a fault
 */
export function makeDetail(sides, store, element, scopeOf, beside = () => []) {
	const heading = /** @type {HTMLElement} */ (element.querySelector('h2'));
	const body = make('div', {class: 'detail'});
	/** The side of which a fault is chosen; -1: none. */
	const chosenSide = () => store.sides.findIndex(({choice: {fault}}, side) => fault !== null && fault < sides[side].count);
	/** @param {number} side @param {1 | -1} step */
	const neighbour = (side, step) => {
		const {choice} = store.sides[side];
		return neighbourOf(sides[side], choice, choice.fault ?? 0, step, (i) => inRange(sides[side], choice, i));
	};
	/** @param {string} text @param {1 | -1} step */
	const stepper = (text, step) => make('button', {type: 'button', class: 'button', click: () => {
		const side = chosenSide();
		const to = side < 0 ? -1 : neighbour(side, step);
		if (to >= 0)
			chooseFault(sides[side], store.sides[side], to);
	}}, text);
	const previous = stepper('Previous', -1);
	const next = stepper('Next', 1);
	const hands = make('div', {class: 'detail-hands'}, previous, next,
		make('button', {type: 'button', class: 'button', click: () => store.set({fault: null})}, 'Close'));
	let cameFrom = finderOf(null);
	let isOpen = false;
	heading.tabIndex = -1;
	element.append(hands, body);
	element.addEventListener('keydown', (event) => {
		if (event.key !== 'Escape' || store.choice.fault === null)
			return;
		event.stopPropagation();
		store.set({fault: null});
	});

	const draw = (/** @type {boolean} */ movesFocus) => {
		const side = chosenSide();
		const hadFocus = element.contains(document.activeElement);
		hands.hidden = side < 0;
		element.classList.toggle('open', side >= 0);
		if (side < 0) {
			const {title, parts} = scopeOf();
			heading.textContent = title;
			body.replaceChildren(...parts);
			if (isOpen && hadFocus)
				cameFrom()?.focus();
			isOpen = false;
			return;
		}
		const fault = store.sides[side].choice.fault ?? 0;
		heading.textContent = `Fault ${countText(fault + 1)} of ${countText(sides[side].count)}`;
		previous.disabled = neighbour(side, -1) < 0;
		next.disabled = neighbour(side, 1) < 0;
		body.replaceChildren(...beside(side, fault), ...faultParts(sides[side], store.sides[side], fault));
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
		else if (['filter', 'search', 'process', 'time', 'place', 'object'].some((word) => changed.has(word)))
			draw(false);
	});
}
