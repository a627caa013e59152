// SPDX-License-Identifier: Apache-2.0
// `elfault record`: runs a command, or attaches to a process, and records its page faults.
#include "record/record.h"

#include "base/arena.h"
#include "cli/command.h"
#include "cli/recording/coldrun.h"
#include "cli/message.h"
#include "cli/option/number.h"
#include "cli/option/option.h"
#include "cli/recording/recorded.h"
#include "cli/recording/repeat.h"
#include "cli/version.h"
#include "machine/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	REPEAT_MOST = 10000,
	CPU_HZ_MOST = 50000,
};

struct arguments {
	struct record_options options;
	uint64_t stack_bytes; // 0: not given
	size_t pid;
	const char *cold_trace; // NULL: not named
	size_t repeat;		// 0: once, into a file and not a directory
	struct until until;
	bool no_stacks;
	bool no_plain;
	bool strict;
	bool quiet;
	struct option_values shared;
};

static struct arguments given = {
	.options = { RECORDED_DEFAULTS },
};

static bool parse_cold(char *arg, struct err *err)
{
	bool is_all = arg && strcmp(arg, "all") == 0;

	given.options.cold = is_all ? RECORD_COLD_ALL : RECORD_COLD_FILES;
	given.cold_trace = is_all ? NULL : arg;
	return true;
}

static bool parse_frequency(char *arg, struct err *err)
{
	bool is_off = strcmp(arg, "off") == 0;
	size_t hz = 0;

	given.options.cpu_adapts = false;
	if (!is_off && (!number_parse(arg, &hz) || hz == 0 || hz > CPU_HZ_MOST))
		return false;
	given.options.cpu_hz = (uint32_t)hz;
	return true;
}

static bool parse_seconds(char *arg, struct err *err)
{
	char *end;

	given.options.seconds = strtod(arg, &end);
	return end != arg && *end == '\0' && given.options.seconds > 0 &&
	       given.options.seconds < 1e9;
}

static bool parse_until(char *arg, struct err *err)
{
	return until_add(&given.until, NULL, arg, true, err);
}

static bool parse_mark(char *arg, struct err *err)
{
	char *equals = strchr(arg, '=');

	if (!equals || equals == arg)
		return false;
	*equals = '\0';
	return until_add(&given.until, arg, equals + 1, false, err);
}

/** An option about the start of a COMMAND. */
#define OF_COMMAND .excludes = { { "pid cgroup unit", "it is about the start of a COMMAND" } }

static const struct option_row options[] = {
	{ "output", .letter = 'o', .argument = "FILE", .text = &given.options.output,
	  .help = "Write the trace to FILE (default elfault.trace); with --repeat: a directory "
		  "(default elfault.repeats)" },
	{ "repeat", .argument = "N", .number = &given.repeat, .least = 1, .most = REPEAT_MOST,
	  .excludes = { { "pid cgroup", "it is about the start of a COMMAND, or a unit" } },
	  .help = "Run COMMAND N times and write one trace per run into a directory, one side of "
		  "elfault diff; with at least 4 runs per side, diff shows which differences "
		  "exceed noise. COMMAND also runs N times unrecorded, in turn with these, to "
		  "show what recording costs" },
	{ "no-plain", .flag = &given.no_plain,
	  .needs = { { "repeat", "a single run is only recorded" } },
	  .help = "With --repeat: do not run COMMAND unrecorded" },
	{ "cold", .argument = "TRACE|all", .may_lack_argument = true, .parse = parse_cold,
	  OF_COMMAND,
	  .help = "Drop the files that COMMAND maps from the page cache before each run: those of "
		  "TRACE, or of a former trace of COMMAND at FILE or FILE.warm; without one "
		  "COMMAND first runs once, recorded into FILE.warm. all: as root, drop everything "
		  "that can be dropped, also directories and inodes" },
	{ "exact", .flag = &given.options.is_exact, OF_COMMAND,
	  .help = "As root: no read-ahead from the devices that hold these files during each run, "
		  "so that each fault reads one page" },
	{ "pid", .letter = 'p', .argument = "PID", .number = &given.pid, .least = 1,
	  .most = INT32_MAX, .expected = "a process id", .excludes = { { "COMMAND" } },
	  .help = "Record a running process and all that it starts" },
	{ "cgroup", .argument = "PATH", .text = &given.options.cgroup,
	  .excludes = { { "COMMAND pid" } },
	  .help = "As root, with BPF: record what runs in this control group of version 2, and "
		  "below "
		  "it, and what is executed there, whoever starts it; until it is empty again. "
		  "PATH: its folder, or its name as /proc/PID/cgroup has it" },
	{ "unit", .argument = "NAME", .text = &given.options.unit,
	  .excludes = { { "COMMAND pid cgroup" } },
	  .help = "As root, with BPF: have systemd start its service NAME, which does not run, and "
		  "record that: what runs in its cgroup, until CONDITION, SECONDS of -d, or until "
		  "systemd says that it has started (notify)" },
	{ "duration", .letter = 'd', .argument = "SECONDS", .parse = parse_seconds,
	  .expected = "a number of seconds", .excludes = { { "COMMAND" } },
	  .help = "With -p, --cgroup or --unit: stop after SECONDS" },
	{ "until", .argument = "CONDITION", .parse = parse_until, .expected = "a condition",
	  .help = "End the recording when CONDITION holds, or the first of several: "
		  "listen[:PORT|PATH], output~REGEX, file:PATH[+created], exec:NAME, "
		  "function:[OBJECT:]NAME, notify, window, quiet:MS, mark:NAME, 5s, "
		  "signal "
		  "(docs/until.md). "
		  "Exit with 124 if none held" },
	{ "until-all", .flag = &given.until.wants_all,
	  .needs = { { "until", "it is about several of these" } },
	  .help = "With several --until: when all of them have held" },
	{ "then", .argument = "leave|end", .word = &given.until.then,
	  .needs = { { "until unit", "without, COMMAND ends by itself" } },
	  .help = "After --until: let COMMAND go on (default), or end it and all that it started, "
		  "by SIGTERM and after 5 seconds by SIGKILL, a unit by systemctl stop (default "
		  "with "
		  "--repeat)" },
	{ "mark", .argument = "NAME=CONDITION", .parse = parse_mark, .expected = "NAME=CONDITION",
	  .help = "Keep in the trace when CONDITION first held; may be repeated" },
	{ "backend", .argument = "auto|bpf|perf", .word = &given.options.backend,
	  .help = "How to record (default auto: BPF where allowed, else perf)" },
	{ "no-stacks", .flag = &given.no_stacks,
	  .help = "Record no call stacks: less to copy, but less certain initiators" },
	{ "stack-size", .argument = "BYTES", .bytes = &given.stack_bytes, .least = 64,
	  .most = RECORD_STACK_BYTES_MAX,
	  .help = "Copy at most BYTES of each stack, up to 1M (default with BPF: 1M where its end "
		  "is known, else 32K; with perf: 16K, or 4K where the buffers are small; at most "
		  "32K)" },
	{ "ring-size", .argument = "SIZE", .bytes = &given.options.ring_bytes,
	  .least = MACHINE_PAGE, .most = 1 << 30,
	  .help = "Size of each buffer between kernel and recorder, one for faults and one for "
		  "stacks, with K, M or G (default 64M; with perf 32M per CPU where allowed)" },
	{ "cpu", .argument = "HZ|off", .parse = parse_frequency, .expected = "off or 1 to 50000",
	  .help = "Sample what the processor runs so many times a second of its time (default: "
		  "2500 "
		  "to 10000, at most 5 % of the time by what a sample costs here, and 1000 after "
		  "the first 0.2 seconds, with perf of processor time)" },
	{ "recalibrate", .flag = &given.options.recalibrate,
	  .help = "Measure again what recording costs here, which is taken out of the time; else "
		  "that is done once for each kernel, processor and version of elfault" },
	{ "no-embed", .flag = &given.options.no_embed,
	  .help = "Keep no tables of files in the trace that cannot be found later: deleted, "
		  "memfd, or in another root or mount namespace" },
	{ "no-storage", .flag = &given.options.no_storage,
	  .help = "Do not record which bytes were read from disks, for what, and how long system "
		  "calls took" },
	{ .shared = OPTION_LABEL,
	  .help = "Keep this label of the run in the trace, for elfault export --to rows; may be "
		  "repeated" },
	{ "root", .flag = &given.options.as_root,
	  .help = "Under sudo: run COMMAND, or record the process of -p, as root, not as the user "
		  "who called sudo" },
	{ "strict", .flag = &given.strict, .help = "Exit with 4 if anything was lost or not seen" },
	{ "quiet", .flag = &given.quiet, .help = "Print only errors" },
	{ 0 },
};

static void check_subject(void)
{
	const bool is_group = given.options.cgroup || given.options.unit;

	if (!given.options.command && !given.pid && !is_group)
		option_misuse("missing COMMAND (or -p PID, --cgroup PATH, --unit NAME)");
	if (!given.options.command && until_has(&given.until, CONDITION_MARK))
		option_misuse("mark:NAME needs a COMMAND, which gets " CONDITION_MARK_VARIABLE);
	if (!given.options.command && !given.options.unit &&
	    until_has(&given.until, CONDITION_NOTIFY))
		option_misuse("notify needs a COMMAND, which gets NOTIFY_SOCKET, or --unit");
	if (is_group && until_has(&given.until, CONDITION_OUTPUT))
		option_misuse("output needs a COMMAND or -p PID, whose output it is");
}

/** Say so to whoever waits for it to start what is to be recorded. */
static void tell_begun(void)
{
	fprintf(stderr, "elfault: recording cgroup %s; Ctrl-C ends it\n", given.options.cgroup);
}

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
		if (result.ending.is_missed)
			status = RECORDED_NEVER_HELD;
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
		// A command that does not end by itself would never end.
		.plain = !arguments->no_plain && !until_has_end(arguments->options.until),
		.strict = arguments->strict,
		.quiet = arguments->quiet,
	};

	return repeat_run(&repeat);
}

static int run(void)
{
	struct record_options *options = &given.options;

	oom_status = RECORDED_FAILED;
	if (!options->output)
		options->output = given.repeat ? DEFAULT_SET : DEFAULT_TRACE;
	options->pid = (pid_t)given.pid;
	options->stacks = !given.no_stacks;
	options->stack_bytes = (uint32_t)given.stack_bytes & ~7u; // the kernel's unit is 8 bytes
	options->begun = options->cgroup && !given.quiet ? tell_begun : NULL;
	options->producer = version_line;
	options->progress = !given.quiet && isatty(STDERR_FILENO);
	options->labels = given.shared.labels.items;
	options->label_count = given.shared.labels.count;
	// A service does not end by itself.
	if (options->unit && options->seconds == 0 && !until_has_end(&given.until))
		until_add(&given.until, NULL, "notify", true, &(struct err){ 0 });
	if (given.repeat && !option_is_given("then"))
		given.until.then = UNTIL_THEN_END;
	options->until = given.until.items.count > 0 ? &given.until : NULL;

	struct record_files *files = NULL;
	int status = 0;

	if (options->cold || options->is_exact)
		status = coldrun_find_files(options, given.cold_trace, given.repeat > 0,
					    given.quiet, &files);
	options->files = files;
	if (status == 0)
		status = given.repeat == 0 ? record_once(&given) : record_set(&given);
	record_files_destroy(files);
	until_deinit(&given.until);
	return status;
}

const struct command command_record = {
	.name = "record",
	.summary = "run a command and record its page faults",
	.options = options,
	.operands = { .usage = "[--] COMMAND [ARG...]\n-p PID [-d SECONDS]\n--cgroup PATH [-d "
			       "SECONDS]\n--unit NAME [-d SECONDS]",
		      .command = &given.options.command },
	.values = &given.shared,
	.check = check_subject,
	.doc = "Record the page faults of COMMAND or of a running process."
	       "\vThe exit status is COMMAND's own; 125 if elfault itself failed, 126 if "
	       "COMMAND could not be run, 127 if it was not found. With --repeat it is "
	       "the first nonzero one; a run that cannot be recorded, or a signal to "
	       "elfault, ends the set.\n\n"
	       "Examples:\n"
	       "  elfault record -- clang --version\n"
	       "  elfault record --repeat 7 -o before.repeats -- clang --version\n"
	       "  elfault record --cold --repeat 7 -- clang --version\n"
	       "  elfault record -p 1234 -d 5\n"
	       "  elfault record --unit nginx --until listen:80",
	.run_status = run,
};
