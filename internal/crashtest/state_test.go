package crashtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// endState describes everything the flow left, one thing per line: documents,
// the log of each, and jobs. Positions in the log and times are left out: they
// differ between equal runs.
func endState(ctx context.Context, s store.Store) ([]string, error) {
	logs, err := readLog(ctx, s, func(c nestor.Change) bool { return c.Path.Collection() == notices })
	if err != nil {
		return nil, err
	}
	var lines []string
	collections := map[string]bool{}
	for path, changes := range logs {
		collections[path.Collection()] = true
		lines = append(lines, fmt.Sprintf("log %s: %s", path, strings.Join(changes, ", ")))
	}
	documents, err := readAll(ctx, s, slices.Collect(maps.Keys(collections)))
	if err != nil {
		return nil, err
	}
	for _, d := range documents {
		lines = append(lines, describe(d))
	}
	jobs, err := endJobs(ctx, s)
	lines = append(lines, jobs...)
	slices.Sort(lines)
	return lines, err
}

// endJobs describes the jobs that are left.
func endJobs(ctx context.Context, s store.Store) (lines []string, err error) {
	counts, err := s.CountJobs(ctx)
	if err != nil {
		return nil, err
	}
	for state, n := range counts {
		lines = append(lines, fmt.Sprintf("jobs %s: %d", state, n))
	}
	dead, err := s.Jobs(ctx, store.JobFilter{State: nestor.JobDead})
	for _, j := range dead {
		lines = append(lines, fmt.Sprintf("dead %s of %s: %s", j.Trigger, j.Change.Path, j.Error))
	}
	return lines, err
}

// readAll reads all documents of some collections.
func readAll(ctx context.Context, s store.Store, collections []string) (documents []*nestor.Document, err error) {
	err = s.View(ctx, func(r store.Reader) error {
		documents = nil
		for _, c := range collections {
			page, err := r.Query(store.Query{Collection: c, Limit: store.MaxLimit})
			if err != nil {
				return err
			}
			documents = append(documents, page.Items...)
		}
		return nil
	})
	return documents, err
}

func describe(d *nestor.Document) string {
	return fmt.Sprintf("document %s: version %d, %s", d.Path, d.Version, d.Data)
}

// readLog lists the changes of every document, up to the one that is known to
// be the last.
func readLog(ctx context.Context, s store.Store, last func(nestor.Change) bool) (map[nestor.Path][]string, error) {
	logs := map[nestor.Path][]string{}
	err := followLog(ctx, s, func(c nestor.Change) bool {
		logs[c.Path] = append(logs[c.Path], fmt.Sprintf("%s %d", c.Type, c.Version))
		return !last(c)
	})
	return logs, err
}

// followLog hands over all changes in order until it is told to stop. On
// PostgreSQL transactions of other tests can delay the last ones for a moment.
func followLog(ctx context.Context, s store.Store, visit func(nestor.Change) (more bool)) error {
	for after := int64(0); ; {
		changes, err := s.Changes(ctx, after, 100, nil)
		if err != nil {
			return err
		}
		for _, c := range changes {
			after = c.Seq
			if !visit(c) {
				return nil
			}
		}
	}
}

// differences lists what only one of two states has.
func differences(want, got []string) string {
	var b strings.Builder
	for _, line := range want {
		if !slices.Contains(got, line) {
			fmt.Fprintf(&b, "\nmissing: %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			fmt.Fprintf(&b, "\nunexpected: %s", line)
		}
	}
	return b.String()
}
