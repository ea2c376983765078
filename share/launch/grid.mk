# Runs of all policies x K x seeds, and one figure of them. GNU make; each run is a target: what is there is not made
# again, what was cut off is, and make -j runs so many side by side.
#
#   make -f grid.mk SHARDS='shard-0 shard-1 shard-2 shard-3' TEST=shard-test -j 2
#
#   SHARDS    one a worker            TEST     data that curves are about
#   POLICIES  without their K         KS       for those policies that have one
#   SEEDS     numbers                 OUT      folder for runs and figure
#   RUN       options of every run: model, step, end, snapshots
#   DELAY     of every minibatch      REAL=1   dsgd-ps and workers on the wall clock instead of dsgd-sim
#   BIN       folder of the programs, when they are not on PATH

POLICIES = sync k-sync k-async async
KS = 1 2 4
SEEDS = 1 2 3
SHARDS =
TEST = $(firstword $(SHARDS))
OUT = grid
RUN = -m softmax -e 0.01 -J 200 -S 10
DELAY = exp:mean=20ms
REAL =
BIN =
ifneq ($(BIN),)
export PATH := $(abspath $(BIN)):$(PATH)
endif
export LC_ALL = C
workers = $(words $(SHARDS))
comma := ,

# A run is OUT/POLICY.K.SEED.tsv; K is - where the policy has none.
without_k = sync async
lines = $(foreach p,$(POLICIES),$(if $(filter $(p),$(without_k)),$(p).-,$(foreach k,$(KS),$(p).$(k))))
runs = $(foreach l,$(lines),$(foreach s,$(SEEDS),$(OUT)/$(l).$(s).tsv))
means = $(foreach l,$(lines),$(OUT)/mean/$(subst .-,,$(l)).tsv)
part = $(word $(1),$(subst ., ,$(notdir $(2))))
spec = $(call part,1,$@)$(if $(filter -,$(call part,2,$@)),,:$(call part,2,$@))
options = $(RUN) -P $(workers) -p $(spec) -s $(call part,3,$@)

.PHONY: all runs figure clean
.DELETE_ON_ERROR:
all: figure
runs: $(runs)
figure: $(OUT)/figure.svg

ifeq ($(SHARDS),)
$(error SHARDS: which shards? One a worker)
endif

# Under its name only when it is whole.
ifeq ($(REAL),)
command = dsgd-sim -q $(options) -d $(DELAY) $(SHARDS)
else
command = dsgd-ps -q $(options) $(foreach s,$(SHARDS),-x 'dsgd-worker -d $(DELAY) $(s)')
endif
$(runs): $(SHARDS) $(TEST)
	@mkdir -p $(@D)
	@echo '$(spec), seed $(call part,3,$@)'
	@$(command) > $@.models && dsgd-eval $(TEST) < $@.models > $@.part
	@rm -f $@.models
	@mv $@.part $@

# The mean over seeds, snapshot by snapshot, as far as all runs of a line go.
define mean
$(OUT)/mean/$(subst .-,,$(1)).tsv: $(foreach s,$(SEEDS),$(OUT)/$(1).$(s).tsv)
	@mkdir -p $$(@D)
	@awk -F '\t' 'BEGIN { OFS = "\t" } FNR == 1 { if (NR == 1) { print; width = NF } next } \
	    { n[FNR]++; for (i = 1; i <= width; i++) sum[FNR, i] += $$$$i; if (FNR > last) last = FNR } \
	    END { for (r = 2; r <= last && n[r] == ARGC - 1; r++) { line = sum[r, 1] / n[r]; \
	        for (i = 2; i <= width; i++) line = line OFS sprintf("%.9g", sum[r, i] / n[r]); print line } }' $$^ > $$@
endef
$(foreach l,$(lines),$(eval $(call mean,$(l))))

$(OUT)/figure.svg: $(means)
	dsgd-trace plot -o $@ $^

clean:
	rm -rf $(OUT)
