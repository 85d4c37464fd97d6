# SPDX-License-Identifier: GPL-2.0-only
# The tests: what is built for them, and which runs of them there are. Included by the Makefile.

# --- programs ---------------------------------------------------------------------------------

# unit: one program a test-*.c; the other files there are linked into each. Those named
# test-trace-* are linked with src/trace/ as well.
UNIT_SRC   := $(sort $(wildcard tests/unit/test-*.c))
UNIT_HELP  := $(filter-out $(UNIT_SRC),$(wildcard tests/unit/*.c))
UNIT_BIN   := $(UNIT_SRC:%.c=$(O)/%)
# sim: all files make one program. bench, live: one program a file, but storm*.c make one.
SIM_SRC    := $(sort $(wildcard tests/sim/*.c))
SIM_BIN    := $(if $(SIM_SRC),$(O)/tests/sim/sim)
BENCH_SRC  := $(sort $(wildcard tests/bench/bench-*.c))
BENCH_HELP := $(filter-out $(BENCH_SRC),$(wildcard tests/bench/*.c))
BENCH_BIN  := $(BENCH_SRC:%.c=$(O)/%)
STORM_SRC  := $(sort $(wildcard tests/live/storm*.c))
STORM      := $(O)/tests/live/storm
LIVE_SRC   := $(filter-out $(STORM_SRC),$(sort $(wildcard tests/live/*.c)))
LIVE_BIN   := $(LIVE_SRC:%.c=$(O)/%) $(STORM)
LIVE_BATS  := $(sort $(wildcard tests/live/*.bats))
TOOL_TESTS := $(sort $(wildcard tests/tools/*.sh))

link_test = $(call say,LINK,$@)$(newline)$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $(filter %.o %.a,$^)
define newline


endef

$(filter-out $(O)/tests/unit/test-trace-%,$(UNIT_BIN)): $(O)/%: $(O)/%.o $(call obj,$(UNIT_HELP)) $(O)/libcore.a
	$(link_test) $(LIBS_CORE) -lcmocka -o $@
$(filter $(O)/tests/unit/test-trace-%,$(UNIT_BIN)): $(O)/%: $(O)/%.o $(call obj,$(UNIT_HELP)) $(O)/libtrace.a $(O)/libcore.a
	$(link_test) $(LIBS_BPF) $(LIBS_CORE) -lcmocka -o $@
$(O)/tests/sim/sim: $(call obj,$(SIM_SRC)) $(O)/libcore.a
	$(link_test) $(LIBS_CORE) -o $@
$(BENCH_BIN): $(O)/%: $(O)/%.o $(call obj,$(BENCH_HELP)) $(O)/libcore.a
	$(link_test) $(LIBS_CORE) -o $@
$(STORM): $(call obj,$(STORM_SRC))
	$(link_test) -pthread -o $@
$(LIVE_SRC:%.c=$(O)/%): $(O)/%: $(O)/%.o
	$(link_test) -pthread -o $@

# --- runs -------------------------------------------------------------------------------------

# What tests/run is told: options, then the programs that they hold for. $(1) is the folder whose
# programs are meant: $(O), or $(O)/san for the second pass.
run_tools = --limit 900 --env O=$(abspath $(O)) $(TOOL_TESTS)
run_unit  = --limit 120 $(UNIT_BIN:$(O)/%=$(1)/%)
run_sim   = --limit 600 $(SIM_BIN:$(O)/%=$(1)/%)
run_model = --limit 300 $(wildcard tests/model/run.sh)
run_live  = --limit 600 --env TASKATLAS=$(abspath $(1)/taskatlas) \
	--env TEST_BIN=$(abspath $(O)/tests/live) $(LIVE_BATS)
run_vm    = --limit 900 --env O=$(abspath $(O)) --env VM_KERNELS="$(VM_KERNELS)" $(wildcard tests/vm/run.sh)
run_style = --limit 120 scripts/style

# Sizes for the second pass: sanitizers take their time.
SAN_SET := address,undefined
# A heap that never reuses memory grows with each record, and the self-check of our own mappings
# never finds them as the walk saw them.
san_reuse = detect_leaks=1:quarantine_size_mb=0:thread_local_quarantine_size_kb=0
run_san = --label san --env SIM_STEPS=1000000 --env STORM_SCALE=10 \
	--env ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 --env UBSAN_OPTIONS=print_stacktrace=1 \
	$(call run_unit,$(O)/san) $(call run_sim,$(O)/san) \
	--env ASAN_OPTIONS=$(san_reuse):abort_on_error=0 $(call run_live,$(O)/san)

VM_KERNELS ?= 6.1 6.12 6.18

.PHONY: test test-programs san-programs style bench
.PHONY: check-unit check-sim check-model check-live check-san check-tools check-vm check-compilers
test-programs: all $(UNIT_BIN) $(SIM_BIN) $(LIVE_BIN) $(BENCH_BIN)
san-programs: $(after_deps)
	$(Q)+$(MAKE) --no-print-directory O=$(O)/san SAN=$(SAN_SET) DEBUG=0 STATIC=0 \
		$(O)/san/taskatlas $(UNIT_BIN:$(O)/%=$(O)/san/%) $(SIM_BIN:$(O)/%=$(O)/san/%)

# One kernel in a VM is enough here; check-vm boots them all.
test: VM_KERNELS = 6.1
test: test-programs san-programs
	$(Q)tests/run $(run_style) $(run_tools) $(call run_unit,$(O)) $(call run_sim,$(O)) \
		$(run_model) $(call run_live,$(O)) $(run_vm) $(run_san)

check-unit: $(UNIT_BIN)
	$(Q)tests/run $(call run_unit,$(O))
check-sim: $(SIM_BIN)
	$(Q)tests/run $(call run_sim,$(O))
check-model: $(after_deps)
	$(Q)tests/run $(run_model)
check-live: all $(LIVE_BIN)
	$(Q)tests/run $(call run_live,$(O))
check-tools: all
	$(Q)tests/run $(run_tools)
check-san: san-programs $(LIVE_BIN)
	$(Q)tests/run $(run_san)
check-vm: $(after_deps)
	$(Q)tests/run $(run_vm)
check-compilers: $(after_deps)
	$(Q)tests/run --limit 900 --env O=$(abspath $(O)) tests/tools/compilers.sh
style: $(after_deps)
	$(Q)tests/run $(run_style)

bench: all $(BENCH_BIN)
	$(Q)$(O)/tests/bench/bench-model
	$(Q)[ "$$(id -u)" -ne 0 ] || tests/bench/overhead.sh $(O)/taskatlas $(O)/tests/bench/bench-calls

## make test           every test (as root: the live ones too); the last line counts them
## make check-unit     just those; also check-sim, check-model, check-live (root), check-tools,
##                     check-san (sanitizers), check-compilers, check-vm (VM_KERNELS="6.1 6.12")
## make style          formatting, layers, lengths, scripts
## make bench          what the model costs, and (as root) what it costs to be observed
