# SPDX-License-Identifier: GPL-2.0-only
"""Map one thing of each kind, say so in the pipe argv[2], and wait for the end of stdin.

argv[1] is a folder for files."""

import ctypes
import mmap
import os
import sys
import threading

folder, ready = sys.argv[1], sys.argv[2]
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                      ctypes.c_long]
libc.shmat.restype = ctypes.c_void_p
PAGE = 4096
kept = []


def map_fd(fd, pages=4, prot=mmap.PROT_READ, flags=mmap.MAP_PRIVATE, offset=0):
    kept.append(libc.mmap(None, pages * PAGE, prot, flags, fd, offset))
    assert kept[-1] != ctypes.c_void_p(-1).value, os.strerror(ctypes.get_errno())
    return kept[-1]


def a_file(name):
    fd = os.open(os.path.join(os.fsencode(folder), name), os.O_CREAT | os.O_RDWR, 0o600)
    os.ftruncate(fd, 16 * PAGE)
    return fd


# Files: plain, at an offset, writable and shared, deleted, with names that are hostile.
map_fd(a_file(b"plain"))
map_fd(a_file(b"plain"), offset=8 * PAGE)
map_fd(a_file(b"plain"), prot=mmap.PROT_READ | mmap.PROT_WRITE, flags=mmap.MAP_SHARED)
map_fd(a_file(b"deleted"))
os.unlink(os.path.join(folder, "deleted"))
map_fd(a_file(b"looks (deleted)"))
map_fd(a_file(b"new\nline \\ \x1b[2J \xff\xe2\x80\xae"))
map_fd(a_file(b"x" * 255))

# No files: anonymous ones, memfd, SysV, /dev/zero.
map_fd(-1, prot=mmap.PROT_READ | mmap.PROT_WRITE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
map_fd(-1, prot=mmap.PROT_READ | mmap.PROT_WRITE, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
map_fd(-1, prot=0, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memfd = os.memfd_create("mem\nfd")
os.ftruncate(memfd, 4 * PAGE)
map_fd(memfd, flags=mmap.MAP_SHARED)
segment = libc.shmget(0, 4 * PAGE, 0o1600)
kept.append(libc.shmat(segment, None, 0))
libc.shmctl(segment, 0, None)
map_fd(os.open("/dev/zero", os.O_RDWR), prot=mmap.PROT_READ | mmap.PROT_WRITE,
       flags=mmap.MAP_SHARED)

# Pieces: a hole, another protection in the middle.
whole = map_fd(-1, pages=16, prot=mmap.PROT_READ | mmap.PROT_WRITE,
               flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
assert not libc.munmap(ctypes.c_void_p(whole + 2 * PAGE), PAGE)
assert not libc.mprotect(ctypes.c_void_p(whole + 6 * PAGE), 2 * PAGE, mmap.PROT_READ)

threading.Thread(target=threading.Event().wait, daemon=True).start()
with open(ready, "w", encoding="ascii") as pipe:
    pipe.write("ready\n")
sys.stdin.read()
