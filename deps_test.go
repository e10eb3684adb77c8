package nestor_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/nestorhq/nestor"

// mayImport is the shape of the tree: which packages of this module a package
// imports, tests aside. "." is the root package, a last element * stands for
// any name, and the names of packages that are to come are here already.
var mayImport = map[string][]string{
	".":                 {},
	"cmd/nestor":        {"server"},
	"internal/command":  {".", "client", "internal/app", "internal/module"},
	"internal/app":      {".", "client", "internal/*", "internal/*/*"},
	"internal/terminal": {".", "client"},

	"internal/recovery":       {},
	"internal/jsonvalue":      {"."},
	"internal/store":          {".", "internal/recovery", "internal/jsonvalue"},
	"internal/store/sqlite":   {".", "internal/recovery", "internal/store"},
	"internal/store/postgres": {".", "internal/store"},

	"internal/netguard":  {"."},
	"internal/celguard":  {},
	"internal/trigger":   {".", "internal/store", "internal/netguard", "internal/celguard"},
	"internal/worker":    {".", "internal/recovery", "internal/store"},
	"internal/feed":      {".", "internal/store", "internal/bus"},
	"internal/bus":       {},
	"internal/interrupt": {".", "internal/store", "internal/feed"},
	"internal/bus/*":     {".", "internal/bus"},
	"internal/access":    {".", "internal/store"},
	"internal/sse":       {"."},

	"internal/llm":        {"."},
	"internal/llm/*":      {".", "internal/llm"},
	"internal/tool":       {".", "internal/jsonvalue", "internal/llm", "internal/tool/xmlcall"},
	"internal/node":       {"internal/tool"},
	"internal/tool/*":     {".", "internal/llm", "internal/netguard", "internal/tool", "internal/tool/*"},
	"internal/usersecret": {".", "internal/access", "internal/store"},

	"internal/file":             {".", "internal/store", "internal/chatfork", "internal/filestore", "internal/doctext", "internal/ration"},
	"internal/ration":           {"."},
	"internal/disk":             {".", "internal/store"},
	"internal/filestore":        {"internal/store"},
	"internal/filestore/*":      {".", "internal/filestore", "internal/store"},
	"internal/filestore/s3test": {},
	"internal/doctext":          {".", "internal/doctext/pdftext"},
	"internal/doctext/pdftext":  {},
	"internal/connection": {
		".", "internal/store", "internal/access", "internal/budget", "internal/llm", "internal/llm/*", "internal/netguard", "internal/tool/xmlcall",
	},
	"internal/budget":     {".", "internal/store", "internal/llm"},
	"internal/account":    {".", "internal/store"},
	"internal/runtimedoc": {".", "internal/store", "internal/access"},
	"internal/chatfork":   {".", "internal/store"},
	"internal/account/sharing": {
		"internal/chatfork",
		".", "internal/store", "internal/access", "internal/access/rules", "internal/account", "internal/runtimedoc",
	},
	"internal/search": {
		"internal/chatfork",
		".", "internal/store", "internal/access", "internal/access/rules", "internal/account", "internal/tool", "internal/tool/builtin",
	},
	// What a Go program builds on.
	"server": {
		".", "client", "tool", "node", "model", "internal/agent/role", "internal/app", "internal/command", "internal/module", "internal/httpapi", "internal/store", "internal/trigger", "internal/worker",
		"internal/tool",
	},
	"tool":            {".", "internal/tool", "internal/llm"},
	"node":            {".", "internal/node", "internal/tool"},
	"model":           {"internal/llm"},
	"model/modeltest": {"internal/llm/scripted"},

	"internal/module": {
		".", "client", "internal/httpapi", "internal/httpapi/openapi", "internal/store", "internal/worker", "internal/feed", "internal/trigger", "internal/llm", "internal/node",
		"internal/tool", "internal/file", "internal/interrupt",
	},
	"internal/door": {}, // tests of all doors
	// Protocols of others in front of runs.
	"internal/door/*": {
		".", "client", "internal/module", "internal/httpapi", "internal/store", "internal/feed", "internal/llm", "internal/tool", "internal/sse",
		"internal/chatfork", "internal/domain/runs", "internal/domain/runs/need", "internal/door/*", "internal/file", "internal/recovery",
	},
	"internal/door/a2a": { // which notifies, with what clients gave it for that
		".", "internal/module", "internal/httpapi", "internal/store", "internal/feed", "internal/sse", "internal/domain/runs", "internal/domain/runs/need",
		"internal/access", "internal/door/turn", "internal/file", "internal/netguard", "internal/trigger", "internal/worker",
	},
	// Domains beside the agents.
	"internal/domain/*": {
		".", "client", "internal/module", "internal/httpapi", "internal/store", "internal/worker", "internal/feed", "internal/trigger",
		"internal/llm", "internal/llm/tokens", "internal/tool", "internal/account", "internal/budget", "internal/domain/ask", "internal/domain/*/*", "internal/doctext", "internal/file", "internal/recovery",
	},
	// Domains whose nouns are older than modules and stand outside of them.
	"internal/domain/accounts": {
		".", "internal/module", "internal/httpapi", "internal/httpapi/openapi", "internal/store", "internal/access", "internal/account",
	},
	"internal/domain/connections": {
		".", "internal/module", "internal/httpapi", "internal/httpapi/openapi", "internal/httpapi/web", "internal/store", "internal/access", "internal/connection",
	},
	"internal/domain/jobs": {
		".", "internal/module", "internal/httpapi", "internal/httpapi/openapi", "internal/store", "internal/trigger", "internal/worker",
	},
	// The rooms of prioritisation.
	"internal/domain/priority/record":  {".", "internal/store"},
	"internal/domain/priority/lenient": {},
	"internal/domain/priority/plan":    {".", "internal/domain/priority/record", "internal/domain/priority/lenient"},
	"internal/domain/priority/intake":  {".", "internal/domain/priority/record", "internal/doctext"},
	"internal/domain/priority/tasks":   {".", "internal/store", "internal/domain/priority/record"},
	"internal/domain/priority/vector":  {".", "internal/domain/priority/record"},
	"internal/domain/ask": {
		".", "internal/account", "internal/module", "internal/store", "internal/llm", "internal/llm/tokens", "internal/budget",
	},
	"internal/domain/onbehalf": {".", "internal/store", "internal/access", "internal/tool", "internal/account"},
	"internal/domain/priority/library": {
		".", "internal/module", "internal/store", "internal/worker", "internal/trigger", "internal/llm", "internal/domain/priority/record",
		"internal/domain/priority/vector", "internal/domain/priority/tasks",
	},
	"internal/domain/priority/analyst": {
		".", "internal/module", "internal/store", "internal/worker", "internal/llm", "internal/llm/tokens", "internal/tool", "internal/budget",
		"internal/interrupt", "internal/domain/ask", "internal/domain/onbehalf", "internal/domain/priority/*",
	},
	// The rooms of agent graphs.
	"internal/domain/graphs": {
		"internal/access", "internal/account", "internal/tool/secret", "internal/usersecret", // whose key seals the secrets of users
		".", "internal/module", "internal/httpapi", "internal/httpapi/openapi", "internal/store", "internal/worker", "internal/trigger", "internal/feed", "internal/domain/graphs/*",
	},
	"internal/domain/graphs/graph":  {".", "internal/jsonvalue", "internal/node", "internal/tool"},
	"internal/domain/graphs/record": {".", "internal/store", "internal/domain/graphs/graph"},
	"internal/domain/graphs/engine": {
		".", "internal/access", "internal/module", "internal/store", "internal/worker", "internal/llm", "internal/node", "internal/tool", "internal/domain/graphs/graph",
		"internal/domain/graphs/record", "internal/account", "internal/domain/ask", "internal/tool/secret", "internal/interrupt",
	},
	"internal/domain/graphs/nodes": {
		".", "internal/celguard", "internal/netguard", "internal/llm", "internal/node", "internal/tool", "internal/tool/secret", "internal/usersecret",
		"internal/domain/graphs/engine", "internal/domain/graphs/graph",
	},
	// Metrics, and their rooms. What the runtime does it reads from the documents of graphs and of usage.
	"internal/domain/metrics": {
		".", "client", "internal/module", "internal/httpapi", "internal/httpapi/openapi", "internal/store", "internal/access", "internal/budget", "internal/domain/graphs/record",
		"internal/domain/metrics/*",
	},
	// Runs read what they caused, in whichever domain.
	"internal/domain/runs": {
		".", "client", "internal/module", "internal/httpapi", "internal/httpapi/openapi", "internal/store", "internal/worker", "internal/feed", "internal/trigger",
		"internal/domain/graphs/record", "internal/domain/priority/record", "internal/domain/runs/need", "internal/domain/runs/view", "internal/access", "internal/llm",
	},
	"internal/domain/runs/need":      {".", "internal/store"},
	"internal/domain/runs/view":      {".", "internal/store", "internal/llm", "internal/domain/graphs/record", "internal/domain/priority/record"},
	"internal/domain/metrics/sketch": {},
	"internal/domain/metrics/record": {".", "internal/store"},
	"internal/domain/metrics/rollup": {".", "internal/store", "internal/domain/metrics/record", "internal/domain/metrics/sketch"},
	// Records, and their rooms. A metric is a record, too, whose points count.
	"internal/domain/records": {
		"internal/chatfork",
		".", "internal/module", "internal/httpapi", "internal/httpapi/openapi", "internal/store", "internal/worker", "internal/trigger", "internal/tool", "internal/domain/records/*",
		"internal/domain/metrics/record", "internal/domain/metrics/rollup",
	},
	"internal/domain/records/doctool": {
		".", "internal/store", "internal/tool", "internal/domain/onbehalf", "internal/domain/records/record", "internal/domain/records/version",
	},
	"internal/domain/records/record":  {".", "internal/store"},
	"internal/domain/records/version": {".", "internal/store", "internal/domain/records/record"},
	"internal/domain/records/thread":  {".", "internal/store", "internal/domain/records/record"},
	"internal/domain/records/diff":    {},
	// The rooms of agents, from what all of them know to the front door.
	"internal/agent/chatdoc":      {".", "internal/store"},
	"internal/agent/wording":      {"."},
	"internal/agent/role":         {"."},
	"internal/agent/condense":     {".", "internal/llm", "internal/llm/tokens"},
	"internal/agent/controltool":  {".", "internal/llm", "internal/tool", "internal/agent/chatdoc", "internal/agent/role", "internal/agent/wording"},
	"internal/agent/conversation": {".", "internal/chatfork", "internal/store", "internal/llm", "internal/agent/chatdoc", "internal/agent/condense", "internal/agent/controltool"},
	"internal/agent/remote": {
		".", "internal/store", "internal/worker", "internal/trigger", "internal/module", "internal/llm", "internal/netguard", "internal/tool/secret",
		"internal/agent/condense", "internal/agent/controltool", "internal/agent/role",
	},
	"internal/agent/billing": {
		".", "internal/account", "internal/store", "internal/worker", "internal/budget", "internal/agent/chatdoc", "internal/agent/conversation",
	},
	"internal/agent/memory": {".", "internal/store", "internal/budget", "internal/agent/billing", "internal/agent/chatdoc", "internal/agent/conversation"},
	"internal/agent/ask": {
		".", "internal/store", "internal/worker", "internal/feed", "internal/module", "internal/llm", "internal/llm/tokens", "internal/budget", "internal/file", "internal/ration",
		"internal/agent/billing", "internal/agent/chatdoc", "internal/agent/condense", "internal/agent/conversation", "internal/interrupt", "internal/agent/wording",
	},
	"internal/agent/lifecycle": {
		".", "internal/store", "internal/tool", "internal/budget", "internal/agent/billing", "internal/agent/chatdoc",
		"internal/agent/controltool", "internal/agent/conversation", "internal/agent/role", "internal/agent/wording",
	},
	"internal/agent/control": {
		".", "internal/store", "internal/agent/chatdoc", "internal/agent/conversation", "internal/agent/lifecycle", "internal/agent/role",
		"internal/agent/wording",
	},
	"internal/agent/toolrun": {
		".", "internal/store", "internal/worker", "internal/feed", "internal/module", "internal/llm", "internal/tool",
		"internal/agent/chatdoc", "internal/agent/controltool", "internal/agent/conversation", "internal/interrupt",
		"internal/file", "internal/agent/lifecycle", "internal/agent/role", "internal/agent/wording",
	},
	"internal/agent/orchestrator": {
		".", "internal/store", "internal/worker", "internal/feed", "internal/llm", "internal/tool", "internal/budget", "internal/agent/ask",
		"internal/agent/billing", "internal/agent/chatdoc", "internal/agent/condense", "internal/agent/controltool",
		"internal/agent/control", "internal/agent/conversation", "internal/interrupt", "internal/agent/lifecycle", "internal/agent/role",
		"internal/agent/toolrun", "internal/agent/wording",
	},
	"internal/agent/loop": {
		".", "internal/store", "internal/worker", "internal/feed", "internal/llm", "internal/tool", "internal/budget", "internal/agent/ask",
		"internal/agent/billing", "internal/agent/chatdoc", "internal/agent/condense", "internal/agent/controltool",
		"internal/agent/conversation", "internal/interrupt", "internal/agent/lifecycle", "internal/agent/memory",
		"internal/agent/remote", "internal/agent/role", "internal/agent/toolrun", "internal/agent/wording",
	},
	"internal/agent/participant": {
		".", "internal/store", "internal/worker", "internal/module", "internal/agent/chatdoc", "internal/agent/conversation",
		"internal/agent/lifecycle", "internal/agent/role", "internal/agent/wording",
	},
	"internal/agent": {
		".", "internal/store", "internal/worker", "internal/feed", "internal/trigger", "internal/module", "internal/file", "internal/interrupt", "internal/llm", "internal/agent/*",
	},

	"internal/httpapi": {
		"internal/chatfork", "internal/search",
		".", "internal/store", "internal/feed", "internal/access", "internal/access/rules", "internal/connection", "internal/usersecret",
		"internal/tool", "internal/account", "internal/account/sharing", "internal/budget", "internal/disk", "internal/replication",
		"internal/httpapi/web", "internal/httpapi/openapi", "internal/httpapi/events", "internal/sse",
	},
	"internal/httpapi/events": {
		"internal/chatfork", "internal/recovery",
		".", "internal/store", "internal/feed", "internal/sse", "internal/access", "internal/access/rules", "internal/account/sharing", "internal/httpapi/web",
	},
	"internal/httpapi/openapi": {".", "internal/store", "internal/httpapi/web"},
	"internal/httpapi/web":     {".", "internal/access", "internal/recovery"},
	"internal/webui":           {},

	"internal/access/*":    {".", "internal/store", "internal/access", "internal/celguard"},
	"internal/replication": {".", "internal/store", "internal/feed", "internal/sse"},

	"client": {"."},

	// Examples use what users can.
	"examples":   {},
	"examples/*": {".", "client", "server", "tool", "node", "model"},

	// Programs that measure, and packages that only tests import.
	"scripts/mutate":                   {},
	"bench":                            {".", "internal/*", "internal/*/*"},
	"bench/*":                          {".", "server", "model", "internal/*", "internal/*/*", "internal/store/postgres/pgserver"},
	"internal/httpapi/apitest":         {},
	"internal/httpapi/tsgen":           {},
	"internal/crashtest":               {".", "node", "internal/*", "internal/*/*"},
	"internal/siege":                   {},
	"internal/economy":                 {},
	"internal/testmain":                {},
	"internal/launch":                  {},
	"internal/proctest":                {"internal/launch"},
	"internal/servertest":              {"server", "internal/access", "internal/app", "internal/store/postgres/pgtest"},
	"internal/nodetest":                {},
	"internal/door/doortest":           {"server", "tool", "model/modeltest", "internal/nodetest", "internal/launch", "internal/proctest", "internal/servertest"},
	"internal/store/engines":           {".", "internal/store", "internal/store/*", "internal/store/postgres/pgtest"},
	"internal/store/postgres/pgserver": {"."},
	"internal/store/postgres/pgtest":   {".", "internal/store/postgres/pgserver", "internal/testmain"},
	"internal/store/storetest":         {".", "internal/store", "internal/store/engines"},
	"internal/llm/llmtest":             {".", "internal/llm"},
}

// onlyForTests are the packages that no program may contain.
var onlyForTests = []string{
	"internal/crashtest", "internal/siege", "internal/store/engines", "internal/store/postgres/pgtest", "internal/store/storetest", "internal/llm/llmtest",
	"internal/bus/bustest", "internal/bus/natstest", "internal/filestore/s3test", "internal/httpapi/apitest", "internal/httpapi/tsgen", "internal/testmain", "internal/servertest", "internal/proctest", "internal/nodetest", "internal/door/doortest",
}

// saysNothing are names of packages that become a place for anything.
var saysNothing = []string{"util", "utils", "common", "core", "types", "manager"}

func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	for _, p := range list(t, "./...") {
		name := relative(p.ImportPath)
		allowed, ok := rule(name)
		if !ok {
			t.Errorf("%s is not in the table of imports", name)
		}
		for _, imported := range p.Imports {
			in := relative(imported)
			if in != "" && !slices.ContainsFunc(allowed, func(pattern string) bool { return matches(pattern, in) }) {
				t.Errorf("%s imports %s", name, in)
			}
		}
	}
}

func TestNoProgramContainsTestSupport(t *testing.T) {
	for _, p := range list(t, "./...") {
		if slices.Contains(onlyForTests, relative(p.ImportPath)) {
			continue
		}
		for _, imported := range p.Imports {
			if imported == "testing" || strings.HasSuffix(imported, "test") || slices.Contains(onlyForTests, relative(imported)) {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

func TestTheRootPackageUsesTheStandardLibraryOnly(t *testing.T) {
	for _, p := range list(t, "-deps", ".") {
		if !p.Standard && p.ImportPath != module {
			t.Errorf("it depends on %s", p.ImportPath)
		}
	}
}

func TestPackagesHaveNamesThatSaySomething(t *testing.T) {
	for _, p := range list(t, "./...") {
		if slices.Contains(saysNothing, p.Name) || slices.Contains(saysNothing, path.Base(p.ImportPath)) {
			t.Errorf("%s: name it after what it does", p.ImportPath)
		}
	}
}

// notLinked are libraries that are too large for what they would do here.
var notLinked = []string{
	"google.golang.org/grpc", "google.golang.org/genai", "cloud.google.com/go", // for Gemini
	"github.com/openai/openai-go",    // tests compare with it
	"github.com/nats-io/nats-server", // tests start it
	"html/template", "net/rpc",
}

func TestTheProgramLinksNoLargeLibraries(t *testing.T) {
	for _, p := range list(t, "-deps", "./cmd/nestor") {
		for _, library := range notLinked {
			if p.ImportPath == library || strings.HasPrefix(p.ImportPath, library+"/") {
				t.Errorf("it links %s", p.ImportPath)
			}
		}
	}
}

type listed struct {
	ImportPath string
	Name       string
	Standard   bool
	Imports    []string
}

// list asks the go command about packages.
func list(t *testing.T, args ...string) (packages []listed) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Name,Standard,Imports"}, args...)...)
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, failure.String())
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// relative is a package's place in the module, "" for packages of others.
func relative(importPath string) string {
	if importPath == module {
		return "."
	}
	rest, ok := strings.CutPrefix(importPath, module+"/")
	if !ok {
		return ""
	}
	return rest
}

// rule finds a package in the table; a row with its name comes before one with
// a star.
func rule(name string) ([]string, bool) {
	if allowed, ok := mayImport[name]; ok {
		return allowed, true
	}
	allowed, ok := mayImport[path.Dir(name)+"/*"]
	return allowed, ok
}

// matches reports whether name is the package, or one of those, that the
// pattern stands for.
func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
