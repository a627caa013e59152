// SPDX-License-Identifier: Apache-2.0
// The events of a trace, its meta and its summary. The byte format is specified in
// docs/inside/trace-format.md.
//
// Addresses are addresses in the traced process. Times are nanoseconds of CLOCK_MONOTONIC.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum { TRACE_VERSION = 1, TRACE_BUILD_ID_MAX = 20 };

/** The beginning of the recorder's note if no device read ahead. */
#define TRACE_NOTE_EXACT "exact: read-ahead of device "

/** Bits of trace_fault.flags. */
enum trace_fault_flag {
	TRACE_FAULT_MAJOR = 1 << 0,	     // storage was waited for
	TRACE_FAULT_KERNEL = 1 << 1,	     // taken by the kernel on the program's memory
	TRACE_FAULT_HAS_ERROR_CODE = 1 << 2, // error_code is the processor's
	TRACE_FAULT_HAS_DURATION = 1 << 3,   // duration_ns is known
	TRACE_FAULT_HAS_AROUND = 1 << 4,     // around_* are known
	TRACE_FAULT_HAS_USER_IP = 1 << 5,    // ip and sp are the program's (always, but in exec)
	TRACE_FAULT_HAS_READ = 1 << 6,	     // read_* are known: it brought pages into the cache
	// Without ip, and not since exec took it: who took it was not recorded.
	TRACE_FAULT_IP_UNKNOWN = 1 << 7,
};

/** Bits of the x86 page-fault error code (Intel SDM vol. 3, 4.7). */
enum trace_error_code {
	TRACE_ERROR_PRESENT = 1 << 0, // the page was mapped: a protection fault
	TRACE_ERROR_WRITE = 1 << 1,
	TRACE_ERROR_USER = 1 << 2,
	TRACE_ERROR_FETCH = 1 << 4, // instruction fetch
};

/** One completed page fault. */
struct trace_fault {
	uint64_t time_ns; // when it began, or ended where the beginning is unknown
	uint64_t duration_ns;
	uint64_t addr; // what was touched
	uint64_t ip;   // the program's instruction, also when the kernel touched on its behalf
	uint64_t sp;
	uint64_t around_offset; // file offset of the first page mapped at once (fault-around)
	uint32_t around_pages;
	uint32_t pid;
	uint32_t tid;
	uint32_t stack;	     // id of a trace_stack, 0: none
	uint32_t error_code; // trace_error_code
	uint32_t flags;	     // trace_fault_flag
	// Pages of the same file that this fault brought into the page cache (read-ahead):
	// read_pages of them, in read_span pages from read_offset. Those between that were there
	// are not counted.
	uint64_t read_offset;
	uint32_t read_pages;
	uint32_t read_span;
	// How long the recorder's program took for the fault of this thread before, with its stack;
	// 0: unknown, or there was none.
	uint32_t program_ns;
	uint32_t reserved; // 0
};

/** Bits of trace_mapping.protection: as in <sys/mman.h>. */
enum trace_protection {
	TRACE_PROTECTION_READ = 1,
	TRACE_PROTECTION_WRITE = 2,
	TRACE_PROTECTION_EXEC = 4,
};

/** A mapping was made, or changed protection or extent: it replaces others in its range. */
struct trace_mapping {
	uint64_t time_ns;
	uint64_t addr;
	uint64_t size;
	uint64_t offset;  // in the file
	uint64_t device;  // makedev(major, minor), 0: unknown
	uint64_t inode;	  // 0: unknown or not a file
	const char *path; // "//anon", "[heap]", "[stack]", "[vdso]" or a path
	uint32_t pid;
	uint32_t tid;
	uint32_t protection;
	bool is_shared;
	uint8_t build_id_size; // 0: unknown
	uint8_t build_id[TRACE_BUILD_ID_MAX];
	uint32_t file; // id of a trace_identity, 0: none
};

/** Bits of trace_identity.flags. */
enum trace_file_flag {
	TRACE_FILE_KNOWN = 1 << 0,     // device, inode, size and mtime_ns are known
	TRACE_FILE_HAS_HASH = 1 << 1,  // hash is known
	TRACE_FILE_ELSEWHERE = 1 << 2, // at its path the recorder found another file, or none
	TRACE_FILE_LEFT_OUT = 1 << 3,  // of that, too large for the trace, or not wanted there
	TRACE_FILE_DENIED = 1 << 4,    // of that, the recorder's caller may not read it
};

/** A mapped file, as it was while recorded: what tells it from others of the same path. */
struct trace_identity {
	uint32_t id;	// from 1
	uint32_t flags; // trace_file_flag
	uint64_t device, inode;
	uint64_t size;
	uint64_t mtime_ns; // since the epoch, modulo 2^64
	uint64_t hash;	   // see trace_identity_hash()
};

/**
 * The root of the process that mapped a file, where that is another than the recorder's and the
 * file is not the one at its path there: "/srv/chroot", "container 1f0c5a9e3b1d",
 * "mnt:[4026532177]".
 */
struct trace_root {
	uint32_t file; // id of a trace_identity
	const char *name;
};

/** A part of a mapped file: of those that nobody could read later. */
struct trace_content {
	uint32_t file; // id of a trace_identity
	uint32_t size;
	uint64_t offset;
	const uint8_t *bytes;
};

/** mremap: [old_addr, old_addr + old_size) moved to or became [new_addr, new_addr + new_size). */
struct trace_remap {
	uint64_t time_ns;
	uint64_t old_addr, old_size;
	uint64_t new_addr, new_size;
	uint32_t pid, tid;
	bool keeps_old; // MREMAP_DONTUNMAP
};

enum trace_task_kind {
	TRACE_TASK_FORK, // tid came to be; a thread when pid == parent_pid
	TRACE_TASK_EXEC, // pid runs a new program; earlier mappings are gone. comm is set
	TRACE_TASK_COMM, // tid changed its name to comm
	TRACE_TASK_EXIT, // tid ended; the kernel's own counts are set where has_counts
};

/** Something happened to a task. */
struct trace_task {
	uint64_t time_ns;
	enum trace_task_kind kind;
	uint32_t pid, tid;
	uint32_t parent_pid, parent_tid; // FORK
	char comm[16];			 // EXEC, COMM; NUL-terminated
	bool has_counts;
	uint64_t kernel_minor, kernel_major; // EXEC, EXIT: task_struct's min_flt and maj_flt
	uint64_t seen;			     // EXEC, EXIT: faults of this task that raised an event
};

/** Bits of trace_pause.flags. */
enum trace_pause_flag {
	TRACE_PAUSE_PREEMPTED = 1 << 0, // it could have gone on; woken_ns is time_ns
	TRACE_PAUSE_IN_FAULT = 1 << 1,	// within a page fault
	TRACE_PAUSE_STORAGE = 1 << 2,	// it waited for storage
	TRACE_PAUSE_LAST = 1 << 3,	// the thread ended: it does not come back
	TRACE_PAUSE_OPEN = 1 << 4,	// the recording ended: back_ns is when
	TRACE_PAUSE_HAS_CALL = 1 << 5,	// it was in the system call with the number in call
	TRACE_PAUSE_HAS_DELAY = 1 << 6, // delay_ns is known
	// An interrupt woke it, of a timer or a device: the waker is what ran where it came.
	TRACE_PAUSE_INTERRUPT = 1 << 7,
	// That call had not returned, and is timed: on its way out it is over already.
	TRACE_PAUSE_IN_CALL = 1 << 9,
	TRACE_PAUSE_ON_PIPE = 1 << 10,	 // it read or wrote a pipe
	TRACE_PAUSE_ON_SOCKET = 1 << 11, // likewise
	// In no file: stolen_find() (correlate/time/account.h) adds those.
	TRACE_PAUSE_STOLEN = 1 << 12,
};

/**
 * A thread was off the processor: from time_ns to woken_ns it waited, from there to back_ns it was
 * runnable. A thread that begins is runnable from its fork on. Of the command's process those
 * before its exec are there as well.
 */
struct trace_pause {
	uint64_t time_ns;
	uint64_t woken_ns;
	uint64_t back_ns;    // without TRACE_PAUSE_LAST
	uint64_t runtime_ns; // the kernel's count at time_ns: how long it had run
	uint64_t delay_ns;   // and how long it had been runnable
	uint32_t pid, tid;
	uint32_t waker_pid, waker_tid; // what ran where the wake-up came from; 0: unknown, nothing
	uint32_t call;
	uint32_t stack; // id of a trace_stack, where it waited; 0: none
	uint32_t flags; // trace_pause_flag
	// Of the time it was runnable: the recorder had the processor that it was to run on.
	uint32_t recorder_ns;
};

/** Bits of trace_sample.flags. */
enum trace_sample_flag {
	TRACE_SAMPLE_KERNEL = 1 << 0,	   // the kernel ran, on behalf of the program
	TRACE_SAMPLE_IN_FAULT = 1 << 1,	   // within a page fault
	TRACE_SAMPLE_HAS_USER_IP = 1 << 2, // ip is the program's (always, but in exec)
};

/** A thread at one moment: one for each period_ns of its time on the processor. */
struct trace_sample {
	uint64_t time_ns;
	uint64_t period_ns;
	uint64_t ip; // the program's instruction, also when the kernel ran for it
	uint32_t pid, tid;
	uint32_t stack;	     // id of a trace_stack, 0: none
	uint32_t flags;	     // trace_sample_flag
	uint32_t program_ns; // as of faults: of the sample of this thread before
	uint32_t reserved;   // 0
};

/**
 * A call stack, innermost first; frames[0] is the faulting ip. The others are return addresses: the
 * call is at the address less one. A frame that a signal interrupted has its ip plus one here, so
 * that this holds for every frame. A frame of 0 stands for some that are not known: those outside
 * it were shown by other stacks, and by their return addresses that are still there.
 */
struct trace_stack {
	uint32_t id; // from 1
	uint32_t frame_count;
	const uint64_t *frames; // addresses
	bool is_truncated; // it goes on: the copy of the stack, or the limit of 256 frames, ended
			   // it
	bool is_complete;  // the last frame is where the program or thread began: it has no caller
	bool is_elsewhere; // beside is_truncated: it goes on, on another stack of the thread's
	// The addresses of the stack that were walked, outside of all calls of exit() and of the
	// dynamic linker; shown_end 0: none.
	uint64_t shown_start, shown_end;
};

/** Bits of trace_read.flags and trace_request.flags. Of the first three at most one is set. */
enum trace_read_flag {
	TRACE_READ_FAULT = 1 << 0,     // a recorded task asked for it: in a fault,
	TRACE_READ_CALL = 1 << 1,      // in a system call,
	TRACE_READ_EXEC = 1 << 2,      // in execve
	TRACE_READ_ASYNC = 1 << 3,     // read-ahead that nobody waits for yet
	TRACE_READ_FILE = 1 << 4,      // device, inode and offset of the file are known
	TRACE_READ_METADATA = 1 << 5,  // not of a regular file, or marked as metadata
	TRACE_READ_RAHEAD = 1 << 6,    // requests: marked as read-ahead
	TRACE_READ_CONTINUES = 1 << 7, // requests: the next part of the request before
};

/** Pages that a recorded task brought into the page cache, one behind the other. */
struct trace_read {
	uint64_t time_ns; // of the first
	uint64_t device, inode;
	uint64_t offset, size; // in the file
	uint32_t pid, tid;
	uint32_t call;	// system call, of x86-64; 0xffffffff: none
	uint32_t flags; // trace_read_flag
};

/**
 * A read request of a block device, or the part of one that is of one range of a file. Parts of one
 * request follow each other; all but the first have TRACE_READ_CONTINUES and the same times.
 */
struct trace_request {
	uint64_t time_ns;	// when it was issued; when it completed, where that is unknown
	uint64_t duration_ns;	// until it completed
	uint64_t device;	// makedev() of the whole disk
	uint64_t sector;	// of 512 bytes
	uint64_t file_device;	// of the file system
	uint64_t inode, offset; // of the file
	uint32_t size;		// bytes
	uint32_t pid, tid;	// 0: not a recorded task
	uint32_t call;		// as of trace_read
	uint32_t flags;		// trace_read_flag
	uint32_t reserved;	// 0
};

enum trace_open_flag {
	TRACE_OPEN_CUT = 1 << 0, // the path is longer, or empty since it could not be read
};

/**
 * A call of the dynamic linker that opens a file by its path, or asks whether one is there: how it
 * looks for libraries. Nobody else's calls are recorded; the recorder knows the linker by its place
 * in memory, roughly, so that ip has to lie in its file.
 */
struct trace_open {
	uint64_t time_ns;     // when the call returned
	uint64_t duration_ns; // 0: unknown
	uint64_t ip;	      // behind the instruction that made it
	uint32_t pid, tid;
	uint32_t call;	  // system call, of x86-64
	uint32_t error;	  // errno; 0: it succeeded
	uint32_t flags;	  // trace_open_flag
	const char *path; // as the call had it
};

/** Bits of trace_mark.flags. */
enum trace_mark_flag {
	TRACE_MARK_END = 1 << 0,    // the recording ends here: nothing later is of the trace
	TRACE_MARK_MISSED = 1 << 1, // the condition never held: time_ns, pid and tid are 0
	TRACE_MARK_EARLY = 1 << 2,  // written when it held; no trace that was read has it
};

/** The moment at which a condition held that the recording was asked to watch. */
struct trace_mark {
	uint64_t time_ns;
	const char *name;
	const char *condition; // as it was asked for
	uint32_t pid, tid;     // of the thread that made it hold; 0: none did, or not known
	uint32_t flags;	       // trace_mark_flag
};

/**
 * A call that writes pages of a file to storage (fsync, fdatasync, sync_file_range, msync with
 * MS_SYNC, sync, syncfs, and write and its like where the file or its file system is synchronous),
 * or gives them back (posix_fadvise with POSIX_FADV_DONTNEED, madvise with MADV_PAGEOUT).
 */
struct trace_flush {
	uint64_t time_ns;	// when the call returned
	uint64_t duration_ns;	// 0: unknown
	uint64_t addr, size;	// memory that it was for, or bytes of the file from offset on
	uint64_t device, inode; // inode 0: it is for no file alone
	uint64_t offset;
	uint32_t pid, tid;
	uint32_t call;	// system call, of x86-64
	uint32_t error; // errno; 0: it succeeded
};

/** The path of a file that was read, or written to storage. */
struct trace_path {
	uint64_t device, inode;
	uint64_t size;	  // bytes of the file
	const char *path; // of one of its names
};

/** By how much the kernel's own counter of bytes read from a disk grew meanwhile. */
struct trace_device {
	uint64_t device;
	uint64_t least, most; // bytes: by looks before and after recording began and ended
	const char *name;
};

/** Bits of trace_call.flags. */
enum trace_call_flag {
	// One call alone, that began at time_ns: it brought something into the page cache, waited
	// for storage, or did not return.
	TRACE_CALL_ALONE = 1 << 0,
	TRACE_CALL_OPEN = 1 << 1, // it did not return before the thread or the recording ended
};

/**
 * System calls of one thread, all of the same number: one, or several whose durations are added up.
 * An execve is divided where the old program ends: of what was before, count is 0.
 */
struct trace_call {
	uint64_t time_ns;     // when one began; of several: when they were told of, after all
	uint64_t duration_ns; // of all together
	uint32_t pid, tid;
	uint32_t call;	// system call, of x86-64; 0xffffffff: none of these, as of 32 bits
	uint32_t count; // of those that are told of here and nowhere else
	uint32_t flags; // trace_call_flag
};

/**
 * Faults that the kernel took by itself during a system call, such as mlock() and those that
 * populate memory, or exec for its arguments: counted by the kernel, but no event was raised.
 */
struct trace_prefault {
	uint64_t time_ns;    // when the call returned
	uint64_t addr, size; // memory that the call was for; size 0: unknown, or all of it
	uint64_t count;
	uint32_t pid, tid;
	uint32_t call; // system call, of x86-64; 0xffffffff: none of these, as of 32 bits
};

/** Bits of trace_argument.flags. */
enum trace_argument_flag {
	TRACE_ARGUMENT_CUT = 1 << 0, // more of the command line follows than was kept
};

/** A word of the command line that a process executed. Of the recorded command, meta has all. */
struct trace_argument {
	uint64_t time_ns; // not before the exec, and before the next one of the process
	const char *text;
	uint32_t pid;
	uint32_t index; // 0 is the program's name, as it was given
	uint32_t flags; // trace_argument_flag
};

/** Return the number of words from @first on, before @end, that are of one command line. */
size_t trace_command_words(const struct trace_argument *first, const struct trace_argument *end);

/** Costs that recording is to the program, measured on the machine that recorded. */
enum trace_cost {
	TRACE_COST_FAULT,	 // a fault, outside its duration
	TRACE_COST_FAULT_WITHIN, // and within it
	// program_ns of that sample; in older traces, whose samples have none, a KiB of stack.
	TRACE_COST_SAMPLE_PROGRAM,
	TRACE_COST_SAMPLE,  // a sample of the processor
	TRACE_COST_CALL,    // a system call
	TRACE_COST_PAUSE,   // a stay off the processor, while it is on it
	TRACE_COST_MAPPING, // a mapping, but for its system call
	TRACE_COST_PROGRAM, // program_ns of that fault; 0: unknown
	TRACE_COSTS,
};

/** Facts about the whole recording, written first. Strings may be NULL where unknown. */
struct trace_meta {
	const char *const *command; // NULL-terminated; empty for an attached process
	size_t command_count;
	const char *backend;  // "bpf" or "perf"
	const char *kernel;   // uname -r
	const char *machine;  // uname -m
	const char *producer; // "elfault 0.1.0"
	uint32_t page_size;
	// Of a cgroup: the first process that executed a program there, or else the first.
	uint32_t root_pid;
	uint64_t start_ns;	// CLOCK_MONOTONIC
	uint64_t start_unix_ns; // CLOCK_REALTIME at the same moment
	bool attached;		// -p PID or a cgroup: what was before is unknown
	bool has_stacks;
	bool has_reads;		// a fault without TRACE_FAULT_HAS_READ has read nothing
	bool has_pauses;	// pauses were recorded
	bool has_storage;	// read requests of block devices were recorded
	bool has_samples;	// the processor was sampled
	bool samples_user_only; // but not while the kernel ran for the program
	uint32_t sample_hz;	// how often a second, at first; 0: unknown
	bool has_calls;		// system calls were timed
	bool has_opens;		// those by which the dynamic linker opens files were recorded
	const char *host;	// uname -n
	// "key=value": what whoever recorded says of the run, such as its release.
	const char *const *labels;
	size_t label_count;
	bool stacks_have_gaps; // callers may be missing from stacks, which prove nothing then
	bool kinds_unknown;    // TRACE_FAULT_MAJOR is missing where nobody recorded it
	bool times_are_order;  // nobody recorded times: they only say what came first
	// The same command run just before without being recorded, from its release before exec to
	// its end: wall time, and the kernel's count (rusage). plain_wall_ns 0: it was not.
	uint64_t plain_wall_ns, plain_user_ns, plain_system_ns, plain_minor, plain_major;
	const char *cgroup; // whose processes were recorded, as it was named; NULL: none
	bool has_costs;	    // all of costs_ns are known; else only that of a sample, if it is not 0
	uint32_t costs_ns[TRACE_COSTS];
};

/** Facts known only at the end; a trace without them is incomplete. */
struct trace_summary {
	uint64_t end_ns;
	uint64_t recorded;    // fault events in the file
	uint64_t lost;	      // fault events dropped, counted in the kernel or by the perf ring
	uint64_t lost_other;  // mapping, task and other records dropped
	uint64_t before_exec; // faults of the command's process before its exec: not in the file
	// Counted by the kernel, but raised no event, such as exec's argument pages. With BPF also
	// faults of programs that the recorder's caller may not trace.
	uint64_t unsampled;
	uint64_t stacks_lost; // recorded faults whose stack was lost or has no callers
	// Of the command and all that was waited for, from its release: before_exec is in it.
	uint64_t rusage_minor, rusage_major;
	bool has_rusage;
	bool has_unsampled;
	int32_t exit_status;   // as wait4 gives it; -1 unknown
	uint64_t pauses_lost;  // pauses dropped, counted in the kernel
	uint64_t storage_lost; // requests, parts of them and reads dropped
	uint64_t samples_lost; // likewise
	uint64_t calls_lost;   // records of system calls, those of opens included
	// Explanations of unsampled or, where that is unknown, of what only rusage counted.
	bool has_unrecorded;	  // the next three are known
	uint64_t hidden;	  // faults of programs that the caller may not trace: in unsampled
	uint64_t unseen_programs; // times that perf events ended at the exec of such a program
	uint64_t exec_unsampled;  // raised no event in exec: with BPF exactly, else at most
};

/** Fill in what stat() says: device, inode, size and time; sets TRACE_FILE_KNOWN. */
void trace_identity_stat(struct trace_identity *identity, const struct stat *status);

/**
 * Hash the first and the last 4096 bytes of the file (all of a smaller one, twice): xxh64, seed 0.
 * Sets TRACE_FILE_HAS_HASH. Returns false if they cannot be read.
 */
bool trace_identity_hash(struct trace_identity *identity, int fd);

/** True if two files with a known identity have the same size, time and, where known, hash. */
bool trace_identity_equal(const struct trace_identity *a, const struct trace_identity *b);

/** Return how long after @start_ns, the trace's, @time_ns is; 0 before it. */
static inline uint64_t trace_since(uint64_t time_ns, uint64_t start_ns)
{
	return time_ns > start_ns ? time_ns - start_ns : 0;
}
