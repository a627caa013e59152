// SPDX-License-Identifier: Apache-2.0
// The answer of --version: the build, and the libraries that run with it. Bugs are often theirs.
#include "cli/version.h"

#include "machine/disassembler.h"

#include <elfutils/libdwfl.h>
#include <gnu/libc-version.h>
#include <json-c/json.h>
#include <xxhash.h>
#include <zstd.h>

#ifdef ELFAULT_WITH_BPF
#include <bpf/libbpf.h>
#endif
#ifndef ELFAULT_RECORDER
#include <libsmartcols/libsmartcols.h>
#include <zlib.h>
#endif

static void print_row(FILE *out, const char *library, const char *version)
{
	fprintf(out, "%-14s%s\n", library, version);
}

static void print_bpf(FILE *out)
{
#ifdef ELFAULT_WITH_BPF
	const char *version = libbpf_version_string();

	print_row(out, "libbpf", version + (version[0] == 'v'));
#else
	print_row(out, "libbpf", "none: built without the BPF backend");
#endif
}

static void print_xxhash(FILE *out)
{
	enum { MAJOR = 10000, MINOR = 100 };
	unsigned version = XXH_versionNumber();

	fprintf(out, "%-14s%u.%u.%u\n", "xxhash", version / MAJOR, version / MINOR % MINOR,
		version % MINOR);
}

/** Of what only analysis needs. */
static void print_analysis(FILE *out)
{
#ifndef ELFAULT_RECORDER
	const char *capstone = disassembler_version(), *smartcols;

	print_row(out, "capstone", capstone ? capstone : disassembler_missing());
	print_row(out, "graphviz", GRAPHVIZ_VERSION); // as built: its libraries do not tell
	scols_get_library_version(&smartcols);
	print_row(out, "libsmartcols", smartcols);
	print_row(out, "zlib", zlibVersion());
#endif
}

void version_print(FILE *out, struct argp_state *state)
{
	fprintf(out, "%s\n", version_line);
	print_row(out, "glibc", gnu_get_libc_version());
	print_row(out, "elfutils", dwfl_version(NULL)); // libelf, libdw
	print_bpf(out);
	print_row(out, "json-c", json_c_version());
	print_xxhash(out);
	print_row(out, "zstd", ZSTD_versionString());
	print_analysis(out);
}
