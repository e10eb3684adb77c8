package files_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"mime/multipart"
	"net/textproto"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// A picture of one pixel.
var picture = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82")

// another is a picture that differs from others in bytes behind its end.
func another(i string) []byte { return append(bytes.Clone(picture), i...) }

// person sends requests to a server whose model remembers what it was asked.
type person struct {
	*servertest.Person
	model *seeing
}

// each runs fn with a server on every engine.
func each(t *testing.T, fn func(p *person)) { eachWith(t, nil, fn) }

func eachWith(t *testing.T, set func(*server.Config), fn func(p *person)) {
	t.Helper()
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := &person{model: &seeing{}}
		cfg.Model = p.model
		if set != nil {
			set(&cfg)
		}
		p.Person = servertest.Enter(t, cfg)
		fn(p)
	})
}

// as is another person at the same server.
func (p *person) as(other *servertest.Person) *person { return &person{other, p.model} }

// seeing is a model that takes what it is told to take, and says little.
type seeing struct {
	mu    sync.Mutex
	takes []string
	asked []*llm.Request
}

func (s *seeing) TakesMedia(mimeType string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.takes {
		if t == mimeType {
			return true
		}
	}
	return false
}

func (s *seeing) take(types ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takes, s.asked = types, nil
}

func (s *seeing) Name() string { return "seeing" }

func (s *seeing) Generate(_ context.Context, r *llm.Request) iter.Seq2[llm.Event, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r)
	return func(yield func(llm.Event, error) bool) {
		_ = yield(llm.Text{Text: "Fine."}, nil) && yield(llm.Usage{Input: 1, Output: 1}, nil) && yield(llm.Finish{Reason: llm.ReasonStop}, nil)
	}
}

// saw is all that the model was shown since.
func (s *seeing) saw() (media []llm.Media, texts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.asked {
		for _, m := range r.Messages {
			for _, p := range m.Parts {
				switch p := p.(type) {
				case llm.Media:
					media = append(media, p)
				case llm.Text:
					texts += p.Text + "\n"
				case llm.ToolResult:
					media = append(media, p.Media...)
				}
			}
		}
	}
	return media, texts
}

// form is the request that uploads a file as browsers do.
func (p *person) form(name, kind string, data []byte) (nestor.File, int, string) {
	p.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	h := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="` + name + `"`}}
	if kind != "" {
		h.Set("Content-Type", kind)
	}
	part, err := w.CreatePart(h)
	if err == nil {
		_, err = part.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		p.Fatal(err)
	}
	r := p.Request("POST", "files", body.String())
	r.Header.Set("Content-Type", w.FormDataContentType())
	res, text := p.Send(r)
	var f nestor.File
	if res.StatusCode < 300 {
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			p.Fatal(err)
		}
	}
	return f, res.StatusCode, text
}

// upload uploads a file that must be taken.
func (p *person) upload(name, kind string, data []byte) nestor.File {
	p.Helper()
	f, status, text := p.form(name, kind, data)
	if status != 201 && status != 200 {
		p.Fatalf("upload of %s: %d %s", name, status, text)
	}
	return f
}

// reads is the content at a path, with its headers.
func (p *person) reads(status int, path string, headers ...string) (string, map[string][]string) {
	p.Helper()
	r := p.Request("GET", path, "")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res := p.Open(r)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status {
		p.Errorf("GET %s: %d, want %d, %.300s %v", path, res.StatusCode, status, text, err)
	}
	return string(text), res.Header
}

// chat makes a chat.
func (p *person) chat(id string) {
	p.Helper()
	p.Wants(201, "POST", "chats", `{"id":"`+id+`","title":"t"}`)
}

// says says something in parts and waits until all is done.
func (p *person) says(chat, id string, parts ...string) nestor.Message {
	p.Helper()
	var m nestor.Message
	p.Into(&m, 201, "POST", "chats/"+chat+"/messages", `{"id":"`+id+`","content":[`+strings.Join(parts, ",")+`]}`)
	p.Settled()
	return m
}

func text(s string) string { return `{"type":"text","text":"` + s + `"}` }

func named(kind, id string) string { return `{"type":"` + kind + `","fileId":"` + id + `"}` }

// sqlite is a person at a server with the embedded database, for what does not depend on
// the engine.
func sqlite(t *testing.T, set func(*server.Config)) *person {
	t.Helper()
	p := &person{model: &seeing{}}
	cfg := server.Config{Data: t.TempDir(), Model: p.model}
	if set != nil {
		set(&cfg)
	}
	p.Person = servertest.Enter(t, cfg)
	return p
}
