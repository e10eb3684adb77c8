# Everything a contributor needs. `make help` lists it.

GO     ?= go
TOOL   := $(GO) tool -modfile=go.tool.mod
DATA   ?= ./nestor-data

.DEFAULT_GOAL := help

# All tests look for data races, but not inside SQLite, which is C that was translated to Go: there it costs
# five times as much processor time as all the rest.
RACE   := -race -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc=-race=false

# Many tests wait more than they compute, for processes, timers and disks: so half as many packages again as there
# are processors are tested at once.
PACKAGES := $(shell echo $$(( ($$(getconf _NPROCESSORS_ONLN) * 3 + 1) / 2 )))

WEB    := $(shell find web -type f -not -path '*/node_modules/*' -not -path '*/test-results/*' 2>/dev/null)

.PHONY: help run build web test test-web test-browser beside-the-browser check soak lint fmt flake mutate fuzz bench clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

run: build ## Build and serve on the embedded default, and print the URL
	./bin/nestor serve --data $(DATA)

build: web ## Build bin/nestor
	$(GO) build -ldflags='-s -w' -o bin/nestor ./cmd/nestor

web: internal/webui/dist/index.html ## Build the web UI when its sources changed

internal/webui/dist/index.html: $(WEB) web/node_modules/.package-lock.json
	cd web && npm run build

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@

test-web: web ## Types, style and unit tests of the web UI
	cd web && npm run check && npm run unit

test-browser: web ## The web UI in a real Chromium, against a freshly built binary
	cd web && ../scripts/with-nginx ../scripts/with-chromium npm run e2e

test: ## Everything: linters, the web UI, then all tests with -race on SQLite and a private PostgreSQL
	$(MAKE) -j2 beside-the-browser test-web test-browser
	scripts/with-nginx scripts/with-postgres $(GO) test $(RACE) -vet=off -p $(PACKAGES) -shuffle=on -timeout 40m ./...

# A test in a browser waits for a third of its time. The linters, and the compiler of the tests that come after it,
# take what it leaves and give way whenever it goes on.
beside-the-browser: web
	nice -n 19 $(MAKE) lint
	nice -n 19 $(GO) build $(RACE) ./...

check: web ## While you work: linters, the web UI's unit tests, and the tests of the packages that were changed (BASE= since when), without -race
	$(MAKE) -j2 lint test-web
	scripts/with-nginx scripts/with-postgres $(GO) test -vet=off -p $(PACKAGES) -shuffle=on . $$(scripts/changed)

soak: ## For SOAK (default 10m) each: everything goes wrong on three nodes, then PostgreSQL crashes again and again; all crash tests with SIGKILL
	scripts/with-postgres $(GO) run ./bench/soak --for $(or $(SOAK),10m)
	NESTOR_SOAK=$(or $(SOAK),10m) NESTOR_KILL=all scripts/with-postgres $(GO) test $(RACE) -count=1 -timeout 24h -v ./internal/crashtest

lint: ## Format, vet, staticcheck, unused code, known vulnerabilities
	@unformatted=$$($(TOOL) gofumpt -l $$(git ls-files '*.go')); if [ -n "$$unformatted" ]; then \
		echo "not formatted (make fmt):" $$unformatted; exit 1; fi
	$(GO) vet ./...
	cd examples/embedded && $(GO) vet ./...
	$(TOOL) staticcheck ./...
	@dead=$$($(TOOL) deadcode -test ./...); if [ -n "$$dead" ]; then echo "$$dead"; exit 1; fi
	@scripts/audit

fmt: ## Format the Go code
	$(TOOL) gofumpt -w $$(git ls-files '*.go')

flake: ## Run what was changed, or PKG=, many times beside busy loops (RUN=, COUNT=10)
	PKG='$(PKG)' RUN='$(RUN)' COUNT='$(or $(COUNT),10)' scripts/with-postgres scripts/flake

mutate: ## Break each promise and see that its test notices (ONLY=text for some)
	scripts/with-nginx scripts/with-postgres $(GO) run ./scripts/mutate $(ONLY)

fuzz: ## Fuzz every parser, the routes and the runtime's documents for FUZZTIME each (default 1m)
	scripts/fuzz $(or $(FUZZTIME),1m)

bench: ## Measure against the floor, on both engines (prints ratios), then models, parsers and triggers
	PG_FSYNC=on scripts/with-postgres $(GO) run ./bench/foundation
	PG_FSYNC=on scripts/with-postgres $(GO) run ./bench/agents
	PG_FSYNC=on scripts/with-postgres $(GO) run ./bench/api
	PG_FSYNC=on scripts/with-postgres $(GO) run ./bench/doors
	$(GO) run ./bench/hostile
	$(GO) test -run '^$$' -bench . -benchmem ./bench ./internal/trigger

clean: ## Remove what was built or downloaded for tests
	rm -rf bin clients/typescript/dist internal/webui/dist/assets internal/webui/dist/*.*
	find . -name node_modules -prune -exec rm -rf {} +
