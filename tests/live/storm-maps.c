// SPDX-License-Identifier: GPL-2.0-only
/*
 * One change of the mappings. Most hit a random range of the worker's own window or of the one that
 * all threads of the process share, so that they cut heads, middles and tails, replace, merge, and
 * fail half way through. Nothing there is ever touched as memory. Whatever leaves the windows is
 * kept in a short list, and unmapped in time.
 */
#include "tests/live/storm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BRK_PAGES 64
#define SHM_PAGES 8
#define GUARD_PAGES 64      /* behind the windows: room for a mremap() that grows */
#define TRIES_A_CHANGE 1000 /* before the storm gives up */
/*
 * Far below where the kernel puts what has no address: its choice must not fall into a hole of the
 * windows, where the storm would run over stacks and what malloc() holds.
 */
#define ARENA_AT ((void *)(64ul << 30))

struct range {
	char *start;
	size_t bytes;
};

static uint64_t random_next(uint64_t *state)
{
	/* splitmix64 (Steele, Lea, Flood 2014). */
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

uint64_t storm_random(struct storm_worker *worker, uint64_t n)
{
	return random_next(&worker->random) % n;
}

static struct range random_range(struct storm_worker *worker, size_t max_pages)
{
	const struct storm *storm = worker->storm;
	size_t window = storm_random(worker, 4) ? worker->thread + 1 : 0;
	size_t pages = 1 + storm_random(worker, max_pages);
	size_t first = storm_random(worker, STORM_WINDOW_PAGES - pages + 1);

	return (struct range){
	    .start = storm->arena + (window * STORM_WINDOW_PAGES + first) * storm->page,
	    .bytes = pages * storm->page,
	};
}

static int random_prot(struct storm_worker *worker)
{
	static const int prots[] = {
	    PROT_NONE,
	    PROT_READ,
	    PROT_READ | PROT_WRITE,
	    PROT_READ | PROT_WRITE,
	    PROT_READ | PROT_EXEC,
	};

	return prots[storm_random(worker, sizeof(prots) / sizeof(prots[0]))];
}

/* --- mappings at addresses that the kernel chose --- */

static struct storm_loose *loose_slot(struct storm_worker *worker, bool used)
{
	size_t first = storm_random(worker, STORM_LOOSE);

	for (size_t i = 0; i < STORM_LOOSE; i++) {
		struct storm_loose *slot = &worker->loose[(first + i) % STORM_LOOSE];

		if (!!slot->start == used)
			return slot;
	}
	return NULL;
}

static bool loose_keep(struct storm_loose *slot, void *start, size_t bytes)
{
	if (start == MAP_FAILED)
		return false;
	slot->start = start;
	slot->bytes = bytes;
	return true;
}

static bool loose_unmap(struct storm_worker *worker)
{
	struct storm_loose *slot = loose_slot(worker, true);

	if (!slot || munmap(slot->start, slot->bytes))
		return false;
	slot->start = NULL;
	return true;
}

/* --- one call each: true if it succeeded --- */

typedef bool (*change_fn)(struct storm_worker *worker);

static void *map_anonymous(struct storm_worker *worker, struct range at, int flags)
{
	int sharing = storm_random(worker, 4) ? MAP_PRIVATE : MAP_SHARED;

	return mmap(at.start, at.bytes, random_prot(worker), flags | sharing | MAP_ANONYMOUS, -1,
		    0);
}

static void *map_file(struct storm_worker *worker, struct range at, int flags)
{
	const struct storm *storm = worker->storm;
	int sharing = storm_random(worker, 2) ? MAP_PRIVATE : MAP_SHARED;
	int fd = storm->files[storm_random(worker, STORM_FILES)];
	off_t offset = (off_t)(storm_random(worker, STORM_FILE_PAGES) * storm->page);

	return mmap(at.start, at.bytes, random_prot(worker), flags | sharing, fd, offset);
}

static bool change_map_anonymous(struct storm_worker *worker)
{
	return map_anonymous(worker, random_range(worker, 16), MAP_FIXED) != MAP_FAILED;
}

static bool change_map_file(struct storm_worker *worker)
{
	return map_file(worker, random_range(worker, 16), MAP_FIXED) != MAP_FAILED;
}

static bool change_map_vacant(struct storm_worker *worker)
{
	return map_file(worker, random_range(worker, 4), MAP_FIXED_NOREPLACE) != MAP_FAILED;
}

static bool change_map_zero(struct storm_worker *worker)
{
	struct range at = random_range(worker, 8);

	return mmap(at.start, at.bytes, PROT_READ, MAP_FIXED | MAP_PRIVATE, worker->storm->zero_fd,
		    0) != MAP_FAILED;
}

static bool change_map_loose(struct storm_worker *worker)
{
	struct storm_loose *slot = loose_slot(worker, false);
	struct range anywhere = {.bytes = (1 + storm_random(worker, 16)) * worker->storm->page};
	void *start;

	if (!slot)
		return false;
	start = storm_random(worker, 2) ? map_anonymous(worker, anywhere, 0)
					: map_file(worker, anywhere, 0);
	return loose_keep(slot, start, anywhere.bytes);
}

static bool change_unmap(struct storm_worker *worker)
{
	struct range at = random_range(worker, 8);

	return !munmap(at.start, at.bytes);
}

static bool change_protect(struct storm_worker *worker)
{
	struct range at = random_range(worker, 6);

	return !mprotect(at.start, at.bytes, random_prot(worker));
}

static bool change_protect_key(struct storm_worker *worker)
{
	struct range at = random_range(worker, 6);

	return !syscall(SYS_pkey_mprotect, at.start, at.bytes, random_prot(worker), -1);
}

static bool change_resize(struct storm_worker *worker)
{
	struct range at = random_range(worker, 8);
	size_t bytes = (1 + storm_random(worker, 8)) * worker->storm->page;

	return mremap(at.start, at.bytes, bytes, 0) != MAP_FAILED;
}

static bool change_move(struct storm_worker *worker)
{
	struct range from = random_range(worker, 4), to = random_range(worker, 8);

	return mremap(from.start, from.bytes, to.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to.start) !=
	       MAP_FAILED;
}

static bool change_move_pages(struct storm_worker *worker)
{
	struct range from = random_range(worker, 4), to = random_range(worker, 4);

	return mremap(from.start, from.bytes, from.bytes,
		      MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to.start) != MAP_FAILED;
}

/* Out of the windows; with an old size of 0 a shared mapping is doubled. */
static bool change_move_loose(struct storm_worker *worker)
{
	struct storm_loose *slot = loose_slot(worker, false);
	struct range from = random_range(worker, 4);
	size_t old_bytes = storm_random(worker, 2) ? from.bytes : 0;
	size_t bytes = from.bytes + 16 * worker->storm->page;
	char *start;

	if (!slot)
		return false;
	start = mremap(from.start, old_bytes, bytes, MREMAP_MAYMOVE);
	return loose_keep(slot, start, bytes);
}

/* Nothing else moves the break: main() keeps malloc() away from it. */
static bool change_break(struct storm_worker *worker)
{
	struct storm *storm = worker->storm;
	char *to = storm->brk_base + storm_random(worker, BRK_PAGES) * storm->page;
	bool moved;

	if (atomic_flag_test_and_set(&storm->brk_busy))
		return false;
	moved = (char *)syscall(SYS_brk, to) == to;
	atomic_flag_clear(&storm->brk_busy);
	return moved;
}

static bool change_attach(struct storm_worker *worker)
{
	struct range at = random_range(worker, 1);
	size_t bytes = SHM_PAGES * worker->storm->page;
	char *window_end;
	int flags = SHM_REMAP | (storm_random(worker, 2) ? SHM_RDONLY : 0);
	size_t into;

	if (worker->shm_at)
		return false;
	into =
	    (size_t)(at.start - worker->storm->arena) % (STORM_WINDOW_PAGES * worker->storm->page);
	window_end = at.start - into + STORM_WINDOW_PAGES * worker->storm->page;
	if (at.start + bytes > window_end)
		at.start = window_end - bytes;
	if (shmat(worker->storm->shm_id, at.start, flags) == (void *)-1)
		return false;
	worker->shm_at = at.start;
	return true;
}

static bool change_detach(struct storm_worker *worker)
{
	void *at = worker->shm_at;

	worker->shm_at = NULL;
	return at && !shmdt(at);
}

static bool change_inherit(struct storm_worker *worker)
{
	struct range at = random_range(worker, 6);

	return !madvise(at.start, at.bytes, storm_random(worker, 2) ? MADV_DONTFORK : MADV_DOFORK);
}

static bool change_lock(struct storm_worker *worker)
{
	struct range at = random_range(worker, 6);

	return !mlock2(at.start, at.bytes, MLOCK_ONFAULT);
}

static bool change_unlock(struct storm_worker *worker)
{
	struct range at = random_range(worker, 6);

	return !munlock(at.start, at.bytes);
}

static bool change_remap_pages(struct storm_worker *worker)
{
	struct range at = random_range(worker, 4);

	return !remap_file_pages(at.start, at.bytes, 0, storm_random(worker, STORM_FILE_PAGES), 0);
}

static const struct change {
	change_fn make;
	enum storm_call call;
	unsigned int weight;
} changes[] = {
    {change_map_anonymous, STORM_MMAP, 20},
    {change_map_file, STORM_MMAP, 14},
    {change_map_vacant, STORM_MMAP, 3},
    {change_map_zero, STORM_MMAP, 2},
    {change_map_loose, STORM_MMAP, 8},
    {change_unmap, STORM_MUNMAP, 14},
    {loose_unmap, STORM_MUNMAP, 12},
    {change_protect, STORM_MPROTECT, 14},
    {change_protect_key, STORM_PKEY_MPROTECT, 3},
    {change_resize, STORM_MREMAP, 5},
    {change_move, STORM_MREMAP, 5},
    {change_move_pages, STORM_MREMAP, 2},
    {change_move_loose, STORM_MREMAP, 4},
    {change_break, STORM_BRK, 5},
    {change_attach, STORM_SHMAT, 2},
    {change_detach, STORM_SHMDT, 2},
    {change_inherit, STORM_MADVISE, 4},
    {change_lock, STORM_MLOCK, 3},
    {change_unlock, STORM_MUNLOCK, 3},
    {change_remap_pages, STORM_REMAP_FILE_PAGES, 2},
};
#define CHANGES (sizeof(changes) / sizeof(changes[0]))

static const struct change *random_change(struct storm_worker *worker)
{
	unsigned int sum = 0, at;

	for (size_t i = 0; i < CHANGES; i++)
		sum += changes[i].weight;
	at = (unsigned int)storm_random(worker, sum);
	for (size_t i = 0; i < CHANGES; i++) {
		if (at < changes[i].weight)
			return &changes[i];
		at -= changes[i].weight;
	}
	return &changes[0];
}

static void count_change(struct storm *storm, enum storm_call call)
{
	uint64_t before = atomic_fetch_add(&storm->counts->changes, 1);

	atomic_fetch_add(&storm->counts->calls[call], 1);
	if (storm->options.announce && before == storm->options.changes / 2 &&
	    write(STDOUT_FILENO, "half\n", 5) != 5)
		storm_fail(storm, "cannot announce");
}

void storm_change(struct storm_worker *worker, uint64_t nr)
{
	struct storm *storm = worker->storm;
	unsigned int tries = 0;

	while (nr > 0) {
		const struct change *change = random_change(worker);

		if (change->make(worker)) {
			count_change(storm, change->call);
			tries = 0;
			nr--;
			continue;
		}
		atomic_fetch_add(&storm->counts->failed_changes, 1);
		if (++tries == TRIES_A_CHANGE) {
			storm_fail(storm, "no change succeeds any more");
			return;
		}
	}
}

/* --- what is mapped --- */

/* Files 0 to 3 keep their names, 4 and 5 are deleted before anybody maps them, 6 and 7 never had
 * one. */
static int open_file(struct storm *storm, const char *dir, int i)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/storm.%d.%d", dir, getpid(), i);
	if (i < 6)
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	else
		fd = memfd_create("storm", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	storm->files[i] = fd;
	if (i >= 4 && i < 6 && unlink(path))
		return -errno;
	if (ftruncate(fd, (off_t)(STORM_FILE_PAGES * storm->page)))
		return -errno;
	return 0;
}

void storm_maps_done(struct storm *storm, const char *dir)
{
	char path[4096];

	for (int i = 0; i < STORM_FILES; i++) {
		if (storm->files[i] < 0)
			continue;
		close(storm->files[i]);
		storm->files[i] = -1;
		snprintf(path, sizeof(path), "%s/storm.%d.%d", dir, getpid(), i);
		unlink(path);
	}
}

/* Attached here, so that it lives although it is already marked to go with its last user. */
static int make_segment(struct storm *storm)
{
	storm->shm_id = shmget(IPC_PRIVATE, SHM_PAGES * storm->page, IPC_CREAT | 0600);
	if (storm->shm_id < 0)
		return -errno;
	if (shmat(storm->shm_id, NULL, 0) == (void *)-1) {
		int error = -errno;

		shmctl(storm->shm_id, IPC_RMID, NULL);
		return error;
	}
	return shmctl(storm->shm_id, IPC_RMID, NULL) ? -errno : 0;
}

int storm_maps_init(struct storm *storm, const char *dir)
{
	size_t pages = (storm->options.threads + 1) * STORM_WINDOW_PAGES + GUARD_PAGES;
	int error;

	storm->page = (size_t)sysconf(_SC_PAGESIZE);
	for (int i = 0; i < STORM_FILES; i++)
		storm->files[i] = -1;
	for (int i = 0; i < STORM_FILES; i++) {
		error = open_file(storm, dir, i);
		if (error)
			return error;
	}
	storm->zero_fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (storm->zero_fd < 0)
		return -errno;
	error = make_segment(storm);
	if (error)
		return error;
	storm->brk_base = (char *)syscall(SYS_brk, 0);
	storm->brk_base += storm->page - (uintptr_t)storm->brk_base % storm->page;
	storm->arena =
	    mmap(ARENA_AT, pages * storm->page, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	return storm->arena == MAP_FAILED ? -errno : 0;
}
