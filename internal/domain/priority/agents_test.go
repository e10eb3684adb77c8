package priority_test

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// searcher is the demo model, but its agents search the tasks of the person and answer
// with what they find.
type searcher struct{ *demo.Model }

func (m searcher) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	var offered []string
	for _, t := range req.Tools {
		offered = append(offered, t.Name)
	}
	if !slices.Contains(offered, "final_answer") {
		return m.Model.Generate(ctx, req)
	}
	say := llm.ToolCall{ID: "c1", Name: "semantic-search", Arguments: `{"query":"Water the plants"}`}
	for _, part := range req.Messages[len(req.Messages)-1].Parts {
		if result, ok := part.(llm.ToolResult); ok {
			say = llm.ToolCall{ID: "c2", Name: "final_answer", Arguments: `{"answer":"found"}`}
			if !strings.Contains(result.Content, "Water the plants") {
				say.Arguments = `{"answer":"nothing"}`
			}
		}
	}
	for _, name := range []string{"semantic-search", "get-document-context", "detect-dependencies", "query-task-graph", "cluster-by-similarity"} {
		if !slices.Contains(offered, name) {
			say = llm.ToolCall{ID: "c3", Name: "final_answer", Arguments: `{"answer":"` + name + ` is not offered"}`}
		}
	}
	return func(yield func(llm.Event, error) bool) {
		_ = yield(say, nil) && yield(llm.Finish{Reason: llm.ReasonToolCalls}, nil)
	}
}

// reader is the demo model, but its agents read the document that their instruction names, as that says.
type reader struct{ *demo.Model }

var howToRead = regexp.MustCompile(`in the document “Garden”, which ([\w-]+) returns for (\{[^}]*\})`)

func (m reader) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	if !slices.ContainsFunc(req.Tools, func(t llm.Tool) bool { return t.Name == "final_answer" }) {
		return m.Model.Generate(ctx, req)
	}
	say := llm.ToolCall{ID: "c2", Name: "final_answer", Arguments: `{"answer":"not read"}`}
	for _, message := range req.Messages {
		for _, part := range message.Parts {
			switch part := part.(type) {
			case llm.Text:
				if how := howToRead.FindStringSubmatch(part.Text); how != nil && !strings.Contains(part.Text, "roses") && strings.Contains(part.Text, "due on 3 March 2999") {
					say = llm.ToolCall{ID: "c1", Name: how[1], Arguments: how[2]}
				}
			case llm.ToolResult:
				say = llm.ToolCall{ID: "c2", Name: "final_answer", Arguments: fmt.Sprintf(`{"answer":"read: %t"}`, strings.Contains(part.Content, "The roses need most"))}
			}
		}
	}
	return func(yield func(llm.Event, error) bool) {
		_ = yield(say, nil) && yield(llm.Finish{Reason: llm.ReasonToolCalls}, nil)
	}
}

// The agent of a wave is not told the document of its task, but how to read it, and can.
func TestAgentsReadTheDocumentsOfTheirTasks(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = reader{demo.New(demo.Options{Instant: true})}
		p := start(t, cfg)
		p.creates("outcomes", launch)
		p.creates("documents", `{"title":"Garden","content":"The roses need most.\n\n- [ ] Water the plants by 3 March 2999\n"}`)
		p.settled()
		b := p.plans()
		p.wants(202, "POST", b.at()+"/waves/1/run", "")
		p.settled()
		if task := p.tasks("")["Water the plants by 3 March 2999"]; task.Status != "success" || task.Result != "read: true" {
			t.Errorf("the agent ended with %+v", task)
		}
	})
}

func TestAgentsUseTheTools(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = searcher{demo.New(demo.Options{Instant: true})}
		p := start(t, cfg)
		p.creates("outcomes", launch)
		p.creates("documents", `{"title":"Garden","content":"- [ ] Water the plants\n"}`)
		p.settled()
		b := p.plans()
		p.wants(202, "POST", b.at()+"/waves/1/run", "")
		p.settled()
		if task := p.tasks("")["Water the plants"]; task.Status != "success" || task.Result != "found" {
			t.Errorf("the agent ended with %+v", task)
		}
	})
}
