package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// takesMedia tells the providers that say they take media in results. All others
// must be given none, see [llm.Shown].
func takesMedia(p Provider) bool {
	m, err := p.New(llm.Target{BaseURL: "http://127.0.0.1:1", APIKey: secret})
	taker, ok := m.(llm.MediaTaker)
	return err == nil && ok && taker.TakesMedia("image/png")
}

// pictured is a conversation with two calls at once whose results have an image
// each, cG5nMQ== and cG5nMg== in base64.
func pictured() *llm.Request {
	req := ask("What do you see?")
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{
			llm.ToolCall{ID: "c1", Name: "shoot", Arguments: "{}"},
			llm.ToolCall{ID: "c2", Name: "scan", Arguments: "{}"},
		}},
		llm.Message{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{
			CallID: "c1", Name: "shoot", Content: "[a photo]", Media: []llm.Media{{MIMEType: "image/png", Data: []byte("png1")}},
		}}},
		llm.Message{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{
			CallID: "c2", Name: "scan", Content: "[a scan]", Media: []llm.Media{{MIMEType: "image/jpeg", Data: []byte("png2")}},
		}}},
	)
	return req
}

func showsMedia(h *harness) {
	s := h.p.Wire.Serve(h, Turn{Events: []llm.Event{done}})
	h.events(h.model(s), pictured())
	body := s.Requests()[0].Body
	for _, want := range h.p.Wire.pictured {
		h.contains(body, want)
	}
}

// sendsLargeMedia has data that are encoded while they are sent, among text.
func sendsLargeMedia(h *harness) {
	s := h.p.Wire.Serve(h, Turn{Events: []llm.Event{done}}, Turn{Events: []llm.Event{done}})
	req := pictured()
	var all []string
	for i, size := range []int{300_001, 100_000} {
		data := bytes.Repeat([]byte{byte(i), 1, 2, 3, 4, 5, 6}, size)[:size]
		req.Messages[2+i].Parts = []llm.Part{llm.ToolResult{
			CallID: req.Messages[2+i].Parts[0].(llm.ToolResult).CallID, Name: "shoot", Content: "[a photo]", Media: []llm.Media{{MIMEType: "image/png", Data: data}},
		}}
		all = append(all, base64.StdEncoding.EncodeToString(data))
	}
	m := h.model(s)
	h.events(m, req)
	h.events(m, req) // nothing of the first is left
	for _, got := range s.Requests() {
		if !json.Valid([]byte(got.Body)) {
			h.Errorf("the request of %d bytes is no JSON", len(got.Body))
		}
		for i, want := range all {
			if strings.Count(string(got.Body), want) != 1 {
				h.Errorf("the request of %d bytes has image %d %d times", len(got.Body), i, strings.Count(string(got.Body), want))
			}
		}
		h.lacks(got.Body, "nestor-inline")
	}
}

func checksMedia(h *harness) {
	m := h.model(h.p.Wire.Serve(h)) // any request would fail the test
	for problem, media := range map[string]llm.Media{
		"nothing in it": {MIMEType: "image/png"},
		"no type":       {Data: []byte("x")},
		"nobody's type": {MIMEType: "application/zip", Data: []byte("x")},
	} {
		req := pictured()
		req.Messages[2].Parts = []llm.Part{llm.ToolResult{CallID: "c1", Name: "shoot", Media: []llm.Media{media}}}
		if _, err := h.call(h.Context(), m, req); nestor.CodeOf(err) != nestor.CodeInvalid {
			h.Errorf("%s: error %v, want code %q", problem, err, nestor.CodeInvalid)
		}
	}
}

// refusesMedia is a server that does not take the images it is shown, says so in
// several ways, and takes the same conversation without.
func refusesMedia(h *harness) {
	for _, refusal := range []Turn{
		{Status: http.StatusBadRequest, Message: "this model does not support image input"},
		{Status: http.StatusUnprocessableEntity, Message: "unknown variant `image_url`, expected `text`"},
		{Status: http.StatusRequestEntityTooLarge, Message: "request too large"},
		{Status: http.StatusInternalServerError, Message: "image input is not supported - hint: provide the mmproj"},
	} {
		fine := Turn{Events: []llm.Event{llm.Text{Text: "Nothing."}, done}}
		s := h.p.Wire.Serve(h, refusal, fine, fine, fine)
		m := h.model(s)
		m = llm.Shown(m, m.(llm.MediaTaker).TakesMedia)
		h.events(m, pictured())
		h.events(m, pictured())
		newer := pictured()
		newer.Messages[3].Parts = []llm.Part{llm.ToolResult{
			CallID: "c2", Name: "scan", Content: "[a scan]", Media: []llm.Media{{MIMEType: "image/png", Data: []byte("png3")}},
		}}
		h.events(m, newer)
		got := s.Requests()
		if len(got) != 4 {
			h.Fatalf("%s: %d requests, want a refused one, one more, and two that know", refusal.Message, len(got))
		}
		h.has(got[0].Body, "cG5nMQ==", "cG5nMg==")
		for _, after := range got[1:] {
			h.lacks(after.Body, "cG5nMQ==")
			h.lacks(after.Body, "cG5nMg==")
			h.has(after.Body, "[a photo]", "[a scan]")
		}
		h.has(got[3].Body, "cG5nMw==") // what was never refused is tried
	}
}

// failsBesideMedia is a server that fails for other reasons: its failure is told.
func failsBesideMedia(h *harness) {
	s := h.p.Wire.Serve(h,
		Turn{Status: http.StatusServiceUnavailable, Message: "busy"},
		Turn{Status: http.StatusBadRequest, Message: "no such model"}, Turn{Status: http.StatusBadRequest, Message: "no such model"},
		Turn{Events: []llm.Event{done}},
	)
	m := h.model(s)
	m = llm.Shown(m, m.(llm.MediaTaker).TakesMedia)
	h.fails(m, pictured(), nestor.CodeUnavailable)
	h.fails(m, pictured(), nestor.CodeInvalid)
	h.events(m, pictured())
	h.has(s.Requests()[3].Body, "cG5nMQ==", "cG5nMg==") // the image was not to blame
}
