// SPDX-License-Identifier: Apache-2.0
// Files by build-id from debuginfod servers, by libdebuginfod, which is loaded only if the user has
// named servers (DEBUGINFOD_URLS). Its cache is used; nothing is fetched as root.
#include "depot/sources.h"

#include "base/arena.h"
#include "base/path.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	SECONDS = 15,	    // without any data, then no server is asked again
	BYTES_OF_DATA = 16, // before data comes, the library counts its own rounds
};
#define MAX_BYTES "268435456"

/** As <elfutils/debuginfod.h> has it, which need not be installed. */
typedef struct debuginfod_client library_client;
typedef int (*progress_function)(library_client *client, long done, long all);
typedef int (*find_function)(library_client *client, const unsigned char *build_id, int size,
			     char **path);

struct debuginfod {
	void *library; // NULL: not loaded, or not to be used
	library_client *client;
	find_function find_debuginfo, find_executable;
	void (*end)(library_client *client);
	bool is_tried, is_over;
};

/** One file that is being fetched. There is one at a time, and the library has no use for more. */
static struct transfer {
	const char *name;
	FILE *progress;
	long done;
	long most;    // bytes
	time_t since; // when the last data came
	time_t seconds;
	bool is_too_large, is_stalled, is_shown;
} transfer;

struct debuginfod *debuginfod_client_create(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && urls[strspn(urls, " ")] ? xcalloc(1, sizeof(struct debuginfod)) : NULL;
}

void debuginfod_client_destroy(struct debuginfod *client)
{
	if (!client)
		return;
	if (client->client)
		client->end(client->client);
	// The library stays: what it is linked to does not like to be unloaded.
	free(client);
}

static time_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

static void show(long done, long all)
{
	const double mebibyte = 1 << 20;

	if (!transfer.progress || done < BYTES_OF_DATA)
		return;
	fputs("\r\33[Kelfault: ", transfer.progress);
	for (const char *c = transfer.name; *c; c++)
		putc(isprint((unsigned char)*c) ? *c : '?', transfer.progress);
	fprintf(transfer.progress, ": %.1f", (double)done / mebibyte);
	if (all > 0)
		fprintf(transfer.progress, " of %.1f", (double)all / mebibyte);
	fputs(" MiB from debuginfod", transfer.progress);
	fflush(transfer.progress);
	transfer.is_shown = true;
}

/** Called by the library about once a second; other than 0 ends the transfer. */
static int look(library_client *client, long done, long all)
{
	if (done >= transfer.done + BYTES_OF_DATA) {
		transfer.done = done;
		transfer.since = now();
		show(done, all);
	}
	transfer.is_too_large = done > transfer.most || all > transfer.most;
	transfer.is_stalled = now() - transfer.since >= transfer.seconds;
	return transfer.is_too_large || transfer.is_stalled;
}

/** A number of the environment, if it is one and larger than 0. */
static long number_of(const char *name, long otherwise)
{
	const char *text = getenv(name);
	long number = text ? strtol(text, NULL, 10) : 0;

	return number > 0 ? number : otherwise;
}

static bool load(struct debuginfod *client, struct err *err)
{
	library_client *(*begin)(void);
	void (*set_progress)(library_client *, progress_function);
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return err_set(err, ERR_UNSUPPORTED,
			       "DEBUGINFOD_URLS is set, but libdebuginfod.so.1 cannot be loaded: "
			       "install it (libdebuginfod1)");
	begin = (library_client * (*)(void)) dlsym(library, "debuginfod_begin");
	set_progress = (void (*)(library_client *, progress_function))dlsym(
		library, "debuginfod_set_progressfn");
	client->find_debuginfo = (find_function)dlsym(library, "debuginfod_find_debuginfo");
	client->find_executable = (find_function)dlsym(library, "debuginfod_find_executable");
	client->end = (void (*)(library_client *))dlsym(library, "debuginfod_end");
	if (!begin || !set_progress || !client->find_debuginfo || !client->find_executable ||
	    !client->end)
		return err_set(err, ERR_UNSUPPORTED,
			       "DEBUGINFOD_URLS is set, but libdebuginfod.so.1 is not what it "
			       "should be");
	setenv("DEBUGINFOD_MAXSIZE", MAX_BYTES, 0);
	client->client = begin();
	if (!client->client)
		return err_set(err, ERR_OS, "libdebuginfod does not start");
	set_progress(client->client, look);
	client->library = library;
	return true;
}

/** Whether files may be asked for; if not, why is in @err the first time. */
static bool is_ready(struct debuginfod *client, struct err *err)
{
	if (client->is_tried)
		return client->library && !client->is_over;
	client->is_tried = true;
	if (geteuid() == 0)
		return err_set(err, ERR_DENIED,
			       "DEBUGINFOD_URLS is set, but nothing is downloaded as root: run "
			       "as an ordinary user");
	return load(client, err);
}

/** Why no file came, if that is worth a message. */
static bool say_why(struct debuginfod *client, const struct depot_wish *wish, int status,
		    struct err *err)
{
	if (transfer.is_too_large || status == -EFBIG)
		return err_set(err, ERR_DENIED,
			       "%s: %s debuginfod is larger than %ld MiB; DEBUGINFOD_MAXSIZE=BYTES "
			       "allows more",
			       wish->name,
			       wish->kind == DEPOT_DEBUG ? "its debug file from"
							 : "the file itself from",
			       transfer.most >> 20);
	if (status == -ENOENT && !transfer.is_stalled)
		return false;
	client->is_over = true;
	if (transfer.is_stalled)
		return err_set(err, ERR_OS,
			       "debuginfod does not answer: nothing came for %ld seconds, and no "
			       "other file was asked for (DEBUGINFOD_URLS)",
			       (long)transfer.seconds);
	return err_set(err, ERR_OS,
		       "debuginfod cannot be reached: %s; no other file was asked for "
		       "(DEBUGINFOD_URLS)",
		       strerror(-status));
}

int debuginfod_client_get(struct debuginfod *client, const struct depot_wish *wish, FILE *progress,
			  char **ret_path, struct err *err)
{
	find_function find;

	err->message[0] = '\0';
	if (!client || !is_ready(client, err))
		return -1;
	long timeout = number_of("DEBUGINFOD_TIMEOUT", SECONDS);

	transfer = (struct transfer){
		.name = path_file_name(wish->name),
		.progress = progress,
		.most = number_of("DEBUGINFOD_MAXSIZE", 0),
		.since = now(),
		.seconds = timeout < SECONDS ? timeout : SECONDS,
	};
	find = wish->kind == DEPOT_DEBUG ? client->find_debuginfo : client->find_executable;
	*ret_path = NULL;
	int status = find(client->client, wish->build_id, (int)wish->build_id_size, ret_path);

	if (transfer.is_shown) {
		fputs("\r\33[K", progress);
		fflush(progress);
	}
	if (status < 0) {
		free(TAKE(*ret_path));
		say_why(client, wish, status, err);
	}
	return status < 0 ? -1 : status;
}
