package role

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
)

func TestDefaultRoles(t *testing.T) {
	roles := Default()
	if got := roles.Names(); !slices.Equal(got, []string{"general", "researcher"}) {
		t.Errorf("there are %v", got)
	}
	if err := roles.check("roles.json"); err != nil {
		t.Error(err)
	}
	if !strings.Contains(roles.Orchestrator.Instructions, "You are the orchestrator") {
		t.Errorf("the orchestrator is told %q", roles.Orchestrator.Instructions)
	}
	if general := roles.Roles["general"]; general.MaxIterations != 25 || general.MaxDepth != 3 || general.Agents != nil || general.Tools != nil {
		t.Errorf("general is %+v", general)
	}
}

// configure writes a configuration and a file of instructions beside it.
func configure(t *testing.T, config string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"roles.json": config, "cook.md": "\nYou cook.\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "roles.json")
}

func TestRolesOfTheUserAddToTheBuiltInOnesAndReplaceThem(t *testing.T) {
	roles, err := Load(configure(t, `{
		"roles": {
			"cook": {"description": "cooks", "instructionsFile": "cook.md", "agents": ["general", "cook"], "maxDepth": 1},
			"general": {"description": "works", "instructions": "You work.", "maxIterations": 7}
		},
		"orchestrator": {"modelConnectionId": "strong"}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := roles.Names(); !slices.Equal(got, []string{"cook", "general", "researcher"}) {
		t.Errorf("there are %v", got)
	}
	if cook := roles.Roles["cook"]; cook.Instructions != "You cook." || cook.MaxIterations != 25 || cook.MaxDepth != 1 {
		t.Errorf("cook is %+v", cook)
	}
	if general := roles.Roles["general"]; general.Instructions != "You work." || general.MaxIterations != 7 {
		t.Errorf("general is %+v", general)
	}
	if o := roles.Orchestrator; o.ModelConnectionID != "strong" || o.Instructions != Default().Orchestrator.Instructions {
		t.Errorf("the orchestrator is %+v", o)
	}
}

func TestAWrongConfigurationSaysWhichRoleIsWrongAndWhy(t *testing.T) {
	tests := []struct{ name, config, role, why string }{
		{"no JSON", `{"roles": [}`, "", "invalid character"},
		{"an unknown field", `{"roles": {"cook": {"descriptoin": "cooks"}}}`, "", `unknown field "descriptoin"`},
		{"no instructions", `{"roles": {"cook": {"description": "cooks"}}}`, "cook", "instructions or instructionsFile is missing"},
		{"two instructions", `{"roles": {"cook": {"description": "cooks", "instructions": "Cook.", "instructionsFile": "cook.md"}}}`, "cook", "not both"},
		{"a file that is not there", `{"roles": {"cook": {"description": "cooks", "instructionsFile": "bake.md"}}}`, "cook", "instructionsFile cannot be read"},
		{"no description", `{"roles": {"cook": {"instructions": "Cook."}}}`, "cook", "description is missing"},
		{"a bad name", `{"roles": {"Head Cook": {"description": "cooks", "instructions": "Cook."}}}`, "Head Cook", "a name is made of"},
		{"a negative limit", `{"roles": {"cook": {"description": "cooks", "instructions": "Cook.", "maxIterations": -1}}}`, "cook", "limits are not negative"},
		{"a negative budget", `{"roles": {"cook": {"description": "cooks", "instructions": "Cook.", "budget": {"costMicros": -1}}}}`, "cook", "a budget is not negative"},
		{"an unknown role below", `{"roles": {"cook": {"description": "cooks", "instructions": "Cook.", "agents": ["waiter"]}}}`, "cook", `"waiter", which is no role; there are: [cook general researcher]`},
		{"a remote agent without an address", `{"roles": {"cook": {"description": "cooks", "a2a": {"url": "kitchen"}}}}`, "cook", "a2a: url is the address of an agent card"},
		{"a remote agent with tools", `{"roles": {"cook": {"description": "cooks", "a2a": {"url": "https://example.org/card"}, "tools": ["calculator"]}}}`, "cook", "has instructions, tools, agents and a model of its own"},
		{"a remote agent with instructions", `{"roles": {"cook": {"description": "cooks", "a2a": {"url": "https://example.org/card"}, "instructions": "Cook."}}}`, "cook", "has instructions, tools, agents and a model of its own"},
		{"an orchestrator with a bound that is none", `{"orchestrator": {"maxIterations": 5}}`, "", `unknown field "maxIterations"`},
		{"an orchestrator with a budget", `{"orchestrator": {"budget": {"tokens": 1}}}`, "", `unknown field "budget"`},
		{"an orchestrator with a negative bound", `{"orchestrator": {"maxTokens": -1}}`, "", "orchestrator: maxTokens is not negative"},
		{"an orchestrator whose file is not there", `{"orchestrator": {"instructionsFile": "o.md"}}`, "", "orchestrator: instructionsFile cannot be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := configure(t, tt.config)
			_, err := Load(file)
			if nestor.CodeOf(err) != nestor.CodeInvalid {
				t.Fatalf("got %v", err)
			}
			wants := []string{file, tt.why}
			if tt.role != "" {
				wants = append(wants, `role "`+tt.role+`"`)
			}
			for _, want := range wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %s in: %v", want, err)
				}
			}
		})
	}
	if _, err := Load(filepath.Join(t.TempDir(), "gone.json")); nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), "gone.json") {
		t.Errorf("got %v", err)
	}
}
