// SPDX-License-Identifier: GPL-2.0-only
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/stop.h"

#define CHILD_FAILED 127 /* as a shell has it for a command that could not be run */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The child's side. `mask` is what was blocked before the fork. Never returns. */
__attribute__((noreturn)) static void wait_and_exec(int go_fd, int exec_fd, char **argv,
						    const sigset_t *mask)
{
	char byte;
	ssize_t got;
	int error;

	stop_undo();
	sigprocmask(SIG_SETMASK, mask, NULL);
	do
		got = read(go_fd, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (got == 1) {
		execvp(argv[0], argv);
		error = errno;
		got = write(exec_fd, &error, sizeof(error));
	}
	_exit(CHILD_FAILED);
}

/* Fork with all signals blocked: none must find the child with our handlers. */
static pid_t fork_child(const int go[2], const int exec[2], char **argv)
{
	sigset_t all, mask;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	pid = fork();
	if (!pid) {
		close(go[1]);
		wait_and_exec(go[0], exec[1], argv, &mask);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return pid;
}

int child_start(struct child *ret, char **argv, struct message *why)
{
	struct child child = CHILD_NONE;
	int go[2] = {-1, -1}, exec[2] = {-1, -1}, error = 0;

	if (pipe2(go, O_CLOEXEC) || pipe2(exec, O_CLOEXEC))
		error = -errno;
	if (!error)
		child.pid = fork_child(go, exec, argv);
	if (child.pid < 0)
		error = -errno;
	close_fd(&go[0]);
	close_fd(&exec[1]);
	child.go_fd = go[1];
	child.exec_fd = exec[0];
	if (!error)
		child.pidfd = (int)syscall(SYS_pidfd_open, child.pid, 0);
	if (!error && child.pidfd < 0)
		error = -errno;
	if (error) {
		child_done(&child);
		return message_set(why, error, "cannot start %s: %s", argv[0], strerror(-error));
	}
	*ret = child;
	return 0;
}

int child_go(struct child *child, struct message *why)
{
	int error = 0;
	ssize_t got;

	if (write(child->go_fd, "", 1) != 1)
		return message_set(why, -errno, "the command is gone: %s", strerror(errno));
	close_fd(&child->go_fd);
	do
		got = read(child->exec_fd, &error, sizeof(error));
	while (got < 0 && errno == EINTR);
	close_fd(&child->exec_fd);
	if (got == (ssize_t)sizeof(error))
		return message_set(why, -error, "cannot run it: %s", strerror(error));
	return 0;
}

int child_ended(struct child *child, int *ret_status)
{
	int status;

	if (child->pid <= 0 || waitpid(child->pid, &status, WNOHANG) != child->pid)
		return 0;
	child->pid = 0;
	*ret_status = status;
	return 1;
}

void child_done(struct child *child)
{
	bool waits = child->go_fd >= 0;

	close_fd(&child->go_fd);
	close_fd(&child->exec_fd);
	close_fd(&child->pidfd);
	if (child->pid > 0 && waits)
		waitpid(child->pid, NULL, 0);
	child->pid = 0;
}
