// SPDX-License-Identifier: Apache-2.0
#include "unwind/outerframes.h"

#include "base/hash.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "unwind/handstep.h"

#include <gelf.h>
#include <string.h>

/** No node. */
enum { NOTHING = UINT32_MAX };

/** A frame that runs: where it returns to, by the word @slot of the stack. */
struct node {
	uint32_t parent; // the frame outside it; NOTHING: a thread begins there
	uint32_t next;	 // of the same parent; NOTHING: none
	uint32_t first;	 // of those that it called; NOTHING: none
	uint32_t same;	 // with the same key; NOTHING: none
	uint64_t slot, value;
};

struct outerframes {
	const struct imagesets *sets;
	const struct imageset *set;
	uint64_t word;
	VEC(struct node) nodes;
	struct u64map index; // of parent, slot and value into these, plus 1
	uint32_t roots;
	// Return addresses that must not be between, once somebody asked: first those of exit() and
	// quick_exit(), then dynamic linkers'.
	bool has_barriers;
	VEC(struct range) barriers;
	size_t exit_count;
};

struct outerframes *outerframes_create(const struct imagesets *sets, uint32_t set, bool is_32bit)
{
	struct outerframes *outer = xcalloc(1, sizeof(*outer));

	outer->sets = sets;
	outer->set = &sets->sets.items[set];
	outer->word = is_32bit ? 4 : 8;
	outer->roots = NOTHING;
	return outer;
}

void outerframes_destroy(struct outerframes *outer)
{
	if (!outer)
		return;
	vec_deinit(&outer->nodes);
	u64map_deinit(&outer->index);
	vec_deinit(&outer->barriers);
	free(outer);
}

/**
 * Return addresses into the function that a table of symbols of type @table, SHT_DYNSYM or
 * SHT_SYMTAB, has as @name, by vaddr; .end 0: there is none.
 */
static struct range find_function(Elf *elf, uint32_t table, const char *name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (elf && (section = elf_nextscn(elf, section))) {
		Elf_Data *data;
		GElf_Sym symbol;

		if (!gelf_getshdr(section, &header) || header.sh_type != table)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 1; gelf_getsym(data, i, &symbol); i++) {
			const char *found = elf_strptr(elf, header.sh_link, symbol.st_name);

			if (symbol.st_shndx != SHN_UNDEF && found && !strcmp(found, name))
				return (struct range){ symbol.st_value + 1,
						       symbol.st_value + symbol.st_size + 1 };
		}
	}
	return (struct range){ 0 };
}

static const struct module *module_of(const struct outerframes *outer, uint32_t index)
{
	return &outer->sets->modules.items[outer->set->modules[index]];
}

static void find_exits(struct outerframes *outer, uint32_t table)
{
	static const char *const names[] = { "exit", "quick_exit" };

	for (uint32_t i = 0; i < outer->set->module_count; i++) {
		const struct module *module = module_of(outer, i);

		for (size_t name = 0; name < sizeof(names) / sizeof(names[0]); name++) {
			struct range exit = find_function(module->image->elf, table, names[name]);

			if (exit.end)
				vec_push(&outer->barriers,
					 (struct range){ module->bias + exit.start,
							 module->bias + exit.end });
		}
	}
	outer->exit_count = outer->barriers.count;
}

static bool needs_others(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Dyn dynamic;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC)
			continue;
		for (int i = 0; gelf_getdyn(elf_getdata(section, NULL), i, &dynamic); i++)
			if (dynamic.d_tag == DT_NEEDED)
				return true;
	}
	return false;
}

/** True if it is a dynamic linker. Sanitizers define its function, too, but need libraries. */
static bool is_linker(Elf *elf)
{
	return !needs_others(elf) && find_function(elf, SHT_DYNSYM, "__tls_get_addr").end;
}

static void find_barriers(struct outerframes *outer)
{
	if (outer->has_barriers)
		return;
	outer->has_barriers = true;
	find_exits(outer, SHT_DYNSYM);
	if (outer->exit_count == 0) // a static program
		find_exits(outer, SHT_SYMTAB);
	for (uint32_t i = 0; i < outer->set->module_count; i++) {
		const struct module *module = module_of(outer, i);

		if (is_linker(module->image->elf))
			vec_push(&outer->barriers,
				 (struct range){ module->start + 1, module->end + 1 });
	}
}

static uint32_t *first_of(struct outerframes *outer, uint32_t parent)
{
	return parent == NOTHING ? &outer->roots : &outer->nodes.items[parent].first;
}

/** The node below @parent for a frame that returns to @value by @slot. */
static uint32_t add(struct outerframes *outer, uint32_t parent, uint64_t slot, uint64_t value)
{
	uint32_t *known =
		u64map_put(&outer->index, hash_number(hash_number(parent, slot), value), NULL);
	uint32_t first = *known - 1, at = first; // NOTHING where there is none

	for (; at != NOTHING; at = outer->nodes.items[at].same) {
		const struct node *node = &outer->nodes.items[at];

		if (node->parent == parent && node->slot == slot && node->value == value)
			return at;
	}
	at = (uint32_t)outer->nodes.count; // no more than frames of stacks
	vec_push(&outer->nodes, (struct node){ .parent = parent,
					       .next = *first_of(outer, parent),
					       .first = NOTHING,
					       .same = first,
					       .slot = slot,
					       .value = value });
	*first_of(outer, parent) = at;
	*known = at + 1;
	return at;
}

void outerframes_learn(struct outerframes *outer, const struct framewalk_result *result)
{
	uint32_t parent = NOTHING;

	if (result->end != FRAMEWALK_OUTERMOST)
		return;
	for (uint32_t i = result->frame_count; i-- > 1 && result->slots[i];)
		parent = add(outer, parent, result->slots[i], result->frames[i]);
}

bool outerframes_may_join(const struct framewalk_result *result)
{
	return result->end == FRAMEWALK_TOO_DEEP || result->end == FRAMEWALK_NO_IMAGE ||
	       result->end == FRAMEWALK_BAD_IMAGE || result->end == FRAMEWALK_NO_RULE;
}

static bool read_word(const struct outerframes *outer, const struct raw_stack *stack, uint64_t addr,
		      uint64_t *ret_word)
{
	const uint8_t *bytes = raw_stack_at(stack, addr, outer->word);

	*ret_word = 0;
	if (bytes)
		memcpy(ret_word, bytes, outer->word);
	return bytes;
}

/** The innermost frame that still runs and returns by a word from @start on; NOTHING: none. */
static uint32_t find_running(const struct outerframes *outer, const struct raw_stack *stack,
			     uint64_t start)
{
	uint32_t found = NOTHING, next = outer->roots;

	while (next != NOTHING) {
		uint32_t match = NOTHING, matches = 0;
		uint64_t word;

		for (uint32_t at = next; at != NOTHING; at = outer->nodes.items[at].next) {
			const struct node *node = &outer->nodes.items[at];

			if (node->slot >= start && read_word(outer, stack, node->slot, &word) &&
			    word == node->value) {
				match = at;
				matches++;
			}
		}
		// Where a frame's size varies, a call that has ended may have left its word.
		if (matches != 1)
			break;
		found = match;
		next = outer->nodes.items[match].first;
	}
	return found;
}

static bool is_in_exit(const struct outerframes *outer, uint64_t word)
{
	return ranges_contain(outer->barriers.items, outer->exit_count, word);
}

static bool is_of_linker(const struct outerframes *outer, uint64_t word)
{
	return ranges_contain(outer->barriers.items + outer->exit_count,
			      outer->barriers.count - outer->exit_count, word);
}

static bool is_in_linker(const struct outerframes *outer, uint64_t word)
{
	return is_of_linker(outer, word) &&
	       handstep_is_behind_call(outer->sets, outer->set, word, outer->word == 4);
}

/** Return addresses between two frames that run. */
struct between {
	uint64_t exit; // a return address of exit(), 0: none
	bool has_linker;
};

/** Look from @start to @end. Returns: whether all of it was copied. */
static bool look_between(const struct outerframes *outer, const struct raw_stack *stack,
			 uint64_t start, uint64_t end, struct between *ret_between)
{
	uint64_t word;

	*ret_between = (struct between){ 0 };
	for (uint64_t at = start; at < end; at += outer->word) {
		if (!read_word(outer, stack, at, &word))
			return false;
		if (is_in_exit(outer, word))
			ret_between->exit = word;
		ret_between->has_linker = ret_between->has_linker || is_in_linker(outer, word);
	}
	return true;
}

/** True if what the frame at @running runs is behind exit(), whoever runs it. */
static bool is_behind_exit(const struct outerframes *outer, uint32_t running)
{
	while (running != NOTHING && !is_in_exit(outer, outer->nodes.items[running].value))
		running = outer->nodes.items[running].parent;
	return running != NOTHING;
}

/**
 * Drop visible frames until @count more fit.
 * Returns: false if one is of exit() or the dynamic linker, which the others would not show.
 */
static bool make_room(const struct outerframes *outer, struct framewalk_result *result,
		      uint32_t count)
{
	if (count >= FRAMEWALK_DEPTH_MAX)
		return false;
	for (; result->frame_count + count > FRAMEWALK_DEPTH_MAX; result->frame_count--) {
		const uint64_t frame = result->frames[result->frame_count - 1];

		if (is_in_exit(outer, frame) || is_of_linker(outer, frame))
			return false;
	}
	return true;
}

void outerframes_join(struct outerframes *outer, const struct raw_stack *stack,
		      struct framewalk_result *result)
{
	uint32_t last = result->frame_count - 1, count = 1;
	uint64_t start = last == 0	       ? stack->registers[MACHINE_SP]
			 : result->slots[last] ? result->slots[last] + outer->word
					       : 0;

	if (!start || stack->interrupted_size)
		return;
	uint32_t running = find_running(outer, stack, start);

	if (running == NOTHING)
		return;
	find_barriers(outer);
	struct between between;

	// A static program runs initializers and finalizers itself.
	if (outer->exit_count == 0 || outer->exit_count == outer->barriers.count ||
	    !look_between(outer, stack, start, outer->nodes.items[running].slot, &between))
		return;
	// exit() does not return: no word of it is a leftover, and it matters more than what it
	// runs.
	if (between.has_linker && !between.exit && !is_behind_exit(outer, running))
		return;
	count += between.exit != 0;
	for (uint32_t at = running; at != NOTHING; at = outer->nodes.items[at].parent)
		count++;
	if (!make_room(outer, result, count))
		return;
	result->frames[result->frame_count++] = FRAMEWALK_GAP;
	if (between.exit)
		result->frames[result->frame_count++] = between.exit;
	for (uint32_t at = running; at != NOTHING; at = outer->nodes.items[at].parent)
		result->frames[result->frame_count++] = outer->nodes.items[at].value;
	result->end = FRAMEWALK_OUTERMOST;
}

struct range outerframes_shown(struct outerframes *outer, const struct raw_stack *stack,
			       const struct framewalk_result *result)
{
	struct range shown = { stack->registers[MACHINE_SP], 0 };
	bool is_called = false;

	find_barriers(outer);
	if (outer->exit_count == 0 || stack->interrupted_size)
		return (struct range){ 0 };
	for (uint32_t i = 0; i < result->frame_count && (i == 0 || result->slots[i]); i++) {
		const uint64_t frame = result->frames[i];

		if (is_called)
			shown.start = result->slots[i];
		is_called = is_in_exit(outer, frame) || is_of_linker(outer, frame);
		if (i > 0)
			shown.end = result->slots[i] + outer->word;
	}
	// A whole stack without such a call shows by itself that there is none.
	if (is_called || shown.end <= shown.start ||
	    (result->end == FRAMEWALK_OUTERMOST && shown.start == stack->registers[MACHINE_SP]))
		return (struct range){ 0 };
	return shown;
}

void outerframes_run_deep(struct outerframes *outer, struct framewalk *walk,
			  const struct raw_stack *stack, struct framewalk_result *ret_result)
{
	find_barriers(outer);
	framewalk_run_deep(walk, stack, outer->barriers.items,
			   outer->exit_count ? outer->barriers.count : 0, ret_result);
	outerframes_learn(outer, ret_result);
}
