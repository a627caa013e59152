// SPDX-License-Identifier: Apache-2.0
// Asynchronous reads by the kernel's own calls (io_submit), since prefetching has many requests
// under way: one after the other each would cost its whole latency.
#include "cure/requestcost.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "machine/page.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	BLOCK = MACHINE_PAGE,
	LARGE = 1 << 20,
	DEPTH = 32, // requests under way
	LARGE_DEPTH = 4,
	BATCH = 128,	 // of single blocks
	LARGE_BATCH = 8, // 8 MiB
	BATCHES = 3,	 // the fastest counts: others may use the device as well
	BATCH_MOST_NS = 400000000,
};

/** Reads that are measured together. */
struct batch {
	int fd;
	aio_context_t context;
	char *memory;
	uint64_t file_size;
	uint64_t size; // of each
	unsigned int depth, count;
	uint64_t random; // state, where they lie anywhere
	uint64_t next;	 // where they lie one behind the other
	bool is_random;
};

/** Return the offset of the next read: a multiple of its size. */
static uint64_t next_offset(struct batch *batch)
{
	uint64_t places = batch->file_size / batch->size;

	if (!batch->is_random)
		return batch->next++ % places * batch->size;
	batch->random = batch->random * 6364136223846793005 + 1442695040888963407;
	return (batch->random >> 33) % places * batch->size;
}

static bool submit(struct batch *batch, unsigned int slot, struct err *err)
{
	struct iocb block = {
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = (uint32_t)batch->fd,
		.aio_buf = (uint64_t)(uintptr_t)(batch->memory + slot * batch->size),
		.aio_nbytes = batch->size,
		.aio_offset = (int64_t)next_offset(batch),
		.aio_data = slot,
	};
	struct iocb *blocks[] = { &block };

	return syscall(SYS_io_submit, batch->context, 1, blocks) == 1 ||
	       err_os(err, "reading around the page cache");
}

/** Read them all, or as many as there is time for; *@ret_ns is what one took. */
static bool run_batch(struct batch *batch, double *ret_ns, struct err *err)
{
	unsigned int submitted = 0, done = 0;
	uint64_t start_ns = clock_now_ns(), end_ns = start_ns;

	for (; submitted < batch->depth && submitted < batch->count; submitted++)
		if (!submit(batch, submitted, err))
			return false;
	while (done < submitted) {
		struct io_event event;

		if (syscall(SYS_io_getevents, batch->context, 1, 1, &event, NULL) != 1) {
			if (errno == EINTR)
				continue;
			return err_os(err, "io_getevents");
		}
		if (event.res <= 0) {
			errno = event.res < 0 ? (int)-event.res : EIO;
			return err_os(err, "reading around the page cache");
		}
		done++;
		end_ns = clock_now_ns();
		if (submitted < batch->count && end_ns - start_ns < BATCH_MOST_NS) {
			if (!submit(batch, (unsigned int)event.data, err))
				return false;
			submitted++;
		}
	}
	*ret_ns = (double)(end_ns - start_ns) / done;
	return true;
}

static bool best_of(struct batch *batch, double *ret_ns, struct err *err)
{
	double ns = 0;

	for (int i = 0; i < BATCHES; i++) {
		if (!run_batch(batch, &ns, err))
			return false;
		if (i == 0 || ns < *ret_ns)
			*ret_ns = ns;
	}
	return true;
}

uint64_t requestcost_gap(double request_ns, double bytes_per_second)
{
	// What the request itself brings is no gap.
	double bytes = request_ns / 1e9 * bytes_per_second - BLOCK;

	if (!(bytes > 0))
		return 0;
	if (bytes > REQUESTCOST_GAP_MOST)
		return REQUESTCOST_GAP_MOST;
	return (uint64_t)bytes / BLOCK * BLOCK;
}

static bool measure(struct batch *batch, struct requestcost *ret_cost, struct err *err)
{
	double large_ns;

	batch->size = BLOCK;
	batch->depth = DEPTH;
	batch->count = BATCH;
	batch->is_random = true;
	batch->random = clock_now_ns(); // other blocks than last time
	if (!best_of(batch, &ret_cost->request_ns, err))
		return false;
	batch->size = LARGE;
	batch->depth = LARGE_DEPTH;
	batch->count = LARGE_BATCH;
	batch->is_random = false;
	if (!best_of(batch, &large_ns, err))
		return false;
	ret_cost->bytes_per_second = LARGE / large_ns * 1e9;
	ret_cost->gap = requestcost_gap(ret_cost->request_ns, ret_cost->bytes_per_second);
	return true;
}

bool requestcost_measure(const char *path, struct requestcost *ret_cost, struct err *err)
{
	CLEANUP(fd_close)
	int fd = open(path, O_RDONLY | O_DIRECT | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
	CLEANUP(freep) void *memory = NULL;
	struct batch batch = { .fd = fd };
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0)
		return err_os(err, "%s", path);
	if (!S_ISREG(status.st_mode) || status.st_size < REQUESTCOST_FILE_LEAST)
		return err_set(err, ERR_UNSUPPORTED, "%s: too small to measure a device by", path);
	batch.file_size = (uint64_t)status.st_size;
	if (posix_memalign(&memory, BLOCK, LARGE_DEPTH * LARGE) != 0)
		return err_set(err, ERR_OS, "out of memory");
	batch.memory = memory;
	if (syscall(SYS_io_setup, DEPTH, &batch.context) != 0)
		return err_os(err, "io_setup");
	bool done = measure(&batch, ret_cost, err) || err_prefix(err, "%s", path);

	syscall(SYS_io_destroy, batch.context); // waits for what is under way
	return done;
}
