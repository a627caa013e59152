// SPDX-License-Identifier: Apache-2.0
// Files that the page offers to keep.
import {make} from './dom.js';

/** A name that every file system takes. @param {string} name @param {string} extension */
export function fileNameOf(name, extension) {
	return `elfault-${name.replace(/[^\w.-]+/g, '_').slice(0, 60)}${extension}`;
}

/** Offer @blob as a file. @param {Blob} blob @param {string} name */
export function saveBlob(blob, name) {
	const link = make('a', {href: URL.createObjectURL(blob), download: name});
	link.click();
	// The browser reads it after this returns.
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
