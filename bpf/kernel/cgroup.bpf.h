// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// A control group that is recorded: whatever executes a program in it, or below it, is tracked.
#pragma once

#include "bpf/kernel/prefault.bpf.h"
#include "bpf/kernel/state.bpf.h"
#include "bpf/kernel/time.bpf.h"

enum {
	CGROUP_DEPTH = 32,
	FORKED_WITHOUT_EXEC = 0x40, // PF_FORKNOEXEC of task_struct.flags
};

const volatile __u64 cgroup_id = 0; // of version 2; 0: no cgroup is recorded
__u32 moved_running = 0;	    // processes that came into it with their program

static bool is_below(const struct cgroup *cgroup)
{
	for (int depth = 0; depth < CGROUP_DEPTH; depth++) {
		if (!cgroup)
			return false;
		if (BPF_CORE_READ(cgroup, kn, id) == cgroup_id)
			return true;

		const char *parent = (const char *)BPF_CORE_READ(cgroup, self.parent);

		if (!parent)
			return false;
		cgroup = (const struct cgroup *)(parent -
						 bpf_core_field_offset(struct cgroup, self));
	}
	return false;
}

static bool is_in_cgroup(struct task_struct *task)
{
	return is_below(BPF_CORE_READ(task, cgroups, dfl_cgrp));
}

/** Track @task, which executes a program. Returns NULL where it is not of the cgroup. */
static struct task_state *enter_cgroup(struct task_struct *task)
{
	struct task_state *state;

	if (!is_in_cgroup(task))
		return 0;
	state = bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!state) {
		__sync_fetch_and_add(&lost_others, 1);
		return 0;
	}
	begin_prefaults(state, task);
	return state;
}

/** Count programs that are moved here; a fork that is, as of a service, is tracked from its exec.
 */
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(move_to_cgroup, struct cgroup *cgroup, const char *path, struct task_struct *task,
	     bool is_process)
{
	if (!(task->flags & FORKED_WITHOUT_EXEC) && is_below(cgroup) &&
	    !bpf_task_storage_get(&tasks, task, 0, 0))
		__sync_fetch_and_add(&moved_running, 1);
	return 0;
}
