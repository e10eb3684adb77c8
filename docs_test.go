package nestor_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that docs/guarantees.md names exists.
func TestTheGuaranteesNameTestsThatExist(t *testing.T) {
	text, err := os.ReadFile("docs/guarantees.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(\\S+) ((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 50 {
		t.Fatalf("only %d tests are named", len(named))
	}
	for _, m := range regexp.MustCompile("`transcript (\\w+)`").FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(filepath.Join("internal/agent/testdata", m[1]+".txtar")); err != nil {
			t.Errorf("there is no transcript %s", m[1])
		}
	}
	for _, m := range named {
		dir, test := m[1], m[2]
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(source), "\nfunc "+test+"(")
		}
		if !found {
			t.Errorf("%s has no %s", dir, test)
		}
	}
}
