// SPDX-License-Identifier: Apache-2.0
#include "advice/dbgsym.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/order.h"
#include "base/vec.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum {
	OBJECTS_MAX = 3, // that are named
	SHARE = 20,	 // of 1/20 of the faults it matters who took them,
	FAULTS_MIN = 32, // if they are this many
};

// ---- Packages -------------------------------------------------------------------------------

/** The ways in which a package may list @path: /lib and the like have moved below /usr. */
struct spellings {
	struct strbuf list[2]; // each a whole line, with the ends of it and of the one before
};

static struct spellings spell(const char *path)
{
	struct spellings spellings = { 0 };

	strbuf_printf(&spellings.list[0], "\n%s\n", path);
	if (strncmp(path, "/usr/", 5) == 0)
		strbuf_printf(&spellings.list[1], "\n%s\n", path + 4);
	else
		strbuf_printf(&spellings.list[1], "\n/usr%s\n", path);
	return spellings;
}

static void spellings_deinit(struct spellings *spellings)
{
	strbuf_deinit(&spellings->list[0]);
	strbuf_deinit(&spellings->list[1]);
}

/** Whether the list @name in @folder has one of the lines; its first line, "/.", is none of them.
 */
static bool list_has(int folder, const char *name, const struct spellings *spellings)
{
	CLEANUP(fd_close) int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
		return false;
	CLEANUP(freep) char *text = xcalloc((size_t)status.st_size, 1);
	ssize_t size = read(fd, text, (size_t)status.st_size);

	for (size_t i = 0; size > 0 && i < 2; i++)
		if (memmem(text, (size_t)size, spellings->list[i].text, spellings->list[i].length))
			return true;
	return false;
}

bool dbgsym_package(const char *lists, const char *path, struct strbuf *ret_package)
{
	static const char ending[] = ".list";
	CLEANUP(spellings_deinit) struct spellings spellings = spell(path);
	DIR *folder = opendir(lists);
	bool found = false;

	for (struct dirent *entry; folder && !found && (entry = readdir(folder));) {
		size_t length = strlen(entry->d_name);

		if (length < sizeof(ending) ||
		    strcmp(entry->d_name + length - (sizeof(ending) - 1), ending) != 0 ||
		    !list_has(dirfd(folder), entry->d_name, &spellings))
			continue;
		// "libc6:amd64.list", "git.list"; no package has a colon in its name.
		entry->d_name[length - (sizeof(ending) - 1)] = '\0';
		strbuf_add(ret_package, entry->d_name, strcspn(entry->d_name, ":"));
		found = true;
	}
	if (folder)
		closedir(folder);
	return found;
}

/** The package with the debug files of @package. */
static void add_debug_package(struct strbuf *list, const char *package)
{
	bool is_libc = strcmp(package, "libc6") == 0 || strncmp(package, "libc6-", 6) == 0;
	CLEANUP(strbuf_deinit) struct strbuf name = { 0 };

	// That of libc was there before there were others.
	strbuf_printf(&name, "%s%s", is_libc ? "libc6" : package, is_libc ? "-dbg" : "-dbgsym");
	if (list->length > 0 && strstr(list->text, name.text))
		return;
	strbuf_printf(list, "%s%s", list->length > 0 ? " " : "", name.text);
}

// ---- Files ----------------------------------------------------------------------------------

/** Faults by functions of one file that have no names. */
struct nameless {
	const struct model_object *object;
	uint64_t faults;
};

ORDER_OF(compare_nameless, nameless,
	 ORDER(y->faults, x->faults) ?: strcmp(x->object->path, y->object->path))

static bool is_stripped(const struct model_object *object)
{
	return object->is_file && object->was_read && !object->is_forced &&
	       (strcmp(object->symbols, "dynsym") == 0 ||
		strcmp(object->symbols, "eh-frame") == 0 || strcmp(object->symbols, "none") == 0);
}

/** The stripped files with the most such faults, by object. */
static struct nameless *find_nameless(const struct model *model)
{
	struct nameless *list = xcalloc(model->object_count + 1, sizeof(*list));

	for (size_t i = 0; i < model->object_count; i++)
		list[i].object = &model->objects[i];
	array_foreach (function, model->functions, model->function_count) {
		bool has_name = function->name && strncmp(function->name, "fn@", 3) != 0;

		if (!has_name && function->object < model->object_count &&
		    is_stripped(&model->objects[function->object]))
			list[function->object].faults += function->count.faults;
	}
	qsort(list, model->object_count, sizeof(*list), compare_nameless);
	return list;
}

bool dbgsym_hint(const struct model *model, struct strbuf *ret_hint)
{
	CLEANUP(freep) struct nameless *list = find_nameless(model);
	CLEANUP(strbuf_deinit) struct strbuf files = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf packages = { 0 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t most = model->object_count < OBJECTS_MAX ? model->object_count : OBJECTS_MAX;
	uint64_t faults = 0;
	size_t file_count = 0;

	for (size_t i = 0; i < most; i++) {
		CLEANUP(strbuf_deinit) struct strbuf package = { 0 };

		if (list[i].faults < FAULTS_MIN || list[i].faults < model->fault_count / SHARE)
			break; // as are all that follow
		if (!dbgsym_package("/var/lib/dpkg/info", list[i].object->path, &package))
			continue;
		add_debug_package(&packages, strbuf_text(&package));
		strbuf_printf(&files, "%s%s", files.length > 0 ? ", " : "",
			      model_object_name(list[i].object));
		faults += list[i].faults;
		file_count++;
	}
	if (faults > 0)
		strbuf_printf(ret_hint,
			      "%s faults are in functions without a name of %s, which %s "
			      "stripped. To get the names, run apt install %s with Debian's debug "
			      "archive, or set DEBUGINFOD_URLS; see docs/pack.md",
			      figure_number(&arena, faults), strbuf_text(&files),
			      file_count == 1 ? "is" : "are", strbuf_text(&packages));
	return faults > 0;
}
