// SPDX-License-Identifier: Apache-2.0
// Whether the recorded faults agree with those that the kernel counted for the command.
#include "render/text/text.h"

#include "model/missing.h"

enum text_rusage text_rusage(const struct model_counts *counts, uint64_t *ret_difference)
{
	uint64_t rusage = counts->rusage_minor + counts->rusage_major;
	uint64_t counted = model_expected_rusage(counts);

	*ret_difference = rusage > counted ? rusage - counted : counted - rusage;
	if (!counts->has_rusage)
		return TEXT_RUSAGE_UNKNOWN;
	if (rusage == counted)
		return TEXT_RUSAGE_COMPLETE;
	if (rusage < counted)
		return counts->has_unsampled && counts->lost == 0 ? TEXT_RUSAGE_UNWAITED
								  : TEXT_RUSAGE_TOO_MANY;
	if (counts->has_unsampled)
		return TEXT_RUSAGE_MISSING;
	if (!counts->has_unrecorded)
		return TEXT_RUSAGE_EVENTLESS;
	return model_missing(counts).eventless > 0 ? TEXT_RUSAGE_MISSING : TEXT_RUSAGE_BY_EXEC;
}
