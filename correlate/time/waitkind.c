// SPDX-License-Identifier: Apache-2.0
#include "correlate/time/waitkind.h"

#include "machine/machine.h"
#include "base/vec.h"

#include <string.h>

/** System calls that say what is waited for; of a read or write that is not for a pipe or socket.
 */
static const struct {
	const char *name;
	enum model_wait wait;
} calls[] = {
	{ "wait4", MODEL_WAIT_CHILD },
	{ "waitid", MODEL_WAIT_CHILD },
	{ "futex", MODEL_WAIT_LOCK },
	{ "futex_wait", MODEL_WAIT_LOCK },
	{ "futex_waitv", MODEL_WAIT_LOCK },
	{ "poll", MODEL_WAIT_POLL },
	{ "ppoll", MODEL_WAIT_POLL },
	{ "select", MODEL_WAIT_POLL },
	{ "pselect6", MODEL_WAIT_POLL },
	{ "epoll_wait", MODEL_WAIT_POLL },
	{ "epoll_pwait", MODEL_WAIT_POLL },
	{ "epoll_pwait2", MODEL_WAIT_POLL },
	{ "io_uring_enter", MODEL_WAIT_POLL },
	{ "io_getevents", MODEL_WAIT_POLL },
	{ "nanosleep", MODEL_WAIT_SLEEP },
	{ "clock_nanosleep", MODEL_WAIT_SLEEP },
	{ "pause", MODEL_WAIT_SIGNAL },
	{ "rt_sigsuspend", MODEL_WAIT_SIGNAL },
	{ "rt_sigtimedwait", MODEL_WAIT_SIGNAL },
	{ "read", MODEL_WAIT_READ },
	{ "readv", MODEL_WAIT_READ },
	{ "pread64", MODEL_WAIT_READ },
	{ "preadv", MODEL_WAIT_READ },
	{ "preadv2", MODEL_WAIT_READ },
	{ "write", MODEL_WAIT_WRITE },
	{ "writev", MODEL_WAIT_WRITE },
	{ "pwrite64", MODEL_WAIT_WRITE },
	{ "pwritev", MODEL_WAIT_WRITE },
	{ "pwritev2", MODEL_WAIT_WRITE },
	{ "recvfrom", MODEL_WAIT_SOCKET },
	{ "recvmsg", MODEL_WAIT_SOCKET },
	{ "recvmmsg", MODEL_WAIT_SOCKET },
	{ "sendto", MODEL_WAIT_SOCKET },
	{ "sendmsg", MODEL_WAIT_SOCKET },
	{ "sendmmsg", MODEL_WAIT_SOCKET },
	{ "accept", MODEL_WAIT_SOCKET },
	{ "accept4", MODEL_WAIT_SOCKET },
	{ "connect", MODEL_WAIT_SOCKET },
	{ "open", MODEL_WAIT_FILE },
	{ "openat", MODEL_WAIT_FILE },
	{ "openat2", MODEL_WAIT_FILE },
	{ "creat", MODEL_WAIT_FILE },
	{ "close", MODEL_WAIT_FILE },
	{ "stat", MODEL_WAIT_FILE },
	{ "lstat", MODEL_WAIT_FILE },
	{ "fstat", MODEL_WAIT_FILE },
	{ "newfstatat", MODEL_WAIT_FILE },
	{ "statx", MODEL_WAIT_FILE },
	{ "statfs", MODEL_WAIT_FILE },
	{ "access", MODEL_WAIT_FILE },
	{ "faccessat", MODEL_WAIT_FILE },
	{ "faccessat2", MODEL_WAIT_FILE },
	{ "readlink", MODEL_WAIT_FILE },
	{ "readlinkat", MODEL_WAIT_FILE },
	{ "getdents", MODEL_WAIT_FILE },
	{ "getdents64", MODEL_WAIT_FILE },
	{ "chdir", MODEL_WAIT_FILE },
	{ "rename", MODEL_WAIT_FILE },
	{ "renameat", MODEL_WAIT_FILE },
	{ "renameat2", MODEL_WAIT_FILE },
	{ "mkdir", MODEL_WAIT_FILE },
	{ "mkdirat", MODEL_WAIT_FILE },
	{ "rmdir", MODEL_WAIT_FILE },
	{ "unlink", MODEL_WAIT_FILE },
	{ "unlinkat", MODEL_WAIT_FILE },
	{ "link", MODEL_WAIT_FILE },
	{ "linkat", MODEL_WAIT_FILE },
	{ "symlink", MODEL_WAIT_FILE },
	{ "symlinkat", MODEL_WAIT_FILE },
	{ "truncate", MODEL_WAIT_FILE },
	{ "ftruncate", MODEL_WAIT_FILE },
	{ "fallocate", MODEL_WAIT_FILE },
	{ "fsync", MODEL_WAIT_FILE },
	{ "fdatasync", MODEL_WAIT_FILE },
	{ "sync_file_range", MODEL_WAIT_FILE },
	{ "flock", MODEL_WAIT_FILE },
	{ "sendfile", MODEL_WAIT_FILE },
	{ "copy_file_range", MODEL_WAIT_FILE },
	{ "clone", MODEL_WAIT_FORK },
	{ "clone3", MODEL_WAIT_FORK },
	{ "fork", MODEL_WAIT_FORK },
	{ "vfork", MODEL_WAIT_FORK },
	{ "execve", MODEL_WAIT_EXEC },
	{ "execveat", MODEL_WAIT_EXEC },
};

static enum model_wait wait_of_call(const char *name)
{
	array_foreach (call, calls, sizeof(calls) / sizeof(calls[0]))
		if (name && strcmp(call->name, name) == 0)
			return call->wait;
	return MODEL_WAIT_OTHER;
}

void waitkinds_init(struct waitkinds *kinds, const struct trace *trace)
{
	const struct machine *machine = machine_named(trace->meta.machine);

	for (uint32_t i = 0; i < sizeof(kinds->of_call); i++)
		kinds->of_call[i] = (uint8_t)wait_of_call(machine_call(machine, i));
}

enum model_wait waitkind_of(const struct waitkinds *kinds, const struct trace_pause *pause)
{
	if (pause->flags & TRACE_PAUSE_IN_FAULT)
		return MODEL_WAIT_FAULT;
	if (!(pause->flags & TRACE_PAUSE_HAS_CALL))
		return MODEL_WAIT_UNKNOWN;
	if (pause->flags & TRACE_PAUSE_ON_PIPE)
		return MODEL_WAIT_PIPE;
	if (pause->flags & TRACE_PAUSE_ON_SOCKET)
		return MODEL_WAIT_SOCKET;
	return pause->call < sizeof(kinds->of_call) ? (enum model_wait)kinds->of_call[pause->call]
						    : MODEL_WAIT_OTHER;
}
