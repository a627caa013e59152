// SPDX-License-Identifier: Apache-2.0
// A trace in its text form, read and written so that everything comes so many times as late, counted from its start, and
// faults and all that the kernel has counted take so many times as long.
//   slower.js TIMES <TEXT >TEXT
import {readFileSync} from 'node:fs';

const times = Number(process.argv[2]);
const text = readFileSync(0, 'utf8');
const start = Number(/^meta .* start=(\d+)/m.exec(text)?.[1]);
const later = (/** @type {string} */ at) => String(start + (Number(at) - start) * times);
process.stdout.write(text.replace(/(?<=^\w+ (?:time|end)=|^pause .* (?:woken|back)=)\d+/gm, later)
	.replace(/(?<=^fault .* duration=|^pause .* (?:runtime|delay)=)\d+/gm, (duration) => String(Number(duration) * times)));
