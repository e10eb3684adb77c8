package files_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/server"
	"github.com/nestorhq/nestor/tool"
)

// camera is a model that calls the tool shoot once and looks at what it returns.
type camera struct{ seeing }

func (c *camera) Generate(ctx context.Context, r *llm.Request) iter.Seq2[llm.Event, error] {
	last := r.Messages[len(r.Messages)-1]
	offered := false
	for _, t := range r.Tools {
		offered = offered || t.Name == "shoot"
	}
	if !offered || last.Role == llm.RoleTool {
		return c.seeing.Generate(ctx, r)
	}
	return func(yield func(llm.Event, error) bool) {
		_ = yield(llm.ToolCall{ID: "k1", Name: "shoot", Arguments: "{}"}, nil) && yield(llm.Usage{Input: 1, Output: 1}, nil) &&
			yield(llm.Finish{Reason: llm.ReasonToolCalls}, nil)
	}
}

// shoot is a tool that returns a picture that no document has room for, and
// something that is no picture though it says so.
var shoot = tool.New("shoot", tool.Options{Effect: tool.Pure}, func(context.Context, struct{}) (tool.Output, error) {
	m, _ := tool.NewMedia("image/png", "shot.png", large)
	return tool.Output{Text: "[a picture][another]", Media: []nestor.Media{m, {MIMEType: "image/png", Data: "bm8="}}}, nil
})

var large = append(another("large"), make([]byte, 2<<20)...)

func TestWhatAToolReturnsIsAFileThatTheModelSees(t *testing.T) {
	var model *camera
	eachWith(t, func(c *server.Config) {
		model = &camera{}
		model.take("image/png")
		c.Model, c.Tools = model, []*tool.Tool{shoot}
	}, func(p *person) {
		p.Wants(201, "POST", "chats", `{"id":"c1","title":"t","participant":"agent:general"}`)
		p.Wants(201, "POST", "chats/c1/messages", `{"id":"m1","content":"Shoot."}`)
		p.Settled()
		media, _ := model.saw()
		if len(media) != 1 || string(media[0].Data) != string(large) || media[0].Name != "shot.png" {
			p.Fatalf("the model saw %d media", len(media))
		}
		var agents struct{ Items []nestor.SubAgent }
		p.Into(&agents, 200, "GET", "chats/c1/sub-agents", "")
		var said struct{ Items []nestor.SubAgentMessage }
		p.Into(&said, 200, "GET", "chats/c1/sub-agents/"+agents.Items[0].ID+"/messages", "")
		for _, m := range said.Items {
			if m.Role != nestor.RoleTool {
				continue
			}
			if len(m.Parts) != 1 || m.Parts[0].Type != nestor.PartImage || m.Parts[0].Name != "shot.png" || len(m.Media) != 0 ||
				!strings.Contains(m.Content, "[could not be kept: 1 of 2 images and files; they are only described]") {
				p.Errorf("%+v", m)
			}
			if got, _ := p.reads(200, "chats/c1/files/"+m.Parts[0].FileID); got != string(large) {
				p.Errorf("%d bytes", len(got))
			}
		}
		var chat struct{ Items []nestor.Message }
		p.Into(&chat, 200, "GET", "chats/c1/messages", "")
		shown := 0
		for _, m := range chat.Items {
			if m.Type == nestor.MessageToolResult {
				shown += len(m.Parts)
			}
		}
		if shown != 1 {
			p.Errorf("the chat shows %d files", shown)
		}
	})
}
