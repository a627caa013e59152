// SPDX-License-Identifier: Apache-2.0
// Phases of a process: borders that a few stray faults do not move.
#include "base/cleanup.h"
#include "derive/phases.h"
#include "tests/support/pictures.h"
#include "tests/support/test.h"

#include <string.h>

/** A model whose faults come every 10 ns, one for each letter of @story. */
static struct model *tell(const char *story)
{
	static const struct {
		char letter;
		enum model_initiator initiator;
	} letters[] = {
		{ 'x', MODEL_EXEC },	      { 'l', MODEL_LOADER },
		{ 's', MODEL_SYMBOL_LOOKUP }, { 'R', MODEL_RELOCATION },
		{ 'f', MODEL_IFUNC },	      { 'b', MODEL_LAZY_BINDING },
		{ 'I', MODEL_STATIC_INIT },   { 'P', MODEL_PROGRAM },
		{ 'F', MODEL_STATIC_FINI },   { '?', MODEL_INITIATOR_UNKNOWN },
	};
	struct model *model = pictures_model(strlen(story));
	uint32_t thread = 0;

	for (size_t i = 0; story[i]; i++)
		for (size_t k = 0; k < sizeof(letters) / sizeof(letters[0]); k++) {
			struct model_fault fault = pictures_at(10 * i, 0, letters[k].initiator);

			if (letters[k].letter != story[i])
				continue;
			if (story[i] == 'x' && (i == 0 || story[i - 1] != 'x'))
				thread = pictures_exec(model, 0);
			fault.thread = thread;
			pictures_add(model, fault);
		}
	return model;
}

static void expect(const struct phases *phases, enum phase phase, uint64_t first, uint64_t end)
{
	assert_true(phases->spans[phase].is_there);
	assert_int_equal(phases->spans[phase].first_ns, first);
	assert_int_equal(phases->spans[phase].end_ns, end);
}

TEST(phases_follow_each_other)
{
	CLEANUP(model_closep) struct model *model = tell("xllsRRRIIPPPFF");
	struct phases phases;

	phases_find(model, 0, &phases);
	assert_true(phases.are_shown);
	expect(&phases, PHASE_LOAD, 0, 30);
	expect(&phases, PHASE_RELOCATE, 30, 70);
	expect(&phases, PHASE_INITIALIZE, 70, 90);
	expect(&phases, PHASE_MAIN, 90, 120);
	expect(&phases, PHASE_EXIT, 120, 130);
}

TEST(stray_faults_do_not_cut_a_phase)
{
	// A resolver runs, dlopen relocates and initializes within main.
	CLEANUP(model_closep) struct model *model = tell("llRRRfRRRIbI?IPPPPPRRIPPPPPP");
	struct phases phases;

	phases_find(model, 0, &phases);
	expect(&phases, PHASE_LOAD, 0, 20);
	expect(&phases, PHASE_RELOCATE, 20, 90);
	expect(&phases, PHASE_INITIALIZE, 90, 140);
	expect(&phases, PHASE_MAIN, 140, 270);
	assert_false(phases.spans[PHASE_EXIT].is_there);
}

TEST(one_phase_alone_is_none)
{
	CLEANUP(model_closep) struct model *model = tell("PPPP");
	CLEANUP(model_closep) struct model *unknown = tell("????");
	CLEANUP(model_closep) struct model *nothing = tell("");
	struct phases phases;

	phases_find(model, 0, &phases);
	assert_false(phases.are_shown);
	phases_find(unknown, 0, &phases);
	assert_false(phases.are_shown);
	phases_find(nothing, MODEL_NONE, &phases);
	assert_false(phases.are_shown);
}

TEST(they_are_of_the_process_that_faults_most_in_the_object)
{
	CLEANUP(model_closep) struct model *model = pictures_model(20);
	const uint32_t seven = pictures_exec(model, 7), eight = pictures_exec(model, 8);
	struct phases phases;

	for (unsigned i = 0; i < 9; i++) {
		struct model_fault fault =
			pictures_at(i, 0, i < 6 ? MODEL_RELOCATION : MODEL_PROGRAM);

		fault.thread = i % 3 ? eight : seven;
		pictures_add(model, fault);
	}
	for (unsigned i = 9; i < 20; i++)
		pictures_add(model,
			     (struct model_fault){ .time_ns = i, .at.object = 1, .thread = seven });
	phases_find(model, 0, &phases);
	assert_int_equal(phases.pid, 8);
	expect(&phases, PHASE_RELOCATE, 1, 7);
	expect(&phases, PHASE_MAIN, 7, 8);
	phases_find(model, MODEL_NONE, &phases);
	assert_int_equal(phases.pid, 7);
}

TEST(a_process_that_runs_several_programs_shows_one)
{
	CLEANUP(model_closep) struct model *model = tell("xxlRPxlRRIIPPFxllRP");
	struct phases phases;

	phases_find(model, 0, &phases);
	expect(&phases, PHASE_LOAD, 50, 70);
	expect(&phases, PHASE_RELOCATE, 70, 90);
	expect(&phases, PHASE_INITIALIZE, 90, 110);
	expect(&phases, PHASE_MAIN, 110, 130);
	expect(&phases, PHASE_EXIT, 130, 130);
}

/** As in an answer that is narrowed to a library, which no exec touches. */
TEST(programs_are_told_apart_without_their_execs)
{
	CLEANUP(model_closep) struct model *model = tell("lRPPlRRRIPP");
	uint32_t next = pictures_exec(model, 0);
	struct phases phases;

	for (size_t i = 4; i < model->fault_count; i++)
		((struct model_fault *)model->faults)[i].thread = next;
	phases_find(model, 0, &phases);
	expect(&phases, PHASE_LOAD, 40, 50);
	expect(&phases, PHASE_RELOCATE, 50, 80);
	expect(&phases, PHASE_MAIN, 90, 100);
}

TEST(programs_of_an_object_come_most_faults_first)
{
	CLEANUP(model_closep) struct model *model = tell("xlRPPxlRRRIPP");
	CLEANUP(phases_deinit) struct program_phases phases;
	size_t count;

	phases_init(&phases, model);
	const struct program_use *uses = phases_uses(&phases, 0, &count);

	assert_int_equal(phases.programs.count, 2);
	assert_int_equal(count, 2);
	assert_int_equal(uses[0].program, 1);
	assert_int_equal(uses[0].faults, 8);
	assert_int_equal(uses[1].program, 0);
	assert_int_equal(uses[1].faults, 5);
	expect(&phases.programs.items[0], PHASE_MAIN, 30, 40);
	expect(&phases.programs.items[1], PHASE_RELOCATE, 70, 100);
	phases_uses(&phases, 1, &count);
	assert_int_equal(count, 0);
}
