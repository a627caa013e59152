// SPDX-License-Identifier: Apache-2.0
#include "render/json/account.h"

#include "model/account.h"
#include "render/columns/columns.h"
#include "render/json/hot.h"
#include "render/json/waits.h"

static bool is_nothing(const struct model_times *times)
{
	for (enum model_state i = 0; i < MODEL_STATES; i++)
		if (times->ns[i] > 0)
			return false;
	return true;
}

/** Without those that no time was spent on. */
static struct json_object *initiators_new(const struct model_times *times)
{
	struct json_object *object = node_object();

	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		if (!is_nothing(&times[i]))
			node_add(object, model_initiator_name(i), timesjson_new(&times[i]));
	return object;
}

static struct json_object *errors_new(const uint64_t *errors, const struct model_times *times)
{
	struct json_object *object = node_object();

	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		if (errors[i] > 0 && times[i].ns[MODEL_STATE_CPU] > 0)
			node_add_number(object, model_initiator_name(i), errors[i]);
	return object;
}

static struct json_object *processes_new(const struct model *model)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < model->account->process_count; i++) {
		const struct model_process_times *process = &model->account->processes[i];
		struct json_object *object = node_object();

		node_add_number(object, "pid", process->pid);
		node_add_known(object, "parent_pid", process->parent_pid > 0, process->parent_pid);
		node_add_text(object, "comm", model->comms[process->comm]);
		node_add_number(object, "threads", process->thread_count);
		node_add_number(object, "faults", process->faults);
		node_add_number(object, "start_ns", process->start_ns);
		node_add_number(object, "end_ns", process->end_ns);
		node_add(object, "main", timesjson_new(&process->main));
		node_add(object, "all", timesjson_new(&process->all));
		node_add(object, "waits",
			 model->account->waiting
				 ? waitsjson_kinds(&model->account->waiting->processes[i])
				 : NULL);
		node_append(list, object);
	}
	return list;
}

static struct json_object *check_new(const struct model_time_check *check)
{
	if (!check->is_known)
		return NULL;
	struct json_object *object = node_object();

	node_add_number(object, "kernel_cpu_ns", check->kernel_cpu_ns);
	node_add_number(object, "account_cpu_ns", check->account_cpu_ns);
	node_add_number(object, "kernel_runnable_ns", check->kernel_runnable_ns);
	node_add_number(object, "account_runnable_ns", check->account_runnable_ns);
	return object;
}

struct json_object *accountjson_new(const struct model *model)
{
	const struct model_account *account = model->account;

	if (!account)
		return NULL;
	struct json_object *object = node_object();

	node_add_bool(object, "complete", account->complete);
	node_add_bool(object, "faults_in_cpu", account->faults_in_cpu);
	node_add_number(object, "wall_ns", account->wall_ns);
	node_add(object, "main", timesjson_new(&account->main));
	node_add(object, "all", timesjson_new(&account->all));
	node_add(object, "main_by_initiator", initiators_new(account->main_by_initiator));
	node_add(object, "by_initiator", initiators_new(account->by_initiator));
	node_add(object, "main_cpu_error_ns",
		 errors_new(account->main_cpu_error_ns, account->main_by_initiator));
	node_add(object, "cpu_error_ns", errors_new(account->cpu_error_ns, account->by_initiator));
	node_add_number(object, "samples", account->samples);
	node_add_number(object, "samples_lost", account->samples_lost);
	node_add_number(object, "pauses_lost", account->pauses_lost);
	node_add(object, "check", check_new(&account->check));
	node_add(object, "processes", processes_new(model));
	hotjson_add(object, model);
	node_add(object, "calls", columns_new("calls", model->calls, model));
	node_add(object, "waits", waitsjson_new(model));
	node_add(object, "critical_path", waitsjson_critical(model));
	return object;
}
