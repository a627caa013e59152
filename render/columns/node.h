// SPDX-License-Identifier: Apache-2.0
// Nodes of a JSON document, built with json-c, whose strings are escaped by our rules. json-c fails
// only for want of memory, so none of these fails.
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_object *node_object(void);
struct json_object *node_array(void);

/** A string, made valid UTF-8; null for NULL. */
struct json_object *node_text(const char *text);

/** A list of @count strings. */
struct json_object *node_texts(const char *const *texts, size_t count);

/** A median and the like, which is most often whole. */
struct json_object *node_real(double number);

/** An address as "0x…": JSON's numbers are not exact above 2^53. */
struct json_object *node_address(uint64_t address);

/** Append to an array, which takes ownership. */
void node_append(struct json_object *array, struct json_object *item);

/** Add a member: @key is a literal that @object does not have yet; ownership of @value passes. */
void node_add(struct json_object *object, const char *key, struct json_object *value);
void node_add_text(struct json_object *object, const char *key, const char *text);
void node_add_number(struct json_object *object, const char *key, uint64_t number);
void node_add_bool(struct json_object *object, const char *key, bool value);

/** A number, or null where it is not known. */
void node_add_known(struct json_object *object, const char *key, bool is_known, uint64_t number);

/** Write @node on one line and give it back. */
void node_print(struct json_object *node, FILE *out);

/** Cleanup for a node that nothing else owns. */
void node_putp(struct json_object **node);
