/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading files of /proc. Private to src/trace/. */
#ifndef TASKATLAS_PROC_FILE_H
#define TASKATLAS_PROC_FILE_H

#include <stddef.h>

/*
 * Read the whole file into memory that the caller frees; a NUL stands behind its len bytes.
 * 0; -errno of open() or read(): -ENOENT, -ESRCH (the task is gone), -EACCES, -EPERM; -ENOMEM.
 */
int proc_file_read(const char *path, char **ret, size_t *ret_len);

#endif
