// SPDX-License-Identifier: Apache-2.0
// Whether the recorded faults agree with those that the kernel counted for the command.
#include "render/text/text.h"

uint64_t text_expected_rusage(const struct model_counts *counts)
{
	return counts->recorded + counts->lost + counts->before_exec +
	       (counts->has_unsampled ? counts->unsampled : 0) - counts->living;
}

enum text_rusage text_rusage(const struct model_counts *counts, uint64_t *ret_difference)
{
	uint64_t rusage = counts->rusage_minor + counts->rusage_major;
	uint64_t counted = text_expected_rusage(counts);

	*ret_difference = rusage > counted ? rusage - counted : counted - rusage;
	if (!counts->has_rusage)
		return TEXT_RUSAGE_UNKNOWN;
	if (rusage == counted)
		return TEXT_RUSAGE_COMPLETE;
	if (rusage < counted)
		return counts->has_unsampled && counts->lost == 0 ? TEXT_RUSAGE_UNWAITED
								  : TEXT_RUSAGE_TOO_MANY;
	return counts->has_unsampled ? TEXT_RUSAGE_MISSING : TEXT_RUSAGE_EVENTLESS;
}
