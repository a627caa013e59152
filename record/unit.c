// SPDX-License-Identifier: Apache-2.0
// The manager is asked by systemctl: what it answers is a stable interface, and it finds the
// manager wherever that listens.
#include "record/unit.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strbuf.h"
#include "base/waitstatus.h"
#include "bpf/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_MOST = 1 << 16 };

// The root slice tells below which cgroup the manager itself keeps all others.
static const char find_script[] =
	"exec systemctl show --property=Id,LoadState,ActiveState,Slice,ControlGroup "
	"-- \"$1\" -.slice";
static const char start_script[] =
	"systemctl start -- \"$1\" && "
	"exec systemctl show --property=ActiveState,ActiveEnterTimestampMonotonic -- \"$1\"";
static const char stop_script[] = "exec systemctl stop -- \"$1\"";

/** Run @script of systemctl about @name. Returns its process, and *@ret_fd its output. */
static pid_t ask(const char *script, const char *name, const sigset_t *mask, int *ret_fd)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	const pid_t pid = fork();

	if (pid == 0) {
		const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

		setpgid(0, 0); // what it runs can be ended with it
		sigprocmask(SIG_SETMASK, mask, NULL);
		if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0)
			execl("/bin/sh", "sh", "-c", script, "systemctl", name, NULL);
		_exit(127);
	}
	close(ends[1]);
	if (pid < 0)
		close(ends[0]);
	else
		*ret_fd = ends[0];
	return pid;
}

/** Ask and wait for the answer. Returns the exit status; -1 with errno: it could not be run. */
static int ask_and_wait(const char *script, const char *name, const sigset_t *mask,
			struct strbuf *answer)
{
	CLEANUP(fd_close) int fd = -1;
	const pid_t pid = ask(script, name, mask, &fd);
	int status = 0;

	if (pid < 0)
		return -1;
	strbuf_read(answer, fd, ANSWER_MOST);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return waitstatus_shell(status);
}

/** The value of "KEY=VALUE", a line of the paragraph @text; "" where there is none. */
static const char *value_of(const char *text, const char *key, struct arena *arena)
{
	const size_t length = strlen(key);

	for (const char *line = text; *line && *line != '\n';) {
		const size_t size = strcspn(line, "\n");

		if (strncmp(line, key, length) == 0 && line[length] == '=')
			return arena_strndup(arena, line + length + 1, size - length - 1);
		line += size + (line[size] == '\n');
	}
	return "";
}

/** Append the folders of a slice: those of a-b.slice are a.slice/a-b.slice; of -.slice none. */
static void add_slice(struct strbuf *path, const char *slice)
{
	for (const char *at = slice; at[0] != '-' && (at = strpbrk(at, "-.")); at++) {
		strbuf_printf(path, "/%.*s.slice", (int)(at - slice), slice);
		if (*at == '.')
			break;
	}
}

static bool refuse(const char *name, const char *load, const char *active, const char *cgroup,
		   struct err *err)
{
	const char *suffix = strrchr(name, '.');

	if (strcmp(load, "not-found") == 0)
		return err_set(err, ERR_INPUT,
			       "%s: there is no such unit; systemctl list-unit-files names all",
			       name);
	if (!suffix || strcmp(suffix, ".service") != 0)
		return err_set(err, ERR_INPUT, "%s: is no service, so no process is started for it",
			       name);
	if (strcmp(active, "inactive") != 0 && strcmp(active, "failed") != 0)
		return err_set(err, ERR_INPUT,
			       "%s: is %s already; stop it first, or record what it does from now "
			       "on:\n"
			       "  systemctl stop %s\n"
			       "  elfault record --cgroup %s -d SECONDS",
			       name, active, name, cgroup);
	return true;
}

bool unit_find(const char *name, const sigset_t *mask, struct unit *unit, struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf answer = { 0 }, path = { 0 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const int status = ask_and_wait(find_script, name, mask, &answer);

	if (status != 0)
		return err_set(err, ERR_UNSUPPORTED,
			       "%s: systemctl cannot tell of it (exit status %d): --unit needs "
			       "systemd, which starts the services of a machine",
			       name, status);
	const char *own = strbuf_text(&answer), *end = strstr(own, "\n\n");
	const char *root = value_of(end ? end + 2 : "", "ControlGroup", &arena);

	strbuf_puts(&path, strcmp(root, "/") == 0 ? "" : root);
	add_slice(&path, value_of(own, "Slice", &arena));
	unit->name = xstrdup(value_of(own, "Id", &arena));
	strbuf_printf(&path, "/%s", unit->name);
	unit->cgroup = xstrdup(path.text);
	return refuse(unit->name, value_of(own, "LoadState", &arena),
		      value_of(own, "ActiveState", &arena), unit->cgroup, err) &&
	       cgroup_make(unit->cgroup, &unit->folder, err);
}

bool unit_start(struct unit *unit, const sigset_t *mask, struct err *err)
{
	const pid_t pid = ask(start_script, unit->name, mask, &unit->answer_fd);

	if (pid < 0)
		return err_os(err, "systemctl");
	unit->starter = pid;
	unit->was_asked = true;
	return true;
}

bool unit_take(struct unit *unit, uint64_t *ret_ns)
{
	CLEANUP(strbuf_deinit) struct strbuf answer = { 0 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const pid_t starter = unit->starter;
	int status;

	if (starter <= 0 || waitpid(starter, &status, WNOHANG) != starter)
		return false;
	unit->starter = 0;
	unit->status = waitstatus_shell(status);
	strbuf_read(&answer, unit->answer_fd, ANSWER_MOST);
	fd_close(&unit->answer_fd);
	if (unit->status != 0)
		return false;
	const char *text = strbuf_text(&answer);
	const uint64_t us =
		strtoull(value_of(text, "ActiveEnterTimestampMonotonic", &arena), NULL, 10);

	// A service that runs once and ends is never active: it has been started when it has ended.
	*ret_ns = strcmp(value_of(text, "ActiveState", &arena), "inactive") == 0 ? clock_now_ns()
										 : us * 1000;
	return true;
}

/** End the process that asks. */
static void ask_no_more(struct unit *unit)
{
	if (unit->starter <= 0)
		return;
	kill(-unit->starter, SIGTERM);
	while (waitpid(unit->starter, NULL, 0) < 0 && errno == EINTR)
		;
	unit->starter = 0;
	fd_close(&unit->answer_fd);
}

bool unit_stop(struct unit *unit, const sigset_t *mask)
{
	CLEANUP(strbuf_deinit) struct strbuf answer = { 0 };

	ask_no_more(unit);
	return ask_and_wait(stop_script, unit->name, mask, &answer) == 0;
}

void unit_close(struct unit *unit)
{
	ask_no_more(unit);
	// Later it is the manager's, which counts on it.
	if (unit->folder && !unit->was_asked)
		rmdir(unit->folder);
	free(unit->folder);
	free(unit->cgroup);
	free(unit->name);
	*unit = (struct unit){ 0 };
}
