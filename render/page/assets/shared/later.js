// SPDX-License-Identifier: Apache-2.0
// Views below the first screen are made when they come into sight, or when nothing else is to be done.

/** Call @build once: when @element comes near the screen, before printing, or when the page is idle. @param {Element} element @param {() => void} build */
export function buildLater(element, build) {
	let isBuilt = false;
	const once = () => {
		if (isBuilt)
			return;
		isBuilt = true;
		observer.disconnect();
		build();
	};
	const observer = new IntersectionObserver((entries) => {
		if (entries.some((entry) => entry.isIntersecting))
			once();
	}, {rootMargin: '300px'});
	observer.observe(element);
	addEventListener('beforeprint', once);
	requestIdleCallback(once, {timeout: 4000});
}

/**
 * Call @draw some time after any of @words changed: once, when the reader pauses. For what would
 * make zooming slow.
 * @param {Listened} store @param {string[]} words @param {() => void} draw
 */
export function drawOnPause(store, words, draw) {
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let timer;
	store.listen((changed) => {
		if (!words.some((word) => changed.has(word)))
			return;
		clearTimeout(timer);
		timer = setTimeout(draw, 80);
	});
}
