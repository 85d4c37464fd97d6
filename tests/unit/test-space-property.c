// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spaces against plain arrays of pages: random observations, forks, execs and exits, with many
 * spaces sharing chunks. Beside what the atlas holds, what it tells through atlas_on_mapping() is
 * enough to follow a space. ATLAS_SEED repeats a run, ATLAS_STEPS sets its length.
 */
#include "records.h"

#include <stdio.h>
#include <time.h>

#define STEPS 20000
#define PROCESSES 12
#define PAGES 700u
#define PAGE 4096ull
#define LIST_MAX 64

struct page {
	uint32_t mapping; /* which one, by number; 0 = none */
	uint32_t file, flags;
	uint64_t offset;
};

struct model {
	uint64_t start_ns; /* of the process; 0 = not there */
	uint64_t key;
	struct page page[PAGES];
	struct page told[PAGES]; /* `mapping` is 1 */
};

struct world {
	struct feed *feed;
	struct model model[PROCESSES];
	struct model *watched; /* whose space is observed now */
	uint32_t last_mapping;
	uint64_t last_key;
};

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed * 0x9e3779b97f4a7c15ull) >> 33) % limit;
}

static uint32_t tgid_of(const struct world *w, const struct model *model)
{
	return (uint32_t)(model - w->model) + 10;
}

static void page_set(struct page *page, uint32_t number, uint64_t addr, const struct mapping *m)
{
	*page = (struct page){
	    .mapping = number,
	    .file = m->file,
	    .flags = m->flags,
	    .offset = m->file ? m->offset + (addr - m->start) : 0,
	};
}

static bool page_equal(const struct page *a, const struct page *b)
{
	return !a->mapping == !b->mapping && a->file == b->file && a->flags == b->flags &&
	       a->offset == b->offset;
}

/* --- told --------------------------------------------------------------------------------- */

static void check_before(const struct page *page, uint64_t addr, const struct mapping *before)
{
	struct page expected = {0};

	if (before)
		page_set(&expected, 1, addr, before);
	assert_true(page_equal(page, &expected));
}

static void follow(void *ctx, const struct rec_maps *rec, const struct space *space,
		   enum mapping_change change, const struct mapping *before,
		   const struct mapping *after)
{
	struct world *w = ctx;
	const struct mapping *shown = after ? after : before;
	struct page new;

	(void)rec, (void)space, (void)change;
	assert_true(shown->start < shown->end);
	if (before && after) {
		assert_int_equal(before->start, after->start);
		assert_int_equal(before->end, after->end);
	}
	for (uint64_t addr = shown->start; addr < shown->end; addr += PAGE) {
		struct page *page = &w->watched->told[addr / PAGE];

		check_before(page, addr, before);
		new = (struct page){0};
		if (after)
			page_set(&new, 1, addr, after);
		assert_false(page_equal(page, &new)); /* what stays is not told */
		*page = new;
	}
}

/* --- comparing ---------------------------------------------------------------------------- */

static void check_model(const struct world *w, const struct model *model)
{
	const struct space *space = must_process(w->feed, tgid_of(w, model))->space;
	struct mapping_iter it = space_mappings(space, 0, UINT64_MAX);
	const struct mapping *mapping;
	struct mapping found;
	uint32_t at = 0;

	while (at < PAGES) {
		uint32_t end = at + 1;

		while (end < PAGES && model->page[end].mapping == model->page[at].mapping)
			end++;
		assert_int_equal(atlas_find(space, at * PAGE + below(PAGE), &found),
				 !!model->page[at].mapping);
		if (model->page[at].mapping) {
			mapping = mapping_next(&it);
			assert_non_null(mapping);
			assert_memory_equal(mapping, &found, sizeof(found));
			assert_int_equal(mapping->start, at * PAGE);
			assert_int_equal(mapping->end, end * PAGE);
			assert_int_equal(mapping->file, model->page[at].file);
			assert_int_equal(mapping->flags, model->page[at].flags);
			assert_int_equal(mapping->offset, model->page[at].offset);
		}
		at = end;
	}
	assert_null(mapping_next(&it));
	for (at = 0; at < PAGES; at++)
		assert_true(page_equal(&model->page[at], &model->told[at]));
}

/* --- doing -------------------------------------------------------------------------------- */

/* Mappings that touch [lo, hi), some reaching beyond. */
static uint32_t list_make(struct rec_mapping *list, uint32_t lo, uint32_t hi)
{
	uint32_t nr = 0, at = lo > 5 ? lo - below(5) : lo, mean = 1 + below(12);

	while (at < hi && nr < LIST_MAX) {
		uint32_t end = at + 1 + below(mean);

		if (end > PAGES)
			end = PAGES;
		if (end > lo && below(4))
			list[nr++] = (struct rec_mapping){
			    .start = at * PAGE,
			    .end = end * PAGE,
			    .file = below(5),
			    .map_flags = below(8) | (below(20) ? 0 : REC_MAP_DONTFORK),
			};
		if (nr && list[nr - 1].file)
			list[nr - 1].offset = below(4) * PAGE;
		at = end + below(3);
	}
	return nr;
}

static void model_observe(struct world *w, struct model *model, uint32_t lo, uint32_t hi,
			  const struct rec_mapping *list, uint32_t nr)
{
	uint64_t start = lo * PAGE, end = hi * PAGE;

	if (nr) {
		start = list[0].start < start ? list[0].start : start;
		end = list[nr - 1].end > end ? list[nr - 1].end : end;
	}
	memset(&model->page[start / PAGE], 0, (end - start) / PAGE * sizeof(*model->page));
	for (uint32_t i = 0; i < nr; i++) {
		struct mapping mapping = {
		    .start = list[i].start,
		    .offset = list[i].offset,
		    .file = (uint32_t)list[i].file, /* numbers were given in this order */
		    .flags = list[i].map_flags,
		};

		w->last_mapping++;
		for (uint64_t addr = list[i].start; addr < list[i].end; addr += PAGE)
			page_set(&model->page[addr / PAGE], w->last_mapping, addr, &mapping);
	}
}

static void do_observe(struct world *w, struct model *model)
{
	uint32_t lo = below(PAGES), hi = lo + 1 + below(below(8) ? 12 : PAGES);
	struct rec_mapping list[LIST_MAX];
	uint32_t nr;

	if (hi > PAGES)
		hi = PAGES;
	nr = list_make(list, lo, hi);
	/* The list may be full before hi is reached. */
	if (nr == LIST_MAX && list[nr - 1].end < hi * PAGE)
		hi = (uint32_t)(list[nr - 1].end / PAGE);
	w->watched = model;
	feed_maps(w->feed, (struct rec_maps){.space = model->key, .lo = lo * PAGE, .hi = hi * PAGE},
		  nr, list);
	model_observe(w, model, lo, hi, list, nr);
}

static void do_fork(struct world *w, struct model *model, const struct model *forker)
{
	uint32_t tgid = tgid_of(w, model);

	*model = *forker;
	model->start_ns = w->feed->now_ns;
	model->key = ++w->last_key;
	for (uint32_t i = 0; i < PAGES; i++)
		if (model->page[i].flags & REC_MAP_DONTFORK)
			model->page[i] = model->told[i] = (struct page){0};
	feed_task(w->feed, REC_FORK,
		  (struct rec_task){WHO(tgid, tgid, model->start_ns), .space = model->key,
				    .forker_tgid = tgid_of(w, forker),
				    .forker_start_ns = forker->start_ns});
}

static void do_exec(struct world *w, struct model *model)
{
	uint32_t tgid = tgid_of(w, model);

	memset(model->page, 0, sizeof(model->page));
	memset(model->told, 0, sizeof(model->told));
	model->key = ++w->last_key;
	feed_exec(
	    w->feed,
	    (struct rec_exec){.task = {WHO(tgid, tgid, model->start_ns), .space = model->key}}, "x",
	    "", 0);
}

static void do_exit(struct world *w, struct model *model)
{
	uint32_t tgid = tgid_of(w, model);

	feed_exit(w->feed,
		  (struct rec_exit){WHO(tgid, tgid, model->start_ns), .exit_flags = REC_EXIT_LAST});
	check_model(w, model); /* still readable */
	feed_reap(w->feed, tgid, model->start_ns);
	model->start_ns = 0;
}

static void step(struct world *w)
{
	struct model *model = &w->model[below(PROCESSES)];
	const struct model *other = &w->model[below(PROCESSES)];
	uint32_t what = below(1000);

	if (!model->start_ns) {
		if (other->start_ns)
			do_fork(w, model, other);
	} else if (what < 940) {
		do_observe(w, model);
	} else if (what < 945) {
		do_exec(w, model);
	} else if (model != w->model) { /* one always is there to fork from */
		do_exit(w, model);
	}
	if (model->start_ns)
		check_model(w, model);
}

static void test_against_pages(void **state)
{
	const char *given = getenv("ATLAS_STEPS");
	uint64_t steps = given ? strtoull(given, NULL, 10) : STEPS;
	struct atlas_limits limits = {
	    .retain_ns = UINT64_MAX, .retain_processes = 20, .max_files = 100};
	struct world *w = calloc(1, sizeof(*w));

	(void)state;
	assert_non_null(w);
	w->feed = feed_new_with(&limits);
	w->last_key = 1;
	atlas_on_mapping(w->feed->atlas, follow, w);
	for (uint64_t key = 1; key < 5; key++)
		feed_file(w->feed, (struct rec_file){.file = key, .inode = key}, "file");
	w->model[0].start_ns = 500;
	w->model[0].key = 1;
	feed_task(w->feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .space = 1});
	for (uint64_t i = 0; i < steps; i++) {
		step(w);
		for (int j = 0; i % 512 == 0 && j < PROCESSES; j++)
			if (w->model[j].start_ns)
				check_model(w, &w->model[j]);
	}
	feed_free(w->feed);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_pages)};
	const char *given = getenv("ATLAS_SEED");

	seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 2654435761u + 1;
	printf("# ATLAS_SEED=%llu\n", (unsigned long long)seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
