// SPDX-License-Identifier: Apache-2.0
// The values that the placeholders of a help stand for.
#include "cli/option/candidates.h"

#include "base/arena.h"
#include "base/cleanup.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/** Processes by id, or @by_name. */
static void print_processes(const struct typed *typed, bool by_name)
{
	CLEANUP(candidate_names_deinit) struct candidate_names names = { 0 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	DIR *folder = opendir("/proc");
	char path[64], name[64];

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/comm", entry->d_name);
		CLEANUP(file_closep) FILE *file = fopen(path, "re");
		if (!file || !fgets(name, sizeof(name), file))
			continue;
		name[strcspn(name, "\n")] = '\0';
		if (by_name)
			vec_push(&names.rows, arena_printf(&arena, "%s", name));
		else
			candidate_print(typed, entry->d_name,
					candidate_is_plain(name) ? name : NULL);
	}
	if (folder)
		closedir(folder);
	candidate_names_print(typed, &names);
}

static bool is_one_of(const char *word, const char *const *words)
{
	while (*words && strcmp(word, *words) != 0)
		words++;
	return *words;
}

/** Print what @name stands for; true if it may be any file. */
static bool print_placeholder(const struct typed *typed, const char *name)
{
	static const char *const files[] = { "FILE", "TRACE",  "LIST",	 "BEFORE", "AFTER",
					     "SET",  "BUNDLE", "OBJECT", NULL };

	if (islower((unsigned char)name[0]))
		candidate_print(typed, name, NULL);
	else if (strcmp(name, "PID") == 0)
		print_processes(typed, false);
	else if (strcmp(name, "DIR") == 0)
		puts(":directories");
#ifndef ELFAULT_RECORDER
	candidates_print_analysis(typed, name);
#endif
	return is_one_of(name, files);
}

void candidates_print(const struct typed *typed, const char *placeholder)
{
	CLEANUP(freep) char *copy = xstrdup(placeholder);
	bool of_process = false, files = false;
	char *rest;

	for (char *name = strtok_r(copy, "|", &rest); name; name = strtok_r(NULL, "|", &rest)) {
		if (of_process && strcmp(name, "NAME") == 0)
			print_processes(typed, true);
		else
			files = print_placeholder(typed, name) || files;
		of_process = strcmp(name, "PID") == 0;
	}
	if (files)
		puts(":files");
}
