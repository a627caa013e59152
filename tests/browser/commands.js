// SPDX-License-Identifier: Apache-2.0
// Other programs, beside which pages go on: what blocks this process lets the other test's waits run out.
import {execFile} from 'node:child_process';
import {promisify} from 'node:util';

const execute = promisify(execFile);

/** What @command prints; throws with all of it when it fails. @param {string} command @param {string[]} words */
export async function outputOf(command, ...words) {
	try {
		return (await execute(command, words, {maxBuffer: 2 ** 30})).stdout;
	} catch (error) {
		const {message, stdout} = /** @type {Error & {stdout: string}} */ (error);
		throw new Error(`${message}\n${stdout}`);
	}
}

/** @param {string[]} words */
export const elfault = (...words) => outputOf(process.env.ELFAULT ?? 'elfault', ...words);
