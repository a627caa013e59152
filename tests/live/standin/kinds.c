// SPDX-License-Identifier: Apache-2.0
// The library.
#include "kinds.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>

#define DEFINE(at)                                \
	int64_t number_##at(int64_t a, int64_t b) \
	{                                         \
		return a * 1##at + b;             \
	}
THOUSAND(DEFINE)

v4 of_v4(v4 a, v4 b, v4 c, v4 d, v4 e, v4 f, v4 g, v4 h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

v8 of_v8(v8 a, v8 b, v8 c, v8 d, v8 e, v8 f, v8 g, v8 h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

v16 of_v16(v16 a, v16 b, v16 c, v16 d, v16 e, v16 f, v16 g, v16 h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

long double of_long_double(long double a, int b, long double c)
{
	return a * b - c;
}

double of_floats(float a, double b, float c, double d, float e, double f, float g, double h,
		 double i, double j)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

double of_variable(int count, ...)
{
	double sum = 0;
	va_list arguments;

	va_start(arguments, count);
	for (int i = 0; i < count; i++)
		sum += i % 2 ? va_arg(arguments, int) * (i + 1)
			     : va_arg(arguments, double) * (i + 1);
	va_end(arguments);
	return sum;
}

struct small of_small(struct small a, struct small b)
{
	return (struct small){ a.a - b.a, a.b - b.b };
}

struct mixed of_mixed(struct mixed a, struct mixed b)
{
	return (struct mixed){ a.a - b.a, a.b - b.b };
}

struct large of_large(int a, struct large b, int c)
{
	for (int i = 0; i < 12; i++)
		b.items[i] = b.items[i] * a + c;
	return b;
}

__int128 of_int128(__int128 a, __int128 b)
{
	return a * b;
}

int64_t of_twenty(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g,
		  int64_t h, int64_t i, int64_t j, int64_t k, int64_t l, int64_t m, int64_t n,
		  int64_t o, int64_t p, int64_t q, int64_t r, int64_t s, int64_t t)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
	       12 * l + 13 * m + 14 * n + 15 * o + 16 * p + 17 * q + 18 * r + 19 * s + 20 * t;
}

int sets_errno(int to)
{
	errno = to;
	return -1;
}

int keeps_errno(void)
{
	return errno;
}

void calls_back(void (*function)(void *), void *argument)
{
	function(argument);
}

int is_weak(void)
{
	return 7;
}

int count_calls(void)
{
	static atomic_int calls;

	return ++calls;
}

__asm__(".symver version_one, of_version@ONE");
int version_one(void)
{
	return 1;
}

__asm__(".symver version_two, of_version@@TWO");
int version_two(void)
{
	return 2;
}

static __attribute__((constructor)) void begin(void)
{
	fputs("the library begins\n", stderr);
}

static __attribute__((destructor)) void end(void)
{
	fputs("the library ends\n", stderr);
}
