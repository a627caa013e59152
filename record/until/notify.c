// SPDX-License-Identifier: Apache-2.0
#include "record/until/notify.h"

#include "base/arena.h"
#include "base/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define NOTIFY_VARIABLE "NOTIFY_SOCKET"

enum { MESSAGE_MAX = 8192, FDS_MAX = 64 };

/** The address of @name, which begins with @ where it is no path; 0: it is too long. */
static socklen_t address_of(const char *name, struct sockaddr_un *ret_address)
{
	const size_t length = strlen(name);

	*ret_address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (length >= sizeof(ret_address->sun_path))
		return 0;
	memcpy(ret_address->sun_path, name, length);
	if (name[0] == '@')
		ret_address->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

bool notify_open(struct notify *notify, struct err *err)
{
	const char *outer = getenv(NOTIFY_VARIABLE);
	const int yes = 1;
	struct sockaddr_un address;

	notify->outer = outer ? xstrdup(outer) : NULL;
	snprintf(notify->name, sizeof(notify->name), "@elfault/%d/%" PRIx64, (int)getpid(),
		 clock_now_ns());
	notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (notify->fd < 0 ||
	    bind(notify->fd, (struct sockaddr *)&address, address_of(notify->name, &address)) !=
		    0 ||
	    setsockopt(notify->fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof(yes)) != 0 ||
	    setsockopt(notify->fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) != 0)
		return err_os(err, "the socket for notify");
	setenv(NOTIFY_VARIABLE, notify->name, 1);
	return true;
}

/** The moment @time of the clock of the day as one of CLOCK_MONOTONIC. */
static uint64_t monotonic(const struct timespec *time)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return clock_now_ns() -
	       (uint64_t)((now.tv_sec - time->tv_sec) * 1000000000 + now.tv_nsec - time->tv_nsec);
}

/** Read what comes with a message: when it was sent and by whom. Files that do are closed, which
 * is what whoever sent them waits for. */
static void take_control(struct msghdr *message, uint64_t *ret_ns, pid_t *ret_pid)
{
	for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part;
	     part = CMSG_NXTHDR(message, part)) {
		const size_t size = part->cmsg_len - CMSG_LEN(0);

		if (part->cmsg_level != SOL_SOCKET)
			continue;
		if (part->cmsg_type == SO_TIMESTAMPNS && size >= sizeof(struct timespec)) {
			struct timespec time;

			memcpy(&time, CMSG_DATA(part), sizeof(time));
			*ret_ns = monotonic(&time);
		} else if (part->cmsg_type == SCM_CREDENTIALS && size >= sizeof(struct ucred)) {
			struct ucred sender;

			memcpy(&sender, CMSG_DATA(part), sizeof(sender));
			*ret_pid = sender.pid;
		} else if (part->cmsg_type == SCM_RIGHTS) {
			for (size_t i = 0; i + sizeof(int) <= size; i += sizeof(int)) {
				int fd;

				memcpy(&fd, CMSG_DATA(part) + i, sizeof(fd));
				close(fd);
			}
		}
	}
}

static bool has_line(const char *text, const char *wanted)
{
	const size_t length = strlen(wanted);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, wanted, length) == 0 &&
		    (line[length] == '\n' || line[length] == '\0'))
			return true;
	}
	return false;
}

static void pass_on(const struct notify *notify, const char *text, size_t size)
{
	struct sockaddr_un address;
	const socklen_t length = notify->outer ? address_of(notify->outer, &address) : 0;

	// Whoever started elfault learns of it in vain where that fails: nothing to be done.
	if (length > 0 && sendto(notify->fd, text, size, MSG_DONTWAIT | MSG_NOSIGNAL,
				 (struct sockaddr *)&address, length) < 0)
		errno = 0;
}

bool notify_take(struct notify *notify, uint64_t *ret_ns, pid_t *ret_pid)
{
	char text[MESSAGE_MAX + 1];
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(struct ucred)) +
			   CMSG_SPACE(FDS_MAX * sizeof(int))];
	} control;
	bool is_ready = false;

	while (notify->fd >= 0 && !is_ready) {
		struct iovec vector = { text, MESSAGE_MAX };
		struct msghdr message = { .msg_iov = &vector,
					  .msg_iovlen = 1,
					  .msg_control = &control,
					  .msg_controllen = sizeof(control) };
		const ssize_t size = recvmsg(notify->fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

		if (size < 0)
			break;
		text[size] = '\0';
		*ret_ns = clock_now_ns();
		*ret_pid = 0;
		take_control(&message, ret_ns, ret_pid);
		pass_on(notify, text, (size_t)size);
		is_ready = has_line(text, "READY=1");
	}
	return is_ready;
}

void notify_close(struct notify *notify)
{
	if (notify->fd < 0)
		return;
	close(notify->fd);
	free(notify->outer);
	notify->fd = -1;
}
