// SPDX-License-Identifier: Apache-2.0
// What lies under a point of the tracks, and what there is to say of it.
import {faultLines} from '../details/faultfacts.js';
import {sizeText, timeText, shortName} from '../shared/format.js';
import {initializerLabel} from './processes.js';
import {FRAME_HEIGHT, frameLines} from './stacktrack.js';
import {headOfStacks} from './trackrows.js';
import {spanOf} from './view.js';
import {isSample} from '../selection/moments.js';
import {initializerName, textOf} from '../data/words.js';

/** What a lane shows at @x, or next to it: a fault, behind all of them a moment; of waits an index; -1: nothing. @param {Tracks} tracks @param {Track | undefined} track @param {number} x @param {number} pixels how far it may be */
function answerAt({cells: all, plot}, track, x, pixels) {
	const cells = track && all.get(track);
	if (!cells || x < plot.x)
		return -1;
	const ratio = cells.columns / Math.floor(plot.width);
	const column = Math.floor((x - plot.x) * ratio);
	for (let far = 0; far <= pixels * ratio; far++)
		for (const at of [column - far, column + far]) {
			const answer = cells.answerAt(at);
			if (answer >= 0)
				return answer;
		}
	return -1;
}

/** The wait of a file at (@x, @y); null: none. @param {Tracks} tracks @param {Track | undefined} track @param {number} x @param {number} pixels */
function waitAt(tracks, track, x, pixels) {
	return track?.kind === 'waits' ? track.files[track.side]?.waits[answerAt(tracks, track, x, pixels)] ?? null : null;
}

/** The fault of @track next to @x; -1: none. @param {Tracks} tracks @param {Track | undefined} track @param {number} x @param {number} pixels */
export function faultAt(tracks, track, x, pixels) {
	const answer = track?.kind === 'waits' ? waitAt(tracks, track, x, pixels)?.entry ?? -1 : answerAt(tracks, track, x, pixels);
	return track && answer < tracks.sides[track.side].data.count ? answer : -1;
}

/** What @moment was. @param {Data} data @param {number} moment @param {number} zero what times are told from, in ns @returns {string[]} */
function momentLines(data, moment, zero) {
	const {columns, header: {words}, unitNs} = data;
	const {moment_time: at, moment_length: lengths, moment_own: owns, moment_state: states, moment_wait: waits} = columns;
	const isComputing = isSample(data, moment);
	const own = owns[moment] * unitNs;
	const late = (lengths[moment] - owns[moment]) * unitNs;
	const name = textOf(data, moment, 'function', data.moments);
	const state = words.state[states[moment]];
	return [
		`${textOf(data, moment, 'initiator', data.moments)}: ${isComputing ? 'computing' : state === 'wait' ? `waiting (${words.wait[waits[moment]]})` : 'waiting for storage'}`,
		name ? `in ${shortName(name)}` : '',
		isComputing ? `a sample, which stands for ${timeText(own)}` : `${timeText(own)}${late > 0 ? `, then ${timeText(late)} for a processor` : ''}`,
		`at ${timeText(at[moment] * unitNs - zero)}`,
	].filter(Boolean);
}

/** The phase, or the runs of initializers, at @x; of other tracks their whole names. @param {Tracks} tracks @param {Track} track @param {number} x @returns {string[]} */
function spanLines(tracks, track, x) {
	const {plot} = tracks;
	const side = tracks.sides[track.side];
	const {data} = side;
	if (x < plot.x)
		return track.kind === 'waits' ? [track.files.find(Boolean)?.name ?? ''] : track.kind === 'thread' ? track.lanes?.process.threads.slice(track.index, track.index + 1)
			.map(({name, tid}) => `${name} ${tid}`) ?? [] : [];
	const [first, end] = side.timeShown();
	const time = side.scale.timeAt(x - plot.x) / data.unitNs;
	const slack = 2 / plot.width * (end - first);
	const isNear = (/** @type {{first: number, end: number}} */ span) => time >= span.first - slack && time < span.end + slack;
	const when = (/** @type {{first: number, end: number}} */ span) =>
		`${timeText((span.end - span.first) * data.unitNs)} from ${timeText(span.first * data.unitNs - spanOf(data)[0])}`;
	if (track.kind === 'phases')
		return (track.lanes?.phases ?? []).filter(isNear).slice(-1).map((span) => `${span.name}: ${when(span)}`);
	if (track.kind !== 'initializers')
		return [];
	const near = (track.lanes?.runs ?? []).filter((run) => run.depth === track.depth && isNear(run)).sort((a, b) => b.end - b.first - (a.end - a.first));
	return near.slice(0, 1).flatMap((run) => [shortName(initializerName(data, run.initializer)), initializerLabel(data, run.initializer),
		`${when(run)}${run.bytes > 0 ? `, ${sizeText(run.bytes)} read` : ''}`, near.length > 1 ? `longest of ${near.length} here` : ''].filter(Boolean));
}

/** What to say of (@x, @y) of the canvas; none: nothing. @param {Tracks} tracks @param {number} x @param {number} y @returns {string[]} */
export function linesAt(tracks, x, y) {
	const file = tracks.fileAt(y);
	const track = tracks.trackAt(y);
	if (file)
		return file.linesAt(x, y);
	if (!track)
		return [];
	const {data} = tracks.sides[track.side];
	const node = tracks.frames.get(track)?.[Math.floor((y - track.y - headOfStacks(track)) / FRAME_HEIGHT)]?.[Math.floor(x - tracks.plot.x)];
	if (node)
		return frameLines(data, node);
	const fault = faultAt(tracks, track, x, 3);
	if (fault >= 0)
		return faultLines(data, fault);
	const zero = spanOf(data)[0];
	const wait = waitAt(tracks, track, x, 3);
	if (wait)
		return [`${data.header.words.initiator[wait.initiator]}: waiting for storage`, `${sizeText(wait.bytes)} read${wait.section ? ` of ${wait.section}` : ''}`,
			`${timeText(wait.own * data.unitNs)} at ${timeText(wait.first * data.unitNs - zero)}`];
	const answer = answerAt(tracks, track, x, 3);
	return answer >= data.count ? momentLines(data, answer - data.count, zero) : spanLines(tracks, track, x);
}
