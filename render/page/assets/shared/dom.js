// SPDX-License-Identifier: Apache-2.0
// Making elements. Text becomes text nodes only, so that no name of a trace can become markup, and
// all of it can be seen.
import {visibleText} from './visible.js';

/**
 * An element with @attributes and @children. An attribute that is false or null is left out; one
 * that is a function listens to the event of its name.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Object<string, any>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (typeof value === 'function')
			element.addEventListener(name, value);
		else if (value !== false && value !== null && value !== undefined)
			element.setAttribute(name, value === true ? '' : String(value));
	}
	for (const child of children)
		if (child !== null)
			element.append(typeof child === 'string' ? visibleText(child) : child);
	return element;
}

/** The element with @id, which page.html has. @param {string} id @returns {HTMLElement} */
export function byId(id) {
	const element = document.getElementById(id);
	if (!element)
		throw new Error(`no element ${id}`);
	return element;
}
