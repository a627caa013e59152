// SPDX-License-Identifier: Apache-2.0
// `elfault doctor`: what this machine allows, and the exact command that would allow more.
#include "cli/command.h"
#include "cli/message.h"
#include "cli/option/option.h"
#include "cli/version.h"

#include "base/cleanup.h"
#include "record/record.h"
#include "render/columns/node.h"

#include <stdio.h>

static struct option_values given;

static const struct option_row options[] = {
	{ .shared = OPTION_FORMAT },
	{ 0 },
};

/** Describe what a failed check prevents: nothing, for one that only adds detail. */
static const char *consequence(const struct doctor_check *check)
{
	if (check->ok)
		return "ok";
	if (check->required_for_bpf && check->required_for_perf)
		return "FAIL";
	if (check->required_for_bpf)
		return "no BPF";
	return check->required_for_perf ? "no perf" : "less";
}

static void print_text(const struct doctor *doctor)
{
	array_foreach (check, doctor->checks, doctor->check_count) {
		printf("%-8s%-26s%s\n", consequence(check), check->name, check->now);
		if (check->ok)
			continue;
		printf("%8sneeded: %s\n", "", check->needed);
		printf("%8sway:    %s\n", "", check->way);
	}
	if (doctor->bpf_works)
		puts("\nelfault record uses BPF here: it sees every process that the command "
		     "starts, faults\nthat the kernel takes on its behalf, and durations.");
	else if (doctor->perf_works)
		puts("\nelfault record uses perf events here: faults without durations.");
	else
		puts("\nelfault record cannot use either backend here.");
}

static struct json_object *check_to_json(const struct doctor_check *check)
{
	struct json_object *object = node_object();
	struct json_object *required = node_array();

	if (check->required_for_bpf)
		node_append(required, node_text("bpf"));
	if (check->required_for_perf)
		node_append(required, node_text("perf"));
	node_add_text(object, "name", check->name);
	node_add_bool(object, "ok", check->ok);
	node_add(object, "required_for", required);
	node_add_text(object, "now", check->now);
	node_add_text(object, "needed", check->needed);
	node_add_text(object, "way", check->way);
	return object;
}

static void print_json(const struct doctor *doctor)
{
	CLEANUP(node_putp) struct json_object *document = node_object();
	struct json_object *checks = node_array();

	for (size_t i = 0; i < doctor->check_count; i++)
		node_append(checks, check_to_json(&doctor->checks[i]));
	node_add_text(document, "schema", "elfault.doctor/1");
	node_add_bool(document, "bpf", doctor->bpf_works);
	node_add_bool(document, "perf", doctor->perf_works);
	node_add(document, "checks", checks);
	puts(json_object_to_json_string_ext(document, JSON_C_TO_STRING_PRETTY |
							      JSON_C_TO_STRING_SPACED |
							      JSON_C_TO_STRING_NOSLASHESCAPE));
}

static bool run(void)
{
	message_ignore_sigpipe();
	struct doctor *doctor = doctor_run(version_line);

	if (given.format == OPTION_FORMAT_JSON)
		print_json(doctor);
	else
		print_text(doctor);

	bool works = doctor->bpf_works || doctor->perf_works;

	doctor_close(doctor);
	return message_output(fflush(stdout) == 0) && works;
}

const struct command command_doctor = {
	.name = "doctor",
	.summary = "show what this machine allows, and the command that would allow more",
	.options = options,
	.values = &given,
	.doc = "Show what this machine allows elfault to record, and the exact command that would "
	       "allow more. Tries both backends on a page fault of its own."
	       "\vExamples:\n"
	       "  elfault doctor\n"
	       "  sudo elfault doctor\n"
	       "  elfault doctor --format json | jq '.checks[] | select(.ok | not)'\n\n"
	       "Exit status: 0 a backend works, 1 neither does, 2 misuse.",
	.run = run,
};
