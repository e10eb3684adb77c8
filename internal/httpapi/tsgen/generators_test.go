package tsgen_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/proctest"
)

// Public generators of code read the description of the API, and what they make
// compiles; public linters find nothing wrong with it. Their versions are pinned in
// go.tool.mod and in testdata.

// root is the folder of the module.
const root = "../../.."

func TestTheDescriptionIsValidOpenAPI(t *testing.T) {
	nodetest.Run(t, root, nil, "go", "tool", "-modfile=go.tool.mod", "validate", descriptionFile(t))
}

// Neither linter has anything to say, not even a hint, with all the rules that it recommends.
func TestLintersFindNothingWrongWithTheDescription(t *testing.T) {
	const tools = "testdata/lint"
	bin, described := filepath.Join(nodetest.Install(t, tools), ".bin"), descriptionFile(t)
	nodetest.Run(t, tools, nil, bin+"/spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "hint", described)
	alone := []string{"REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true"}
	said := nodetest.Run(t, tools, alone, bin+"/redocly", "lint", "--config", "redocly.yaml", "--format", "json", described)
	if !strings.Contains(said, `"errors": 0`) || !strings.Contains(said, `"warnings": 0`) {
		t.Error(said)
	}
}

func TestTypesThatOpenAPITypeScriptMakesCompile(t *testing.T) {
	packages, work := nodetest.Install(t, "."), t.TempDir()
	bin := filepath.Join(packages, ".bin")
	nodetest.Copy(t, filepath.Dir(packages), work, "package.json") // it says what kind of modules these are
	nodetest.Copy(t, "testdata/typescript", work, "tsconfig.json", "use.ts")
	nodetest.Run(t, work, nil, bin+"/openapi-typescript", descriptionFile(t), "-o", "api.d.ts")
	nodetest.Run(t, work, nil, bin+"/tsc")
}

// The whole way of somebody who writes a program in Go: generate a client, build
// with it, and talk to a server.
func TestAClientThatOapiCodegenMakesWorks(t *testing.T) {
	work := t.TempDir()
	nodetest.Copy(t, "testdata/go", work, "go.mod", "go.sum", "main.go")
	if err := os.Mkdir(filepath.Join(work, "api"), 0o700); err != nil {
		t.Fatal(err)
	}
	nodetest.Run(t, root, nil, "go", "tool", "-modfile=go.tool.mod", "oapi-codegen", "-package", "api", "-generate", "types,client",
		"-o", filepath.Join(work, "api", "api.go"), descriptionFile(t))
	nodetest.Run(t, work, nil, "go", "build", "-o", "program", ".")
	out := nodetest.Run(t, work, []string{"NESTOR_URL=" + serve(t), "NESTOR_TOKEN=" + token}, filepath.Join(work, "program"))
	const want = "created 201 sums\nsaid 201\nsaid 200\nlisted user Compute 6*7\nread 200 sums\nfailed 404 not_found\n"
	if out != want {
		t.Errorf("it prints\n%s, want\n%s", out, want)
	}
}

// descriptionFile is a file with the description of the API.
func descriptionFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(name, description(t), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

const token = "a-token-for-the-tests"

// serve runs the program with the demo model until the test ends, and returns its
// address.
func serve(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), proctest.Nestor(t), "serve", "--data", t.TempDir(), "--addr", "127.0.0.1:0", "--log-level", "error")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "NESTOR_TOKEN=" + token}
	return proctest.Run(t, cmd).URL
}
