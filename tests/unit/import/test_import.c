// SPDX-License-Identifier: Apache-2.0
// Logs of other tools, and what becomes of them: hostile names, damaged lines, what is not told.
#include "import/import.h"

#include "base/cleanup.h"
#include "trace/trace.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct trace *trace;
static struct err err;

static int forget(void **state)
{
	trace_close(trace);
	trace = NULL;
	err = (struct err){ 0 };
	return 0;
}

/** Write what was read as a trace, and read that. */
static void keep(struct imported *imported)
{
	CLEANUP(fd_close) int fd = memfd_create("trace", MFD_CLOEXEC);
	char path[64];

	assert_true(import_write(imported, "test", fd, &err));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	trace_close(trace);
	trace = NULL;
	assert_true(trace_read(path, &trace, &err));
	assert_true(trace->complete);
}

static bool read_bytes(const char *text, size_t size, enum import_format format)
{
	const struct import_source source = {
		.name = "LOG", .fd = -1, .bytes = text, .size = size, .folder = "/here"
	};
	CLEANUP(import_closep) struct imported *imported = NULL;

	if (!import_read(&source, format, &imported, &err))
		return false;
	keep(imported);
	return true;
}

static bool read_log(const char *text)
{
	return read_bytes(text, strlen(text), IMPORT_FORMATS);
}

static bool has_note(const char *part)
{
	vec_foreach (note, &trace->notes.list)
		if (strstr(note->text, part))
			return true;
	return false;
}

static const struct trace_fault *fault(size_t index)
{
	assert_true(index < trace->faults.count);
	return &trace->faults.items[index];
}

static const struct trace_mapping *mapping(size_t index)
{
	assert_true(index < trace->mappings.count);
	return &trace->mappings.items[index];
}

// ---- The bpftrace log -------------------------------------------------------------------------

#define MMAP(task, name) \
	"mmap(\"" task "\", fd=3, fname=\"" name "\",off=4096, len=8191, ret=0x7F0000001000)\n"
#define FAULT(task) "page_fault_user(\"" task "\", address=0x7F0000001234, ip=0x7F00000020AA)\n"

const struct tests_around tests_around = { .after_each = forget };

TEST(a_bpftrace_log_has_mappings_faults_and_names)
{
	assert_true(read_log(
		"Attaching 9 probes...\nTracing open syscalls... Hit Ctrl-C to end.\n" MMAP(
			"cat-12", "/lib/a.so") FAULT("cat-12")));
	assert_int_equal(trace->mappings.count, 1);
	assert_string_equal(mapping(0)->path, "/lib/a.so");
	assert_int_equal(mapping(0)->addr, 0x7F0000001000);
	assert_int_equal(mapping(0)->size, 8192);
	assert_int_equal(mapping(0)->offset, 4096);
	assert_int_equal(mapping(0)->pid, 12);
	assert_int_equal(trace->faults.count, 1);
	assert_int_equal(fault(0)->addr, 0x7F0000001234);
	assert_int_equal(fault(0)->ip, 0x7F00000020AA);
	assert_int_equal(fault(0)->flags, TRACE_FAULT_HAS_USER_IP);
	assert_true(fault(0)->time_ns > mapping(0)->time_ns);
	assert_true(trace->meta.times_are_order);
	assert_true(trace->meta.kinds_unknown);
	assert_string_equal(trace->meta.backend, "bpftrace");
	assert_int_equal(trace->meta.root_pid, 12);
	assert_string_equal(trace->tasks.items[0].comm, "cat");
	assert_int_equal(trace->summary.lost, 0);
	assert_true(has_note("the program itself and the dynamic linker"));
}

TEST(the_pid_is_behind_the_last_dash)
{
	assert_true(read_log(FAULT("a-b--7-12") FAULT("-13") FAULT("fifteen-letters-14")));
	assert_int_equal(fault(0)->pid, 12);
	assert_int_equal(fault(1)->pid, 13);
	assert_int_equal(fault(2)->pid, 14);
	assert_string_equal(trace->tasks.items[0].comm, "a-b--7");
}

TEST(names_may_hold_what_lines_are_made_of)
{
	assert_true(read_log(MMAP("x-1", "/a\",off=1, len=2, ret=0x3)/\\\"b',$(id)") //
			     MMAP("\", fd=3, fname-2", "/c")			     // 15 bytes
			     MMAP("\", address=0x1-3", "/d\", fd=9, fname=\"e")	     //
			     "page_fault_user(\"\", address=0x1-4\", address=0x5, ip=0x6)\n"));
	assert_int_equal(trace->mappings.count, 3);
	assert_string_equal(mapping(0)->path, "/a\",off=1, len=2, ret=0x3)/\\\"b',$(id)");
	assert_int_equal(mapping(1)->pid, 2);
	assert_string_equal(mapping(1)->path, "/c");
	assert_int_equal(mapping(2)->pid, 3);
	assert_string_equal(mapping(2)->path, "/d\", fd=9, fname=\"e");
	assert_int_equal(fault(0)->pid, 4);
	assert_int_equal(fault(0)->addr, 5);
}

TEST(a_name_with_a_line_end_is_no_mapping)
{
	assert_true(read_log(MMAP("x-1", "/a\",off=0, len=4096, ret=0x7F0000000000)\n/b")
				     FAULT("x-1")));
	assert_int_equal(trace->mappings.count, 0);
	assert_int_equal(trace->faults.count, 1);
	assert_int_equal(trace->summary.lost_other, 1);
	assert_true(
		has_note("a damaged line of a mapping or a task is left out; the first is line 1"));
	assert_true(has_note("a line was not understood; the first is line 2"));
}

TEST(a_mapping_that_failed_or_has_no_file_keeps_no_name)
{
	assert_true(read_log(
		"mmap(\"x-1\", fd=-1, fname=\"/stale\",off=0, len=4096, ret=0x7F0000000000)\n"
		"mmap(\"x-1\", fd=3, fname=\"/a\",off=0, len=4096, ret=0xFFFFFFFFFFFFFFF4)\n"
		"mmap(\"x-1\", fd=3, fname=\"/a\",off=0, len=4096, ret=0xFFFFFFF4)\n"
		"mmap(\"x-1\", fd=3, fname=\"\",off=0, len=4096, ret=0x7F0000002000)\n"
		"mmap(\"x-1\", fd=3, fname=\"lib/b.so\",off=0, len=4096, ret=0x7F0000004000)\n"));
	assert_int_equal(trace->mappings.count, 3);
	assert_string_equal(mapping(0)->path, "//anon");
	assert_string_equal(mapping(1)->path, "[file]");
	assert_string_equal(mapping(2)->path, "[file]");
	assert_true(has_note("an mmap had failed"));
}

#define NAME_62 "/234567890123456789012345678901234567890123456789012345678901 "

TEST(a_name_that_may_be_cut_is_marked)
{
	assert_true(read_log(MMAP("x-1", NAME_62 "3") MMAP("x-1", NAME_62)));
	assert_string_equal(mapping(0)->path, NAME_62 "3...");
	assert_string_equal(mapping(1)->path, NAME_62);
	assert_true(has_note("bpftrace cuts names at 63 bytes"));
	// A longer one shows that this was not the limit.
	assert_true(read_log(MMAP("x-1", NAME_62 "3") MMAP("x-1", NAME_62 "345")));
	assert_string_equal(mapping(0)->path, NAME_62 "3");
	assert_false(has_note("bpftrace cuts names"));
}

TEST(addresses_of_32_bits_are_told)
{
	assert_true(read_log("mmap(\"x-1\", fd=3, fname=\"/a\",off=0, len=12288, ret=0xFFFFE000)\n"
			     "page_fault_user(\"x-1\", address=0xFFFFF123, ip=0x123)\n"));
	assert_int_equal(trace->mappings.count, 2);
	assert_int_equal(mapping(0)->addr, 0xFFFFE000);
	assert_int_equal(mapping(0)->size, 0x2000);
	assert_int_equal(mapping(1)->addr, 0); // where it went on
	assert_int_equal(mapping(1)->size, 0x1000);
	assert_int_equal(mapping(1)->offset, 0x2000);
	assert_true(has_note("all addresses have 32 bits"));
	assert_true(read_log(FAULT("x-1")));
	assert_false(has_note("32 bits"));
}

TEST(damaged_lines_of_the_log_are_counted_and_named)
{
	assert_true(read_log(FAULT(
		"x-1") "page_fault_user(\"x-1\", address=0x12345678901234567, ip=0x1)\n" // too
											 // large
		       "page_fault_user(\"x-1\", address=0x1\n"				 // cut
		       "page_fault_user(\"x-99999999999\", address=0x1, ip=0x1)\n"
		       "page_fault_user(\"x\", address=0x1, ip=0x1)\n"
		       "mmap(\"x-1\", fd=3, fname=\"/a\",off=0, len=-1, ret=0x1000)\n"
		       "mmap(\"x-1\", fd=3, fname=\"/a\",off=0, len=4096, ret=0x1000)\n"
		       "Lost 5 events\n"
		       "garbage\n"
		       "mmap(\"x-1\", fd=3, fname=\"/a\",off=4096, len=18446744073709551615, "
		       "ret=0x7F0000001000)\n"));
	assert_int_equal(trace->faults.count, 1);
	assert_int_equal(trace->mappings.count, 1);
	assert_int_equal(trace->summary.lost, 4 + 5);
	assert_int_equal(trace->summary.lost_other, 2);
	assert_true(has_note("a damaged line of a fault counts as lost; the first is line 2"));
	assert_true(
		has_note("a damaged line of a mapping or a task is left out; the first is line 6"));
	assert_true(has_note("a line was not understood; the first is line 9"));
	assert_true(has_note("bpftrace lost an event"));
}

// ---- perf script ------------------------------------------------------------------------------

#define P(time) "cat 12/12  5.00000" #time ": "
#define EXEC	P(0000) "PERF_RECORD_COMM exec: cat:12/12\n"
#define BIN                                                                    \
	P(1000)                                                                \
	"PERF_RECORD_MMAP2 12/12: [0x555555554000(0x3000) @ 0x1000 08:01 77 0" \
	"]: r-xp /bin/cat\n"
#define LD                                                                                    \
	P(2000)                                                                               \
	"PERF_RECORD_MMAP2 12/12: [0x7f0000000000(0x2000) @ 0 <0102030405060708090a0b0"       \
	"c0d0e0f1011121314>]: r--p /lib/ld (1).so\n" P(                                       \
		2001) "PERF_RECORD_MMAP2 12/12: [0x7f0000001000(0x1000) @ 0x1000 <0102030405" \
		      "060708090a0b0c0d0e0f1011121314>]: r-xp /lib/ld (1).so\n"

TEST(perf_script_has_mappings_tasks_and_faults)
{
	assert_true(
		read_log("# os release : 6.1.0\n# arch : x86_64\n# perf version : 6.1\n"
			 "# cmdline : /usr/bin/perf record -e page-faults -- cat /dev/null \n"
			 "#\n" EXEC BIN LD
				 P(3000) "1 page-faults: 7f0000001008 ffffffff81000000\n" P(4000) "1 page-faults:u: 555555555000 7f0000001010\n" P(
					 5000) "1 page-faults: 555555556000 "
					       "ffffffff81000000\n" P(
						       6000) "PERF_RECORD_FORK("
							     "13:13):(12:12)"
							     "\n" P(7000) "PERF_"
									  "RECOR"
									  "D_"
									  "EXIT("
									  "13:"
									  "13):("
									  "12:"
									  "12)"
									  "\n" P(8000) "PERF_"
										       "RECORD_"
										       "LOST lost "
										       "3\n"));
	assert_string_equal(trace->meta.kernel, "6.1.0");
	assert_string_equal(trace->meta.machine, "x86_64");
	assert_string_equal(trace->meta.backend, "perf-script");
	assert_int_equal(trace->meta.command_count, 2);
	assert_string_equal(trace->meta.command[1], "/dev/null");
	assert_int_equal(trace->meta.start_ns, 5000000000);
	assert_int_equal(trace->meta.root_pid, 12);
	assert_int_equal(trace->mappings.count, 3);
	assert_int_equal(mapping(0)->inode, 77);
	assert_int_equal(mapping(0)->offset, 0x1000);
	assert_int_equal(mapping(0)->protection, TRACE_PROTECTION_READ | TRACE_PROTECTION_EXEC);
	assert_string_equal(mapping(1)->path, "/lib/ld (1).so");
	assert_int_equal(mapping(1)->build_id_size, 20);
	assert_int_equal(mapping(1)->build_id[19], 0x14);
	assert_int_equal(trace->tasks.count, 3);
	assert_int_equal(trace->tasks.items[1].parent_pid, 12);
	assert_int_equal(trace->faults.count, 3);
	assert_int_equal(fault(0)->flags, TRACE_FAULT_KERNEL); // exec: nobody else
	assert_int_equal(fault(1)->flags, TRACE_FAULT_HAS_USER_IP);
	assert_int_equal(fault(1)->ip, 0x7f0000001010);
	assert_int_equal(fault(2)->flags, TRACE_FAULT_KERNEL | TRACE_FAULT_IP_UNKNOWN);
	assert_int_equal(trace->summary.lost, 3);
	assert_true(trace->meta.kinds_unknown);
	assert_true(has_note("page-faults does not tell minor from major"));
}

TEST(a_log_of_the_whole_machine_is_of_no_command)
{
	assert_true(read_log("# cmdline : /usr/bin/perf record -a -e page-faults -- sleep 1 \n" EXEC
			     "ls 14/14 5.000001: 1 page-faults: 1000 1000\n"
			     "cat 12/12 5.000001: 1 page-faults: 1000 1000\n"
			     "cat 12/12 5.000001: 1 page-faults: 2000 1000\n"));
	assert_int_equal(trace->meta.command_count, 0);
	assert_true(trace->meta.attached);
	assert_int_equal(trace->meta.root_pid, 12);
}

TEST(offsets_of_call_chains_become_addresses)
{
	assert_true(read_log(EXEC BIN LD P(3000) "1 page-faults: 555555555000\n"
						 "\t      1010 _start+0x10 (/lib/ld (1).so)\n"
						 "\t      2abc main(int, char**) (/bin/cat)\n"
						 "\t      2abc hidden() (/bin/other)\n"
						 "\t      1010 _start+0x10 (/lib/ld (1).so)\n\n"));
	assert_int_equal(fault(0)->ip, 0x7f0000001010);
	assert_int_equal(trace->stacks.count, 1);
	assert_int_equal(trace->stacks.items[0].frame_count, 2); // up to one of no known file
	assert_int_equal(trace->stacks.items[0].frames[1], 0x555555555abc);
	assert_true(trace->stacks.items[0].is_truncated);
	assert_true(trace->meta.has_stacks);
	assert_true(trace->meta.stacks_have_gaps);
	assert_true(has_note("a call chain ends at a frame that is in no known mapping"));
}

TEST(many_parentheses_are_no_work)
{
	static char log[200000];
	size_t size = (size_t)snprintf(log, sizeof(log),
				       EXEC BIN LD P(3000) "1 page-faults: 555555555000\n");

	for (int line = 0; line < 3; line++) {
		size += (size_t)snprintf(log + size, sizeof(log) - size, "\t 1010 ");
		memset(log + size, '(', 60000);
		size += 60000;
		size += (size_t)snprintf(log + size, sizeof(log) - size, ")\n");
	}
	assert_true(read_bytes(log, size, IMPORT_FORMATS));
	assert_int_equal(fault(0)->flags, TRACE_FAULT_IP_UNKNOWN);
}

TEST(copied_stacks_are_printed_where_calls_are)
{
	assert_true(read_log(
		"# event : name = page-faults, sample_type = IP|STACK_USER|DATA_SRC\n" EXEC BIN LD
			P(3000) "1 page-faults: 555555555000\n"
				"\tffffffff81000000 clear_user ([kernel.kallsyms])\n"
				"\t      1010 inner (inlined)\n"
				"\t      1010 _start (/lib/ld (1).so)\n"
				"\t      2abb main (/bin/cat)\n"
				"\n" P(4000) "1 page-faults: 555555555008\n"
					     "\t      1010 _start (/lib/ld (1).so)\n"
					     "\t      2abb main (/bin/cat)\n"));
	assert_int_equal(fault(0)->flags, TRACE_FAULT_KERNEL); // of exec
	assert_int_equal(fault(1)->ip, 0x7f0000001010);
	assert_int_equal(trace->stacks.items[0].frames[1], 0x555555555abc);
	assert_false(trace->meta.stacks_have_gaps);
}

TEST(older_call_chains_have_addresses)
{
	assert_true(read_log(
		EXEC BIN LD P(3000) "1 page-faults: 555555555000\n"
				    "\t7f0000001010 _start+0x10 (/lib/ld (1).so)\n"
				    "\t555555555abc main (/bin/cat)\n\n" P(
					    4000) "1 page-faults: 555555555000\n"
						  "\t7f0000001010 [unknown] ([unknown])\n"
						  "\t4141414141414141 [unknown] ([unknown])\n\n"));
	assert_int_equal(trace->stacks.count, 1);
	assert_int_equal(trace->stacks.items[0].frames[1], 0x555555555abc);
	assert_int_equal(fault(1)->ip, 0x7f0000001010);
	assert_int_equal(fault(1)->stack, 0);
}

TEST(the_end_of_a_fault_tells_its_kind_and_duration)
{
	assert_true(read_log(EXEC BIN LD //
				     P(3000) "1 page-faults: 555555555000 7f0000001010\n" P(3500) "1 major-faults: 555555555000 7f0000001010\n" P(
					     4000) "1 page-faults: 555555556000 "
						   "7f0000001010\n" P(
							   4100) "1 "
								 "minor-faults: "
								 "555555556000 "
								 "7f0000001010"
								 "\n" P(5000) "1"
									      " "
									      "p"
									      "a"
									      "g"
									      "e"
									      "-"
									      "f"
									      "a"
									      "u"
									      "l"
									      "t"
									      "s"
									      ":"
									      " "
									      "5"
									      "5"
									      "5"
									      "5"
									      "5"
									      "5"
									      "5"
									      "5"
									      "6"
									      "0"
									      "0"
									      "0"
									      " "
									      "7"
									      "f"
									      "0"
									      "0"
									      "0"
									      "0"
									      "0"
									      "0"
									      "1"
									      "0"
									      "1"
									      "0"
									      "\n" P(5100) "1 "
											   "minor-"
											   "faults:"
											   " 555555"
											   "557000 "
											   "7f00000"
											   "01010"
											   "\n"));
	assert_int_equal(trace->faults.count, 4);
	assert_int_equal(fault(0)->flags,
			 TRACE_FAULT_HAS_USER_IP | TRACE_FAULT_MAJOR | TRACE_FAULT_HAS_DURATION);
	assert_int_equal(fault(0)->duration_ns, 500);
	assert_int_equal(fault(1)->duration_ns, 100);
	assert_int_equal(fault(2)->flags, TRACE_FAULT_HAS_USER_IP);
	assert_true(has_note("a fault has no minor-faults or major-faults event"));
}

TEST(faults_without_a_sample_are_lost)
{
	assert_true(read_log(EXEC BIN LD P(3000) "4000 page-faults: 555555555000 7f0000001010\n" P(
		4000) "7 cycles: 7f0000001010\n" P(4000) "1 page-faults: 555555555000 "
							 "ffffffff81000000\n"));
	assert_int_equal(trace->summary.lost, 3999);
	assert_true(has_note("perf took samples: 3,999 faults have none"));
	assert_true(has_note("a sample of another event is left out; the first is line 6"));
	assert_true(fault(1)->flags & TRACE_FAULT_IP_UNKNOWN); // it may be after exec
}

TEST(a_task_may_be_called_like_a_line)
{
	assert_true(
		read_log("1/1 2.0: 1 a 99/98 5.000000: 1 page-faults: 555555555000 401000\n"
			 "           a-b c 99/98  [001] 5.000000: 1 faults: 555555556000 401000\n"
			 "a 99/98 5.000001: PERF_RECORD_COMM: 1/1 2.0: : /1:99/98\n"));
	assert_int_equal(trace->faults.count, 2);
	assert_int_equal(fault(0)->pid, 99);
	assert_int_equal(fault(0)->tid, 98);
	assert_string_equal(trace->tasks.items[0].comm, "1/1 2.0: 1 a");
	assert_string_equal(trace->tasks.items[1].comm, "a-b c");
	assert_string_equal(trace->tasks.items[2].comm, "1/1 2.0: : /1");
	assert_int_equal(trace->tasks.items[2].tid, 98);
}

TEST(without_an_address_there_is_an_error)
{
	assert_false(read_log(EXEC P(3000) "1 page-faults: \n\t 1010 _start (/lib/ld.so)\n\n"));
	assert_int_equal(err.code, ERR_INPUT);
	assert_non_null(strstr(err.message, "LOG: line 2: the fault has no address: record with"));
	assert_false(read_log(EXEC P(3000) "1 page-faults: 7f0000001010 _start (/lib/ld.so)\n"));
	assert_non_null(strstr(err.message, "LOG: line 2: the fault has one number"));
}

TEST(the_ip_is_found_behind_names_or_not_at_all)
{
	assert_true(read_log(
		EXEC BIN LD P(3000) "1 page-faults: 555555555000 data (/bin/cat) 7f0000001010 f "
				    "(/lib/x)\n" P(4000) "1 page-faults: 555555555000 [unknown] "
							 "(/bin/cat) 7 x (/b) "
							 "7f0000001010 f (/lib/x)\n"));
	assert_int_equal(fault(0)->ip, 0x7f0000001010);
	assert_int_equal(fault(1)->flags, TRACE_FAULT_IP_UNKNOWN);
	assert_true(has_note("several numbers of a line may be the instruction"));
}

TEST(a_thread_alone_belongs_to_who_forked_it)
{
	assert_true(read_log("cat 12 5.000000: PERF_RECORD_FORK(12:14):(12:12)\n"
			     "cat 14 5.000001: 1 page-faults: 555555555000 401000\n"
			     "cat 15 5.000001: 1 page-faults: 555555555000 401000\n"));
	assert_int_equal(fault(0)->pid, 12);
	assert_int_equal(fault(0)->tid, 14);
	assert_int_equal(fault(1)->pid, 15);
}

TEST(damaged_lines_of_perf_script_are_counted_and_named)
{
	assert_true(
		read_log(EXEC P(1000) "PERF_RECORD_MMAP2 12/12: [0x1000(0x1000) @ 0 08:01 7\n" P(
			1000) "PERF_RECORD_MMAP2 12/12: [0x1000(0xffffffffffffffff) @ 0 08:01 7 "
			      "0]: "
			      "r-xp /a\n" P(1000) "PERF_RECORD_MMAP2 12/12: [0x2000(0x1000) @ 0 "
						  "08:01 7 0]: r-xp /a\nb\n" P(
							  3000) "1 page-faults: 555555555000 "
								"401000\n" P(3000) "1 page-faults: "
										   "555555555000000"
										   "00 401000\n"
										   "\t401000 f "
										   "(/a)\n"
										   "cat 12/12 "
										   "5.0000010000\n"
										   "999999999999999"
										   "99999/1 5.0: 1 "
										   "page-faults: 1 "
										   "1\n"));
	assert_int_equal(trace->mappings.count, 1);
	assert_int_equal(trace->faults.count, 1);
	assert_int_equal(trace->summary.lost, 1);
	assert_int_equal(trace->summary.lost_other, 2);
	assert_true(has_note("a damaged line of a fault counts as lost; the first is line 7"));
	assert_true(has_note("is left out; the first is line 2"));
	assert_true(has_note("a line was not understood; the first is line 5"));
}

// ---- Lists of offsets -------------------------------------------------------------------------

TEST(a_list_has_a_file_and_an_offset_per_line)
{
	assert_true(read_log("# a comment\n"
			     "/lib/a b.so 4097\n"
			     "/lib/a b.so\t0x1fff \r\n"
			     "c.so 0\n"
			     "\n"
			     "/lib/a b.so 12345678901234567890\n"
			     "4096\n"
			     "/lib/a b.so 8192 bytes\n"));
	assert_int_equal(trace->faults.count, 3);
	assert_int_equal(trace->mappings.count, 2); // one page is there twice
	assert_string_equal(mapping(0)->path, "/lib/a b.so");
	assert_int_equal(mapping(0)->offset, 4096);
	assert_int_equal(mapping(0)->size, 4096);
	assert_int_equal(fault(0)->addr - mapping(0)->addr, 1);
	assert_int_equal(fault(1)->addr - mapping(0)->addr, 0xfff);
	assert_string_equal(mapping(1)->path, "/here/c.so");
	assert_int_equal(fault(0)->flags, TRACE_FAULT_IP_UNKNOWN);
	assert_int_equal(trace->summary.lost, 1);
	assert_true(trace->meta.times_are_order);
	assert_true(has_note("a damaged line of a fault counts as lost; the first is line 6"));
	assert_true(has_note("a line was not understood; the first is line 7"));
	assert_true(has_note("relative to /here"));
}

// ---- Any log ----------------------------------------------------------------------------------

TEST(what_is_no_log_is_refused)
{
	static const char *const texts[] = { "", "PERFILE2abc", "\177ELF\n",
					     "elfault-trace-text 1\n", "some words\n" };
	static const char *const messages[] = { "LOG: is empty", "print it with perf script first",
						"is an ELF file", "is a trace already",
						"not recognized" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_false(read_log(texts[i]));
		assert_int_equal(err.code, ERR_INPUT);
		assert_non_null(strstr(err.message, messages[i]));
	}
	assert_false(read_bytes("some words\n", 11, IMPORT_BPFTRACE));
	assert_non_null(strstr(err.message, "LOG: none of its 1 lines is"));
}

TEST(odd_lines_of_any_log_are_no_names)
{
	static char log[300000];
	size_t size;

	// A NUL, a line longer than any that means something, and an end without a newline.
	size = (size_t)snprintf(log, sizeof(log), FAULT("x-1") "mmap(\"x-1\", fd=3, fname=\"/");
	log[size++] = '\0';
	size += (size_t)snprintf(log + size, sizeof(log) - size,
				 "\",off=0, len=1, ret=0x1000)\npage_fault_user(\"");
	memset(log + size, 'x', 200000);
	size += 200000;
	size += (size_t)snprintf(log + size, sizeof(log) - size,
				 "-1\", address=0x1, ip=0x1)\n" FAULT("x-1"));
	assert_true(read_bytes(log, size - 1, IMPORT_FORMATS));
	assert_int_equal(trace->faults.count, 2);
	assert_int_equal(trace->mappings.count, 0);
	assert_true(
		has_note("a damaged line of a mapping or a task is left out; the first is line 2"));
	assert_true(has_note("ends within line 4, without a newline"));
	assert_int_equal(trace->summary.lost, 1);

	// The same by way of a file, which is read in pieces.
	CLEANUP(fd_close) int fd = memfd_create("log", MFD_CLOEXEC);
	CLEANUP(import_closep) struct imported *imported = NULL;
	const struct import_source source = { .name = "LOG", .fd = fd };

	assert_int_equal(write(fd, log, size - 1), size - 1);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_true(import_read(&source, IMPORT_FORMATS, &imported, &err));
	keep(imported);
	assert_int_equal(trace->faults.count, 2);
	assert_int_equal(trace->summary.lost + trace->summary.lost_other, 2);
}

/** Import a list that names @path, written at @log_s; its mapping is then the trace's. */
static void identify(const char *path, time_t log_s)
{
	const struct stat log = { .st_mtim = { .tv_sec = log_s } };
	const struct import_source source = {
		.name = "LOG", .fd = -1, .bytes = path, .size = strlen(path), .folder = "/"
	};
	CLEANUP(import_closep) struct imported *imported = NULL;

	assert_true(import_read(&source, IMPORT_FORMATS, &imported, &err));
	import_identify(imported, &log);
	keep(imported);
}

TEST(files_are_those_of_today_unless_they_changed_since)
{
	char path[] = "/tmp/elfault-import.XXXXXX", list[64];
	CLEANUP(fd_close) int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "text", 4), 4);
	snprintf(list, sizeof(list), "%s 0\n", path);
	identify(list, time(NULL) + 60);
	assert_int_equal(trace->files.count, 1);
	assert_int_equal(trace->files.items[0].flags, TRACE_FILE_KNOWN);
	assert_int_equal(trace->files.items[0].size, 4);
	assert_int_equal(mapping(0)->file, trace->files.items[0].id);
	assert_true(has_note("does not tell which file was mapped"));

	identify(list, time(NULL) - 60);
	assert_int_equal(trace->files.items[0].flags, TRACE_FILE_ELSEWHERE);
	assert_true(has_note("a file is not used, since it changed after the log was written"));
	unlink(path);
	identify(list, time(NULL) + 60);
	assert_int_equal(trace->files.count, 0);
}
