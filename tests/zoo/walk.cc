// SPDX-License-Identifier: Apache-2.0
// The program behind most kinds of the zoo: 350 pages, each touched once by a function known by
// name. All of .bss has less than 2 MiB, so that no huge page takes the place of several.
#include <cstddef>
#include <cstdio>

#define APART __attribute__((noinline, noclone))

namespace zoo {

alignas(4096) char pages[360 * 4096];
// Relocated where the program is position independent: .data.rel.ro.
extern const char *const table[64];
const char *const table[64] = { pages, pages + 4096 };
thread_local int per_thread = 5;

static inline __attribute__((always_inline)) void touch_inline(size_t page)
{
	*(volatile char *)(pages + page * 4096) = 1;
}

APART void walk_one()
{
	for (size_t i = 0; i < 100; i++)
		touch_inline(i);
}

static APART void walk_two(size_t first)
{
	for (size_t i = first; i < first + 200; i++)
		touch_inline(i);
}

// Alike, so that a linker may fold them.
APART int same_one(int value)
{
	return value * 17 + 4;
}

APART int same_two(int value)
{
	return value * 17 + 4;
}

template <typename T> APART T twice(T value)
{
	return value + value;
}

__attribute__((cold)) APART int too_much(int value)
{
	return std::fprintf(stderr, "%d is too much\n", value);
}

// In two parts, where the compiler or BOLT splits off what is cold.
APART int parts(int value)
{
	if (value > 1000) {
		value -= too_much(value);
		value ^= too_much(value + 1);
	}
	return value + per_thread;
}

struct First {
	APART First()
	{
		for (size_t i = 300; i < 350; i++)
			touch_inline(i);
	}
} first;

} // namespace zoo

extern "C" APART int plain_name(int value)
{
	return value ^ 21;
}

int main(int argc, char **)
{
	zoo::walk_one();
	zoo::walk_two((size_t)argc + 99);
	std::printf("%d\n", zoo::same_one(argc) + zoo::same_two(argc) + zoo::twice(argc) +
				    (int)zoo::twice(2.5) + zoo::parts(argc) + plain_name(argc) +
				    *zoo::table[1]);
	return 0;
}
