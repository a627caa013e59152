// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// The few kernel structures that fault.bpf.c reads, with only the fields it reads: libbpf finds
// their real offsets in the running kernel's BTF (CO-RE), so this builds where no kernel BTF is.
#pragma once

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;

enum { false, true };

// From the kernel's stable interface to BPF programs (linux/bpf.h).
enum bpf_map_type_min {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};
enum {
	BPF_F_NO_PREALLOC = 1,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_FORCE_WAKEUP = 2,
	BPF_RB_AVAIL_DATA = 0,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip;
	unsigned long cs;
	unsigned long flags, sp;
};

struct upid {
	int nr;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct maple_tree {
	void *ma_root;
};

struct kuid {
	__u32 val;
};

struct capabilities {
	__u64 bits; // of another name in other kernels
};

struct user_namespace {
	struct user_namespace *parent;
	int level;
	struct kuid owner;
};

struct cred {
	struct kuid uid, gid, suid, sgid, euid, egid;
	struct capabilities cap_permitted;
	struct user_namespace *user_ns;
};

struct mm_context {
	void *vdso;
};

struct mm_struct {
	unsigned long start_stack;
	unsigned long arg_start, arg_end;
	struct mm_context context;
	struct maple_tree mm_mt; // since Linux 6.1
	unsigned long saved_auxv[44];
};

struct thread_struct {
	unsigned long fsbase;
};

struct thread_info {
	__u32 status;
};

struct sched_entity {
	__u64 sum_exec_runtime;
};

struct sched_info {
	unsigned long long run_delay; // where the kernel keeps it
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct cgroup_subsys_state {
	struct cgroup_subsys_state *parent;
};

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	void *stack;
	unsigned int flags;
	int on_cpu;
	struct sched_entity se;
	struct sched_info sched_info;
	unsigned int in_iowait : 1;
	void *bpf_storage;
	struct mm_struct *mm;
	struct css_set *cgroups;
	struct files_struct *files;
	const struct cred *cred;
	int pid;
	int tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	unsigned long min_flt;
	unsigned long maj_flt;
	int pagefault_disabled;
	unsigned long sas_ss_sp, sas_ss_size; // the stack of signal handlers, see sigaltstack()
	struct thread_struct thread;
};

enum pageflags {
	PG_head = 6, // other numbers in other kernels
	PG_readahead = 16,
};

struct super_block {
	unsigned long s_magic;
	unsigned long s_flags;
	__u32 s_dev;
};

struct inode;

struct xarray {
	void *xa_head;
};

struct address_space {
	struct inode *host;
	struct xarray i_pages;
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct inode {
	unsigned short i_mode;
	__u32 i_rdev;
	unsigned int i_flags;
	unsigned long i_ino;
	long long i_size;
	struct super_block *i_sb;
	struct hlist_head i_dentry;
	struct address_space i_data;
};

struct btrfs_root {
	__u32 anon_dev;
};

struct btrfs_inode {
	struct btrfs_root *root;
	struct inode vfs_inode;
};

struct page {
	unsigned long compound_head;
};

struct bvec_iter {
	unsigned int bi_size, bi_idx, bi_bvec_done;
};

struct bio {
	struct bio *bi_next;
	struct bvec_iter bi_iter;
	void *bi_io_vec;
};

struct gendisk {
	int major, first_minor;
};

struct request_queue {
	struct gendisk *disk;
};

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
	__u64 __sector;
	struct bio *bio;
};

enum req_flag_bits {
	__REQ_META = 12, // other numbers in other kernels
	__REQ_RAHEAD = 19,
};

struct timespec64 {
	long long tv_sec;
};

struct xa_node {
	unsigned char shift;
	void *slots[64];
};

struct folio {
	struct address_space *mapping;
	unsigned long index;
	unsigned int _nr_pages;	      // of a large one, since Linux 6.15
	unsigned int _folio_nr_pages; // the same before
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct inode *d_inode;
	struct qstr d_name;
	union {
		struct hlist_node d_alias;
	} d_u;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	struct path f_path;
	unsigned int f_mode;
	unsigned int f_flags;
	void *private_data;
	struct inode *f_inode;
	struct address_space *f_mapping;
};

struct sock_common {
	unsigned short skc_family;
	unsigned short skc_num; // the port
};

struct sock {
	struct sock_common __sk_common;
};

struct socket {
	struct sock *sk;
};

struct sockaddr_un {
	unsigned short sun_family;
};

struct unix_address {
	int len;
	struct sockaddr_un name[0];
};

struct unix_sock {
	struct sock sk;
	struct unix_address *addr;
};

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_flags, vm_pgoff;
	struct file *vm_file;
};

struct linux_binprm {
	unsigned int secureexec : 1;
	unsigned int interp_flags;
};

enum bpf_func_id {
	BPF_FUNC_find_vma = 180, // since Linux 5.17
	BPF_FUNC_loop = 181,	 // likewise
};

struct bpf_iter_meta;

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

// The context of a perf_event program is the kernel's stable interface too, so its offsets are
// fixed (asm/ptrace.h, linux/bpf_perf_event.h).
struct user_pt_regs_min {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip;
	unsigned long cs, flags, sp, ss;
};

struct bpf_perf_event_data {
	struct user_pt_regs_min registers;
	__u64 sample_period;
	__u64 addr;
};
