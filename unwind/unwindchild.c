// SPDX-License-Identifier: Apache-2.0
// Owns the loop over all stacks, what is said of those that were lost, and the progress line.
#include "unwind/unwindchild.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/path.h"
#include "machine/page.h"
#include "unwind/framewalk.h"
#include "unwind/outerframes.h"
#include "unwind/stackneed.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { PROGRESS_EVERY = 256, FILES_NAMED = 5 };

/** Lost stacks by reason; those of FRAMEWALK_NO_RULE are counted in the image. */
struct losses {
	uint64_t no_image, bad_image;
};

/** The line on stderr, once the work lasts. */
struct progress {
	bool wanted;
	bool shown;
	uint64_t total;
	double start, last; // seconds
};

/** Pages of files that were cut while we read them, replaced by zeros. */
static volatile sig_atomic_t pages_gone;

/**
 * A page of a mapped file is gone, because the file was cut: put a page of zeros there, so that the
 * reader sees a damaged file instead of dying.
 */
static void on_sigbus(int signal, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(MACHINE_PAGE - 1);

	if (info->si_code != BUS_ADRERR ||
	    mmap((void *)page, MACHINE_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		_exit(128 + signal);
	pages_gone = pages_gone + 1;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void progress_step(struct progress *progress, uint64_t done)
{
	if (!progress->wanted || done % PROGRESS_EVERY)
		return;

	double now = seconds_now();

	if (now - progress->start < 1 || now - progress->last < 0.2)
		return;
	progress->last = now;
	progress->shown = true;
	fprintf(stderr, "\relfault: unwinding stacks: %" PRIu64 " of %" PRIu64 "\033[K", done,
		progress->total);
	fflush(stderr);
}

static void progress_end(const struct progress *progress)
{
	if (progress->shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
}

static void note_loss(struct notes *notes, uint64_t count, const char *why)
{
	notes_add_counted(notes, count, NOTES_NO_CALLERS ": %s", why);
}

ORDER_OF_POINTERS(compare_lost, image, ORDER(y->lost, x->lost) ?: strcmp(x->path, y->path))

/** The files that lack unwinding data, the worst first; sorts the list. */
static void note_no_rule(struct notes *notes, struct images *images)
{
	uint64_t others = 0;

	vec_sort(&images->list, compare_lost);
	for (size_t i = 0; i < images->list.count; i++) {
		const struct image *image = images->list.items[i];
		char why[160];

		if (i >= FILES_NAMED) {
			others += image->lost;
			continue;
		}
		snprintf(why, sizeof(why), "no unwinding data at that address in %.100s",
			 path_file_name(image->path));
		note_loss(notes, image->lost, why);
	}
	note_loss(notes, others, "no unwinding data at that address in other files");
}

/** Why files were not used. Programs map many that are no ELF files: Wine one per Windows library.
 */
static void note_unused(struct notes *notes, const struct images *images)
{
	const struct image *data = NULL;
	size_t data_count = 0;

	vec_foreach (item, &images->list) {
		const struct image *image = *item;

		if (image->is_data && data_count++ == 0)
			data = image;
		if (image->problem && !image->is_data)
			notes_add(notes, "%s: not used to unwind call stacks: %s", image->path,
				  image->problem);
	}
	if (data_count == 1)
		notes_add(notes, "%s: not used to unwind call stacks: %s", data->path,
			  data->problem);
	else if (data)
		notes_add(notes, "%s and %zu more files: not used to unwind call stacks: %s",
			  data->path, data_count - 1, data->problem);
}

static void note_losses(struct notes *notes, const struct losses *losses, struct images *images)
{
	// Where the copy ends within the innermost frame is in the trace: the answer says whether
	// it matters.
	note_loss(notes, losses->no_image, "the code is in no mapped file");
	note_loss(notes, losses->bad_image, "the code is in a file that could not be used");
	note_unused(notes, images);
	note_no_rule(notes, images);
	if (pages_gone)
		notes_add(notes,
			  "a file was truncated while it was read to unwind call stacks: %d pages "
			  "missing",
			  (int)pages_gone);
}

/** Count a stack without callers; one that is complete with its only frame is none. */
static bool count_loss(struct losses *losses, const struct framewalk_result *result)
{
	if (result->frame_count > 1)
		return false;
	switch (result->end) {
	case FRAMEWALK_OUTERMOST:
	case FRAMEWALK_TOO_DEEP:
		return false;
	case FRAMEWALK_COPY_ENDS:
	case FRAMEWALK_STACK_ENDS:
		return true;
	case FRAMEWALK_BAD_IMAGE:
		losses->bad_image++;
		return true;
	case FRAMEWALK_NO_RULE:
		result->image->lost++;
		return true;
	case FRAMEWALK_NO_IMAGE:
		losses->no_image++;
		return true;
	}
	return true;
}

/** A stack that waits until all others of its set have been walked. */
struct waiting {
	uint32_t stack;
	struct range shown;
	struct framewalk_result result;
};

/** The stacks of one set of modules and one class. */
struct group {
	struct framewalk *walk;
	struct outerframes *outer;
	VEC(struct waiting *) waiting;
};

static void group_begin(struct group *group, const struct imagesets *sets, uint32_t set,
			bool is_32bit)
{
	group->walk = framewalk_create(sets, set, is_32bit);
	group->outer = outerframes_create(sets, set, is_32bit);
}

/** All of the unwinding under way. */
struct unwinding {
	const struct unwind_input *input;
	struct trace_writer *writer;
	struct losses losses;
	struct stackneed need;
	struct group group;
	uint64_t lost;
};

/** Count what became of a stack, and write it. */
static bool put_stack(struct unwinding *unwinding, uint32_t stack, const struct raw_stack *raw,
		      struct range shown, const struct framewalk_result *result)
{
	uint32_t uses = stackspool_uses(unwinding->input->spool, stack);

	stackneed_add(&unwinding->need, raw, uses, result->end == FRAMEWALK_COPY_ENDS);
	if (count_loss(&unwinding->losses, result))
		unwinding->lost += uses;
	return trace_writer_stack(unwinding->writer,
				  &(struct trace_stack){
					  .id = stack,
					  .frame_count = result->frame_count,
					  .frames = result->frames,
					  .is_truncated = result->end == FRAMEWALK_COPY_ENDS ||
							  result->end == FRAMEWALK_STACK_ENDS ||
							  result->end == FRAMEWALK_TOO_DEEP,
					  .is_complete = result->end == FRAMEWALK_OUTERMOST,
					  .is_elsewhere = result->end == FRAMEWALK_STACK_ENDS,
					  .shown_start = shown.start,
					  .shown_end = shown.end,
				  });
}

static void get_raw(const struct unwinding *unwinding, uint32_t stack, struct raw_stack *ret_raw)
{
	stackspool_get(unwinding->input->spool, stack, ret_raw);
	if (!stackspool_get_bytes(unwinding->input->spool, stack, ret_raw))
		oom();
}

/** Write the stacks that waited, with what the others have shown. */
static bool group_end(struct unwinding *unwinding)
{
	struct group *group = &unwinding->group;
	bool is_written = true;

	vec_foreach (at, &group->waiting) {
		struct waiting *waiting = *at;
		struct raw_stack raw;

		get_raw(unwinding, waiting->stack, &raw);
		outerframes_join(group->outer, &raw, &waiting->result);
		// Other stacks do not show the rest of it.
		if (waiting->result.end == FRAMEWALK_TOO_DEEP)
			outerframes_run_deep(group->outer, group->walk, &raw, &waiting->result);
		// Frames that showed a call may have been left out.
		if (waiting->result.end == FRAMEWALK_TOO_DEEP)
			waiting->shown = (struct range){ 0 };
		is_written = is_written && put_stack(unwinding, waiting->stack, &raw,
						     waiting->shown, &waiting->result);
		free(waiting);
	}
	vec_deinit(&group->waiting);
	framewalk_destroy(group->walk);
	outerframes_destroy(group->outer);
	*group = (struct group){ 0 };
	return is_written;
}

/** Walk a stack, and write it unless it waits. */
static bool walk_stack(struct unwinding *unwinding, uint32_t stack)
{
	struct group *group = &unwinding->group;
	struct framewalk_result result;
	struct raw_stack raw;

	get_raw(unwinding, stack, &raw);
	framewalk_run(group->walk, &raw, &result);
	outerframes_learn(group->outer, &result);

	struct range shown = outerframes_shown(group->outer, &raw, &result);

	if (!outerframes_may_join(&result))
		return put_stack(unwinding, stack, &raw, shown, &result);

	struct waiting *waiting = xcalloc(1, sizeof(*waiting));

	*waiting = (struct waiting){ stack, shown, result };
	vec_push(&group->waiting, waiting);
	return true;
}

bool unwindchild_run(const struct unwind_input *input, struct trace_writer *writer,
		     struct notes *notes, uint64_t *ret_lost)
{
	struct sigaction sigbus = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };
	CLEANUP(images_deinit) struct images images = { 0 };
	CLEANUP(imagesets_deinit) struct imagesets sets = { 0 };
	struct unwinding unwinding = { .input = input, .writer = writer };
	bool is_written = true;

	sigaction(SIGBUS, &sigbus, NULL);
	elf_version(EV_CURRENT);
	imagesets_build(&sets, &images, input);

	struct progress progress = {
		.wanted = input->progress,
		.total = sets.stacks.count,
		.start = seconds_now(),
	};

	for (size_t i = 0; i < sets.stacks.count && is_written; i++) {
		const struct imageset_stack *stack = &sets.stacks.items[i];

		// Sorted by set, so that what libdwfl has parsed of one serves all its stacks.
		if (i == 0 || stack->set != stack[-1].set ||
		    stack->is_32bit != stack[-1].is_32bit) {
			is_written = group_end(&unwinding);
			group_begin(&unwinding.group, &sets, stack->set, stack->is_32bit);
		}
		is_written = is_written && walk_stack(&unwinding, stack->stack);
		progress_step(&progress, i + 1);
	}
	is_written = group_end(&unwinding) && is_written;
	*ret_lost = unwinding.lost;
	progress_end(&progress);
	is_written = is_written && trace_writer_flush(writer);
	note_losses(notes, &unwinding.losses, &images);
	stackneed_note(&unwinding.need,
		       &(struct stackneed_limits){ .bytes = input->stack_bytes,
						   .most = input->stack_bytes_max,
						   .lost_stacks = input->lost_stacks },
		       notes);

	stackneed_deinit(&unwinding.need);
	return is_written;
}
