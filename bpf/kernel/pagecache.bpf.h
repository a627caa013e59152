// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// The pages of a file that come with the one that faulted: those mapped around it, and those read.
#pragma once

#include "bpf/kernel/state.bpf.h"

/** True if @entry of an XArray or maple tree is a node of it (xa_is_node). */
static bool is_node(__u64 entry)
{
	return (entry & 3) == 2 && entry > PAGE_BYTES;
}

/**
 * A word of the kernel's at @addr; 0 if it cannot be read. By a load, where the kernel lets a
 * number be a pointer: a helper takes 30 ns, and to find a folio takes up to ten of them.
 */
static __u64 word_at(__u64 addr)
{
	__u64 word = 0;

	if (has_cast) {
		// Of any type that begins with a number of 64 bits.
		const struct timespec64 *number =
			bpf_rdonly_cast((void *)addr, bpf_core_type_id_kernel(struct timespec64));

		return (__u64)number->tv_sec;
	}
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

/** A mapping of a file, which limits how much of it is mapped at once. */
struct window {
	__u64 cache;	  // xa_head of the page cache
	__u64 start, end; // pages of the file: those of the mapping that share a page table
	__u64 file_end;	  // pages of the file; of shared memory more than it can have
};

/** Find what is mapped at @addr; false if it is no file. *@ret_index: the page of the file. */
static bool find_window(struct task_struct *task, __u64 addr, struct window *window,
			__u64 *ret_index)
{
	struct mm_struct *mm = only_read(task)->mm;

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
 * Note the pages that a fault mapped without map_around(): a huge page, or the folio of the page
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
	struct inode *inode = only_read(mapping)->host;

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

	struct address_space *mapping = only_read(folio)->mapping;
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
