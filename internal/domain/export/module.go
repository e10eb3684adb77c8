package export

import (
	"context"
	"io"
	"regexp"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/recovery"
)

// Module is the domain.
var Module = module.Of[struct{}]{
	Name: "export",
	Tag:  httpapi.Chats,
	Routes: []module.Route[struct{}]{{Do: func(_ struct{}, r *httpapi.Request) (any, error) { return chat(r) }, Route: httpapi.Route{
		Pattern: "GET /api/v1/chats/{chat}/export", ID: "exportChat", Summary: "A chat as a file",
		Description: "The file has what the caller may read of the chat, word for word, and is sent while it is written.",
		File:        true,
		Query: []httpapi.Parameter{
			httpapi.TextParameter("format", "md for Markdown, which is the default, or json.", "json"),
			httpapi.TextParameter("agents", "1: with what agents and tools did.", "1"),
			httpapi.UserParameter,
		},
	}}},
	Commands: commands,
	Open:     func(context.Context, module.Host) (struct{}, error) { return struct{}{}, nil },
}

// formats are the kinds of files, by their names.
var formats = map[string]struct {
	mediaType string
	form      func(io.Writer) form
}{
	"md":   {"text/markdown; charset=utf-8", func(w io.Writer) form { return &markdown{w: w} }},
	"json": {"application/json", func(w io.Writer) form { return &jsonFile{w: w} }},
}

// chat answers with the chat that a request names.
func chat(r *httpapi.Request) (any, error) {
	path, err := r.Chat()
	if err != nil {
		return nil, err
	}
	asked := r.URL.Query()
	name := asked.Get("format")
	if name == "" {
		name = "md"
	}
	format, ok := formats[name]
	if !ok {
		return nil, nestor.Errorf(nestor.CodeInvalid, "format is md or json, not %q", name).With("field", "format")
	}
	agents := asked.Get("agents")
	if agents != "" && agents != "1" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "agents is 1 or left out, not %q", agents).With("field", "agents")
	}
	d, err := r.Get(path)
	if err != nil {
		return nil, err
	}
	c, err := nestor.As[nestor.Chat](d)
	if err != nil {
		return nil, err
	}
	return httpapi.Content{
		Name: fileName(c.Title) + "." + name, Type: format.mediaType, Size: -1,
		Open: func(ctx context.Context, _ int64) (io.ReadCloser, error) {
			from, to := io.Pipe()
			e := &exporter{docs: reader(r), chat: c, path: path, out: format.form(to)}
			done := make(chan struct{})
			go func() {
				defer close(done)
				to.CloseWithError(recovery.Call(func() error { return e.write(agents == "1") }))
			}()
			return pipe{from, done}, nil
		},
	}, nil
}

// pipe waits for its writer when it is closed: what that reads ends with the request.
type pipe struct {
	*io.PipeReader
	done chan struct{}
}

func (p pipe) Close() error {
	err := p.PipeReader.Close()
	<-p.done
	return err
}

var unfit = regexp.MustCompile(`[^\p{L}\p{N}]+`)

// fileName is a title as a file can have it.
func fileName(title string) string {
	name := []rune(strings.Trim(unfit.ReplaceAllString(title, "-"), "-"))
	if len(name) == 0 {
		return "chat"
	}
	return strings.TrimRight(string(name[:min(len(name), 60)]), "-")
}
