// SPDX-License-Identifier: Apache-2.0
// One sentence for each word that a fault can have.

/** @import {Data} from '../data/data.js' */

/** @param {Data} data @param {string} word @param {string | null} value @returns {string} '' where nothing is to be said */
export function meaningOf(data, word, value) {
	return data.header.meanings[word]?.[data.header.words[word].indexOf(value)] ?? '';
}
