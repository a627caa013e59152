// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// Mappings of programs whose perf events the kernel has ended: setuid and unreadable ones.
#pragma once

#include "bpf/kernel/state.bpf.h"

/**
 * Whether the caller of the recorder may trace @task, by the rules of ptrace: the same ids and no
 * capability, or everything in a user namespace of the caller's own.
 */
static bool may_trace(struct task_struct *task)
{
	const struct cred *cred = only_read(task)->cred;
	const struct user_namespace *space = cred->user_ns;
	__u64 capabilities = 0;

	for (__u32 i = 0; i < NAMESPACE_LEVELS && space->level > 1; i++)
		space = space->parent;
	if (space->level == 1)
		return space->owner.val == caller_uid;
	bpf_probe_read_kernel(&capabilities, sizeof(capabilities),
			      (const char *)cred +
				      bpf_core_field_offset(struct cred, cap_permitted));
	return capabilities == 0 && cred->uid.val == caller_uid && cred->euid.val == caller_uid &&
	       cred->suid.val == caller_uid && cred->gid.val == caller_gid &&
	       cred->egid.val == caller_gid && cred->sgid.val == caller_gid;
}

static bool is_setuid(struct task_struct *task)
{
	const struct cred *cred = only_read(task)->cred;

	return cred->euid.val != cred->uid.val || cred->egid.val != cred->gid.val;
}

/** A mapping and the parts of its path. */
struct told_mapping {
	struct mapping_event event;
	char names[FAULT_EVENT_PATH_PARTS][FAULT_EVENT_NAME_BYTES];
};
_Static_assert(sizeof(struct told_mapping) <= FAULT_EVENT_STACK_MAX,
	       "a mapping is put together there");

/**
 * Write the path of the struct file at @file_addr. Not static, as the next but one: the verifier
 * looks at each once, not at every state that they are called in.
 */
__attribute__((noinline)) int tell_path(struct told_mapping *told, __u64 file_addr)
{
	if (!told)
		return 0;

	const struct file *file = (const struct file *)file_addr;
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry);
	__u64 mount =
		(__u64)BPF_CORE_READ(file, f_path.mnt) - bpf_core_field_offset(struct mount, mnt);
	__u32 count = 0;

	told->event.area = FAULT_EVENT_AREA_DEEP;
	// One number counts steps and parts: with two the verifier would look at each pair of them.
	for (; count < FAULT_EVENT_PATH_PARTS; count++) {
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);

		told->names[count][0] = 0;
		if (dentry == BPF_CORE_READ((struct mount *)mount, mnt.mnt_root)) {
			__u64 inner = mount;

			dentry = BPF_CORE_READ((struct mount *)mount, mnt_mountpoint);
			mount = (__u64)BPF_CORE_READ((struct mount *)mount, mnt_parent);
			if (mount != inner)
				continue;
			parent = dentry;
		}
		if (parent == dentry) { // the root, or what is of no mount, as a memfd
			told->event.area = FAULT_EVENT_AREA_PLAIN;
			break;
		}
		bpf_probe_read_kernel_str(told->names[count], FAULT_EVENT_NAME_BYTES,
					  BPF_CORE_READ(dentry, d_name.name));
		dentry = parent;
	}
	told->event.part_count = count;
	return 0;
}

/** For bpf_find_vma(): tell of a mapping, unless it is the one told last. */
static long tell_mapping(struct task_struct *task, struct vm_area_struct *vma, void *context)
{
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);
	__u32 cpu = bpf_get_smp_processor_id();
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &cpu);

	if (!state || !scratch)
		return 0;
	if (state->area_start == vma->vm_start && state->area_end == vma->vm_end &&
	    state->area_page == vma->vm_pgoff && state->area_flags == vma->vm_flags)
		return 0;
	state->area_start = vma->vm_start;
	state->area_end = vma->vm_end;
	state->area_page = vma->vm_pgoff;
	state->area_flags = vma->vm_flags;

	// The stack is copied there later.
	struct told_mapping *told = (struct told_mapping *)scratch->stack;
	struct file *file = BPF_CORE_READ(vma, vm_file); // as a number
	struct mm_struct *mm = only_read(task)->mm;

	told->event = (struct mapping_event){
		.kind = FAULT_EVENT_MAPPING,
		.protection = vma->vm_flags & VMA_PROTECTION,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = state->entry_ns,
		.start = vma->vm_start,
		.end = vma->vm_end,
		.page = vma->vm_pgoff,
		.is_shared = (vma->vm_flags & VMA_SHARED) != 0,
	};
	if (file) {
		told->event.inode = BPF_CORE_READ(file, f_inode, i_ino);
		told->event.device = BPF_CORE_READ(file, f_inode, i_sb, s_dev);
		tell_path(told, (__u64)file);
	} else if (mm && vma->vm_start <= mm->start_stack && mm->start_stack < vma->vm_end) {
		told->event.area = FAULT_EVENT_AREA_STACK;
	} else if (mm && vma->vm_start == (unsigned long)mm->context.vdso) {
		told->event.area = FAULT_EVENT_AREA_VDSO;
	}

	__u64 total = sizeof(told->event) + (__u64)told->event.part_count * FAULT_EVENT_NAME_BYTES;

	if (total > sizeof(*told))
		return 0;
	if (bpf_ringbuf_output(&events, told, total, event_wake_flag()) != 0)
		__sync_fetch_and_add(&lost_others, 1);
	return 0;
}

/** Tell of the mapping of @addr in the current process, which perf has not told. */
__attribute__((noinline)) int look_up_mapping(__u64 addr)
{
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_find_vma))
		return 0;
	bpf_find_vma(bpf_get_current_task_btf(), addr, tell_mapping, 0, 0);
	return 0;
}
