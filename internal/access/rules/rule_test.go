package rules_test

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access/rules"
)

func TestWhatIsWrongWithARulesFileIsSaid(t *testing.T) {
	rule := func(fields string) string { return `{"rules":[{` + fields + `}]}` }
	for name, c := range map[string]struct{ file, want string }{
		"no JSON":              {"{\n  \"rules\": [\n", "rules.json, line 3: unexpected EOF"},
		"a syntax error":       {"{\n  \"rules\" []}", "rules.json, line 2: invalid character"},
		"another type":         {"{\n  \"rules\": 5}", "rules.json, line 2: rules must be an array, not a JSON number"},
		"text at the end":      {`{"rules":[]} x`, "there is text after the rules"},
		"an unknown field":     {rule(`"id":"a","when":"true"`), `unknown field "when"`},
		"no id":                {rule(`"path":"a/{b}"`), "rule #1: id:"},
		"a repeated id":        {`{"rules":[{"id":"a","path":"a/{b}","operations":["read"],"condition":"true"},{"id":"a","path":"a/{b}","operations":["read"],"condition":"true"}]}`, `rule "a": another rule has this id`},
		"no path":              {rule(`"id":"a"`), `rule "a": path ""`},
		"a collection":         {rule(`"id":"a","path":"users/{u}/notes"`), "odd number of segments"},
		"** in the middle":     {rule(`"id":"a","path":"users/**/x"`), "** may only be the last segment"},
		"a bad placeholder":    {rule(`"id":"a","path":"users/{1}"`), "is not a placeholder"},
		"half a placeholder":   {rule(`"id":"a","path":"users/{u"`), "is not a placeholder"},
		"a placeholder twice":  {rule(`"id":"a","path":"users/{u}/x/{u}"`), "{u} stands there twice"},
		"a bad segment":        {rule(`"id":"a","path":"users/a b"`), "outside A-Z"},
		"no operations":        {rule(`"id":"a","path":"users/{u}"`), "operations: name some of"},
		"an unknown operation": {rule(`"id":"a","path":"users/{u}","operations":["list"]`), `operations: "list" is not one of`},
		"no condition":         {rule(`"id":"a","path":"users/{u}","operations":["read"]`), "condition: is missing"},
		"a misspelt field":     {rule(`"id":"a","path":"users/{u}","operations":["read"],"condition":"request.auth.udi == 'x'"`), "condition: line 1, column 13: undefined field 'udi'"},
		"a placeholder of another rule": {
			rule(`"id":"a","path":"users/{u}","operations":["read"],"condition":"resource.params.userId == 'x'"`),
			"undefined field 'userId'",
		},
		"a problem in the second line": {rule(`"id":"a","path":"users/{u}","operations":["read"],"condition":["true", "&& nobody"]`), "line 2, column 4"},
		"a condition that is no text":  {rule(`"id":"a","path":"users/{u}","operations":["read"],"condition":5`), "rules.condition must be a string, not a JSON number"},
		"a condition of other lines":   {rule(`"id":"a","path":"users/{u}","operations":["read"],"condition":[5]`), "rules.condition must be a string, not a JSON number"},
		"an unknown variable":          {rule(`"id":"a","path":"users/{u}","operations":["read"],"condition":"event.type == 'x'"`), "undeclared reference to 'event'"},
		"no yes or no":                 {rule(`"id":"a","path":"users/{u}","operations":["read"],"condition":"request.auth.uid"`), "it gives a value of type string"},
		"perhaps yes or no":            {rule(`"id":"a","path":"users/{u}","operations":["read"],"condition":"resource.before.public"`), "it gives a value of type dyn"},
		"two problems":                 {`{"rules":[{"id":"a","path":"x"},{"id":"b","path":"y"}]}`, "rule \"b\": path"},
	} {
		_, err := rules.New(rules.Options{Name: "rules.json", File: []byte(c.file)})
		if nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestWhatNoRuleAllowsIsRefused(t *testing.T) {
	e, _ := newEngine(t, `{"rules":[]}`)
	for _, v := range visitors {
		for p := range household {
			if got := outcomes(e.On(inMemory(household), v.caller), p, household[p]); got != "-----" {
				t.Errorf("%s on %s: %s", v.name, p, got)
			}
		}
	}
}

func TestAFileOfRulesTakesThePlaceOfTheBuiltInOnes(t *testing.T) {
	e, _ := newEngine(t, `{"rules":[
		{"id":"public","path":"pages/{id}","operations":["read"],"condition":"true"},
		{"id":"below","path":"pages/{id}/**","operations":["read"],"condition":"request.auth.uid != '' && resource.params.id == 'p'"},
		{"id":"boxes","path":"boxes/{id}/**","operations":["read"],"condition":"true"},
		{"id":"first","path":"first/{id}","operations":["create","update"],"condition":"!has(resource.before) && resource.before == null && has(resource.after)"},
		{"id":"drafts","path":"drafts/{id}","operations":["update"],"condition":"resource.before.by == request.auth.uid && resource.changed == ['text']"},
		{"id":"drafts-read","path":"drafts/{id}","operations":["read"],"condition":"resource.before.by == request.auth.uid || resource.path in ['drafts/open']"}]}`)
	j := func(user string) *rules.Judge { return e.On(inMemory(household), session(user)) }
	draft := change("drafts/d", `{"by":"ada","text":"a"}`, `{"by":"ada","text":"b"}`)
	for name, c := range map[string]struct {
		err  error
		want nestor.Code
	}{
		"everybody reads a page":         {e.On(inMemory(household), anonymous).May(rules.Read, "pages/p", nil, nil), ""},
		"but not what lies below it":     {e.On(inMemory(household), anonymous).May(rules.Read, "pages/p/x/y", nil, nil), nestor.CodeNotFound},
		"a rule with ** is for below":    {j("ada").May(rules.Read, "boxes/b/x/y", nil, nil), ""},
		"and not for what is above":      {j("ada").May(rules.Read, "boxes/b", nil, nil), nestor.CodeNotFound},
		"a user reads below it":          {j("ada").May(rules.Read, "pages/p/x/y/z/w", nil, nil), ""},
		"a placeholder is looked at":     {j("ada").May(rules.Read, "pages/q/x/y", nil, nil), nestor.CodeNotFound},
		"the built-in rules are gone":    {j("ada").May(rules.Read, team, nil, nil), nestor.CodeNotFound},
		"what is not there is null":      {j("ada").May(rules.Create, "first/f", nil, draft.After), ""},
		"and what is there is not":       {j("ada").May(rules.Update, "first/f", draft.Before, draft.After), nestor.CodeNotFound},
		"a user changes a draft":         {j("ada").May(rules.Update, "drafts/d", draft.Before, draft.After), ""},
		"another does not see it":        {j("bob").May(rules.Update, "drafts/d", draft.Before, draft.After), nestor.CodeNotFound},
		"and not more than the text":     {j("ada").May(rules.Update, "drafts/d", draft.Before, change("drafts/d", "", `{"by":"bob","text":"b"}`).After), nestor.CodeForbidden},
		"a body is needed and not there": {j("ada").May(rules.Read, "drafts/d", nil, nil), nestor.CodeNotFound},
	} {
		if nestor.CodeOf(c.err) != c.want {
			t.Errorf("%s: %v, want %q", name, c.err, c.want)
		}
	}
}
