// SPDX-License-Identifier: Apache-2.0
// What the page's modules make of what twins.c printed, held against what C made of it. TAP on stdout.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {shareOut} from './tracks/bands.js';
import {FileAxis} from './tracks/fileaxis.js';
import {csvField} from './data/csv.js';
import {readData} from './data/data.js';
import {makePages, pageShares} from './shared/pages.js';
import {TimeScale, busyOf, gapsWithin, timeOfBusy} from './tracks/timescale.js';

const twins = JSON.parse(readFileSync(process.argv[2], 'utf8'));

/** Pages are drawn by the thousandth of a row. */
const NEAR = 0.001;

const pairsOf = (/** @type {number[]} */ list) => list.flatMap((value, i) => i % 2 ? [] : [[value, list[i + 1]]]);

function gapsLeaveOutTheSame() {
	for (const {first, last, length, gap_length: gapLength, gaps, limit, places, ticks} of twins.axes) {
		const scale = new TimeScale(first, last, length, pairsOf(gaps), gapLength);
		const name = JSON.stringify({first, last, length, gapLength, gaps, limit});
		for (const [time, place] of pairsOf(places)) {
			assert.ok(Math.abs(scale.place(time) - place) < NEAR, `${name}: ${time} lies at ${place}, not ${scale.place(time)}`);
			if (gapLength > 0)
				assert.ok(Math.abs(scale.place(scale.timeAt(place)) - place) < NEAR, `${name}: ${place} is ${time}, not ${scale.timeAt(place)}`);
		}
		assert.deepEqual(scale.ticks(limit).map(({label}) => label), ticks, name);
	}
}

function timeWithoutGapsLeadsBack() {
	for (const {first, last, gaps: list} of twins.axes) {
		const gaps = pairsOf(list);
		for (let time = first; time <= last; time += (last - first) / 37) {
			const isIdle = gaps.some(([from, to]) => time >= from && time <= to);
			const back = timeOfBusy(gaps, busyOf(gaps, time), true);
			assert.ok(isIdle ? gaps.some(([from]) => Math.abs(back - from) < 1) : Math.abs(back - time) < 1, `${time} in ${list} became ${back}`);
		}
	}
}

function gapsThatPicturesFindAreShown() {
	for (const {gaps, first, end} of twins.found)
		assert.deepEqual(gapsWithin(pairsOf(gaps), first, end), pairsOf(gaps));
}

function roomIsSharedOutAlike() {
	for (const {weights, minima, total, shares} of twins.shares)
		assert.deepEqual(shareOut(weights, minima, total), shares, JSON.stringify({weights, minima, total}));
}

function fieldsOfCsvAreThoseOfAnalyze() {
	for (const {name, field} of twins.fields)
		assert.equal(csvField(name), field);
	assert.deepEqual([-1.5, 0, null, undefined].map(csvField), ['-1.5', '0', '', '']);
}

/** @param {(data: any, picture: any, name: string) => void} check */
async function ofEachPicture(check) {
	for (const [index, {block, pictures}] of twins.models.entries()) {
		const data = await readData({textContent: block, remove() {}});
		for (const picture of pictures)
			check(data, picture, `model ${index}, object ${picture.object}`);
	}
}

const bandsAndRoomsAreThoseOfPictures = () => ofEachPicture((data, {object, height, rows}, name) => {
	const {page_size: pageSize} = data.header;
	const made = new FileAxis([data], [object]).sides[0].rows(null, height).map(({kind, label, first, end, faults, top, height: room}) =>
		({kind, label, first: kind === 2 ? 0 : first * pageSize, end: kind === 2 ? 0 : end * pageSize, faults, top, height: room}));
	assert.deepEqual(made, rows, name);
});

const faultsLieWherePicturesHaveThem = () => ofEachPicture((data, {object, height, points}, name) => {
	const {bands, rows} = new FileAxis([data], [object]).sides[0];
	const made = rows(null, height);
	points.forEach(({fault: i, row, at}) => {
		const band = bands.bandOf[i];
		const {first, end, firstBand, endBand} = made[row];
		assert.ok(band >= firstBand && band < endBand, `${name}, fault ${i} is in row ${row}, not band ${band}`);
		const part = (bands.items[band].first + bands.at[i] - first) / (end - first);
		assert.ok(Math.abs(part - at) < NEAR, `${name}, fault ${i} lies at ${at}, not ${part}`);
	});
});

const pagesHaveTheSameStates = () => ofEachPicture((data, {object, totals, stretches}, name) => {
	if (!totals)
		return;
	const {page_size: pageSize} = data.header;
	const pages = makePages(data, object);
	assert.deepEqual(pages.totals, totals, name);
	for (const {start, length, shares} of stretches)
		for (const [state, share] of pageShares(pages, start / pageSize, (start + length) / pageSize).entries())
			assert.ok(Math.abs(share - shares[state]) < NEAR, `${name}, ${length} bytes from ${start} on: ${share} is not ${shares[state]}`);
});

const tests = {gapsLeaveOutTheSame, timeWithoutGapsLeadsBack, gapsThatPicturesFindAreShown, roomIsSharedOutAlike,
	bandsAndRoomsAreThoseOfPictures, faultsLieWherePicturesHaveThem, pagesHaveTheSameStates, fieldsOfCsvAreThoseOfAnalyze};
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
