// SPDX-License-Identifier: Apache-2.0
#include "render/json/locality.h"

static void add_share(struct json_object *object, const char *key, uint64_t part, uint64_t whole)
{
	node_add(object, key,
		 whole > 0 ? json_object_new_double((double)part / (double)whole) : NULL);
}

/** The curve of code pages over functions, as many points of it as are shown. */
static struct json_object *code_curve_new(const struct locality *locality)
{
	struct json_object *curve = node_object();
	struct json_object *functions = node_array(), *pages = node_array(), *times = node_array();
	size_t count = locality->function_count < LOCALITY_POINTS ? locality->function_count
								  : LOCALITY_POINTS;

	for (size_t i = 0; i < count; i++) {
		uint64_t at = locality_sample(i, locality->function_count);

		node_append(functions, json_object_new_uint64(at + 1));
		node_append(pages, json_object_new_uint64(locality->functions[at].pages));
		node_append(times, json_object_new_uint64(locality->functions[at].first_ns));
	}
	node_add(curve, "functions", functions);
	node_add(curve, "pages", pages);
	node_add(curve, "time_ns", times);
	return curve;
}

static struct json_object *file_curve_new(const struct locality *locality)
{
	struct json_object *curve = node_object();
	struct json_object *faults = node_array(), *pages = node_array(), *times = node_array();

	for (size_t i = 0; i < locality->point_count; i++) {
		node_append(faults, json_object_new_uint64(locality->points[i].count));
		node_append(pages, json_object_new_uint64(locality->points[i].pages));
		node_append(times, json_object_new_uint64(locality->points[i].time_ns));
	}
	node_add(curve, "faults", faults);
	node_add(curve, "pages", pages);
	node_add(curve, "time_ns", times);
	return curve;
}

struct json_object *localityjson_new(const struct locality *locality)
{
	if (!locality)
		return NULL;
	struct json_object *object = node_object();
	const struct locality_area *area = &locality->area;

	node_add_number(object, "functions", locality->function_count);
	node_add_number(object, "code_pages", area->code_pages);
	node_add_number(object, "code_bytes", area->code_bytes);
	node_add_number(object, "area", area->area);
	node_add_number(object, "least_area", area->least_area);
	add_share(object, "packing", area->least_area, area->area);
	add_share(object, "pages_per_function", area->code_pages, locality->function_count);
	for (enum model_step step = MODEL_STEP_SAME; step < MODEL_STEPS; step++)
		node_add_number(object, model_step_name(step), locality->steps[step]);
	node_add_number(object, "random",
			locality->steps[MODEL_STEP_FORWARD] + locality->steps[MODEL_STEP_BACKWARD]);
	node_add(object, "code_curve", code_curve_new(locality));
	node_add(object, "file_curve", file_curve_new(locality));
	return object;
}
