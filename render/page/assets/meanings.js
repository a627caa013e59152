// SPDX-License-Identifier: Apache-2.0
// One sentence for each word that a fault can have.

/** @type {Object<string, Object<string, string>>} */
const MEANINGS = {
	kind: {
		minor: 'nothing was waited for: the page was in memory already',
		major: 'storage was waited for',
	},
	access: {
		read: 'the instruction read a byte of the page',
		write: 'the instruction wrote to the page',
		exec: 'the page holds the instruction itself',
		unknown: 'neither the kernel nor the instruction tells',
	},
	mode: {
		user: 'the program itself touched the page',
		kernel: 'the kernel touched it on the program’s behalf',
	},
	mechanism: {
		'file-map': 'a page of the file in the page cache was mapped',
		'private-write': 'the first write to a private page of a file: read and copied in one fault',
		'cow-break': 'a write to a private page that was mapped for reading: copied',
		'zero-fill': 'a new page of zeroes',
		'fork-cow': 'a write to a page shared with a forked process: copied',
		other: 'shared memory, swap, huge pages or the like',
	},
	initiator: {
		exec: 'the kernel, building the new program',
		loader: 'the dynamic linker’s own work: reading headers, mapping files',
		'symbol-lookup': 'the dynamic linker looking up a name in symbol and hash tables',
		relocation: 'relocations being applied: their tables read, their targets written',
		ifunc: 'a function that chooses an implementation for this processor',
		'tls-setup': 'a thread’s local variables being set up',
		'lazy-binding': 'a function being bound at its first call',
		'static-init': 'an initializer that runs before main, and all that it calls',
		'static-fini': 'a function that runs at exit',
		unwind: 'exception handling reading its tables',
		startup: 'between the entry point and main, outside all of the above',
		program: 'main and everything else',
		unknown: 'none could be shown',
	},
	certainty: {
		stack: 'the call stack shows the initiator',
		rule: 'address, section and relocations show it, no call stack',
	},
	symbol_kind: {
		symbol: 'a symbol covers the byte',
		entry: 'named as an entry of a table',
		pointee: 'named by what the slot points to',
	},
};

/** @param {string} word @param {string} value @returns {string} '' where nothing is to be said */
export function meaningOf(word, value) {
	const meanings = MEANINGS[word];
	return meanings && Object.hasOwn(meanings, value) ? meanings[value] : '';
}
