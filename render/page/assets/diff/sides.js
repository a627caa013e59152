// SPDX-License-Identifier: Apache-2.0
// The two sides of a comparison, as indexes.

export const BEFORE = 0;
export const AFTER = 1;
export const SIDE_NAMES = ['before', 'after'];
