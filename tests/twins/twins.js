// SPDX-License-Identifier: Apache-2.0
// What the page's modules make of what twins.c printed, held against what C made of it. TAP on stdout.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {shareOut, sizeTicks, timeTicks} from './scale.js';

const twins = JSON.parse(readFileSync(process.argv[2], 'utf8'));

function ticksAreThoseOfPictures() {
	for (const {is_time: isTime, first, last, limit, ticks} of twins.ticks)
		assert.deepEqual((isTime ? timeTicks : sizeTicks)(first, last, limit), ticks, `${first} to ${last}, ${limit}`);
}

function roomIsSharedOutAlike() {
	for (const {weights, minima, total, shares} of twins.shares)
		assert.deepEqual(shareOut(weights, minima, total), shares, JSON.stringify({weights, minima, total}));
}

const tests = {ticksAreThoseOfPictures, roomIsSharedOutAlike};
console.log(`1..${Object.keys(tests).length}`);
for (const [index, [name, test]] of Object.entries(tests).entries()) {
	const sentence = name.replace(/[A-Z]/g, (letter) => ' ' + letter.toLowerCase());
	try {
		await test();
		console.log(`ok ${index + 1} - ${sentence}`);
	} catch (error) {
		console.log(`not ok ${index + 1} - ${sentence}\n${String(error).replace(/^/gm, '# ')}`);
		process.exitCode = 1;
	}
}
