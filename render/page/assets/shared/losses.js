// SPDX-License-Identifier: Apache-2.0
// What a recording lacks, in sentences.
import {make} from './dom.js';
import {countText, nounText, timeText} from './format.js';

/** As analyze says it of the faults without a call stack. @param {{without_stack: number, without_stack_unknown: number}} counts */
function unknownText({without_stack: all, without_stack_unknown: unknown}) {
	const their = all === 1 ? 'its initiator is' : 'their initiators are';
	if (unknown === 0 || unknown === all)
		return `${their} ${unknown === 0 ? 'known' : 'unknown'}`;
	return `${countText(unknown)} of their initiators ${unknown === 1 ? 'is' : 'are'} unknown`;
}

/** What was lost or left out, worst first; each is a sentence. @param {Data} data */
export function lossesOf(data) {
	const {counts, trace, missing, faults, filter, is_narrowed: isNarrowed} = data.header;
	return [
		counts.missing > 0 ? `The recording is incomplete, so all counts are too low: ${missing}.` : '',
		counts.call_unsampled > 0 ? `${nounText(counts.call_unsampled, 'more fault')} in system calls such as mlock raised no event.` : '',
		trace.truncated ? 'The trace is incomplete: it ends before the recording did.' : '',
		counts.unattributed > 0 ? `${nounText(counts.unattributed, 'fault')} in memory without a known mapping.` : '',
		counts.lost_other > 0 ? `${nounText(counts.lost_other, 'other event')} lost: some addresses may have wrong names.` : '',
		counts.without_stack > 0 ? `${nounText(counts.without_stack, 'fault')} without a call stack; ${unknownText(counts)}.` : '',
		faults.merged ? `${countText(faults.total)} faults were merged into ${countText(faults.count)} marks.` : '',
		isNarrowed ? `This page has only part of the recording${filter ? `: ${filter}` : ''}.` : '',
	].filter((text) => text !== '');
}

/** More lines than these scroll. */
const NOTES_SEEN = 5;

/** Losses and notes, folded; as a warning where faults are missing. @param {string} title @param {string[]} losses @param {string[]} notes @param {boolean} isLossy */
export function foldedNotes(title, losses, notes, isLossy) {
	const text = [title, isLossy ? 'incomplete' : 'complete', notes.length > 0 ? nounText(notes.length, 'note') : '',
		losses.length > 0 ? nounText(losses.length, 'loss').replace(/losss$/, 'losses') : ''].filter(Boolean).join(', ');
	const lines = [...losses.length > 0 ? losses : ['No faults were lost.'], ...notes.map((note) => `Note: ${note}`)];
	// What scrolls is to be reached by keys.
	const list = make('div', {class: isLossy ? 'notes warn' : 'notes', role: 'note', 'aria-label': 'Losses and notes',
		tabindex: lines.length > NOTES_SEEN ? '0' : null}, make('ul', {}, ...lines.map((line) => make('li', {}, line))));
	return make('details', {class: 'fold', id: 'notes'}, make('summary', {class: isLossy ? 'warn' : ''}, text), make('div', {class: 'menu'}, list));
}

export function notesOf(/** @type {Data} */ data) {
	const {account, counts, trace, notes} = data.header;
	const recording = account ? account.recording_ns : 0;
	return foldedNotes(recording > 0 ? `recording added ${timeText(recording)}` : '', lossesOf(data), notes, counts.missing > 0 || !trace.complete);
}
