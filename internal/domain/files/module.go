// Package files is the domain of files: their routes, and what removes files that nobody
// wants. What a file is, and who may read it, is in package file.
package files

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// Options configure the domain.
type Options struct {
	// Max is how many bytes a file may have. Defaults to [file.DefaultMax].
	Max int64
	// Unused is how long a file is kept that no message names. Defaults to 24 hours.
	Unused time.Duration
}

// DefaultUnused is how long a file is kept that no message names.
const DefaultUnused = 24 * time.Hour

// eraseStage removes the bytes of a file.
const eraseStage = "erase-file"

// Files has the routes and handlers of the module as its methods.
type Files struct {
	*file.Library
	unused time.Duration
	log    *slog.Logger
}

// Module is the domain of files.
func Module(opts Options) module.Of[*Files] {
	opts.Max, opts.Unused = cmp.Or(opts.Max, file.DefaultMax), cmp.Or(opts.Unused, DefaultUnused)
	return module.Of[*Files]{
		Name:        "files",
		Collections: file.Collections,
		Reactions: []nestor.Trigger{{
			ID: "file-deleted", Collection: "users/*/files", Events: []nestor.ChangeType{nestor.Delete}, Action: "POST /webhook/" + eraseStage,
			Retry: nestor.RetryPolicy{MaxAttempts: 20},
		}},
		Handlers: []module.Handler[*Files]{{Stage: trigger.Stage{Name: eraseStage, Key: "file:{path}"}, Run: (*Files).erase}},
		Tag:      httpapi.Tag{Name: "Files", Description: "What people attach to messages, and tools return."},
		Routes:   routes(opts.Max),
		Open: func(_ context.Context, host module.Host) (*Files, error) {
			return &Files{Library: host.Files, unused: opts.Unused, log: host.Logger}, nil
		},
		Run: (*Files).run,
	}
}

// erase removes the bytes of a file whose document was deleted.
func (f *Files) erase(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	if job.Change.Before == nil {
		return nil, nil // the sweep finds them
	}
	gone, err := nestor.As[nestor.File](job.Change.Before)
	if err != nil {
		return nil, err
	}
	return nil, f.Erase(ctx, &gone)
}

// How often unused files, and bytes without a document, are looked for.
const (
	unusedPause = 10 * time.Minute
	straysPause = 6 * time.Hour
)

// run removes what nobody wants until ctx ends.
func (f *Files) run(ctx context.Context) error {
	for strays := time.Now().Add(unusedPause); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(min(unusedPause, f.unused)):
		}
		_, err := f.RemoveUnused(ctx, time.Now().Add(-f.unused))
		if err == nil && !time.Now().Before(strays) {
			strays = time.Now().Add(straysPause)
			_, err = f.Strays(ctx, time.Now().Add(-f.unused))
		}
		if err != nil && ctx.Err() == nil {
			f.log.Warn("files that nobody wants could not be removed", "error", err)
		}
	}
}
