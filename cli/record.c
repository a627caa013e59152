// SPDX-License-Identifier: Apache-2.0
// `elfault record`: runs a command, or attaches to a process, and records its page faults.
#include "record/record.h"

#include "base/arena.h"
#include "cli/command.h"
#include "cli/coldrun.h"
#include "cli/label.h"
#include "cli/message.h"
#include "cli/option.h"
#include "cli/recorded.h"
#include "cli/repeat.h"
#include "cli/version.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OPTION_BACKEND = OPTION_OWN,
	OPTION_NO_STACKS,
	OPTION_CPU,
	OPTION_STACK_SIZE,
	OPTION_RING_SIZE,
	OPTION_ROOT,
	OPTION_NO_EMBED,
	OPTION_NO_STORAGE,
	OPTION_STRICT,
	OPTION_QUIET,
	OPTION_LABEL,
	OPTION_REPEAT,
	OPTION_COLD,
	OPTION_EXACT,

	REPEAT_MOST = 10000,
	CPU_HZ_DEFAULT = 10000,
};

struct arguments {
	struct record_options options;
	struct labels labels;
	const char *cold_trace; // NULL: not named
	size_t repeat;		// 0: once, into a file and not a directory
	bool strict;
	bool quiet;
};

static const struct argp_option option_table[] = {
	{ "output", 'o', "FILE", 0,
	  "Write the trace to FILE (default elfault.trace); with --repeat: a directory (default "
	  "elfault.repeats)",
	  0 },
	{ "repeat", OPTION_REPEAT, "N", 0,
	  "Run COMMAND N times and write one trace per run into a directory, one side of elfault "
	  "diff; with at least 4 runs per side, diff shows which differences exceed noise",
	  0 },
	{ "cold", OPTION_COLD, "TRACE|all", OPTION_ARG_OPTIONAL,
	  "Drop the files that COMMAND maps from the page cache before each run: those of TRACE, "
	  "or of a former trace of COMMAND at FILE or FILE.warm; without one COMMAND first runs "
	  "once, recorded into FILE.warm. all: as root, drop everything that can be dropped, also "
	  "directories and inodes",
	  0 },
	{ "exact", OPTION_EXACT, 0, 0,
	  "As root: no read-ahead from the devices that hold these files during each run, so that "
	  "each fault reads one page",
	  0 },
	{ "pid", 'p', "PID", 0, "Record a running process and all that it starts", 0 },
	{ "duration", 'd', "SECONDS", 0, "With -p: stop after SECONDS", 0 },
	{ "backend", OPTION_BACKEND, "auto|bpf|perf", 0,
	  "How to record (default auto: BPF where allowed, else perf)", 0 },
	{ "no-stacks", OPTION_NO_STACKS, 0, 0,
	  "Record no call stacks: less to copy, but less certain initiators", 0 },
	{ "stack-size", OPTION_STACK_SIZE, "BYTES", 0,
	  "Copy at most BYTES of each stack, up to 1M (default with BPF: 1M where its end is "
	  "known, else 32K; with perf: 16K, or 4K where the buffers are small; at most 32K)",
	  0 },
	{ "ring-size", OPTION_RING_SIZE, "SIZE", 0,
	  "Size of each buffer between kernel and recorder, one for faults and one for stacks, "
	  "with K, M or G (default 64M; with perf 32M per CPU where allowed)",
	  0 },
	{ "cpu", OPTION_CPU, "HZ|off", 0,
	  "Sample what the processor runs so many times a second of its time (default 10000, and "
	  "1000 after the first 0.2 seconds, with perf of processor time)",
	  0 },
	{ "no-embed", OPTION_NO_EMBED, 0, 0,
	  "Keep no tables of files in the trace that cannot be found later: deleted, memfd, or in "
	  "another root or mount namespace",
	  0 },
	{ "no-storage", OPTION_NO_STORAGE, 0, 0,
	  "Do not record which bytes were read from disks, for what, and how long system calls "
	  "took",
	  0 },
	{ "label", OPTION_LABEL, "KEY=VALUE", 0,
	  "Keep this label of the run in the trace, for elfault export --to rows; may be repeated",
	  0 },
	{ "root", OPTION_ROOT, 0, 0,
	  "Under sudo: run COMMAND, or record the process of -p, as root, not as the user who "
	  "called sudo",
	  0 },
	{ "strict", OPTION_STRICT, 0, 0, "Exit with 4 if anything was lost or not seen", 0 },
	{ "quiet", OPTION_QUIET, 0, 0, "Print only errors", 0 },
	{ 0 },
};

static uint64_t parse_size(struct argp_state *state, const char *text, const char *option,
			   uint64_t least, uint64_t most)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);
	unsigned int shift = 0;

	switch (*end) {
	case 'k':
	case 'K':
		shift = 10;
		break;
	case 'm':
	case 'M':
		shift = 20;
		break;
	case 'g':
	case 'G':
		shift = 30;
		break;
	default:
		break;
	}
	if (end == text || text[0] == '-' || end[shift > 0] != '\0' || value > most >> shift ||
	    value << shift < least)
		argp_error(state,
			   "invalid value '%s' for --%s (expected a size from %" PRIu64
			   " to %" PRIu64 ")",
			   text, option, least, most);
	return value << shift;
}

static uint32_t parse_frequency(struct argp_state *state, const char *text)
{
	enum { HZ_MAX = 50000 };
	char *end;
	long value = strtol(text, &end, 10);

	if (strcmp(text, "off") == 0)
		return 0;
	if (end == text || *end != '\0' || value <= 0 || value > HZ_MAX)
		argp_error(state, "invalid value '%s' for --cpu (expected off or 1 to %d)", text,
			   HZ_MAX);
	return (uint32_t)value;
}

static enum record_backend parse_backend(struct argp_state *state, const char *text)
{
	if (strcmp(text, "auto") == 0)
		return RECORD_BACKEND_AUTO;
	if (strcmp(text, "bpf") == 0)
		return RECORD_BACKEND_BPF;
	if (strcmp(text, "perf") != 0)
		argp_error(state, "invalid backend '%s' (expected auto, bpf or perf)", text);
	return RECORD_BACKEND_PERF;
}

static pid_t parse_pid(struct argp_state *state, const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end != '\0' || value <= 0 || value > INT32_MAX)
		argp_error(state, "invalid process id '%s' for -p", text);
	return (pid_t)value;
}

static double parse_seconds(struct argp_state *state, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end != '\0' || !(value > 0 && value < 1e9))
		argp_error(state, "invalid value '%s' for -d (expected a number of seconds)", text);
	return value;
}

static void check_options(struct argp_state *state, const struct arguments *arguments)
{
	const struct record_options *options = &arguments->options;

	if (arguments->repeat && options->pid)
		argp_error(state, "--repeat runs a COMMAND and cannot be combined with -p");
	if ((options->cold || options->is_exact) && options->pid)
		argp_error(state,
			   "--%s is about the start of a COMMAND and cannot be combined "
			   "with -p",
			   options->cold ? "cold" : "exact");
	if (options->command && options->pid)
		argp_error(state, "-p cannot be combined with a COMMAND");
	if (!options->command && !options->pid)
		argp_error(state, "missing COMMAND (or -p PID)");
	if (options->seconds > 0 && !options->pid)
		argp_error(state, "-d requires -p; a COMMAND is recorded until it ends");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct record_options *options = &arguments->options;

	switch (key) {
	case 'o':
		options->output = arg;
		return 0;
	case 'p':
		options->pid = parse_pid(state, arg);
		return 0;
	case 'd':
		options->seconds = parse_seconds(state, arg);
		return 0;
	case OPTION_BACKEND:
		options->backend = parse_backend(state, arg);
		return 0;
	case OPTION_CPU:
		options->cpu_hz = parse_frequency(state, arg);
		options->cpu_falls = false;
		return 0;
	case OPTION_NO_STACKS:
		options->stacks = false;
		return 0;
	case OPTION_STACK_SIZE:
		// The kernel's unit is 8 bytes.
		options->stack_bytes =
			(uint32_t)parse_size(state, arg, "stack-size", 64, RECORD_STACK_BYTES_MAX) &
			~7u;
		return 0;
	case OPTION_RING_SIZE:
		options->ring_bytes = parse_size(state, arg, "ring-size", 4096, 1 << 30);
		return 0;
	case OPTION_NO_EMBED:
		options->no_embed = true;
		return 0;
	case OPTION_NO_STORAGE:
		options->no_storage = true;
		return 0;
	case OPTION_ROOT:
		options->as_root = true;
		return 0;
	case OPTION_STRICT:
		arguments->strict = true;
		return 0;
	case OPTION_REPEAT:
		arguments->repeat = option_number(state, "repeat", arg, REPEAT_MOST);
		return 0;
	case OPTION_COLD:
		options->cold =
			arg && strcmp(arg, "all") == 0 ? RECORD_COLD_ALL : RECORD_COLD_FILES;
		arguments->cold_trace = options->cold == RECORD_COLD_FILES ? arg : NULL;
		return 0;
	case OPTION_EXACT:
		options->is_exact = true;
		return 0;
	case OPTION_LABEL:
		labels_parse(&arguments->labels, arg, state);
		return 0;
	case OPTION_QUIET:
		arguments->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		options->command = option_take_command(state);
		return 0;
	case ARGP_KEY_END:
		check_options(state, arguments);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct option_use no_shared_options[] = { { 0 } };

static const struct option_parser parser = {
	.own.options = option_table,
	.own.parser = parse_option,
	.own.args_doc = "[--] COMMAND [ARG...]\n-p PID [-d SECONDS]",
	.own.doc = "Record the page faults of COMMAND or of a running process."
		   "\vThe exit status is COMMAND's own; 125 if elfault itself failed, 126 if "
		   "COMMAND could not be run, 127 if it was not found. With --repeat it is "
		   "the first nonzero one; a run that cannot be recorded, or a signal to "
		   "elfault, ends the set.\n\n"
		   "Examples:\n"
		   "  elfault record -- clang --version\n"
		   "  elfault record --repeat 7 -o before.repeats -- clang --version\n"
		   "  elfault record --cold --repeat 7 -- clang --version\n"
		   "  elfault record -p 1234 -d 5",
	.shared = no_shared_options,
};

static int record_once(const struct arguments *arguments)
{
	const struct record_options *options = &arguments->options;
	struct record_result result;
	struct err err = { 0 };
	bool done = record_run(options, &result, &err);
	int status = result.exit_status;

	if (!done) {
		message_print_lines(err.message);
		if (status != 126 && status != 127)
			status = RECORDED_FAILED;
	} else {
		if (!arguments->quiet)
			recorded_print(options, &result);
		if (arguments->strict && recorded_has_losses(&result))
			status = RECORDED_LOST;
	}
	notes_deinit(&result.notes);
	return status;
}

static int record_set(const struct arguments *arguments)
{
	const struct repeat repeat = {
		.options = arguments->options,
		.folder = arguments->options.output,
		.count = arguments->repeat,
		.strict = arguments->strict,
		.quiet = arguments->quiet,
	};

	return repeat_run(&repeat);
}

static int run_record(int argc, char **argv)
{
	struct arguments arguments = {
		.options = {
			.backend = RECORD_BACKEND_AUTO,
			.stacks = true,
			.cpu_hz = CPU_HZ_DEFAULT,
			.cpu_falls = true,
			.stack_memory = UINT64_C(1) << 30,
			.producer = version_line,
		},
	};
	struct option_values no_values = { 0 };

	oom_status = RECORDED_FAILED;
	option_parse(&parser, argc, argv, ARGP_IN_ORDER, &arguments, &no_values);
	if (!arguments.options.output)
		arguments.options.output = arguments.repeat ? "elfault.repeats" : "elfault.trace";
	arguments.options.progress = !arguments.quiet && isatty(STDERR_FILENO);

	arguments.options.labels = arguments.labels.list.items;
	arguments.options.label_count = arguments.labels.list.count;

	struct record_files *files = NULL;
	int status = 0;

	if (arguments.options.cold || arguments.options.is_exact)
		status = coldrun_find_files(&arguments.options, arguments.cold_trace,
					    arguments.repeat > 0, arguments.quiet, &files);
	arguments.options.files = files;
	if (status == 0)
		status = arguments.repeat == 0 ? record_once(&arguments) : record_set(&arguments);
	record_files_destroy(files);
	labels_deinit(&arguments.labels);
	return status;
}

const struct command command_record = {
	.name = "record",
	.summary = "run a command and record its page faults",
	.run = run_record,
};
