// SPDX-License-Identifier: Apache-2.0
// The choice in the page's address: a link restores it, and Back takes back one act.

/** Moves through time and place that follow each other faster than this are one act, in ms. */
const ONE_ACT = 700;
/** What changes on the way while a picture is moved or a word is typed. */
const MOVING = new Set(['time', 'place', 'search']);

/** Keep @store and the address the same. @check is called after the store took over an address. @param {Store} store @param {() => void} check */
export function followHash(store, check) {
	let isRestoring = false;
	let lastMove = -Infinity;
	const restore = () => {
		isRestoring = true;
		store.restore(location.hash);
		check();
		isRestoring = false;
	};
	restore();
	store.listen((changed) => {
		if (isRestoring)
			return;
		const isMove = [...changed].every((word) => MOVING.has(word));
		const now = performance.now();
		const isSameAct = isMove && now - lastMove < ONE_ACT;
		lastMove = isMove ? now : -Infinity;
		history[isSameAct ? 'replaceState' : 'pushState'](null, '', '#' + store.hash());
	});
	addEventListener('hashchange', restore);
}
