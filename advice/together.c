// SPDX-License-Identifier: Apache-2.0
// Several findings may save the same time: a link without relocation leaves none for smaller tables
// of it. Each promise stands alone; beside it is what is left of it if those before it are followed
// as well, so that these add up to no more than the time of their cause.
#include "advice/findings.h"

#include "base/checked.h"
#include "model/account.h"
#include "model/set.h"

#include <string.h>

/** Time that nothing has been promised of yet. */
struct rest {
	uint64_t whole;
	uint64_t by_initiator[MODEL_INITIATORS];
};

static struct rest rest_of(const struct model *model)
{
	struct rest rest = { 0 };

	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++) {
		const struct model_times *times = &model->account->by_initiator[i];
		uint64_t error_ns;

		rest.by_initiator[i] = model_times_in_faults(times) +
				       model_computing(model, i, &error_ns) +
				       times->ns[MODEL_STATE_FILE_IO];
		rest.whole += rest.by_initiator[i];
	}
	return rest;
}

/** True if the condition @where has @word as one of its values. */
static bool has_word(const char *where, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = strstr(where, word); at; at = strstr(at + 1, word))
		if (strchr("=|", at[-1]) && strchr(",|", at[length])) // also the end
			return true;
	return false;
}

/** The causes that @finding is of; false: it is of none in particular. */
static bool find_causes(const struct model_finding *finding, bool *ret_causes)
{
	const char *where = finding->where ? strstr(finding->where, "initiator=") : NULL;

	for (enum model_initiator i = 0; where && i < MODEL_INITIATORS; i++)
		ret_causes[i] = has_word(where + strlen("initiator"), model_initiator_name(i));
	return where;
}

static void take(struct rest *rest, struct model_finding *finding)
{
	bool causes[MODEL_INITIATORS] = { 0 };
	const bool is_of_causes = find_causes(finding, causes);
	uint64_t left = 0, taken;

	for (size_t i = 0; i < MODEL_INITIATORS; i++)
		left += causes[i] ? rest->by_initiator[i] : 0;
	if (!is_of_causes || left > rest->whole)
		left = rest->whole;
	taken = finding->saves.duration_ns < left ? finding->saves.duration_ns : left;
	finding->saves.beside_ns = taken;
	rest->whole -= taken;
	for (size_t i = 0; is_of_causes && left > 0 && i < MODEL_INITIATORS; i++)
		if (causes[i])
			rest->by_initiator[i] = checked_rest(
				rest->by_initiator[i],
				(uint64_t)((double)taken * (double)rest->by_initiator[i] /
					   (double)left));
}

void findings_share(const struct model *model, struct model_finding *findings, size_t count)
{
	const bool is_known = model->account && !model->is_narrowed && !model->filter;
	struct rest rest = { 0 };

	if (is_known)
		rest = rest_of(model);
	for (size_t i = 0; i < count; i++)
		if (is_known)
			take(&rest, &findings[i]);
		else
			findings[i].saves.beside_ns = findings[i].saves.duration_ns;
}
