// SPDX-License-Identifier: Apache-2.0
// Unwinding at every instruction of a real program, judged by a list of the calls that it made:
// runs each program of the command line one instruction at a time, notes each return address that a
// call writes, drops it once sp has passed it, and compares.
//
// usage: stepping [-]PROGRAM... (TAP); -: stacks need not be complete
#include "base/u64map.h"
#include "unwind/framewalk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libelf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STACK_MAX = 256 << 10,
	STEPS_MAX = 4000000,
	LOOKS_MAX = 4, // at one address
	SHOWN_MAX = 5,
};

/** A return address that a call wrote, and where it lies. */
struct call {
	uint64_t slot, addr;
};

/** One program under way. */
struct program {
	pid_t pid;
	struct user_regs_struct registers;
	bool is_32bit;
	uint64_t bottom;	// sp when the program began, where argc is
	VEC(struct call) calls; // outermost first
	uint8_t stack[STACK_MAX];

	// Code as it is mapped now.
	char *maps;
	VEC(struct trace_mapping) mappings;
	struct images images;
	struct imagesets sets;
	struct framewalk *walk;

	struct u64map looks; // by ip
	uint64_t looked, complete, wrong;
};

static void die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

static char *maps_text(pid_t pid)
{
	static char text[1 << 16];
	char path[64];
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "re");
	if (!file)
		die(path);
	size = fread(text, 1, sizeof(text) - 1, file);
	text[size] = '\0';
	fclose(file);
	return text;
}

static void unmap(struct program *program)
{
	framewalk_destroy(program->walk);
	imagesets_deinit(&program->sets);
	program->walk = NULL;
	program->sets = (struct imagesets){ 0 };
	vec_foreach (mapping, &program->mappings)
		free((char *)mapping->path);
	vec_deinit(&program->mappings);
	free(program->maps);
	program->maps = NULL;
}

/** Read the mappings again and make a walk of them, if they have changed. */
static void remap(struct program *program)
{
	const char *text = maps_text(program->pid);
	struct stackspool *spool;
	char *line, *rest;

	if (program->maps && !strcmp(text, program->maps))
		return;
	unmap(program);
	program->maps = xstrdup(text);

	char *copy = xstrdup(text);

	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		uint64_t start, end, offset;
		char protection[5];
		int used = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*u %n", &start, &end,
			   protection, &offset, &used) != 4)
			die(line);
		vec_push(&program->mappings,
			 (struct trace_mapping){
				 .time_ns = 1,
				 .addr = start,
				 .size = end - start,
				 .offset = offset,
				 .path = xstrdup(line[used] ? line + used : "//anon"),
				 .pid = 1,
				 .tid = 1,
				 .protection = protection[2] == 'x' ? TRACE_PROTECTION_EXEC : 0,
			 });
	}
	free(copy);

	const struct raw_stack any = { .pid = 1, .time_ns = 2 };

	spool = stackspool_create(4096);
	stackspool_add(spool, &any);
	imagesets_build(&program->sets, &program->images,
			&(struct unwind_input){ .mappings = program->mappings.items,
						.mapping_count = program->mappings.count,
						.spool = spool });
	stackspool_destroy(spool);
	program->walk = framewalk_create(&program->sets, program->sets.stacks.items[0].set,
					 program->is_32bit);
}

static bool peek(const struct program *program, uint64_t addr, void *ret_bytes, size_t size)
{
	struct iovec local = { ret_bytes, size }, remote = { (void *)addr, size };

	return process_vm_readv(program->pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static bool is_call(const uint8_t *code)
{
	for (int i = 0; i < 4; i++) { // prefixes
		if (code[i] == 0xe8)
			return true;
		if (code[i] == 0xff)
			return ((code[i + 1] >> 3) & 7) == 2;
		if ((code[i] & 0xf0) != 0x40 && code[i] != 0xf2 && code[i] != 0x3e &&
		    code[i] != 0x67 && code[i] != 0x66)
			return false;
	}
	return false;
}

/** After one instruction: @before it, the registers were those and @code stood at the ip. */
static void follow(struct program *program, const struct user_regs_struct *before,
		   const uint8_t *code)
{
	uint64_t word = program->is_32bit ? 4 : 8, addr = 0;
	uint64_t sp = program->registers.rsp;

	if (is_call(code) && sp == before->rsp - word && peek(program, sp, &addr, word)) {
		vec_push(&program->calls, (struct call){ sp, addr });
		return;
	}
	while (program->calls.count && program->calls.items[program->calls.count - 1].slot < sp)
		program->calls.count--;
}

static void show(const struct program *program, const struct framewalk_result *result)
{
	uint64_t ip = program->registers.rip, from = 0;

	vec_foreach (mapping, &program->mappings)
		if (ip >= mapping->addr && ip < mapping->addr + mapping->size)
			from = mapping->addr - mapping->offset;
	printf("ip 0x%" PRIx64 " (0x%" PRIx64 " in its file), sp 0x%llx, end %d%s%s:", ip,
	       ip - from, program->registers.rsp, (int)result->end, result->image ? " in " : "",
	       result->image ? result->image->path : "");
	for (uint32_t i = 0; i < result->frame_count; i++)
		printf(" 0x%" PRIx64, result->frames[i]);
	printf("; called:");
	for (size_t i = program->calls.count; i-- > 0;)
		printf(" 0x%" PRIx64, program->calls.items[i].addr);
	printf("\n");
}

/** Unwind here and compare. */
static void look(struct program *program)
{
	const struct user_regs_struct *r = &program->registers;
	uint64_t end = program->bottom + 16;
	static struct framewalk_result result;
	struct raw_stack stack = {
		.registers = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp,
			       r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15,
			       r->rip },
		.is_32bit = program->is_32bit,
		.reaches_bottom = true,
		.bytes = program->stack,
	};

	if (r->rsp > end || end - r->rsp > STACK_MAX)
		return;
	stack.size = (uint32_t)(end - r->rsp);
	if (!peek(program, r->rsp, program->stack, stack.size))
		return;
	framewalk_run(program->walk, &stack, &result);
	program->looked++;

	bool is_wrong = result.frame_count > program->calls.count + 1;

	for (uint32_t i = 1; i < result.frame_count && !is_wrong; i++)
		is_wrong = result.frames[i] != program->calls.items[program->calls.count - i].addr;
	bool is_complete = !is_wrong && result.end == FRAMEWALK_OUTERMOST;

	// Complete in number as well.
	if (is_complete && result.frame_count != program->calls.count + 1)
		is_wrong = true;
	program->complete += is_complete && !is_wrong;
	program->wrong += is_wrong;
	if (is_wrong ? program->wrong <= SHOWN_MAX
		     : !is_complete && program->looked - program->complete <= SHOWN_MAX) {
		printf("# %s: ", is_wrong ? "WRONG" : "not complete");
		show(program, &result);
	}
}

static void start(struct program *program, const char *path)
{
	int status;

	program->pid = fork();
	if (program->pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		dup2(null, 1);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	if (program->pid < 0 || waitpid(program->pid, &status, 0) < 0 || !WIFSTOPPED(status))
		die(path);
	ptrace(PTRACE_SETOPTIONS, program->pid, NULL, PTRACE_O_EXITKILL);
	ptrace(PTRACE_GETREGS, program->pid, NULL, &program->registers);
	program->bottom = program->registers.rsp;
	program->is_32bit = program->registers.cs == 0x23;
}

/** Run one program to its end; returns whether it was unwound right. */
static bool run(const char *path, bool may_be_incomplete)
{
	struct program *program = xcalloc(1, sizeof(*program));
	uint64_t steps = 0;
	uint8_t code[8] = { 0 };
	int status;

	start(program, path);
	remap(program);
	for (; steps < STEPS_MAX; steps++) {
		struct user_regs_struct before = program->registers;

		uint32_t *looks = u64map_put(&program->looks, before.rip, NULL);

		if (++*looks <= LOOKS_MAX)
			look(program);
		if (!peek(program, before.rip, code, sizeof(code)))
			memset(code, 0, sizeof(code));
		if (ptrace(PTRACE_SINGLESTEP, program->pid, NULL, NULL) ||
		    waitpid(program->pid, &status, 0) < 0)
			die("stepping");
		if (!WIFSTOPPED(status))
			break;
		ptrace(PTRACE_GETREGS, program->pid, NULL, &program->registers);
		follow(program, &before, code);
		if ((code[0] == 0x0f && (code[1] == 0x05 || code[1] == 0x34)) || code[0] == 0xcd)
			remap(program);
	}
	if (steps == STEPS_MAX) {
		kill(program->pid, SIGKILL);
		waitpid(program->pid, &status, 0);
	}
	printf("# %" PRIu64 " instructions, %" PRIu64 " looked at: %" PRIu64 " complete, %" PRIu64
	       " wrong\n",
	       steps, program->looked, program->complete, program->wrong);

	// Between the pops of an epilogue rules still name the place of a register that the copy of
	// the stack does not reach any more; in crtbegin.o nothing has rules.
	bool is_right = program->looked > 1000 && program->wrong == 0 &&
			(may_be_incomplete ||
			 (program->looked - program->complete) * 50 <= program->looked);

	unmap(program);
	images_deinit(&program->images);
	vec_deinit(&program->calls);
	u64map_deinit(&program->looks);
	free(program);
	return is_right;
}

int main(int argc, char **argv)
{
	elf_version(EV_CURRENT);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		bool may_be_incomplete = argv[i][0] == '-';
		const char *path = argv[i] + may_be_incomplete, *name = strrchr(path, '/');

		printf("%s %d - at every instruction of %s the calls that led there are %s\n",
		       run(path, may_be_incomplete) ? "ok" : "not ok", i, name ? name + 1 : path,
		       may_be_incomplete ? "found or not, but never others" : "found");
	}
	return 0;
}
