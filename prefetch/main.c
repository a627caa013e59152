// SPDX-License-Identifier: Apache-2.0
// elfault-prefetch: asks for the ranges of a list while a command starts. Static, so that starting
// it costs a fraction of a millisecond.
#include "prefetch/start.h"
#include "prefetch/tuned.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static const char program[] = "elfault-prefetch";

static const char help[] =
	"Usage: elfault-prefetch [--root] LIST [--] COMMAND [ARG...]\n"
	"       elfault-prefetch LIST\n"
	"Ask for the file ranges of LIST, which `elfault prefetch` makes, while COMMAND starts.\n"
	"Without COMMAND: ask for them, and exit.\n\n"
	"  --root   Under sudo: run COMMAND as root\n\n"
	"The exit status is COMMAND's own: it runs even if LIST cannot be used. 127: not found, "
	"126:\n"
	"cannot be run. Without COMMAND: 0 asked, 1 LIST cannot be used. 125: misuse.\n";

static int complain(const char *text)
{
	const struct prefetch_how how = { program, STDERR_FILENO, -1 };

	prefetch_say(&how, "%s", text);
	return 125;
}

/** Ask, and do nothing else. */
static int ask_only(const char *path)
{
	const struct prefetch_how how = { program, STDERR_FILENO, -1 };
	struct prefetch_list list;
	struct prefetch_result result;
	char *text;

	if (!prefetch_list_read(path, &how, &list, &text))
		return 1;
	prefetch_ask(&list, &how, &result);
	prefetch_list_deinit(&list);
	free(text);
	return 0;
}

/** Someone else than root called sudo. */
static int is_under_sudo(void)
{
	const char *uid = getenv("SUDO_UID");

	return geteuid() == 0 && uid && strcmp(uid, "0") != 0;
}

int main(int argc, char **argv)
{
	char folder[PATH_MAX];
	int at = 1;
	int as_root = 0;

	// It would open files for whoever installed it so.
	if (getauxval(AT_SECURE))
		return complain("does not run setuid or with capabilities of its own");
	if (tuned_find_folder(folder))
		return tuned_start(folder, argv + (argc > 0));
	if (at < argc && (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0)) {
		(void)!write(STDOUT_FILENO, help, sizeof(help) - 1);
		return 0;
	}
	if (at < argc && strcmp(argv[at], "--root") == 0) {
		as_root = 1;
		at++;
	}
	if (at >= argc || argv[at][0] == '-')
		return complain("missing LIST; see elfault-prefetch --help");
	if (is_under_sudo() && !as_root)
		return complain("under sudo either --root, or `sudo elfault prefetch --from LIST "
				"COMMAND`, which runs it as the user who called sudo");

	const char *list = argv[at++];

	if (at < argc && strcmp(argv[at], "--") == 0)
		at++;
	if (at == argc)
		return ask_only(list);
	return prefetch_start(&(struct prefetch_asker){ .path = list, .program = program },
			      argv + at);
}
