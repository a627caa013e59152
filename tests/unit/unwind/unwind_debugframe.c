// SPDX-License-Identifier: Apache-2.0
// Built by meson without .eh_frame, so that only .debug_frame tells how to unwind through it.

int unwind_debugframe_outer(void (*callback)(void), int depth);

static __attribute__((noinline)) int inner(void (*callback)(void), int depth)
{
	volatile char room[200];

	room[depth] = 1;
	callback();
	return room[depth];
}

int unwind_debugframe_outer(void (*callback)(void), int depth)
{
	volatile char room[72];

	room[depth] = 2;
	return inner(callback, depth) + room[depth];
}
