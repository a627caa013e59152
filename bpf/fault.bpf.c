// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// The kernel side of recording: filters tracked tasks and copies. Entry and completion of a fault
// meet in the task's storage; the completion emits one record: with the stack into a ring for such,
// or without it into another, which must not overflow. x86-64 only.
#include "bpf/vmlinux_min.h"

#include "bpf/fault_event.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

char license_name[] SEC("license") = "Dual BSD/GPL";

enum {
	PAGE_BYTES = 4096,
	USER32_CS = 0x23,
	TS_COMPAT = 2, // thread_info.status: inside a 32-bit system call
	SYSCALL_MREMAP = 25,
	SYSCALL_EXECVE = 59,
	SYSCALL_EXECVEAT = 322,
	SYSCALL32_EXECVE = 11,
	SYSCALL32_MREMAP = 163,
	SYSCALL32_EXECVEAT = 358,
	REMAP_DONTUNMAP = 4,
	EXEC_NOT_READABLE = 1, // linux_binprm.interp_flags: BINPRM_FLAGS_ENFORCE_NONDUMP
	NAMESPACE_LEVELS = 32,
	VMA_PROTECTION = 7,
	VMA_SHARED = 8,
	FILE_TYPE_MASK = 0170000,
	FILE_TYPE_REGULAR = 0100000,
	MAGIC_HUGETLBFS = 0x958458f6,
	MAGIC_TMPFS = 0x01021994,
	STACK_PAGES_MAX = FAULT_EVENT_STACK_MAX / PAGE_BYTES + 1,
	TABLE_PAGES = 512, // of one page table, and of a huge page
	TREE_LEVELS = 8,
	CACHE_SLOTS = 64, // of a xa_node
	MAPLE_LEAF = 1,	  // maple_leaf_64
	MAPLE_ARANGE = 3, // maple_arange_64; between them maple_range_64
	MAPLE_SLOTS = 16,
	MAPLE_ARANGE_SLOTS = 10,
	ERROR_PRESENT = 1, // of the error code: something was mapped there,
	ERROR_WRITE = 2,   // and it was a write
};

/** What is known of a tracked task; a task without it is not tracked. */
struct task_state {
	__u64 entry_ns;
	__u64 entry_addr;
	__u64 around_index;
	__u64 read_mapping; // whose pages are counted; only to be compared
	__u64 read_index, read_end;
	__u64 seen;
	__u32 error_code;
	__u32 around_pages;
	__u32 flags; // fault_event_flag: KERNEL, HAS_ENTRY
	__u32 in_exec;
	__u32 read_pages;
	__u32 hidden_count;
	__u32 is_hidden;   // the recorder's caller may not trace it
	__u32 is_unmapped; // perf has no records of its mappings any more
	__u64 area_start, area_end, area_page, area_flags; // the mapping told last
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} tasks SEC(".maps");

/** Exits, remaps and faults without stacks: what must not be lost. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 20);
} events SEC(".maps");

/** Faults with stacks. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 20);
} stacks SEC(".maps");

/** Where a record is put together; one per CPU (too large for a per-CPU map's value). */
struct scratch {
	struct stack_event event;
	__u8 stack[FAULT_EVENT_STACK_MAX + PAGE_BYTES]; // a page more than used: simple bounds
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); // set to the number of CPUs before loading
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

// Set before loading.
const volatile __u32 stack_bytes = 0;	    // at most copied of each stack; 0: none
const volatile __u64 event_wake_bytes = 0;  // more than this in the ring: wake the reader
const volatile __u64 event_fault_bytes = 0; // so much of the ring faults may fill
const volatile __u64 stack_wake_bytes = 0;
const volatile __u64 stack_ring_bytes = 0;
const volatile __u32 is_limited = 0; // to what user caller_uid, group caller_gid may trace
const volatile __u32 caller_uid = 0;
const volatile __u32 caller_gid = 0;
const volatile __u32 maps_whole_folios = 0; // the kernel does, since Linux 6.18

// Shared with the recorder through mmap: no system call disturbs the traced tasks.
__u64 lost_faults = 0;
__u64 lost_stacks = 0; // of faults that were not lost themselves
__u64 lost_others = 0;
__u32 target_pid = 0;	  // for mark_tasks: the process, as the recorder numbers it
__u32 recorder_level = 0; // how deep the recorder's pid namespace is
__u32 marked = 0;	  // tasks that mark_tasks has added

/** The number that @task has in the recorder's pid namespace. */
static __u32 number_of(struct task_struct *task)
{
	if (recorder_level == 0)
		return task->pid;

	struct pid *pid = task->thread_pid;
	const struct upid *upid = bpf_core_field_exists(pid->numbers) ? &pid->numbers[0] : 0;
	__u32 number = 0;

	// The array has an element for each level; its element is larger in the kernel than here.
	if (upid)
		bpf_probe_read_kernel(&number, sizeof(number),
				      (const char *)upid +
					      recorder_level * bpf_core_type_size(struct upid) +
					      bpf_core_field_offset(struct upid, nr));
	return number;
}

static __u32 process_of(struct task_struct *task)
{
	return recorder_level == 0 ? (__u32)task->tgid : number_of(task->group_leader);
}

/**
 * Whether the caller of the recorder may trace @task, by the rules of ptrace: the same ids and no
 * capability, or everything in a user namespace of the caller's own.
 */
static bool may_trace(struct task_struct *task)
{
	const struct cred *cred = task->cred;
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
	const struct cred *cred = task->cred;

	return cred->euid.val != cred->uid.val || cred->egid.val != cred->gid.val;
}

/** Waking the reader at each record would cost the program an inter-processor interrupt each. */
static __u64 wake_flag(__u64 used, __u64 wake_bytes)
{
	return used > wake_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

static __u64 events_used(void)
{
	return bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA);
}

static __u64 event_wake_flag(void)
{
	return wake_flag(events_used(), event_wake_bytes);
}

// Both sources of registers name them alike.
#define COPY_REGISTERS(to, regs)        \
	do {                            \
		(to)[0] = (regs)->ax;   \
		(to)[1] = (regs)->dx;   \
		(to)[2] = (regs)->cx;   \
		(to)[3] = (regs)->bx;   \
		(to)[4] = (regs)->si;   \
		(to)[5] = (regs)->di;   \
		(to)[6] = (regs)->bp;   \
		(to)[7] = (regs)->sp;   \
		(to)[8] = (regs)->r8;   \
		(to)[9] = (regs)->r9;   \
		(to)[10] = (regs)->r10; \
		(to)[11] = (regs)->r11; \
		(to)[12] = (regs)->r12; \
		(to)[13] = (regs)->r13; \
		(to)[14] = (regs)->r14; \
		(to)[15] = (regs)->r15; \
		(to)[16] = (regs)->ip;  \
	} while (0)

// Two functions that are not inlined, so that the compiler does not share code between them: it
// would read the context through a computed pointer then, which the verifier refuses.
static __attribute__((noinline)) __u32 copy_task_registers(__u64 *to, struct task_struct *task)
{
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	COPY_REGISTERS(to, regs);
	return (__u16)regs->cs;
}

/** The context is cheaper to read, and a fault taken in user mode has no other registers. */
static __attribute__((noinline)) __u32 copy_context_registers(__u64 *to,
							      struct bpf_perf_event_data *ctx)
{
	COPY_REGISTERS(to, &ctx->registers);
	return (__u16)ctx->registers.cs;
}

static void begin_fault(struct task_state *state, __u64 addr, __u64 error_code, __u32 flags)
{
	state->entry_addr = addr;
	state->error_code = error_code;
	state->around_pages = 0;
	state->read_pages = 0;
	state->flags = FAULT_EVENT_HAS_ENTRY | flags;
	state->entry_ns = bpf_ktime_get_ns();
}

SEC("tp_btf/page_fault_user")
int BPF_PROG(enter_user, unsigned long addr, struct pt_regs *regs, unsigned long error_code)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state)
		return 0;
	begin_fault(state, addr, error_code, 0);
	return 0;
}

SEC("tp_btf/page_fault_kernel")
int BPF_PROG(enter_kernel, unsigned long addr, struct pt_regs *regs, unsigned long error_code)
{
	if ((long)addr < 0)
		return 0; // the kernel's own half

	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	// Somebody who looks at memory without faulting it in, such as another profiler's copy of
	// the stack within a fault: it never completes, and must not replace the one that does.
	if (!state || task->pagefault_disabled)
		return 0;
	begin_fault(state, addr, error_code, FAULT_EVENT_KERNEL);
	return 0;
}

/** True if @entry of an XArray or maple tree is a node of it (xa_is_node). */
static bool is_node(__u64 entry)
{
	return (entry & 3) == 2 && entry > PAGE_BYTES;
}

/** A word of the kernel's at @addr; 0 if it cannot be read. */
static __u64 word_at(__u64 addr)
{
	__u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), (const void *)addr);
	return word;
}

/**
 * The folio at @index of the page cache whose xa_head is @entry; 0 if there is none. Not static, as
 * is find_area(): the verifier looks at them by themselves.
 */
__attribute__((noinline)) __u64 find_folio(__u64 entry, __u64 index)
{
	if (!is_node(entry))
		return index == 0 && !(entry & 3) ? entry : 0;

	__u64 shift = BPF_CORE_READ((struct xa_node *)(entry - 2), shift) & 63;

	if (index >> shift >= CACHE_SLOTS)
		return 0; // behind the last page
	for (__u32 level = 0; level < TREE_LEVELS && is_node(entry); level++) {
		__u64 slots = entry - 2 + bpf_core_field_offset(struct xa_node, slots);

		entry = word_at(slots + (index >> shift) % CACHE_SLOTS * sizeof(entry));
		// A large folio fills several slots: the others tell which one has it.
		if ((entry & 3) == 2 && entry < CACHE_SLOTS * 4)
			entry = word_at(slots + (entry >> 2) * sizeof(entry));
		shift = (shift - 6) & 63; // CACHE_SLOTS are 6 bits
	}
	return entry & 3 ? 0 : entry;
}

/** The vm_area_struct that may hold @addr, in the maple tree whose ma_root is @entry; or 0. */
__attribute__((noinline)) __u64 find_area(__u64 entry, __u64 addr)
{
	__u64 pivots[MAPLE_SLOTS - 1];

	if (!is_node(entry))
		return 0;
	for (__u32 level = 0; level < TREE_LEVELS; level++) {
		__u64 node = entry & ~0xffull; // its type is in the low bits

		__u32 type = entry >> 3 & 15;
		__u32 slots = type == MAPLE_ARANGE ? MAPLE_ARANGE_SLOTS : MAPLE_SLOTS;
		__u32 slot = 0;

		// A node is a pointer to its parent, the last address of each slot but one, the
		// slots.
		if (bpf_probe_read_kernel(pivots, sizeof(pivots), (const void *)(node + 8)))
			return 0;
		for (__u32 i = 0; i < MAPLE_SLOTS - 1; i++) {
			if (i >= slots - 1 || addr <= pivots[i] || (i > 0 && pivots[i] == 0))
				break;
			slot = i + 1;
		}
		entry = word_at(node + 8 + (slots - 1) * 8ull + slot * 8ull);
		if (type == MAPLE_LEAF)
			return entry & 3 ? 0 : entry;
	}
	return 0;
}

/** Where a file is mapped: what decides how much of it is mapped at once. */
struct window {
	__u64 cache;	  // xa_head of the page cache
	__u64 start, end; // pages of the file: those of the mapping that share a page table
	__u64 file_end;	  // pages of the file; of shared memory more than it can have
};

/** Find what is mapped at @addr; false if it is no file. *@ret_index: the page of the file. */
static bool find_window(struct task_struct *task, __u64 addr, struct window *window,
			__u64 *ret_index)
{
	struct mm_struct *mm = task->mm;

	if (!mm || !bpf_core_field_exists(mm->mm_mt))
		return false;
	// Read so, a pointer is a number for the verifier.
	__u64 root = (__u64)BPF_CORE_READ(mm, mm_mt.ma_root);
	struct vm_area_struct *area = (struct vm_area_struct *)find_area(root, addr);
	if (!area)
		return false;
	__u64 start = BPF_CORE_READ(area, vm_start), end = BPF_CORE_READ(area, vm_end);
	struct file *file = BPF_CORE_READ(area, vm_file);
	if (!file || addr < start || addr >= end)
		return false;
	__u64 table = addr & ~((__u64)TABLE_PAGES * PAGE_BYTES - 1);
	__u64 first = BPF_CORE_READ(area, vm_pgoff);
	struct address_space *mapping = BPF_CORE_READ(file, f_mapping);

	*ret_index = first + (addr - start) / PAGE_BYTES;
	if (start < table) {
		first += (table - start) / PAGE_BYTES;
		start = table;
	}
	if (end > table + TABLE_PAGES * PAGE_BYTES)
		end = table + TABLE_PAGES * PAGE_BYTES;
	window->start = first;
	window->end = first + (end - start) / PAGE_BYTES;
	window->cache = (__u64)BPF_CORE_READ(mapping, i_pages.xa_head);
	__u64 bytes = BPF_CORE_READ(mapping, host, i_size);
	bool is_shared_memory = BPF_CORE_READ(mapping, host, i_sb, s_magic) == MAGIC_TMPFS;
	window->file_end = is_shared_memory ? ~0ull : (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
	return true;
}

static __u64 pages_of(struct folio *folio)
{
	// The first word is the flags; its type changed in 6.18 (memdesc_flags_t).
	__u64 flags = word_at((__u64)folio);

	if (!(flags >> bpf_core_enum_value(enum pageflags, PG_head) & 1))
		return 1;
	if (bpf_core_field_exists(folio->_nr_pages))
		return BPF_CORE_READ(folio, _nr_pages);
	if (bpf_core_field_exists(folio->_folio_nr_pages))
		return BPF_CORE_READ(folio, _folio_nr_pages);
	return 1;
}

/** The pages of a file that are mapped at once. */
struct pages {
	__u64 start, end;
};

/**
 * Add to @pages the whole folio that holds @index, if it is mapped whole: where mapping and page
 * table have room for it and no part of it is behind @file_end.
 */
static void add_folio(const struct window *window, __u64 index, __u64 file_end, struct pages *pages)
{
	struct folio *folio = (struct folio *)find_folio(window->cache, index);

	// The kernel passes over one that asks for the next read-ahead.
	if (!folio ||
	    (word_at((__u64)folio) >> bpf_core_enum_value(enum pageflags, PG_readahead) & 1))
		return;
	__u64 start = BPF_CORE_READ(folio, index), end = start + pages_of(folio);

	if (index < start || index >= end || start < window->start || end > window->end ||
	    end > file_end)
		return;
	if (start < pages->start)
		pages->start = start;
	if (end > pages->end)
		pages->end = end;
}

/**
 * The kernel maps the cached pages of a file around a fault, as a rule those of an aligned 64 KiB.
 * Since Linux 6.18 a folio of which a part is there is mapped whole ("mm/filemap: map entire
 * large folio faultaround"), of which the tracepoint says nothing.
 */
SEC("tp_btf/mm_filemap_map_pages")
int BPF_PROG(map_around, struct address_space *mapping, unsigned long first, unsigned long last)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state || last < first)
		return 0;
	state->around_index = first;
	state->around_pages = last - first + 1;
	if (!maps_whole_folios || !(state->flags & FAULT_EVENT_HAS_ENTRY))
		return 0;

	struct pages pages = { first, last + 1 };
	struct window window;
	__u64 index, cache = (__u64)BPF_CORE_READ(mapping, i_pages.xa_head);
	struct folio *folio = (struct folio *)find_folio(cache, first);

	// Where both ends are of small folios, which is mostly so, that is all.
	if (!folio || pages_of(folio) == 1) {
		folio = (struct folio *)find_folio(cache, last);
		if (!folio || pages_of(folio) == 1)
			return 0;
	}
	if (!find_window(task, state->entry_addr, &window, &index))
		return 0;
	// Linux 6.18 leaves out the folio that ends where the file does.
	add_folio(&window, first, window.file_end - 1, &pages);
	add_folio(&window, last, window.file_end - 1, &pages);
	state->around_index = pages.start;
	state->around_pages = pages.end - pages.start;
	return 0;
}

/**
 * What was mapped of a file by a fault without map_around(): a huge page, or the folio of the page
 * ("mm/fault: try to map the entire file folio in finish_fault()", Linux 6.18).
 */
static void map_alone(struct task_state *state, struct task_struct *task, __u64 addr)
{
	struct window window;
	__u64 index;

	if (!find_window(task, addr, &window, &index))
		return;
	struct pages pages = { index, index + 1 };

	add_folio(&window, index, window.file_end, &pages);
	__u64 count = pages.end - pages.start;
	if (count == 1 || (count < TABLE_PAGES && !maps_whole_folios))
		return;
	state->around_index = pages.start;
	state->around_pages = pages.end - pages.start;
}

/**
 * Whether what is added to @mapping was asked of storage for a file: the pages of a block device
 * are its file system's own, those of hugetlbfs are made of nothing.
 */
static bool is_read_from_file(struct address_space *mapping)
{
	struct inode *inode = mapping->host;

	return (inode->i_mode & FILE_TYPE_MASK) == FILE_TYPE_REGULAR &&
	       inode->i_sb->s_magic != MAGIC_HUGETLBFS;
}

/** A page is put into the page cache, to be read; within a fault that is the fault's doing. */
SEC("tp_btf/mm_filemap_add_to_page_cache")
int BPF_PROG(read_ahead, struct folio *folio)
{
	struct task_state *state = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), 0, 0);

	if (!state || !(state->flags & FAULT_EVENT_HAS_ENTRY))
		return 0;

	struct address_space *mapping = folio->mapping;
	__u64 index = folio->index;
	__u64 end = index + pages_of(folio);

	// The faulted file comes first: another's pages are those of a file system below it.
	if (state->read_pages == 0) {
		if (!is_read_from_file(mapping))
			return 0;
		state->read_mapping = (__u64)mapping;
		state->read_index = index;
		state->read_end = end;
	} else if (state->read_mapping != (__u64)mapping) {
		return 0;
	}
	if (index < state->read_index)
		state->read_index = index;
	if (end > state->read_end)
		state->read_end = end;
	state->read_pages += end - index;
	return 0;
}

/** How many bytes of stack above @sp are in use, and whether that is all of it. */
static __u32 stack_in_use(struct task_struct *task, __u64 sp, __u32 *flags)
{
	struct mm_struct *mm = task->mm;

	// The first thread's stack ends where exec put argc, argv[0] stands above it: frames end
	// there.
	if (mm) {
		__u64 end = mm->start_stack + 16;

		if (sp < end && end - sp <= stack_bytes) {
			*flags |= FAULT_EVENT_STACK_WHOLE;
			return end - sp;
		}
	}
	// Other threads of glibc and musl keep their thread block at the end of the stack.
	__u64 block = task->thread.fsbase;

	if (sp < block && block - sp <= stack_bytes) {
		*flags |= FAULT_EVENT_STACK_WHOLE;
		return block - sp;
	}
	return stack_bytes;
}

/**
 * Copy up to @wanted bytes from @sp; returns how many. Not static: the verifier looks at it by
 * itself, with bounds that inlining would lose.
 */
__attribute__((noinline)) __u32 copy_stack(struct scratch *scratch, __u64 sp, __u64 wanted)
{
	if (!scratch)
		return 0;
	if (wanted > FAULT_EVENT_STACK_MAX)
		wanted = FAULT_EVENT_STACK_MAX;
	if (bpf_probe_read_user(scratch->stack, wanted, (const void *)sp) == 0)
		return wanted;

	// A page of it is not there: the read failed whole. Take what stands before that page. The
	// loop carries nothing from round to round, which keeps the verifier's work small.
	__u64 first = PAGE_BYTES - (sp & (PAGE_BYTES - 1));

	if (first >= wanted || bpf_probe_read_user(scratch->stack, first, (const void *)sp))
		return 0;
	for (__u32 page = 0; page < STACK_PAGES_MAX; page++) {
		__u64 at = first + page * PAGE_BYTES;

		if (at >= wanted || at > FAULT_EVENT_STACK_MAX ||
		    bpf_probe_read_user(scratch->stack + at, PAGE_BYTES, (const void *)(sp + at)))
			return at < wanted ? at : wanted;
	}
	return wanted;
}

/**
 * Whether a stack of @size bytes is to be kept. The fuller the ring, the smaller the share that is:
 * when the reader falls behind, what remains still comes from all of the run.
 */
static bool keeps_stack(__u64 used, __u32 size)
{
	if (used + sizeof(struct stack_event) + size + 16 > stack_ring_bytes)
		return false;
	if (used < stack_ring_bytes / 2)
		return true;

	// The square of what is free of the upper half, as a part of 2^32.
	__u64 part = (stack_ring_bytes - used) * 65536 / (stack_ring_bytes / 2);

	return bpf_get_prandom_u32() < part * part;
}

/** Take down the program's registers; returns the flags that go with them. */
static __u32 capture_registers(struct stack_event *event, struct bpf_perf_event_data *ctx,
			       struct task_struct *task, bool in_kernel)
{
	__u64 *to = event->registers;
	__u32 cs = in_kernel ? copy_task_registers(to, task) : copy_context_registers(to, ctx);

	return FAULT_EVENT_HAS_REGISTERS | (cs == USER32_CS ? FAULT_EVENT_32BIT : 0);
}

/** Copy the stack into @scratch, if it is kept. @used: of the ring. Returns the flags that go with
 * it. */
static __u32 capture_stack(struct scratch *scratch, struct task_struct *task, __u64 used)
{
	__u64 sp = scratch->event.registers[7];
	__u32 flags = FAULT_EVENT_HAS_STACK;
	__u32 wanted = stack_in_use(task, sp, &flags);

	scratch->event.fault.stack_size = 0;
	if (!keeps_stack(used, wanted))
		return 0;

	__u32 size = copy_stack(scratch, sp, wanted);

	scratch->event.fault.stack_size = size;
	return size < wanted ? FAULT_EVENT_HAS_STACK : flags;
}

/** Into the one ring or the other; counts what is lost. @stack_used: of the ring of stacks. */
static void emit(struct scratch *scratch, __u64 stack_used)
{
	struct fault_event *fault = &scratch->event.fault;

	if (fault->flags & FAULT_EVENT_HAS_STACK) {
		__u64 total = (sizeof(scratch->event) + fault->stack_size + 7) & ~7ull;

		if (total > sizeof(*scratch))
			total = sizeof(*scratch);
		if (bpf_ringbuf_output(&stacks, scratch, total,
				       wake_flag(stack_used, stack_wake_bytes)) == 0)
			return;
		// Another CPU has taken the room meanwhile.
		fault->flags &= ~FAULT_EVENT_HAS_STACK;
	}
	__u64 used = events_used();

	// The rest is for exits and remaps: without an exit, what a task lost cannot be counted.
	if (used >= event_fault_bytes ||
	    bpf_ringbuf_output(&events, fault, sizeof(*fault), wake_flag(used, event_wake_bytes)))
		__sync_fetch_and_add(&lost_faults, 1);
	else if (stack_bytes > 0 && fault->flags & FAULT_EVENT_HAS_REGISTERS)
		__sync_fetch_and_add(&lost_stacks, 1);
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
	struct mm_struct *mm = task->mm;

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

static int complete(struct bpf_perf_event_data *ctx, __u32 major)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state)
		return 0;
	if (state->is_hidden || (is_limited && state->in_exec && !may_trace(task))) {
		state->hidden_count++;
		return 0;
	}
	state->seen++;

	__u64 now = bpf_ktime_get_ns();
	__u32 cpu = bpf_get_smp_processor_id();
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &cpu);

	if (!scratch) {
		__sync_fetch_and_add(&lost_faults, 1);
		return 0;
	}

	// A fault that the kernel resolved by itself had no entry; an older entry is not its own.
	// The lowest bits of the code segment are the privilege: 3 is the program's.
	if (!(state->flags & FAULT_EVENT_HAS_ENTRY) ||
	    (state->entry_addr ^ ctx->addr) / PAGE_BYTES != 0) {
		state->flags = (ctx->registers.cs & 3) == 3 ? 0 : FAULT_EVENT_KERNEL;
		state->entry_ns = now;
		state->error_code = 0;
		state->read_pages = 0;
	}
	// Writes mostly copy a page or fill one: to look at each would cost more than it tells.
	if (!state->around_pages && (state->flags & FAULT_EVENT_HAS_ENTRY) &&
	    !(state->error_code & (ERROR_PRESENT | ERROR_WRITE)))
		map_alone(state, task, ctx->addr);

	struct stack_event *event = &scratch->event;
	__u64 stack_used = stack_bytes > 0 ? bpf_ringbuf_query(&stacks, BPF_RB_AVAIL_DATA) : 0;
	__u32 flags = state->flags | major;
	__u64 ip = 0, sp = 0;

	if (state->around_pages)
		flags |= FAULT_EVENT_HAS_AROUND;
	if (state->read_pages)
		flags |= FAULT_EVENT_HAS_READ;
	// A program faults on each of its mappings of code and data before it uses them, so these
	// are all that are needed. Once per fault: a second look would find the first under way.
	if (state->is_unmapped || (state->in_exec && is_setuid(task)))
		look_up_mapping(ctx->addr);
	if (!state->in_exec) { // the new program has no registers yet
		flags |= capture_registers(event, ctx, task, state->flags & FAULT_EVENT_KERNEL);
		ip = event->registers[16];
		sp = event->registers[7];
		if (stack_bytes > 0)
			flags |= capture_stack(scratch, task, stack_used);
	}

	event->fault = (struct fault_event){
		.kind = FAULT_EVENT_FAULT,
		.flags = flags,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = state->entry_ns,
		.duration_ns = now - state->entry_ns,
		.addr = ctx->addr,
		.ip = ip,
		.sp = sp,
		.around_index = state->around_pages ? state->around_index : 0,
		.read_index = state->read_pages ? state->read_index : 0,
		.around_pages = state->around_pages,
		.read_pages = state->read_pages,
		.read_span = state->read_pages ? state->read_end - state->read_index : 0,
		.error_code = state->error_code,
		.stack_size = event->fault.stack_size, // with HAS_STACK
	};
	// Our own reading of the stack can look like the entry of a fault.
	state->flags = 0;
	state->around_pages = 0;
	emit(scratch, stack_used);
	return 0;
}

SEC("perf_event")
int complete_minor(struct bpf_perf_event_data *ctx)
{
	return complete(ctx, 0);
}

SEC("perf_event")
int complete_major(struct bpf_perf_event_data *ctx)
{
	return complete(ctx, FAULT_EVENT_MAJOR);
}

SEC("tp_btf/task_newtask")
int BPF_PROG(follow_child, struct task_struct *child, unsigned long clone_flags)
{
	struct task_state *parent = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), 0, 0);

	if (!parent)
		return 0;

	struct task_state *state =
		bpf_task_storage_get(&tasks, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!state) {
		__sync_fetch_and_add(&lost_others, 1);
		return 0;
	}
	state->is_hidden = parent->is_hidden;
	state->is_unmapped = parent->is_unmapped;
	if (!state->is_unmapped || state->is_hidden)
		return 0;

	struct task_struct *task = bpf_get_current_task_btf();
	struct fork_event event = {
		.kind = FAULT_EVENT_FORK,
		.pid = process_of(child),
		.tid = number_of(child),
		.parent_pid = process_of(task),
		.parent_tid = number_of(task),
		.time_ns = bpf_ktime_get_ns(),
	};

	if (bpf_ringbuf_output(&events, &event, sizeof(event), event_wake_flag()) != 0)
		__sync_fetch_and_add(&lost_others, 1);
	return 0;
}

/** Inside execve, after the point of no return, the old program's registers mean nothing. */
SEC("tp_btf/task_rename")
int BPF_PROG(begin_exec, struct task_struct *renamed, const char *comm)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (renamed->pid != task->pid)
		return 0;

	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state)
		return 0;

	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	__u64 number = regs->orig_ax;

	if (task->thread_info.status & TS_COMPAT)
		state->in_exec = number == SYSCALL32_EXECVE || number == SYSCALL32_EXECVEAT;
	else
		state->in_exec = number == SYSCALL_EXECVE || number == SYSCALL_EXECVEAT;
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(end_exec, struct task_struct *task, int old_pid, struct linux_binprm *program)
{
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state)
		return 0;
	state->in_exec = 0;

	bool is_unreadable = (program->interp_flags & EXEC_NOT_READABLE) != 0;

	// What perf_event_exit_task() is called for: perf's events do not come back later, and
	// children inherit none.
	if (is_unreadable || BPF_CORE_READ_BITFIELD(program, secureexec))
		state->is_unmapped = 1;
	if (is_limited)
		state->is_hidden = is_unreadable || !may_trace(task);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(exit_task, struct task_struct *task)
{
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state)
		return 0;

	struct exit_event event = {
		.kind = FAULT_EVENT_EXIT,
		.hidden = state->hidden_count,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = bpf_ktime_get_ns(),
		.minor = task->min_flt,
		.major = task->maj_flt,
		.seen = state->seen,
	};

	if (bpf_ringbuf_output(&events, &event, sizeof(event), event_wake_flag()) != 0)
		__sync_fetch_and_add(&lost_others, 1);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(exit_syscall, struct pt_regs *regs, long result)
{
	__u64 number = regs->orig_ax;

	if (number != SYSCALL_MREMAP && number != SYSCALL32_MREMAP)
		return 0;

	struct task_struct *task = bpf_get_current_task_btf();
	bool compat = task->thread_info.status & TS_COMPAT;

	if (number != (compat ? SYSCALL32_MREMAP : SYSCALL_MREMAP))
		return 0;
	if ((__u64)result >= -4095ull)
		return 0; // it failed

	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state || state->is_hidden)
		return 0;

	struct remap_event event = {
		.kind = FAULT_EVENT_REMAP,
		.keeps_old = ((compat ? regs->si : regs->r10) & REMAP_DONTUNMAP) != 0,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = bpf_ktime_get_ns(),
		.old_addr = compat ? regs->bx : regs->di,
		.old_size = compat ? regs->cx : regs->si,
		.new_addr = compat ? (__u32)result : result,
		.new_size = regs->dx,
	};

	if (bpf_ringbuf_output(&events, &event, sizeof(event), event_wake_flag()) != 0)
		__sync_fetch_and_add(&lost_others, 1);
	return 0;
}

/** Run by the recorder over all tasks: track every thread of target_pid. */
SEC("iter/task")
int mark_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (!task)
		return 0;
	recorder_level = bpf_get_current_task_btf()->thread_pid->level;
	if (process_of(task) != target_pid)
		return 0;
	if (bpf_task_storage_get(&tasks, task, 0, 0))
		return 0;
	if (bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE))
		marked++;
	return 0;
}
