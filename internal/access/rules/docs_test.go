package rules_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/access/rules"
)

func TestTheExamplesInTheDocumentationWork(t *testing.T) {
	text, err := os.ReadFile("../../../docs/access.md")
	if err != nil {
		t.Fatal(err)
	}
	files := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(text, -1)
	conditions := regexp.MustCompile("(?s)```\n(request.*?)\n```").FindSubmatch(text)
	if len(files) != 1 || conditions == nil {
		t.Fatalf("found %d files and the conditions %q", len(files), conditions)
	}
	newEngine(t, string(files[0][1]))
	for line := range strings.SplitSeq(string(conditions[1]), "\n") {
		condition, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		file := `{"rules":[{"id":"r","path":"x/{userId}/y/{accountId}","operations":["read"],"condition":` + string(condition) + `}]}`
		if _, err := rules.New(rules.Options{Name: "docs/access.md", File: []byte(file)}); err != nil {
			t.Error(err)
		}
	}
}
