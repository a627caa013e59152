// SPDX-License-Identifier: Apache-2.0
// Results as meson reads them.

/** @type {{name: string, run: () => Promise<void>}[]} */
const tests = [];

/** @param {string} name a sentence @param {() => Promise<void>} run throws when the sentence is wrong */
export function test(name, run) {
	tests.push({name, run});
}

/** Run all whose name has @words; true if all passed. @param {string} [words] */
export async function runTests(words) {
	const chosen = tests.filter(({name}) => !words || name.includes(words));
	console.log(`1..${chosen.length}`);
	let passed = true;
	for (const [i, {name, run}] of chosen.entries()) {
		try {
			await run();
			console.log(`ok ${i + 1} - ${name}`);
		} catch (error) {
			passed = false;
			console.log(`not ok ${i + 1} - ${name}`);
			for (const line of String(error instanceof Error ? error.stack : error).split('\n').slice(0, 40))
				console.log(`# ${line.slice(0, 600)}`);
		}
	}
	return passed;
}
