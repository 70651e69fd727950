# Every command of the project; `make help` lists them. Only Go and a C compiler
# are needed, save for `make browser`. Tools are pinned in .ci/tools and built by
# the Go command on first use.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help test race night cover faults failover fuzz benchdesk browser programs pictures site words academic generate fresh lint fix tidy api vulncheck sbom licenses published dump beside soak

GO ?= go
# For go test, as in `make test TESTFLAGS='-run TestToken -count=1'`.
TESTFLAGS ?=
# How many packages are tested at once: their tests wait about as much as they compute.
ATONCE ?= $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN))))
# A number with an x counts inputs. One with an s counts seconds, at whose end the Go
# command now and then reports a failure, "context deadline exceeded".
FUZZTIME ?= 50000x
FUZZED ?= .
# For make benchdesk: a folder with a short and absolute path, where the filled databases are kept.
DESKDIR ?=
# Of make browser, as in GALLERYFLAGS="--only '^en/'": which pages of the gallery are looked at; all without.
GALLERYFLAGS ?=
# Of make programs, as in PROGRAMS='jupyterhub synapse'; all without.
PROGRAMS ?=
# For make api and make dump: the version that is being released, as in v0.1.0.
RELEASE ?=
# For make soak: how many people there are, how many of them sign in in each half of it, and how much time passes.
PEOPLE ?= 50000
COMING ?= $(PEOPLE)
DAY ?= 24h
# For make beside: an earlier version; without, HEAD stands for it, beside HEAD with one migration more. And for how long.
FROM ?=
FOR ?= 10m
# For make academic: a checkout of JetBrains/swot.
SWOT ?=
# For the benchmark, as in `make bench BENCHFLAGS='-only bonafide,ceiling'`.
BENCHFLAGS ?=

# Every module has its own go.mod. Those of the linter, of the audit, of oauth2-proxy and of kubelogin hold
# no code of ours, nor has provider/oryx; that of the benchmark fetches other providers to compare with: test it by name.
MODULES := $(patsubst %/go.mod,%,$(shell find . -name go.mod -not -path '*/node_modules/*' | sort))
CODE := $(filter-out ./.ci/tools/% ./provider/oryx,$(MODULES))
BENCHMARK := ./provider/internal/lab/benchmark
TESTED ?= $(filter-out $(BENCHMARK),$(CODE))

# What hosts import, and what they start from.
LIBRARIES := $(filter-out ./.ci/tools ./examples/% ./provider/internal/% %/servertest,$(CODE))
STARTED := $(filter ./examples/%,$(MODULES))

# The packages of screens: those that have golden pages.
SCREENS := $(addprefix ./,$(dir $(wildcard ui/golden_test.go ui/*/golden_test.go ui/*/*/golden_test.go)))
LINT := $(GO) tool -modfile=$(CURDIR)/.ci/tools/lint/go.mod golangci-lint
GOTESTSUM := $(GO) tool -modfile=$(CURDIR)/.ci/tools/go.mod gotestsum
CYCLONEDX := $(GO) tool -modfile=$(CURDIR)/.ci/tools/audit/go.mod cyclonedx-gomod
CACHE := $(CURDIR)/.cache
# Of its own for each path: the linter's cache remembers the paths of the checkout that
# filled it, and exclusions by path fail in the next one. It outlives the checkout.
export GOLANGCI_LINT_CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/bonafide-lint$(CURDIR)

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: ## Test everything but what is `make night`, and count
	@$(call count,.ci/inmemory $(GO),-vet=off -short,$(TESTED),./...)

# What the race detector finds is memory that two goroutines share: it watches the packages whose code starts them, and, in
# those that guard something and in the lab, the tests that do things at once, but for those that hash dearly meanwhile. The
# others are `make night`.
holding = $(filter-out %test %signer,$(shell grep -rlE $(1) --include='*.go' --exclude='*_test.go' --exclude-dir=lab provider storage ui | xargs dirname | sort -u))
SPAWNING := $(addprefix ./,$(filter-out provider/verification storage/postgres,$(call holding,'^[[:space:]]*go [a-z]')))
GUARDING := $(filter-out storage/postgres,$(call holding,'"sync"|"sync/atomic"|^[[:space:]]*go [a-z]'))
RACING := awk '/^func / { name = $$2; sub(/\(.*/, "", name) } /DearPasswords\(/ { name = "" } \
	name ~ /^Test/ && /^[[:space:]]*go [a-z]|\.Go\(|[rR]ace[A-Za-z]*\(/ { print FILENAME, name; name = "" }' \
	$(wildcard $(addsuffix /*_test.go,$(GUARDING) $(addprefix provider/internal/lab/,accounts grants operations attacks/*)))

race: ## Test what does things at once under the race detector
	@$(GO) test -race -vet=off -p $(ATONCE) $(TESTFLAGS) $(SPAWNING)
	@$(GO) test -race -vet=off $(TESTFLAGS) -run 'Contract/Races' ./storage/sqlite
	@racing=$$($(RACING)); names=$$(cut -d ' ' -f 2 <<< "$$racing" | paste -sd '|'); \
	$(call count,$(GO),-race -vet=off -run "^($$names)$$",.,$$(sed 's|^|./|; s|/[^/]* .*||' <<< "$$racing" | sort -u))

night: ## Test, race and fuzz everything at length
	@$(call count,.ci/inmemory $(GO),-vet=off,$(TESTED),./...)
	@$(call count,$(GO),-race -vet=off -timeout 1h,$(TESTED),./...)
	@$(MAKE) --no-print-directory browser fuzz

# count tests packages of modules with a go command and flags, and counts; .cache/tests.json keeps what each test took. The files of
# `make test` lie in memory and those of `make race` on a disk.
define count
mkdir -p $(CACHE); { status=0; \
for module in $(3); do $(1) -C $$module test -json -timeout 20m $(2) -p $(ATONCE) $(TESTFLAGS) $(4) || status=1; done; \
exit $$status; } | $(GOTESTSUM) --format pkgname --ignore-non-json-output-lines --jsonfile $(CACHE)/tests.json --raw-command -- cat
endef

cover: ## Measure which statements the tests reach; leaves .cache/cover.html
	@mkdir -p $(CACHE)
	@$(GO) test -coverpkg=./... -coverprofile=$(CACHE)/all.out $(TESTFLAGS) ./...
	@grep -v '_templ\.go:' $(CACHE)/all.out > $(CACHE)/cover.out
	@$(GO) tool cover -html=$(CACHE)/cover.out -o $(CACHE)/cover.html
	@$(GO) tool cover -func=$(CACHE)/cover.out | tail -n 1

faults: ## Test a running provider against kill -9, power cuts, full disks and lost databases at length; needs root
	@$(GO) test -tags faults -timeout 2h -count=1 -v $(TESTFLAGS) ./provider/internal/lab/faults

failover: ## Kill PostgreSQL under load, promote its synchronous standby and look for what was acknowledged; needs root
	@$(GO) test -tags faults -count=1 -v -run '^TestFailover$$' $(TESTFLAGS) ./provider/internal/lab/faults

fuzz: ## Fuzz each target below FUZZED with FUZZTIME inputs (50000x)
	@grep -rE --include='*_test.go' --exclude-dir=node_modules '^func Fuzz' $(FUZZED) \
	| sed -E 's|/[^/]*:func (Fuzz[A-Za-z0-9_]*).*| \1|' | sort \
	| while read -r package target; do \
		echo "$$package $$target"; \
		$(GO) -C $$package test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) . < /dev/null; \
	done

bench: ## Measure speed beside other providers; writes the benchmark's README.md
	@mkdir -p $(CACHE)/bench
	@if command -v npm > /dev/null; then npm ci --prefix $(BENCHMARK)/node --no-audit --no-fund --silent; fi
	@$(GO) -C $(BENCHMARK) run . -dir $(CACHE)/bench -report README.md -json $(CACHE)/bench.json $(BENCHFLAGS)

benchdesk: ## Measure the desk beside a million people and ten million lines; takes half an hour and 10 GB in TMPDIR, or DESKDIR
	@$(GO) test ./provider/internal/lab/scale -count=1 -timeout 3h -v -run '^TestDesk$$' $(TESTFLAGS) -args \
		-people 1000000 -applications 10000 -lines 10000000 -time 30s $(if $(DESKDIR),-dir $(DESKDIR))

browser: ## Test the button and the screens in Chromium; needs Node and Chromium, and Firefox for a part
	@rm -rf $(CACHE)/gallery
	@$(GO) test $(SCREENS) -count=1 -run '^TestGallery$$' -gallery=$(CACHE)/gallery
	@for lock in $$(find . -name package-lock.json -not -path '*/node_modules/*' | sort); do \
		cd $(CURDIR)/$$(dirname $$lock); \
		npm ci --no-audit --no-fund; \
		npm run --if-present types; \
		GALLERY=$(CACHE)/gallery npm run --if-present test -- *.test.mjs; \
		npm run --if-present check -- $(CACHE)/gallery $(GALLERYFLAGS); \
	done

programs: ## Sign in with programs of others, or PROGRAMS, and write their table of docs/clients.md; as root on Debian, with the network
	@npm ci --prefix provider/internal/lab/e2e --no-audit --no-fund --silent
	@node provider/internal/lab/programs/frame/run.mjs $(PROGRAMS)

pictures: ## Take the pictures of docs/rebrand.md from the quickstart; needs Node and Chromium
	@cd provider/internal/lab/e2e && npm ci --no-audit --no-fund && node --test pictures.mjs

words: ## Say what the languages of the screens and of the button lack
	@$(GO) test -count=1 -run '^TestLanguages$$' $(SCREENS) ./widget

academic: ## Make the list of schools anew from JetBrains/swot, or from a checkout SWOT=folder; needs git, the network
	@swot=$(SWOT); \
	if [ -z "$$swot" ]; then \
		swot=$(CACHE)/swot; rm -rf $$swot; \
		git clone --quiet --depth 1 https://github.com/JetBrains/swot $$swot; \
	fi; \
	revision=$$(git -C $$swot log -1 --format='%h, %cs'); \
	$(GO) run ./provider/verification/academic/internal/make -from $$swot -revision "$$revision" \
		-to provider/verification/academic/institutions.txt

site: ## Build the documents as static pages in .cache/site, and check their links
	@$(GO) -C .ci/tools run ./site -out $(CACHE)/site

generate: ## Write the generated files again: templ, the button and the keys of docs/config.md
	@$(GO) generate ./...

fresh: ## Fail when a generated file does not match its source
	@before=$$(git diff | git hash-object --stdin; git status --porcelain); \
	$(MAKE) --no-print-directory generate; \
	after=$$(git diff | git hash-object --stdin; git status --porcelain); \
	if [ "$$before" != "$$after" ]; then \
		git --no-pager diff --stat; git status --short; \
		echo "generated files were stale: commit what 'make generate' wrote"; exit 1; \
	fi

lint: ## Check style, mistakes and who imports whom
	@status=0; for module in $(CODE); do \
		cd $(CURDIR)/$$module; \
		$(LINT) run --allow-parallel-runners --config $(CURDIR)/.golangci.yaml ./... || status=1; \
	done; exit $$status
	@$(LINT) fmt --diff

fix: ## Format, and mend what the linter can
	@for module in $(CODE); do \
		cd $(CURDIR)/$$module; \
		$(LINT) run --fix --allow-parallel-runners --config $(CURDIR)/.golangci.yaml ./... || true; \
	done
	@$(LINT) fmt

tidy: ## Tidy every go.mod; with TIDYFLAGS=-diff only say what would change
	@for module in $(MODULES); do $(GO) -C $$module mod tidy $(TIDYFLAGS); done
	@.ci/modules

api: ## Compare the exported API with the last release; with RELEASE=v0.1.0 keep this one as that of a release
	@$(GO) -C .ci/tools run ./api $(if $(RELEASE),-release $(RELEASE))

vulncheck: ## Look for known vulnerabilities in what hosts link; passes when the database is out of reach
	@GO=$(GO) .ci/vulncheck $(LIBRARIES) $(STARTED)

sbom: ## Write bills of materials in CycloneDX, of each module and of the quickstart at HEAD, to .cache/sbom
	@rm -rf $(CACHE)/sbom && git clone --quiet . $(CACHE)/sbom/clone # of which it reads the version, unlike that of a worktree
	@for module in $(LIBRARIES); do \
		name=$$(basename $$($(GO) -C $$module list -m)); \
		$(CYCLONEDX) mod -json -std -licenses -type library -output $(CACHE)/sbom/$$name.cdx.json $(CACHE)/sbom/clone/$$module; \
	done
	@$(CYCLONEDX) app -json -std -licenses -main examples/quickstart -output $(CACHE)/sbom/quickstart.cdx.json $(CACHE)/sbom/clone
	@rm -rf $(CACHE)/sbom/clone

licenses: ## Write THIRD_PARTY_LICENSES.txt: the licences of all that a host can link
	@GO=$(GO) .ci/licenses

published: ## Build what hosts build from a module proxy made of HEAD; with the network
	@$(GO) test -tags published -count=1 -timeout 2h -v -run '^TestPublished$$' ./docs

dump: ## Write the dumps of both databases, with rows of every kind, that the releases after RELEASE=v0.1.0 open
	@test -n "$(RELEASE)" || { echo "which release? make dump RELEASE=v0.1.0"; exit 1; }
	@$(GO) test ./examples/quickstart -count=1 -run '^TestDump$$' $(TESTFLAGS) -dump $(RELEASE)

beside: ## Have the version FROM, or HEAD, and the next serve from one PostgreSQL database FOR 10m, under load
	@$(GO) test ./examples/quickstart -count=1 -timeout 24h -v -run '^TestBeside$$' $(TESTFLAGS) -from=$(FROM) -for $(FOR)

soak: ## Let a DAY (24h) pass on a campus of PEOPLE (50000) with everything on, and look whether something grows
	@.ci/inmemory $(GO) test ./provider/internal/lab/scale -count=1 -timeout 24h -v -run '^TestCampus$$' $(TESTFLAGS) -args -people $(PEOPLE) -coming $(COMING) -day $(DAY)
