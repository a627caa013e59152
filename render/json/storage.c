// SPDX-License-Identifier: Apache-2.0
#include "render/json/storage.h"

#include <stdio.h>

static void add_causes(struct json_object *object, const uint64_t by_cause[MODEL_STORAGE_CAUSES])
{
	char key[32];

	for (enum model_storage_cause i = 0; i < MODEL_STORAGE_CAUSES; i++) {
		snprintf(key, sizeof(key), "by_%s", model_storage_cause_name(i));
		json_object_object_add(object, key, json_object_new_uint64(by_cause[i]));
	}
}

static struct json_object *initiators_new(const uint64_t by_initiator[MODEL_INITIATORS])
{
	struct json_object *object = node_object();

	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		node_add_number(object, model_initiator_name(i), by_initiator[i]);
	return object;
}

static struct json_object *requests_new(const struct model_storage *storage)
{
	struct json_object *object = node_object();

	node_add_number(object, "count", storage->requests);
	node_add_number(object, "lost", storage->lost);
	node_add_number(object, "latency_ns", storage->request_ns);
	node_add_number(object, "forward", storage->forward);
	node_add_number(object, "backward", storage->backward);
	node_add_number(object, "random", storage->random);
	node_add_number(object, "median_size", storage->median_size);
	return object;
}

static struct json_object *devices_new(const struct model_storage *storage)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < storage->device_count; i++) {
		const struct model_storage_device *device = &storage->devices[i];
		struct json_object *object = node_object();

		node_add_text(object, "name", device->name);
		node_add_number(object, "bytes", device->bytes);
		node_add_number(object, "requests", device->requests);
		node_add_number(object, "counted_least", device->counted_least);
		node_add_number(object, "counted_most", device->counted_most);
		node_append(list, object);
	}
	return list;
}

static struct json_object *files_new(const struct model_storage *storage)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < storage->file_count; i++) {
		const struct model_storage_file *file = &storage->files[i];
		struct json_object *object = node_object();

		node_add_text(object, "path", file->path);
		node_add_known(object, "size", file->size > 0, file->size);
		node_add_number(object, "bytes", file->bytes);
		node_add_number(object, "requests", file->requests);
		node_add_number(object, "wait_ns", file->wait_ns);
		add_causes(object, file->by_cause);
		node_add_number(object, "read", file->read);
		node_add_number(object, "mapped", file->mapped);
		node_add_number(object, "touched", file->touched);
		node_add_number(object, "unused", file->unused);
		node_add_number(object, "calls", file->calls);
		node_add_number(object, "call_ns", file->call_ns);
		node_append(list, object);
	}
	return list;
}

static struct json_object *calls_new(const struct model_storage *storage)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < storage->call_count; i++) {
		const struct model_storage_call *call = &storage->calls[i];
		struct json_object *object = node_object();

		node_add_text(object, "call", call->name);
		node_add_number(object, "bytes", call->bytes);
		node_add_number(object, "metadata", call->metadata);
		node_add_number(object, "requests", call->requests);
		node_append(list, object);
	}
	return list;
}

static struct json_object *sections_new(const struct model_storage *storage)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < storage->section_count; i++) {
		const struct model_storage_section *section = &storage->sections[i];
		struct json_object *object = node_object();

		node_add_text(object, "object", section->path);
		node_add_text(object, "section", section->section);
		node_add_number(object, "size", section->size);
		node_add_number(object, "read", section->read);
		node_add_number(object, "mapped", section->mapped);
		node_add_number(object, "touched", section->touched);
		node_append(list, object);
	}
	return list;
}

static struct json_object *parts_new(const struct model_storage *storage)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < storage->part_count; i++) {
		const struct model_storage_part *part = &storage->parts[i];
		struct json_object *object = node_object();

		node_add_text(object, "object", part->path);
		node_add_text(object, "section", part->section);
		node_add_text(object, "cause", model_storage_cause_name(part->cause));
		node_add_text(object, "initiator", model_initiator_name(part->initiator));
		node_add_number(object, "bytes", part->bytes);
		node_append(list, object);
	}
	return list;
}

struct json_object *storagejson_new(const struct model_storage *storage)
{
	if (!storage)
		return NULL;
	struct json_object *object = node_object();

	node_add_bool(object, "complete", storage->complete);
	node_add_number(object, "device_bytes", storage->device_bytes);
	add_causes(object, storage->by_cause);
	node_add(object, "by_initiator", initiators_new(storage->by_initiator));
	node_add(object, "requests", requests_new(storage));
	node_add(object, "devices", devices_new(storage));
	node_add(object, "by_file", files_new(storage));
	node_add(object, "by_section", sections_new(storage));
	node_add(object, "by_call", calls_new(storage));
	node_add(object, "parts", parts_new(storage));
	return object;
}
