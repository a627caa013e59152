// SPDX-License-Identifier: Apache-2.0
// The process that lays a graph out: what it may use, and what is believed of its answer.
#include "render/graph/layout.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "render/graph/graphviz.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	CPU_SECONDS = 10,
	WALL_SECONDS = 60,
	MEMORY = 1 << 30,
	ANSWER_MAX = 16 << 20, // bytes
	CHILD_DONE = 0,
	CHILD_FAILED = 3,
	LETTER_WIDTH = 7, // wide for GRAPH_FONT: what is drawn stays in its box
	NODE_WIDTH_MIN = 130,
};

#define COORDINATE_MAX 1e6

/** All nodes of one side are equally wide, so that they stand as a column. */
static void widen_sides(const struct graph *graph, struct graph_box *boxes)
{
	double widest[2] = { 0 };

	for (size_t i = 0; i < graph->node_count; i++) {
		double *side = &widest[graph->nodes[i].role > GRAPH_OTHER_CAUSES];

		if (boxes[i].width > *side)
			*side = boxes[i].width;
	}
	for (size_t i = 0; i < graph->node_count; i++)
		boxes[i].width = widest[graph->nodes[i].role > GRAPH_OTHER_CAUSES];
}

static void size_nodes(const struct graph *graph, struct graph_box *boxes)
{
	for (size_t i = 0; i < graph->node_count; i++) {
		const struct graph_node *node = &graph->nodes[i];
		size_t letters = 0;

		for (size_t l = 0; l < node->line_count; l++)
			if (text_letters(node->lines[l]) > letters)
				letters = text_letters(node->lines[l]);
		boxes[i].width = (double)(letters * LETTER_WIDTH + 2 * GRAPH_PADDING);
		if (boxes[i].width < NODE_WIDTH_MIN)
			boxes[i].width = NODE_WIDTH_MIN;
		boxes[i].height = (double)(node->line_count * GRAPH_LINE + 2 * GRAPH_PADDING);
	}
	if (graph->kind == GRAPH_CAUSES)
		widen_sides(graph, boxes);
}

/** Pages of address space in use now; sanitizers reserve terabytes. */
static uint64_t address_space(void)
{
	CLEANUP(file_closep) FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (!file || fscanf(file, "%lu", &pages) != 1)
		return 0;
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit(__rlimit_resource_t resource, uint64_t value)
{
	struct rlimit now;

	if (getrlimit(resource, &now))
		return;
	if (value < now.rlim_cur)
		now.rlim_cur = value;
	if (value < now.rlim_max)
		now.rlim_max = value;
	(void)setrlimit(resource, &now); // the parent's clock is the last resort
}

static int child_main(const struct graph *graph, const struct graph_box *sizes, int fd,
		      pid_t parent)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	// What graphviz has to say helps nobody here.
	for (int i = 0; nothing >= 0 && i < 3; i++)
		dup2(nothing, i);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, CPU_SECONDS);
	limit(RLIMIT_AS, address_space() + MEMORY);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		return CHILD_FAILED;
	FILE *out = fdopen(fd, "w");

	return out && graphviz_layout(graph, sizes, out) ? CHILD_DONE : CHILD_FAILED;
}

/** Read until the child has closed its end; false if that took too long or it said too much. */
static bool receive(int fd, struct strbuf *answer)
{
	int64_t end = clock_now_ms() + WALL_SECONDS * 1000;
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	char piece[1 << 14];

	for (;;) {
		int64_t left = end - clock_now_ms();

		if (left <= 0 || answer->length > ANSWER_MAX)
			return false;
		if (poll(&wait, 1, (int)left) <= 0)
			continue;
		ssize_t got = read(fd, piece, sizeof(piece));

		if (got == 0)
			return true;
		if (got < 0 && errno != EINTR)
			return false;
		if (got > 0)
			strbuf_add(answer, piece, (size_t)got);
	}
}

/** The answer being read. */
struct numbers {
	const struct strbuf *from;
	size_t at;
	bool is_good;
};

static double next_number(struct numbers *numbers)
{
	double number;

	if (numbers->from->length - numbers->at < sizeof(number)) {
		numbers->is_good = false;
		return 0;
	}
	memcpy(&number, numbers->from->text + numbers->at, sizeof(number));
	numbers->at += sizeof(number);
	if (!isfinite(number) || fabs(number) > COORDINATE_MAX) {
		numbers->is_good = false;
		return 0;
	}
	return number;
}

static struct graph_point next_point(struct numbers *numbers, double height)
{
	double x = next_number(numbers);

	return (struct graph_point){ x, height - next_number(numbers) };
}

static bool read_answer(struct graph_layout *layout, const struct graph *graph,
			struct graph_box *boxes, const struct strbuf *answer)
{
	struct numbers numbers = { .from = answer, .is_good = true };
	struct graph_path *paths = arena_array(&layout->arena, graph->edge_count, sizeof(*paths));

	layout->width = next_number(&numbers);
	layout->height = next_number(&numbers);
	for (size_t i = 0; i < graph->node_count && numbers.is_good; i++) {
		struct graph_point centre = next_point(&numbers, layout->height);

		boxes[i].x = centre.x - boxes[i].width / 2;
		boxes[i].y = centre.y - boxes[i].height / 2;
	}
	for (size_t i = 0; i < graph->edge_count && numbers.is_good; i++) {
		double points = next_number(&numbers);
		size_t left = (answer->length - numbers.at) / sizeof(struct graph_point);

		if (points < 0 || points > (double)left)
			return false;
		size_t count = (size_t)points;
		struct graph_point *to = arena_array(&layout->arena, count, sizeof(*to));

		for (size_t p = 0; p < count; p++)
			to[p] = next_point(&numbers, layout->height);
		// A start and whole curves, or nothing.
		paths[i] = (struct graph_path){ to, count % 3 == 1 ? count : 0 };
	}
	layout->boxes = boxes;
	layout->paths = paths;
	return numbers.is_good && numbers.at == answer->length;
}

static bool say_end(struct err *err, int status, bool is_whole)
{
	if (!is_whole)
		return err_set(err, ERR_UNSUPPORTED, "graphviz took more than %d s to lay it out",
			       WALL_SECONDS);
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
		return err_set(err, ERR_UNSUPPORTED,
			       "graphviz took more than %d s of processor time to lay it out",
			       CPU_SECONDS);
	if (WIFSIGNALED(status))
		return err_set(err, ERR_UNSUPPORTED, "graphviz was ended by signal %d (%s)",
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
	return err_set(err, ERR_UNSUPPORTED,
		       "graphviz could not lay it out: is its dot layout plugin installed?");
}

bool graph_layout_init(struct graph_layout *layout, const struct graph *graph, struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf answer = { 0 };
	int ends[2], status = 0;

	*layout = (struct graph_layout){ 0 };
	if (!graphviz_is_there)
		return err_set(err, ERR_UNSUPPORTED, "this elfault was built without graphviz");
	if (!graph->node_count)
		return true;
	struct graph_box *boxes = arena_array(&layout->arena, graph->node_count, sizeof(*boxes));

	size_nodes(graph, boxes);
	if (pipe2(ends, O_CLOEXEC))
		return err_os(err, "a pipe to graphviz");
	fflush(NULL); // the child has a copy of every stdio buffer
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		close(ends[0]);
		_exit(child_main(graph, boxes, ends[1], parent));
	}
	close(ends[1]);
	bool is_whole = pid > 0 && receive(ends[0], &answer);

	close(ends[0]);
	if (pid < 0)
		return err_os(err, "starting a process for graphviz");
	if (!is_whole)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!is_whole || !WIFEXITED(status) || WEXITSTATUS(status) != CHILD_DONE)
		return say_end(err, status, is_whole);
	if (!read_answer(layout, graph, boxes, &answer))
		return err_set(err, ERR_UNSUPPORTED, "graphviz gave an answer that makes no sense");
	return true;
}

void graph_layout_deinit(struct graph_layout *layout)
{
	arena_deinit(&layout->arena);
	*layout = (struct graph_layout){ 0 };
}
