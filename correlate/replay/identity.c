// SPDX-License-Identifier: Apache-2.0
#include "correlate/replay/identity.h"

#include "base/hex.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TEXT_SIZE = sizeof(((struct identity_difference *)NULL)->found) };

static void write_size(const struct trace_identity *identity, char *text)
{
	snprintf(text, TEXT_SIZE, "%" PRIu64 " bytes", identity->size);
}

static void write_hash(const struct trace_identity *identity, char *text)
{
	snprintf(text, TEXT_SIZE, "%016" PRIx64, identity->hash);
}

static void write_time(const struct trace_identity *identity, char *text)
{
	time_t seconds = (time_t)(identity->mtime_ns / 1000000000);
	struct tm parts;
	char date[32];

	gmtime_r(&seconds, &parts); // a year of four digits: 64 bits of nanoseconds end in 2554
	strftime(date, sizeof(date), "%F %T", &parts);
	snprintf(text, TEXT_SIZE, "%s.%09u UTC", date, (unsigned)(identity->mtime_ns % 1000000000));
}

/** Returns true. */
static bool differ(struct identity_difference *difference, const char *what,
		   void (*write)(const struct trace_identity *, char *),
		   const struct trace_identity *recorded, const struct trace_identity *found)
{
	difference->what = what;
	write(recorded, difference->recorded);
	write(found, difference->found);
	return true;
}

bool identity_other_build_id(const struct object *object, const struct elfmap_info *info,
			     struct identity_difference *difference)
{
	if (!object->build_id_size ||
	    (object->build_id_size == info->build_id_size &&
	     memcmp(object->build_id, info->build_id, object->build_id_size) == 0))
		return false;
	difference->what = "build-id";
	hex_text(object->build_id, object->build_id_size, difference->recorded);
	hex_text(info->build_id, info->build_id_size, difference->found);
	return true;
}

/** Learn the identity of the file as it is now. */
static struct trace_identity find_identity(const struct elfmap *map)
{
	struct trace_identity found = { 0 };

	trace_identity_stat(&found, elfmap_status(map));
	trace_identity_hash(&found, elfmap_descriptor(map));
	return found;
}

/** True if both are one time: cpio, tar and zip keep no more than seconds of a copy's. */
static bool is_same_time(uint64_t a_ns, uint64_t b_ns)
{
	enum { SECOND = 1000000000 };
	bool has_seconds = a_ns % SECOND == 0 || b_ns % SECOND == 0;

	return has_seconds ? a_ns / SECOND == b_ns / SECOND : a_ns == b_ns;
}

bool identity_differs(const struct object *object, const struct elfmap *map,
		      struct identity_difference *ret_difference, bool *ret_moved)
{
	const struct trace_identity *recorded = object->identity;

	*ret_moved = false;
	if (object->build_id_size)
		return identity_other_build_id(object, elfmap_info(map), ret_difference);
	if (!recorded || !(recorded->flags & TRACE_FILE_KNOWN))
		return false;

	const struct trace_identity found = find_identity(map);
	if (found.size != recorded->size)
		return differ(ret_difference, "size", write_size, recorded, &found);
	if (!is_same_time(found.mtime_ns, recorded->mtime_ns))
		return differ(ret_difference, "modification time", write_time, recorded, &found);
	if ((recorded->flags & TRACE_FILE_HAS_HASH) && found.hash != recorded->hash)
		return differ(ret_difference, "hash of its first and last pages", write_hash,
			      recorded, &found);
	*ret_moved = found.inode != recorded->inode;
	return false;
}
