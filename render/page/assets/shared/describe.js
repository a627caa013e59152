// SPDX-License-Identifier: Apache-2.0
// One fault in a few lines: what was touched, who touched it and why.
import {LANE_FILE, LANE_MEMORY} from '../data/data.js';
import {countText, hexText, shortName, sizeText, timeText} from './format.js';
import {textOf} from '../data/words.js';

/** Where entry @i touched: an offset in a file, or an address. @param {Data} data @param {number} i */
export function placeText(data, i) {
	const lane = data.of(i, 'lane');
	const pageSize = data.header.page_size;
	const byte = data.columns.byte[i];
	if (lane === LANE_FILE)
		return `offset ${hexText(data.page[i] * pageSize + byte)}`;
	if (lane === LANE_MEMORY)
		return `address ${hexText(data.memoryPage(data.page[i]) * pageSize + byte)}`;
	return `address in the file's memory ${hexText(data.page[i] * pageSize + byte)}`;
}

/** @param {Data} data @param {number} i @returns {string[]} the most important first */
export function faultLines(data, i) {
	const word = (/** @type {string} */ name) => textOf(data, i, name);
	const by = word('function');
	const blame = word('blame');
	const late = data.late[i];
	const around = data.columns.around_pages[i];
	const weight = data.weight(i);
	const read = data.readBy(i);
	return [
		`${word('initiator')}: ${word('object')} ${word('section')}`,
		shortName(word('symbol')) || placeText(data, i),
		by ? `by ${shortName(by)}` : '',
		blame && blame !== by ? `for ${shortName(blame)}` : '',
		word('initializer') ? `in ${shortName(word('initializer'))}` : '',
		`${word('kind')}, ${word('access')}, ${word('mechanism')}`
			+ (around > 1 ? `; ${around} pages mapped at once` : '')
			+ (read ? `; ${sizeText(read.pages * data.header.page_size)} read` : ''),
		`at ${timeText(data.timeNs(i))}` + (!data.isTimed(i) ? '' : `, took ${timeText(data.own[i])}${late > 0 ? `; waited ${timeText(late)} for a processor` : ''}`)
			+ `, ${word('thread')}`,
		weight > 1 ? `${countText(weight)} merged faults` : '',
	].filter((line) => line !== '');
}
