package priority

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/doctext"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// add sends files, one after the other, and says what was found in each.
func (s shell) add(ctx context.Context, replace bool) error {
	if len(s.Args) == 0 {
		return nestor.Errorf(nestor.CodeInvalid, "name the files to add, or - for the standard input")
	}
	failed := 0
	for _, name := range s.Args {
		fmt.Fprintf(s.Progress, "… %s", plain(name))
		d, err := s.addFile(ctx, name, replace)
		fmt.Fprint(s.Progress, replaceLine)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			failed++
			s.say("✗ %s: %v", name, err)
			continue
		}
		s.say("✓ %s: %s", name, count(d.TaskCount, "task"))
		if d.Notice != "" {
			s.say("  %s", d.Notice)
		}
	}
	if failed > 0 {
		return nestor.Errorf(nestor.CodeInvalid, "%d of %s could not be added", failed, count(len(s.Args), "file"))
	}
	return nil
}

// replaceLine goes back to the beginning of a terminal's line and empties it.
const replaceLine = "\r\x1b[K"

// addFile sends a file and waits until it was processed.
func (s shell) addFile(ctx context.Context, name string, replace bool) (*ProcessedDocument, error) {
	file, err := s.readFile(name)
	if err != nil {
		return nil, err
	}
	method, path := http.MethodPost, "/documents"
	if replace {
		for d, err := range client.List[DocumentSummary](ctx, s.Client, "/documents") {
			if err != nil {
				return nil, err
			}
			if d.Title == titleOf(file.Name) {
				method, path = http.MethodPut, documentRoute(d.ID)
				break // the newest
			}
		}
	}
	d, err := call[ProcessedDocument](ctx, s, method, path, file)
	if err != nil {
		return nil, err
	}
	return s.processed(ctx, d.ID)
}

func documentRoute(id string) string { return "/documents/" + url.PathEscape(id) }

// readFile reads a file, or the standard input, as far as a server would take it.
func (s shell) readFile(name string) (client.File, error) {
	if name == "-" {
		data, err := io.ReadAll(io.LimitReader(s.In, doctext.MaxUpload+1))
		return client.File{Data: data}, err
	}
	f, err := os.Open(name)
	if err != nil {
		return client.File{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, doctext.MaxUpload+1))
	return client.File{Name: filepath.Base(name), Data: data}, err
}

// The pauses between two looks at a document that is being processed.
const (
	firstLook = 20 * time.Millisecond
	lastLook  = time.Second
)

// processed waits until the tasks of a document were looked for.
func (s shell) processed(ctx context.Context, id string) (*ProcessedDocument, error) {
	for looks := 1; ; looks++ {
		d, err := call[ProcessedDocument](ctx, s, http.MethodGet, documentRoute(id), nil)
		switch {
		case err != nil:
			return nil, err
		case d.Status == record.DocumentFailed:
			return nil, nestor.Errorf(nestor.CodeInvalid, "%s", d.Error)
		case d.Status == record.DocumentCompleted:
			return d, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(nestor.Backoff(firstLook, lastLook, looks)):
		}
	}
}
