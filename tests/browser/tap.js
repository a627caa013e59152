// SPDX-License-Identifier: Apache-2.0
// Results as meson reads them.

/** So long something may take on a busy machine before it is taken for never happening. What computes in this process
 * blocks it: there the waits of a test beside it run out as well. */
export const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 300000);

/** @type {{name: string, run: () => Promise<void>}[]} */
const tests = [];

/** @param {string} name a sentence @param {() => Promise<void>} run throws when the sentence is wrong */
export function test(name, run) {
	tests.push({name, run});
}

/** What @run comes to, as lines to print. @param {string} title @param {() => Promise<void>} run */
async function outcomeOf(title, run) {
	try {
		await run();
		return {passed: true, lines: [`ok ${title}`]};
	} catch (error) {
		const text = String(error instanceof Error ? error.stack : error);
		return {passed: false, lines: [`not ok ${title}`,
			...text.split('\n').slice(0, 40).map((line) => `# ${line.slice(0, 600)}`)]};
	}
}

/** Run all whose name has @words, @lanes at once, and print the outcomes in their order; true if all passed. @param {number} lanes @param {string} [words] */
export async function runTests(lanes, words) {
	const chosen = tests.filter(({name}) => !words || name.includes(words));
	console.log(`1..${chosen.length}`);
	/** @type {Awaited<ReturnType<typeof outcomeOf>>[]} */
	const outcomes = [];
	let next = 0;
	let printed = 0;
	const lane = async () => {
		while (next < chosen.length) {
			const i = next++;
			outcomes[i] = await outcomeOf(`${i + 1} - ${chosen[i].name}`, chosen[i].run);
			for (; outcomes[printed]; printed++)
				console.log(outcomes[printed].lines.join('\n'));
		}
	};
	await Promise.all(Array.from({length: lanes}, lane));
	return outcomes.every(({passed}) => passed);
}
