// SPDX-License-Identifier: Apache-2.0
// Pages of files that were evicted and read again, on traces written as text.
#include "base/cleanup.h"
#include "tests/support/answers.h"

#include <stdio.h>

#define FILE_MAPPED(storage)                                                                \
	"elfault-trace-text 1\n"                                                            \
	"meta arg=\"prog\" backend=\"bpf\" machine=\"x86_64\" page_size=4096 root_pid=10 "  \
	"start=1000 " storage "\n"                                                          \
	"exec pid=10 tid=10 time=1000 comm=\"prog\"\n"                                      \
	"file id=1 device=7:0 inode=12 size=8388608\n"                                      \
	"map pid=10 tid=10 time=2000 addr=0x100000 size=0x800000 prot=r--p path=\"/no/a\" " \
	"file=1\n"                                                                          \
	"map pid=20 tid=20 time=2000 addr=0x100000 size=0x800000 prot=rw-p path=\"/no/a\" " \
	"file=1\n"

#define STORAGE FILE_MAPPED("reads=yes storage=yes")
#define MAJORS	FILE_MAPPED("")

/** A request for @pages of the file from @page on. */
#define REQUEST(time, duration, page, pages)                                 \
	"request time=" #time " duration=" #duration " device=7:0 sector=8 " \
	"size=" #pages "000 file_device=7:0 inode=12 offset=" #page "000 flags=fault,file\n"

/** A fault of process and thread @pid on page @page, with what else is known of it. */
#define FAULT(pid, time, page, ...)                                                               \
	"fault pid=" #pid " tid=" #pid " time=" #time " addr=0x1" #page "010 ip=0x1 " __VA_ARGS__ \
	"\n"

/** The mechanisms of the faults of @text are @expected, ended by MODEL_MECHANISMS. */
static void expect(const char *text, const enum model_mechanism *expected, uint64_t bytes)
{
	answer_text(text, &(struct correlate_options){ 0 });
	size_t count = 0;

	for (; expected[count] != MODEL_MECHANISMS; count++) {
		assert_true(count < model->fault_count);
		assert_string_equal(model_mechanism_name(model->faults[count].mechanism),
				    model_mechanism_name(expected[count]));
	}
	assert_int_equal(model->fault_count, count);
	assert_int_equal(model->counts.read_again_bytes, bytes);
}

#define EXPECT(bytes, text, ...) \
	expect(text, (const enum model_mechanism[]){ __VA_ARGS__, MODEL_MECHANISMS }, bytes)

const struct tests_around tests_around = { .after_each = answer_forget };

TEST(a_page_that_storage_delivers_twice_is_a_refault)
{
	EXPECT(0x2000,
	       STORAGE FAULT(10, 3000, 02, "duration=500 kind=major error=user")
		       REQUEST(3100, 300, 0x2, 0x2)
			       FAULT(10, 5000, 02, "duration=500 kind=major error=user")
				       REQUEST(5100, 300, 0x2, 0x2)
	       // Read-ahead brought the neighbour back.
	       FAULT(10, 6000, 03, "duration=10 error=user")
	       // It is mapped again: whoever else touches it does not need storage.
	       FAULT(20, 7000, 03, "duration=10 error=user") "summary\n",
	       MODEL_FILE_MAP, MODEL_REFAULT, MODEL_REFAULT, MODEL_FILE_MAP);
}

TEST(shared_memory_is_known_by_the_kernel_s_names_for_it)
{
	static const char *const names[] = { "/SYSV00000000 (deleted)", "/dev/shm/a", "/dev/zero",
					     "/memfd:a (deleted)" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char text[1024];

		snprintf(text, sizeof(text),
			 "%smap pid=10 tid=10 time=2500 addr=0x100000 size=0x1000 prot=rw-s "
			 "path=\"%s\"\n" FAULT(10, 3000, 00, "error=user,write") "summary\n",
			 MAJORS, names[i]);
		EXPECT(0, text, MODEL_MECHANISM_OTHER);
	}
}

TEST(a_page_in_memory_from_the_start_is_had_as_well)
{
	EXPECT(0x1000,
	       STORAGE FAULT(10, 3000, 03, "duration=10 error=user")
		       FAULT(20, 5000, 03, "duration=500 kind=major error=user,write")
			       REQUEST(5100, 300, 0x2, 0x2) "summary\n",
	       MODEL_FILE_MAP, MODEL_REFAULT);
}

TEST(what_lies_around_a_fault_need_not_be_in_memory)
{
	EXPECT(0,
	       STORAGE FAULT(10, 3000, 02,
			     "duration=10 error=user around_offset=0x2000 around_pages=2")
		       FAULT(20, 5000, 03, "duration=500 kind=major error=user,write")
			       REQUEST(5100, 300, 0x3, 0x1) "summary\n",
	       MODEL_FILE_MAP, MODEL_PRIVATE_WRITE);
}

TEST(what_was_read_and_mapped_around_is_there)
{
	EXPECT(0x2000,
	       STORAGE FAULT(10, 3000, 02, "duration=500 kind=major error=user")
		       REQUEST(3100, 300, 0x2, 0x2)
			       FAULT(10, 5000, 02,
				     "duration=500 kind=major error=user around_offset=0x2000 "
				     "around_pages=2") REQUEST(5100, 300, 0x2, 0x2)
				       FAULT(20, 6000, 03, "duration=10 error=user") "summary\n",
	       MODEL_FILE_MAP, MODEL_REFAULT, MODEL_FILE_MAP);
}

TEST(whoever_waits_for_the_same_read_is_one_too)
{
	EXPECT(0x1000,
	       STORAGE FAULT(10, 3000, 02, "duration=10 error=user")
		       FAULT(10, 5000, 02, "duration=500 kind=major error=user") REQUEST(5100, 300,
											 0x2, 0x1)
			       FAULT(20, 5200, 02, "duration=300 kind=major error=user")
				       FAULT(20, 5900, 02, "duration=10 error=user") "summary\n",
	       MODEL_FILE_MAP, MODEL_REFAULT, MODEL_REFAULT, MODEL_FILE_MAP);
}

TEST(one_read_that_many_wait_for_is_none)
{
	// As request-based device mapper has it, a request is there twice; the second thread waits.
	EXPECT(0,
	       STORAGE FAULT(10, 3000, 02, "duration=900 kind=major error=user")
		       REQUEST(3100, 300, 0x2, 0x1) REQUEST(3150, 200, 0x2, 0x1) FAULT(
			       20, 3200, 02, "duration=700 kind=major error=user") "summary\n",
	       MODEL_FILE_MAP, MODEL_FILE_MAP);
}

TEST(bytes_read_again_are_of_the_window_that_asked_for_them)
{
	static const char text[] = STORAGE FAULT(10, 3000, 02, "duration=500 kind=major error=user")
		REQUEST(3100, 300, 0x2, 0x2)
			FAULT(10, 5000, 02, "duration=500 kind=major error=user")
				REQUEST(5100, 300, 0x2, 0x2) "summary\n";
	CLEANUP(model_closep)
	struct model *before = correlate_text(text, &(struct correlate_options){ .until = "4us" });
	CLEANUP(model_closep)
	struct model *after = correlate_text(text, &(struct correlate_options){ .from = "4us" });

	assert_int_equal(before->counts.read_again_bytes, 0);
	assert_int_equal(after->counts.read_again_bytes, 0x2000);
}

TEST(a_page_read_in_parts_is_read_once)
{
	EXPECT(0,
	       STORAGE FAULT(10, 3000, 02,
			     "duration=900 kind=major error=user") "request time=3100 duration=50 "
								   "device=7:0 sector=8 size=1024 "
								   "file_device=7:0 "
								   "inode=12 offset=0x2000 "
								   "flags=fault,file\n"
								   "request time=3200 duration=50 "
								   "device=7:0 sector=90 size=1024 "
								   "file_device=7:0 "
								   "inode=12 offset=0x2400 "
								   "flags=fault,file\n"
								   "summary\n",
	       MODEL_FILE_MAP);
}

TEST(a_major_fault_without_a_request_is_none)
{
	// A hole of the file, or a wait for a lock.
	EXPECT(0,
	       STORAGE FAULT(10, 3000, 02, "duration=10 error=user")
		       FAULT(10, 5000, 02, "duration=500 kind=major error=user") "summary\n",
	       MODEL_FILE_MAP, MODEL_FILE_MAP);
}

TEST(a_protection_fault_is_none)
{
	EXPECT(0x1000,
	       STORAGE FAULT(20, 3000, 02, "duration=10 error=user")
		       FAULT(20, 5000, 02, "duration=10 error=user,write,present")
			       REQUEST(4000, 300, 0x2, 0x1) "summary\n",
	       MODEL_FILE_MAP, MODEL_COW_BREAK);
}

TEST(what_was_given_back_is_read_again_on_purpose)
{
	// madvise(MADV_PAGEOUT) of page 2, posix_fadvise(POSIX_FADV_DONTNEED) of the file from page
	// 3 on.
	EXPECT(0x1000,
	       STORAGE FAULT(10, 3000, 02, "duration=10 error=user") FAULT(10, 3100, 03,
									   "duration=10 error=user")
		       FAULT(10, 3200, 01,
			     "duration=10 error=user") "flush time=4000 call=28 addr=0x102000 "
						       "size=0x1000\n"
						       "flush time=4100 call=221 device=7:0 "
						       "inode=12 offset=0x3000\n"
						       // Neither of these gives anything back.
						       "flush time=4200 call=28 addr=0x101000 "
						       "size=0x1000 error=22\n"
						       "flush time=4300 call=74 device=7:0 "
						       "inode=12\n" FAULT(
							       10, 5000, 02,
							       "duration=500 kind=major error=user")
							       REQUEST(5100, 300, 0x2, 0x2) FAULT(
								       10, 6000, 03,
								       "duration=10 error=user")
								       FAULT(10, 7000, 01,
									     "duration=500 "
									     "kind=major "
									     "error=user")
									       REQUEST(7100, 300,
										       0x1,
										       0x1) "summar"
											    "y\n",
	       MODEL_FILE_MAP, MODEL_FILE_MAP, MODEL_FILE_MAP, MODEL_FILE_MAP, MODEL_FILE_MAP,
	       MODEL_REFAULT);
}

TEST(without_requests_major_faults_tell)
{
	EXPECT(0,
	       MAJORS FAULT(10, 3000, 02, "kind=major") FAULT(10, 4000, 03, "")
		       FAULT(10, 5000, 02, "kind=major") FAULT(10, 6000, 02, "") "summary\n",
	       MODEL_FILE_MAP, MODEL_FILE_MAP, MODEL_REFAULT, MODEL_FILE_MAP);
}

TEST(without_requests_a_wait_together_is_none)
{
	// The second may have begun before the first had read the page.
	EXPECT(0,
	       MAJORS FAULT(20, 2500, 09, "") FAULT(10, 3000, 02, "kind=major")
		       FAULT(20, 3001, 02, "kind=major") "summary\n",
	       MODEL_MECHANISM_OTHER, MODEL_FILE_MAP, MODEL_MECHANISM_OTHER);
}
