// SPDX-License-Identifier: Apache-2.0
// The other oom(): where base/oom.c ends the program, this one unwinds the stack, as C++ would for
// an exception and pthread_exit() does. Cleanups of all scopes run, so that nothing has to check
// each allocation, and nothing that a scope owns leaks.
#include "libelfmap/guard.h"

#include "base/arena.h"

#include <errno.h>
#include <setjmp.h>
#include <stdint.h>
#include <unwind.h>

struct guard {
	struct _Unwind_Exception exception;
	jmp_buf back;
};

// Not allocated at first use, as TLS of a dlopen()ed library otherwise is: that may fail, and then
// glibc ends the process.
static _Thread_local struct guard *current __attribute__((tls_model("initial-exec")));

/** Asked before each frame is left: whether it is the one to come back to. */
static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
				struct _Unwind_Exception *exception,
				struct _Unwind_Context *context, void *argument)
{
	struct guard *guard = argument;

	(void)version, (void)class, (void)exception;
	if ((actions & _UA_END_OF_STACK) || _Unwind_GetRegionStart(context) == (uintptr_t)guard_run)
		longjmp(guard->back, 1); // every frame between has been left
	return _URC_NO_REASON;
}

void oom(void)
{
	_Unwind_ForcedUnwind(&current->exception, stop, current);
	longjmp(current->back, 1); // a frame cannot be unwound: what its callers own is lost
}

// Not inlined, so that stop() knows its frame.
__attribute__((noinline)) bool guard_run(void (*operation)(void *argument), void *argument)
{
	struct guard guard = { .exception = { 0 } };
	const int saved = errno;

	if (setjmp(guard.back)) {
		current = NULL;
		errno = saved;
		return false;
	}
	errno = 0;
	current = &guard;
	operation(argument);
	current = NULL;
	// To a library below no memory is one more way to fail, but malloc() leaves its mark.
	bool has_memory = errno != ENOMEM;
	errno = saved;
	return has_memory;
}
