// SPDX-License-Identifier: Apache-2.0
// Owns the trial recording: the real backend, set up as `record` does by default, watches this
// process while it takes one page fault.
#include "record/trial.h"

#include "base/cleanup.h"
#include "bpf/backend.h"
#include "bpf/sink.h"
#include "record/mapwatch.h"

#include <sys/mman.h>
#include <unistd.h>

enum { MAP_RING_BYTES = 64 << 10 }; // few mappings are made meanwhile

typedef struct backend *backend_open(const struct backend_config *config, struct notes *notes,
				     struct err *err);

/** Take a page fault that nothing can have taken before. */
static bool take_fault(struct err *err)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *page =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return err_os(err, "allocating a page for the trial");
	page[0] = 1;
	munmap((void *)page, size);
	return true;
}

/** With a sink that is ready: watch, fault, stop, count. */
static bool watch_fault(backend_open *open_backend, struct sink *sink, struct err *err)
{
	CLEANUP(notes_deinit) struct notes notes = { 0 };
	pid_t self = getpid();
	// As `record` without options: rings and stacks of its sizes, which may be too much.
	const struct backend_config config = {
		.pid = self,
		.tids = &self,
		.tid_count = 1,
		.stacks = true,
	};
	struct backend *backend = open_backend(&config, &notes, err);

	if (backend) {
		bool done = take_fault(err);

		backend->stop(backend, sink, &notes);
		backend->close(backend);
		if (done && trace_writer_fault_count(sink->writer) == 0)
			err_set(err, ERR_UNSUPPORTED,
				"a page fault happened, but none was recorded");
	}
	return backend && trace_writer_fault_count(sink->writer) > 0;
}

static bool try_backend(backend_open *open_backend, struct err *err)
{
	CLEANUP(fd_close) int fd = memfd_create("trial", MFD_CLOEXEC);
	const struct trace_meta meta = { .page_size = (uint32_t)sysconf(_SC_PAGESIZE) };
	struct sink sink = { .root_pid = (uint32_t)getpid(), .exec_known = true };
	pid_t self = getpid();

	if (!backend_has_processor(err))
		return false;
	if (fd < 0)
		return err_os(err, "creating a file in memory for the trial");
	// Both backends depend on it for the mappings.
	struct mapwatch *watch = mapwatch_open(&self, 1, NULL, MAP_RING_BYTES, err);

	if (!watch)
		return false;

	bool works = trace_writer_open(fd, &meta, &sink.writer, err) &&
		     watch_fault(open_backend, &sink, err);

	trace_writer_close(sink.writer);
	mapwatch_close(watch);
	sink_deinit(&sink);
	return works;
}

bool trial_bpf(struct err *err)
{
#ifdef ELFAULT_WITH_BPF
	return try_backend(backend_bpf_open, err);
#else
	return err_set(err, ERR_UNSUPPORTED, "this elfault was built without the BPF backend");
#endif
}

bool trial_perf(struct err *err)
{
	return try_backend(backend_perf_open, err);
}
