// SPDX-License-Identifier: Apache-2.0
#include "bpf/clocks.h"

#include "base/cleanup.h"
#include "base/err.h"
#include "bpf/perfset.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void switch_all(const int *fds, size_t count, unsigned long request)
{
	for (size_t i = 0; i < count; i++)
		ioctl(fds[i], request, 0);
}

static bool add_clock(struct clocks *clocks, struct bpf_program *program, int fd, bool is_slow)
{
	struct bpf_link *link = bpf_program__attach_perf_event(program, fd);

	if (!link) {
		close(fd);
		return false;
	}
	vec_push(&clocks->links, link);
	// Attaching has started it.
	if (is_slow) {
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		vec_push(&clocks->slow, fd);
	} else {
		vec_push(&clocks->fast, fd);
	}
	return true;
}

/** On each CPU a clock that runs while the cgroup does. */
static bool open_clock_of_cgroup(struct clocks *clocks, struct bpf_program *program,
				 const struct cgroup *cgroup, const struct perf_event_attr *attr,
				 bool is_slow)
{
	size_t count;
	CLEANUP(freep) int *cpus = perfset_online_cpus(&count);

	for (size_t i = 0; i < count; i++) {
		int fd = perfset_open_in_cgroup(attr, cgroup->fd, cpus[i]);

		if (fd < 0 && errno == ENODEV)
			continue; // it has just gone offline
		if (fd < 0 || !add_clock(clocks, program, fd, is_slow))
			return false;
	}
	return true;
}

/** A clock of each thread, which its children inherit: interrupts come only where they run. */
static bool open_clock(struct clocks *clocks, struct bpf_program *program,
		       const struct backend_config *config, uint32_t hz, bool is_slow)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000 / hz,
		.inherit = config->cgroup == NULL,
		.disabled = 1,
	};

	if (config->cgroup)
		return open_clock_of_cgroup(clocks, program, config->cgroup, &attr, is_slow);
	for (size_t i = 0; i < config->tid_count; i++) {
		int fd = perfset_open_event(&attr, config->tids[i], -1);

		if (fd < 0 && errno == ESRCH)
			continue; // it has just ended
		if (fd < 0 || !add_clock(clocks, program, fd, is_slow))
			return false;
	}
	return true;
}

bool clocks_start(struct clocks *clocks, struct bpf_program *program,
		  const struct backend_config *config, uint32_t hz, struct notes *notes)
{
	if (hz == 0)
		return false;
	bool is_open =
		(!config->cpu_adapts || open_clock(clocks, program, config, CLOCKFALL_HZ, true)) &&
		open_clock(clocks, program, config, hz, false);
	if (!is_open)
		notes_add(notes, "the processor is not sampled: %s", err_text(errno));
	else if (config->cpu_adapts)
		clockfall_start(&clocks->fall);
	return is_open;
}

/** Nanoseconds that the command has been on the processor. */
static uint64_t ran(const void *of)
{
	const struct clocks *clocks = of;
	uint64_t total = 0;

	vec_foreach (fd, &clocks->fast) {
		uint64_t ran_ns;

		if (read(*fd, &ran_ns, sizeof(ran_ns)) == sizeof(ran_ns))
			total += ran_ns;
	}
	return total;
}

void clocks_look(struct clocks *clocks)
{
	if (!clockfall_is_due(&clocks->fall, ran, clocks))
		return;
	switch_all(clocks->slow.items, clocks->slow.count, PERF_EVENT_IOC_ENABLE);
	switch_all(clocks->fast.items, clocks->fast.count, PERF_EVENT_IOC_DISABLE);
}

void clocks_stop(struct clocks *clocks)
{
	switch_all(clocks->fast.items, clocks->fast.count, PERF_EVENT_IOC_DISABLE);
	switch_all(clocks->slow.items, clocks->slow.count, PERF_EVENT_IOC_DISABLE);
}

void clocks_close(struct clocks *clocks)
{
	vec_foreach (link, &clocks->links)
		bpf_link__destroy(*link);
	vec_deinit(&clocks->links);
	vec_deinit(&clocks->fast);
	vec_deinit(&clocks->slow);
}
