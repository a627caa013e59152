// SPDX-License-Identifier: Apache-2.0
// Calls all of it, the first time and once more, and prints what it gets.
#include "kinds.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 16 };

int version_one_of_it(void);
__asm__(".symver version_one_of_it, of_version@ONE");

static void print_bytes(const char *what, const void *bytes, size_t size)
{
	printf("%s", what);
	for (size_t i = 0; i < size; i++)
		printf(" %02x", ((const unsigned char *)bytes)[i]);
	printf("\n");
}

#define PRINT(what, ...)                                       \
	do {                                                   \
		__typeof__(__VA_ARGS__) value = (__VA_ARGS__); \
		print_bytes(what, &value, sizeof(value));      \
	} while (0)

__attribute__((target("avx2"))) static void call_avx2(void)
{
	v8 a[8];

	for (int i = 0; i < 64; i++)
		a[i / 8][i % 8] = i * i;
	PRINT("of_v8", of_v8(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]));
}

__attribute__((target("avx512f"))) static void call_avx512(void)
{
	v16 a[8];

	for (int i = 0; i < 128; i++)
		a[i / 16][i % 16] = i * i;
	PRINT("of_v16", of_v16(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]));
}

static void call_kinds(void)
{
	v4 a[8];
	struct large large = { { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 } };
	long double longer = of_long_double(1.25L, 3, -0.125L);

	for (int i = 0; i < 32; i++)
		a[i / 4][i % 4] = i * i;
	PRINT("of_v4", of_v4(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]));
	if (__builtin_cpu_supports("avx2"))
		call_avx2();
	if (__builtin_cpu_supports("avx512f"))
		call_avx512();
	printf("of_long_double %.20Lg\n", longer);
	PRINT("of_floats", of_floats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
	PRINT("of_variable", of_variable(12, 1.5, 2, 3.5, 4, 5.5, 6, 7.5, 8, 9.5, 10, 11.5, 12));
	PRINT("of_small", of_small((struct small){ 9, 1.5f }, (struct small){ 4, 0.25f }));
	PRINT("of_mixed", of_mixed((struct mixed){ 9.5, 77 }, (struct mixed){ 4.25, 8 }));
	PRINT("of_large", of_large(3, large, 5));
	PRINT("of_int128", of_int128((__int128)1 << 80, -12345));
	PRINT("of_twenty",
	      of_twenty(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20));
	errno = 42;
	PRINT("keeps_errno", keeps_errno());
	PRINT("sets_errno", sets_errno(17));
	PRINT("errno", errno);
	PRINT("of_version", of_version());
	PRINT("of_version@ONE", version_one_of_it());
	PRINT("is_weak", is_weak ? is_weak() : 0);
	PRINT("is_not_there", is_not_there ? is_not_there() : 0);
}

static void *call_numbers(void *start)
{
	int64_t sum = 0;

	pthread_barrier_wait(start);
	count_calls();
#define CALL(at) sum = sum * 3 + number_##at(sum, 1##at);
	THOUSAND(CALL)
	return (void *)sum;
}

static volatile sig_atomic_t ticks;

static void tick(int signal)
{
	ticks++;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	pthread_barrier_t start;
	struct itimerval often = { { 0, 200 }, { 0, 200 } };
	void *sum;
	int status;

	// In a child first: it opens the library, and this process after it does so by itself.
	if (argc > 1 && strcmp(argv[1], "fork") == 0 && fork() == 0) {
		printf("child %" PRId64 "\n", number_123(2, 3));
		return 0;
	}
	while (wait(&status) > 0)
		;
	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &often, NULL);
	pthread_barrier_init(&start, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, call_numbers, &start);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &sum);
		PRINT("numbers", sum);
	}
	PRINT("count_calls", count_calls());
	call_kinds();
	call_kinds();
	return 0;
}
