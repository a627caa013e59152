// SPDX-License-Identifier: Apache-2.0
// Functions of every way to pass arguments: what stands between caller and callee has to leave all
// of it as it is.
#pragma once

#include <complex.h>
#include <stdarg.h>
#include <stdint.h>

typedef int v4 __attribute__((vector_size(16)));
typedef int v8 __attribute__((vector_size(32)));
typedef int v16 __attribute__((vector_size(64)));
struct small {
	int32_t a;
	float b;
};
struct mixed {
	double a;
	int64_t b;
};
struct large {
	int64_t items[12];
};

/** A thousand functions of integers. */
// clang-format off
#define TEN(do, at) \
	do(at##0) do(at##1) do(at##2) do(at##3) do(at##4) do(at##5) do(at##6) do(at##7) do(at##8) do(at##9)
#define HUNDRED(do, at) \
	TEN(do, at##0) TEN(do, at##1) TEN(do, at##2) TEN(do, at##3) TEN(do, at##4) \
	TEN(do, at##5) TEN(do, at##6) TEN(do, at##7) TEN(do, at##8) TEN(do, at##9)
#define THOUSAND(do) \
	HUNDRED(do, 0) HUNDRED(do, 1) HUNDRED(do, 2) HUNDRED(do, 3) HUNDRED(do, 4) \
	HUNDRED(do, 5) HUNDRED(do, 6) HUNDRED(do, 7) HUNDRED(do, 8) HUNDRED(do, 9)
// clang-format on

#ifdef __cplusplus
extern "C" {
#endif
#define DECLARE(at) int64_t number_##at(int64_t a, int64_t b);
THOUSAND(DECLARE)
v4 of_v4(v4 a, v4 b, v4 c, v4 d, v4 e, v4 f, v4 g, v4 h);
__attribute__((target("avx2"))) v8 of_v8(v8 a, v8 b, v8 c, v8 d, v8 e, v8 f, v8 g, v8 h);
__attribute__((target("avx512f"))) v16 of_v16(v16 a, v16 b, v16 c, v16 d, v16 e, v16 f, v16 g,
					      v16 h);
long double of_long_double(long double a, int b, long double c);
double of_floats(float a, double b, float c, double d, float e, double f, float g, double h,
		 double i, double j);
double of_variable(int count, ...);
struct small of_small(struct small a, struct small b);
struct mixed of_mixed(struct mixed a, struct mixed b);
struct large of_large(int a, struct large b, int c);
__int128 of_int128(__int128 a, __int128 b);
int64_t of_twenty(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g,
		  int64_t h, int64_t i, int64_t j, int64_t k, int64_t l, int64_t m, int64_t n,
		  int64_t o, int64_t p, int64_t q, int64_t r, int64_t s, int64_t t);
int sets_errno(int to), keeps_errno(void);
void calls_back(void (*function)(void *), void *argument);
int of_version(void), is_weak(void) __attribute__((weak)), is_not_there(void) __attribute__((weak));
int count_calls(void);
#ifdef __cplusplus
}
#endif
