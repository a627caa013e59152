// SPDX-License-Identifier: Apache-2.0
// Owns the checks of `elfault doctor`: each value now, the value needed, and the command that would
// get there. The verdicts at the end are tried; the checks before them explain.
#include "record/record.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/filelimit.h"
#include "base/privilege.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "bpf/backend.h"
#include "bpf/kerneltypes.h"
#include "record/cold/cold.h"
#include "record/recordingcost.h"
#include "record/trial.h"

#ifdef ELFAULT_WITH_BPF
#include <bpf/btf.h>
#endif
#include <cap-ng.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum requirement { FOR_NONE = 0, FOR_BPF = 1, FOR_PERF = 2 };

/** The checks while they are gathered. */
struct gathering {
	VEC(struct doctor_check) checks;
	bool is_capable; // CAP_PERFMON or CAP_SYS_ADMIN: sysctls do not bind us
};

static char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *text_of(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		oom();
	va_end(args);
	return text;
}

/** Add a check. Takes @now; @needed and @way are copied where the check failed, else left empty. */
static void add(struct gathering *gathering, const char *name, bool ok, int required, char *now,
		const char *needed, const char *way)
{
	vec_push(&gathering->checks, (struct doctor_check){
					     .name = name,
					     .ok = ok,
					     .required_for_bpf = required & FOR_BPF,
					     .required_for_perf = required & FOR_PERF,
					     .now = now,
					     .needed = xstrdup(ok ? "" : needed),
					     .way = xstrdup(ok ? "" : way),
				     });
}

/** The first line of a small file of the kernel; free() it. NULL with errno where unreadable. */
static char *line_of(const char *path)
{
	CLEANUP(file_closep) FILE *file = fopen(path, "re");
	char line[512];

	if (!file)
		return NULL;
	errno = 0;
	if (!fgets(line, sizeof(line), file)) {
		errno = errno ? errno : ENODATA;
		return NULL;
	}
	line[strcspn(line, "\n")] = '\0';
	return xstrdup(line);
}

/** The number in a file of the kernel. */
static bool number_of(const char *path, long *ret_number)
{
	CLEANUP(freep) char *line = line_of(path);
	char *end;

	if (!line)
		return false;
	errno = 0;
	*ret_number = strtol(line, &end, 10);
	return end != line && *end == '\0' && errno == 0;
}

static void check_kernel(struct gathering *gathering)
{
	struct utsname system = { 0 };
	int major = 0, minor = 0;

	uname(&system);

	bool is_known = sscanf(system.release, "%d.%d", &major, &minor) == 2;
	bool is_new = is_known && (major > 5 || (major == 5 && minor >= 15));
	bool is_recorded = backend_has_processor(NULL);

	add(gathering, "kernel", is_new, FOR_BPF, text_of("%s", system.release), "5.15 or later",
	    "boot kernel 5.15 or later, or use `elfault record --backend perf`");
	add(gathering, "machine", is_recorded, FOR_BPF | FOR_PERF, text_of("%s", system.machine),
	    "x86_64", "record on an x86-64 machine; traces can be analyzed anywhere");
}

static void check_lockdown(struct gathering *gathering)
{
	char *line = line_of("/sys/kernel/security/lockdown");

	if (!line && errno == ENOENT) {
		add(gathering, "kernel lockdown", true, FOR_BPF,
		    text_of("none (not built in, or securityfs is not mounted)"), "", "");
		return;
	}
	if (!line) {
		add(gathering, "kernel lockdown", false, FOR_NONE,
		    text_of("unknown: %s", strerror(errno)), "none or integrity",
		    "sudo elfault doctor");
		return;
	}
	add(gathering, "kernel lockdown", !strstr(line, "[confidentiality]"), FOR_BPF | FOR_PERF,
	    line, "none or integrity", "boot without lockdown=confidentiality");
}

/** True if @capability counts where elfault needs it: outside of user namespaces. */
static bool is_effective(unsigned int capability)
{
	return capng_have_capability(CAPNG_EFFECTIVE, capability) && !privilege_is_contained();
}

static void check_capability(struct gathering *gathering, const char *name, unsigned int capability)
{
	bool has = is_effective(capability);
	bool is_root = is_effective(CAP_SYS_ADMIN);

	add(gathering, name, has || is_root, FOR_BPF,
	    text_of("%s", has	    ? "effective"
			  : is_root ? "CAP_SYS_ADMIN instead"
			  : privilege_is_contained()
				  ? "of a user namespace, where it does not count"
				  : "not effective"),
	    "effective", privilege_is_contained() ? privilege_way() : "sudo elfault record ...");
}

static void check_capabilities(struct gathering *gathering)
{
	bool has_all;

	if (capng_get_caps_process())
		return; // then nothing is effective, and the trial below says what that means
	check_capability(gathering, "CAP_BPF", CAP_BPF);
	check_capability(gathering, "CAP_PERFMON", CAP_PERFMON);
	has_all = is_effective(CAP_SYS_ADMIN);
	// For information: CAP_BPF and CAP_PERFMON are enough.
	add(gathering, "CAP_SYS_ADMIN", true, FOR_NONE,
	    text_of("%s", has_all ? "effective" : "not effective, not needed with the two above"),
	    "", "");
	gathering->is_capable = has_all || is_effective(CAP_PERFMON);
}

static void check_perf_sysctls(struct gathering *gathering)
{
	CLEANUP(strbuf_deinit) struct strbuf level = { 0 }, lock = { 0 };
	long number;

	strbuf_printf(&level, "%ssudo sysctl kernel.perf_event_paranoid=2", privilege_place());
	strbuf_printf(&lock, "%ssudo sysctl kernel.perf_event_mlock_kb=8192", privilege_place());
	if (!number_of("/proc/sys/kernel/perf_event_paranoid", &number))
		add(gathering, "perf_event_paranoid", false, FOR_PERF, text_of("no perf events"),
		    "a kernel with CONFIG_PERF_EVENTS", "boot a kernel with CONFIG_PERF_EVENTS=y");
	else
		add(gathering, "perf_event_paranoid", number <= 2 || gathering->is_capable,
		    FOR_PERF,
		    text_of("%ld%s", number,
			    number > 2 && gathering->is_capable ? ", which CAP_PERFMON overrides"
								: ""),
		    "2 or less", level.text);

	if (number_of("/proc/sys/kernel/perf_event_mlock_kb", &number))
		add(gathering, "perf_event_mlock_kb", number >= 516 || is_effective(CAP_IPC_LOCK),
		    FOR_NONE, text_of("%ld", number),
		    "516 or more: smaller rings lose events when faults are frequent", lock.text);
}

static void check_bpf_sysctls(struct gathering *gathering)
{
	CLEANUP(freep) char *line = line_of("/proc/sys/kernel/unprivileged_bpf_disabled");
	struct rlimit limit = { 0 };

	// For information: our programs need CAP_BPF whatever it says.
	add(gathering, "unprivileged_bpf_disabled", true, FOR_NONE,
	    text_of("%s, either value is fine", line ? line : "absent"), "", "");
	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY)
		add(gathering, "RLIMIT_MEMLOCK", true, FOR_NONE, text_of("unlimited"), "", "");
	else
		add(gathering, "RLIMIT_MEMLOCK", true, FOR_NONE,
		    text_of("%" PRIu64 " KiB; BPF is not charged to it since Linux 5.11",
			    (uint64_t)limit.rlim_cur / 1024),
		    "", "");
}

#ifdef ELFAULT_WITH_BPF

static bool btf_has(const struct btf *btf, const char *tracepoint)
{
	char name[128];

	snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	return btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF) >= 0;
}

/** One row for tracepoints that serve one purpose: which are there, and what is lost without. */
static void check_tracepoints(struct gathering *gathering, const struct btf *btf, const char *name,
			      const char *const *tracepoints, int required, const char *needed)
{
	CLEANUP(strbuf_deinit) struct strbuf missing = { 0 };

	for (size_t i = 0; btf && tracepoints[i]; i++)
		if (!btf_has(btf, tracepoints[i]))
			strbuf_printf(&missing, "%s%s",
				      missing.length ? ", " : "missing: ", tracepoints[i]);
	add(gathering, name, btf && !missing.length, required,
	    text_of("%s", !btf		   ? "unknown without BTF"
			  : missing.length ? strbuf_text(&missing)
					   : "present"),
	    needed, "boot a newer kernel");
}

static void check_btf(struct gathering *gathering)
{
	static const char *const faults[] = { "page_fault_user", "page_fault_kernel", NULL };
	static const char *const tasks[] = { "task_newtask",	   "task_rename",
					     "sched_process_exec", "sched_process_exit",
					     "sys_exit",	   NULL };
	static const char *const around[] = { "mm_filemap_map_pages", NULL };
	static const char *const ahead[] = { "mm_filemap_add_to_page_cache", NULL };
	struct btf *btf = kerneltypes_load();
	int why = errno;

	add(gathering, "kernel BTF", btf, FOR_BPF,
	    btf ? text_of("/sys/kernel/btf/vmlinux") : text_of("%s", err_text(why)),
	    "/sys/kernel/btf/vmlinux",
	    why == ENOENT   ? "boot a kernel with CONFIG_DEBUG_INFO_BTF=y"
	    : why == EMFILE ? "ulimit -n 1024"
			    : "sudo elfault doctor");
	check_tracepoints(gathering, btf, "page-fault tracepoints", faults, FOR_BPF,
			  "page_fault_user and page_fault_kernel: durations and error codes");
	check_tracepoints(gathering, btf, "task tracepoints", tasks, FOR_BPF,
			  "all: to follow forks, execs and ends");
	check_tracepoints(gathering, btf, "fault-around tracepoint", around, FOR_NONE,
			  "mm_filemap_map_pages (Linux 6.12): which pages one fault maps at once");
	check_tracepoints(gathering, btf, "read-ahead tracepoint", ahead, FOR_NONE,
			  "mm_filemap_add_to_page_cache: what each fault reads");
	btf__free(btf);
}

#else

static void check_btf(struct gathering *gathering)
{
	add(gathering, "BPF backend built in", false, FOR_BPF, text_of("no"), "yes",
	    "install clang, bpftool and libbpf-dev, then: meson setup -Dbpf=enabled build");
}

#endif

static void check_surroundings(struct gathering *gathering)
{
	CLEANUP(freep) char *scope = line_of("/proc/sys/kernel/yama/ptrace_scope");
	const char *none = errno == ENOENT ? "absent" : "unknown";
	struct stat status;
	bool has_debug_files = stat("/usr/lib/debug/.build-id", &status) == 0;

	// Attaching by -p reads another process, which Yama allows; it restricts tracing only.
	add(gathering, "yama ptrace_scope", true, FOR_NONE,
	    text_of("%s, does not restrict record -p", scope ? scope : none), "", "");
	add(gathering, "debug files", has_debug_files, FOR_NONE,
	    text_of("/usr/lib/debug/.build-id is %s", has_debug_files ? "present" : "absent"),
	    "for names inside stripped files",
	    "install the -dbgsym, -dbg or -debuginfo package of the object");
}

/** Devices without read-ahead: what a killed `record --exact` has left, as far as it can be known.
 */
static void check_readahead(struct gathering *gathering)
{
	static const char name[] = "device read-ahead";
	CLEANUP(freep) struct readahead_zero *zeros;
	size_t count = readahead_list(&zeros);
	struct stat status;

	array_foreach (zero, zeros, count) {
		CLEANUP(freep) char *needed = text_of("%" PRIu64 " KiB", zero->kb);
		CLEANUP(freep)
		char *way =
			text_of("sudo elfault record -- true, which sets it back, or: echo %" PRIu64
				" | sudo tee %s/read_ahead_kb",
				zero->kb, zero->folder);

		if (zero->is_held)
			add(gathering, name, true, FOR_NONE,
			    text_of("%s: 0 while an elfault record --exact runs", zero->name), "",
			    "");
		else if (zero->kb != 0)
			add(gathering, name, false, FOR_NONE,
			    text_of("%s: 0, left by an elfault record --exact that was killed",
				    zero->name),
			    needed, way);
		else if (geteuid() != 0 && stat("/run/elfault", &status) == 0)
			add(gathering, name, false, FOR_NONE,
			    text_of("%s: 0; whether elfault left it only root can see", zero->name),
			    "what it was", "sudo elfault doctor");
		else
			add(gathering, name, true, FOR_NONE,
			    text_of("%s: 0, which elfault has not set", zero->name), "", "");
	}
}

/** The row of a trial. Its message is cut before the remedies, which the rows above have. */
static bool check_trial(struct gathering *gathering, const char *name, bool works, int required,
			struct err *err)
{
	const char *way = err->os_errno == EMFILE ? "ulimit -n 1024"
			  : privilege_is_contained()
				  ? "what the failed checks say"
				  : "sudo elfault doctor, and what the failed checks say";

	err_drop_ways(err);
	add(gathering, name, works, required,
	    text_of("%s", works ? "tried: a page fault was recorded" : err->message),
	    "one of its own page faults is recorded", way);
	return works;
}

/** For information: what recording costs is taken out of the time. */
static void check_costs(struct gathering *gathering, const char *producer)
{
	static const char name[] = "cost of recording";
	const struct record_options options = { .stacks = true, .producer = producer };
	uint32_t ns[TRACE_COSTS];
	struct err err = { 0 };

	if (!recordingcost_find(&options, ns, &err)) {
		err_drop_ways(&err);
		add(gathering, name, false, FOR_NONE, text_of("unknown: %s", err.message),
		    "measured: else what recording adds is within the times that are shown",
		    "sudo elfault doctor");
		return;
	}
	add(gathering, name, true, FOR_NONE,
	    text_of("fault %.2f + %.2f us within it, sample %.1f us, system call %.2f us, pause "
		    "%.2f us, mapping %.2f us",
		    ns[TRACE_COST_FAULT] / 1e3, ns[TRACE_COST_FAULT_WITHIN] / 1e3,
		    ns[TRACE_COST_SAMPLE] / 1e3, ns[TRACE_COST_CALL] / 1e3,
		    ns[TRACE_COST_PAUSE] / 1e3, ns[TRACE_COST_MAPPING] / 1e3),
	    "", "");
}

struct doctor *doctor_run(const char *producer)
{
	struct doctor *doctor = xcalloc(1, sizeof(*doctor));
	struct gathering gathering = { 0 };
	struct err err = { 0 };

	filelimit_raise(); // as record does
	check_kernel(&gathering);
	check_capabilities(&gathering);
	check_lockdown(&gathering);
	check_btf(&gathering);
	check_bpf_sysctls(&gathering);
	check_perf_sysctls(&gathering);
	check_surroundings(&gathering);
	check_readahead(&gathering);

	bool works = trial_bpf(&err);

	doctor->bpf_works = check_trial(&gathering, "BPF backend", works, FOR_BPF, &err);
	err = (struct err){ 0 };
	works = trial_perf(&err);
	doctor->perf_works = check_trial(&gathering, "perf backend", works, FOR_PERF, &err);

	if (doctor->bpf_works)
		check_costs(&gathering, producer);
	doctor->checks = gathering.checks.items;
	doctor->check_count = gathering.checks.count;
	return doctor;
}

void doctor_close(struct doctor *doctor)
{
	if (!doctor)
		return;
	for (size_t i = 0; i < doctor->check_count; i++) {
		free(doctor->checks[i].now);
		free(doctor->checks[i].needed);
		free(doctor->checks[i].way);
	}
	free(doctor->checks);
	free(doctor);
}
