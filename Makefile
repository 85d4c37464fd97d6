# SPDX-License-Identifier: GPL-2.0-only
# taskatlas. `make help` lists the targets and the settings.

O       ?= build
V       ?= 0
DEBUG   ?= 0
SAN     ?=
COVERAGE ?= 0
WERROR  ?= 1
STATIC  ?= 0
FAULTS  ?= 0
prefix  ?= /usr/local
DESTDIR ?=

CC      = gcc
CLANG   ?= clang
export PATH := $(PATH):/usr/sbin:/sbin
# Ubuntu's /usr/sbin/bpftool is a wrapper that works only beside the kernel it was made for.
BPFTOOL = $(shell bpftool version >/dev/null 2>&1 && echo bpftool || \
	ls /usr/lib/linux-tools/*/bpftool 2>/dev/null | tail -n 1)

VERSION := $(shell cat VERSION)

# Asked when a recipe runs, not when this file is read: `make deps all` may have installed it since.
pkg = $(shell pkg-config $(1) 2>/dev/null)

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla \
	-Wpointer-arith -Wwrite-strings -Wformat=2 -Wno-missing-field-initializers
ifeq ($(WERROR),1)
WARN += -Werror
endif
CC_IS_GCC = $(shell $(CC) --version 2>/dev/null | grep -ci 'free software foundation')
WARN_CC = $(if $(filter-out 0,$(CC_IS_GCC)),-Wjump-misses-init -Wlogical-op,)

CPPFLAGS += -I. -Isrc -I$(O) -D_GNU_SOURCE -DTASKATLAS_VERSION='"$(VERSION)"'
CFLAGS   ?= $(if $(filter 1,$(DEBUG)),-O0 -g3,-O2 -g)
CFLAGS_ALL = -std=gnu11 $(CFLAGS) -fno-strict-aliasing $(WARN) $(WARN_CC)
LIBS_CORE = -lxxhash -ljson-c
LIBS_BPF  = -lbpf -lelf -lz
ifneq ($(SAN),)
CFLAGS_ALL += -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS    += -fsanitize=$(SAN)
endif
ifeq ($(COVERAGE),1)
CFLAGS_ALL += --coverage
LDFLAGS    += --coverage
endif
ifeq ($(FAULTS),1)
CPPFLAGS += -DTASKATLAS_FAULTS
BPF_CPPFLAGS += -DTASKATLAS_FAULTS
endif
ifeq ($(STATIC),1)
LDFLAGS  += -static
CPPFLAGS += -DTASKATLAS_STATIC
LIBS_BPF += -lzstd
endif

Q = $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-8s %s\n' $(1) $(2))

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all
all: $(O)/taskatlas

# `deps` given beside other goals comes before everything that is built.
ifneq ($(filter deps,$(MAKECMDGOALS)),)
after_deps := deps
endif

# --- kernel side ------------------------------------------------------------------------------

# bpftool 7.1 gives a variable offset 0 when it meets its extern before its definition: state first.
BPF_SRC := bpf/state.bpf.c $(filter-out bpf/state.bpf.c,$(sort $(wildcard bpf/*.bpf.c)))
BPF_OBJ := $(BPF_SRC:%.c=$(O)/%.o)
BPF_CFLAGS = -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -Wall -Wextra -Wno-unused-parameter \
	$(if $(filter 1,$(WERROR)),-Werror,) -I. -Ivmlinux $(BPF_CPPFLAGS)
BPF_ARCH := $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')

$(O)/%.bpf.o: %.bpf.c | $(after_deps)
	$(call say,BPF,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(O)/taskatlas.bpf.o: $(BPF_OBJ)
	$(call say,BPFLINK,$@)
	$(Q)$(BPFTOOL) gen object $@ $^

$(O)/taskatlas.skel.h: $(O)/taskatlas.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name taskatlas > $@

# --- user space -------------------------------------------------------------------------------

# core: no libbpf, no root. trace: the only room that knows libbpf. cli: the commands.
CORE_SRC  := $(sort $(wildcard src/base/*.c src/atlas/*.c src/view/*.c src/format/*.c))
TRACE_SRC := $(sort $(wildcard src/trace/*.c))
CLI_SRC   := $(sort $(wildcard src/cli/*.c))
obj = $(patsubst %.c,$(O)/%.o,$(1))

$(O)/%.o: %.c | $(after_deps)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

# Not only in order: as a system header it is in no .d file.
$(call obj,$(TRACE_SRC)): $(O)/taskatlas.skel.h
$(O)/src/trace/%.o: CPPFLAGS += -isystem $(O)

$(O)/libcore.a: $(call obj,$(CORE_SRC))
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
$(O)/libtrace.a: $(call obj,$(TRACE_SRC))
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(O)/taskatlas: $(call obj,$(CLI_SRC)) $(O)/libtrace.a $(O)/libcore.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $^ $(LIBS_BPF) $(LIBS_CORE) -o $@

-include $(shell find $(O) -name '*.d' 2>/dev/null)

# --- the two commands -------------------------------------------------------------------------

.PHONY: deps run
deps:
	$(Q)scripts/deps build $(if $(filter test check% style bench,$(MAKECMDGOALS)),test,)
run: all
	$(Q)$(O)/taskatlas summary --for 10s

include tests/rules.mk
include scripts/install.mk

.PHONY: clean help
clean:
	rm -rf $(O)
help:
	@sed -n 's/^## //p' Makefile tests/rules.mk scripts/install.mk

## make                build $(O)/taskatlas (no root, no network)
## sudo make deps run  install what the build needs, build, follow this host for ten seconds
## sudo make deps test the same set-up, then every test
## make clean          remove $(O)
## Settings: O=dir V=1 DEBUG=1 SAN=address,undefined COVERAGE=1 WERROR=0 STATIC=1 FAULTS=1
##           CC=clang CLANG=clang-19 prefix=/usr DESTDIR=dir
