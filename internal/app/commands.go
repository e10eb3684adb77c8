package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"text/tabwriter"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// JobFilter narrows a list of jobs.
type JobFilter = store.JobFilter

// The commands besides serve. They open the database themselves, so they work
// whether a server runs on it or not.

// Migrate brings the schema up to date and says so.
func Migrate(ctx context.Context, cfg Config) error {
	return withStore(ctx, cfg, create, func(cfg Config, _ store.Store) error {
		_, err := fmt.Fprintln(cfg.Stdout, "The schema is up to date.")
		return err
	})
}

// ListJobs prints the jobs that match a filter.
func ListJobs(ctx context.Context, cfg Config, f JobFilter) error {
	return withStore(ctx, cfg, refuse, func(cfg Config, s store.Store) error {
		jobs, err := s.Jobs(ctx, f)
		if err != nil {
			return err
		}
		if len(jobs) == 0 {
			_, err := fmt.Fprintln(cfg.Stdout, "No jobs.")
			return err
		}
		w := tabwriter.NewWriter(cfg.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tSTATE\tTRIGGER\tATTEMPT\tAGE\tPATH\tERROR")
		for _, j := range jobs {
			age := time.Since(time.UnixMilli(j.CreatedAt)).Round(time.Second)
			fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\t%.80s\n", j.ID, j.State, j.Trigger, j.Attempt, age, j.Change.Path, j.Error)
		}
		return w.Flush()
	})
}

// RetryJob queues a dead letter again.
func RetryJob(ctx context.Context, cfg Config, id string) error {
	return withStore(ctx, cfg, refuse, func(cfg Config, s store.Store) error {
		if err := s.Revive(ctx, id); err != nil {
			return err
		}
		_, err := fmt.Fprintf(cfg.Stdout, "Job %s is queued again.\n", id)
		return err
	})
}

// TestEvent is a change to try triggers on.
type TestEvent struct {
	Type nestor.ChangeType
	Path string
	// Doc and Before are files with the document's JSON; "-" and "" are none.
	Doc, Before string
}

// TestTriggers says which triggers fire on an event, and why the others do not.
func TestTriggers(cfg Config, e TestEvent) error {
	cfg = cfg.withDefaults()
	set, err := loadTriggers(cfg, described(cfg).Triggers(), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	change, err := e.change()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(cfg.Stdout, 0, 0, 2, ' ', 0)
	for _, v := range set.Explain(store.NewEvent(change)) {
		mark := "no"
		if v.Fires {
			mark = "FIRES"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", mark, v.Trigger, v.Reason)
	}
	return w.Flush()
}

func (e TestEvent) change() (nestor.Change, error) {
	p, err := nestor.ParsePath(e.Path)
	if err != nil {
		return nestor.Change{}, err
	}
	c := nestor.Change{Type: e.Type, Path: p, Version: 1, Seq: 1, At: nestor.Millis(time.Now())}
	if c.After, err = readDocument(p, e.Doc); err != nil {
		return c, err
	}
	if c.Before, err = readDocument(p, e.Before); err != nil {
		return c, err
	}
	switch {
	case e.Type == nestor.Create && c.After != nil && c.Before == nil:
	case e.Type == nestor.Update && c.After != nil && c.Before != nil:
	case e.Type == nestor.Delete && c.After == nil && c.Before != nil:
	default:
		return c, nestor.Errorf(nestor.CodeInvalid,
			"a create needs --doc, an update --doc and --before, a delete --before; the event is %q", e.Type)
	}
	return c, nil
}

func readDocument(p nestor.Path, file string) (*nestor.Document, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the document cannot be read: %w", err)
	}
	if !json.Valid(data) {
		return nil, nestor.Errorf(nestor.CodeInvalid, "%s is not JSON", file)
	}
	return &nestor.Document{Path: p, Version: 1, Seq: 1, Data: data}, nil
}
