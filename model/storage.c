// SPDX-License-Identifier: Apache-2.0
#include "model/storage.h"

const char *model_storage_cause_name(enum model_storage_cause cause)
{
	static const char *const names[MODEL_STORAGE_CAUSES] = {
		[MODEL_STORAGE_FAULT] = "fault",       [MODEL_STORAGE_READAHEAD] = "readahead",
		[MODEL_STORAGE_READ] = "read",	       [MODEL_STORAGE_EXEC] = "exec",
		[MODEL_STORAGE_METADATA] = "metadata", [MODEL_STORAGE_OTHERS] = "others",
	};

	return cause < MODEL_STORAGE_CAUSES ? names[cause] : "unknown";
}
