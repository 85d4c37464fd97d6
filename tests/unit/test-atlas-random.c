// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records that no kernel would send in this order, with few identities so that everything collides:
 * the atlas must stay sound after each. ATLAS_SEED repeats a run.
 */
#include "records.h"

#include <stdio.h>
#include <time.h>

#define STEPS 300000
#define SPACES 6
#define PAGES 24

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed * 0x9e3779b97f4a7c15ull) >> 33) % limit;
}

static struct rec_task any_task(void)
{
	uint32_t tgid = 1 + below(5), tid = below(3) ? tgid : 1 + below(8);
	uint64_t start = 1 + below(2);

	return (struct rec_task){
	    WHO(tid, tgid, start),
	    .space = below(SPACES),
	    .exe = below(6),
	    .cgroup_id = below(4),
	    .forker_tgid = below(6),
	    .forker_tid = below(6),
	    .forker_start_ns = 1 + below(2),
	    .nr_threads = below(3),
	    .task_flags = below(4) || tid != tgid ? below(2) * REC_TASK_SHARES_SPACE : below(8),
	};
}

static void send_task(struct feed *feed)
{
	struct rec_task rec = any_task();
	enum rec_kind kind = below(2) ? REC_CREATE : REC_FORK;

	if (kind == REC_FORK)
		rec.task_flags &= ~(uint32_t)REC_TASK_ZOMBIE;
	feed_apply(feed, kind, &rec, sizeof(rec));
}

static void send_exec(struct feed *feed)
{
	struct rec_exec rec = {.task = any_task(), .old_tid = 1 + below(8)};

	rec.task.hdr.tid = rec.task.hdr.tgid;
	rec.task.start_ns = rec.task.process_start_ns;
	feed_exec(feed, rec, "/bin/x", "x\0y", 4);
}

static void send_exit(struct feed *feed)
{
	struct rec_task who = any_task();
	struct rec_exit rec = {
	    .hdr = who.hdr,
	    .start_ns = who.start_ns,
	    .process_start_ns = who.process_start_ns,
	    .exit_code = below(4) << 8,
	    .group_exit_code = below(4),
	    .exit_flags = below(4),
	};

	if (below(3))
		feed_exit(feed, rec);
	else
		feed_reap(feed, who.hdr.tgid, who.process_start_ns);
}

static void send_change(struct feed *feed)
{
	struct rec_task who = any_task();
	struct rec_rename rename = {.hdr = who.hdr, .start_ns = who.start_ns, .comm = "new"};
	struct rec_move move = {
	    .hdr = who.hdr,
	    .start_ns = who.start_ns,
	    .cgroup_id = below(4),
	    .move_flags = below(2),
	};

	if (below(2))
		feed_apply(feed, REC_RENAME, &rename, sizeof(rename));
	else
		feed_apply(feed, REC_MOVE, &move, sizeof(move));
}

static void send_maps(struct feed *feed)
{
	struct rec_mapping list[PAGES];
	uint32_t nr = 0, lo = below(PAGES), hi = lo + 1 + below(6);
	struct rec_maps rec = {
	    .hdr.tgid = below(6),
	    .space = 1 + below(SPACES - 1),
	    .maps_flags = below(8),
	};

	if (rec.maps_flags & REC_MAPS_FIRST)
		lo = 0;
	if (rec.maps_flags & REC_MAPS_LAST)
		hi = PAGES + 10;
	for (uint32_t at = lo > 2 ? lo - below(3) : lo; at < hi && nr < PAGES;) {
		uint32_t end = at + 1 + below(5);

		if (end > lo && below(3))
			list[nr++] = (struct rec_mapping){
			    .start = at * 4096ull,
			    .end = end * 4096ull,
			    .file = below(6),
			    .offset = below(3) * 4096ull,
			    .map_flags = below(64),
			};
		at = end + below(2);
	}
	rec.lo = lo * 4096ull;
	rec.hi = rec.maps_flags & REC_MAPS_LAST ? SPACE_END : hi * 4096ull;
	feed->flags = below(2) ? REC_F_WALK : 0;
	feed_maps(feed, rec, rec.maps_flags & REC_MAPS_SUSPECT ? 0 : nr, list);
}

static void send_rest(struct feed *feed)
{
	struct rec_walk walk = {.walk = below(2), .walk_flags = below(8)};

	switch (below(6)) {
	case 0:
		feed_apply(feed, REC_WALK_BEGIN, &walk, sizeof(walk));
		break;
	case 1:
		feed_apply(feed, REC_WALK_END, &walk, sizeof(walk));
		break;
	case 2:
		feed_loss(feed, below(2), below(REC_NR), below(REC_LOSS_CAUSE_NR));
		break;
	case 3:
		feed_file(feed, (struct rec_file){.file = 1 + below(6), .file_kind = 1 + below(4)},
			  "name");
		break;
	case 4:
		feed_cgroup(feed, (struct rec_cgroup){.id = below(4)}, "/path");
		break;
	case 5:
		atlas_collect(feed->atlas, feed->now_ns - 20000);
		feed_check(feed);
		break;
	}
}

static void test_stays_sound(void **state)
{
	struct atlas_limits limits = {
	    .retain_ns = 50000,
	    .retain_processes = 8,
	    .max_files = 3,
	};
	struct feed *feed = feed_new_with(&limits);

	(void)state;
	for (int i = 0; i < STEPS; i++) {
		uint32_t what = below(100);

		if (what < 30)
			send_task(feed);
		else if (what < 40)
			send_exec(feed);
		else if (what < 60)
			send_exit(feed);
		else if (what < 65)
			send_change(feed);
		else if (what < 93)
			send_maps(feed);
		else
			send_rest(feed);
	}
	assert_true(counts_of(feed).records[REC_FORK] > 0);
	feed_free(feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_stays_sound)};
	const char *given = getenv("ATLAS_SEED");

	seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 2654435761u + 1;
	printf("# ATLAS_SEED=%llu\n", (unsigned long long)seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
