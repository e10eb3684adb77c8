package rules_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access/rules"
)

// fileRule is a rule as a file has it.
type fileRule struct {
	ID, Path   string
	Operations []string
	Condition  any
	Comment    string
}

func readRules(t *testing.T, text []byte) map[string]fileRule {
	t.Helper()
	var file struct{ Rules []fileRule }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	byID := map[string]fileRule{}
	for _, r := range file.Rules {
		byID[r.ID] = r
	}
	if len(byID) != len(file.Rules) {
		t.Errorf("%d rules have %d ids", len(file.Rules), len(byID))
	}
	return byID
}

// The rules lie with the modules that they are about. Taken together they are those
// of testdata/standard.json: whoever moves one loses none, and whoever changes one
// changes both.
func TestTheRulesOfModulesAddUpToTheBuiltInOnes(t *testing.T) {
	want, err := os.ReadFile("testdata/standard.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := rules.Standard(modules)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := text(readRules(t, got)), text(readRules(t, want)); a != b {
		t.Errorf("the rules are\n%s\nwant\n%s", a, b)
	}

	inModules, _ := newEngine(t, "")
	printed, _ := newEngine(t, string(got))
	inOne, _ := newEngine(t, string(want))
	allowed := 0
	for _, v := range visitors {
		for _, p := range slices.Sorted(maps.Keys(household)) {
			d := &nestor.Document{Path: p, Version: 1, Data: json.RawMessage(household[p])}
			for op, docs := range map[rules.Op][2]*nestor.Document{
				rules.Read: {d, nil}, rules.Act: {d, nil}, rules.Delete: {d, nil}, rules.Create: {nil, d}, rules.Update: {d, d},
			} {
				decide := func(e *rules.Engine) nestor.Code {
					return nestor.CodeOf(e.On(inMemory(household), v.caller).May(op, p, docs[0], docs[1]))
				}
				want := decide(inOne)
				if want == "" {
					allowed++
				}
				for name, e := range map[string]*rules.Engine{"of the modules": inModules, "that are printed": printed} {
					if got := decide(e); got != want {
						t.Errorf("%s may %s %s by the rules %s: %q, want %q", v.name, op, p, name, got, want)
					}
				}
			}
		}
	}
	if allowed < 100 {
		t.Errorf("of all that was tried only %d are allowed", allowed)
	}
}

func TestRulesOfModulesThatDoNotFitAreRefused(t *testing.T) {
	const local = `{"rules":[{"id":"local","path":"things/{id}","operations":["read"],"condition":"true"}]}`
	for name, c := range map[string]struct{ file, want string }{
		"the id of a built-in rule": {local, "another rule has this id"},
		"no JSON":                   {"{\n[", "toys, line 2"},
		"no rule":                   {`{"rules":[{"id":"x"}]}`, "path"},
	} {
		_, err := rules.Standard(map[string][]byte{"toys": []byte(c.file)})
		if nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
