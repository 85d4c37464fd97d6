// SPDX-License-Identifier: GPL-2.0-only
/*
 * What calls cost the one who makes them: nanoseconds a call, one line a kind, the median of some
 * rounds. Run alone and beside a tracer by overhead.sh.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <spawn.h>

#define ROUNDS 9

extern char **environ;

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void map_and_unmap(void)
{
	void *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || munmap(memory, 8192))
		exit(1);
}

static void ask_parent(void)
{
	syscall(SYS_getppid);
}

static void fork_and_wait(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	if (child < 0 || waitpid(child, NULL, 0) != child)
		exit(1);
}

static void spawn_and_wait(void)
{
	char *argv[] = {(char *)"true", NULL};
	pid_t child;

	if (posix_spawn(&child, "/bin/true", NULL, NULL, argv, environ) ||
	    waitpid(child, NULL, 0) != child)
		exit(1);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void measure(const char *name, void (*call)(void), int calls)
{
	double rounds[ROUNDS];

	for (int r = 0; r < ROUNDS; r++) {
		double begin = now_ns();

		for (int i = 0; i < calls; i++)
			call();
		rounds[r] = (now_ns() - begin) / calls;
	}
	qsort(rounds, ROUNDS, sizeof(rounds[0]), by_value);
	printf("%s %.0f\n", name, rounds[ROUNDS / 2]);
}

int main(void)
{
	measure("mmap+munmap", map_and_unmap, 20000);
	measure("getppid", ask_parent, 100000);
	measure("fork+wait", fork_and_wait, 200);
	measure("spawn+wait", spawn_and_wait, 100);
	return 0;
}
