package siege

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// shortenings are the sequences that are tried to find a short one.
const shortenings = 60

// shorten leaves out steps as long as what is left fails in the same way, each
// time on a server that has seen nothing else if the last one did not survive. It
// returns no error if the whole does not fail again.
func shorten(t *testing.T, postgres bool, list []step, failed error) ([]step, error) {
	t.Helper()
	var w *world
	tries := 0
	fails := func(list []step) error {
		tries++
		if w == nil || w.dead() {
			w = newWorld(t, postgres)
		}
		err := w.newScene().play(list, &bystander{})
		if err != nil && (way(err) == "hangs" || way(err) == "restless") {
			w.end()
		}
		if err == nil || way(err) != way(failed) {
			return nil
		}
		return err
	}
	err := fails(list)
	if err == nil {
		return list, nil
	}
	for size := len(list) / 2; size > 0; {
		shorter := false
		for i := 0; i < len(list) && tries < shortenings; {
			left := slices.Delete(slices.Clone(list), i, min(i+size, len(list)))
			if again := fails(left); again != nil {
				list, err, shorter = left, again, true
			} else {
				i += size
			}
		}
		if size > 1 || !shorter {
			size /= 2
		}
	}
	return list, err
}

// way tells failures of different kinds apart.
func way(err error) string {
	text := err.Error()
	for _, mark := range [][2]string{
		{"the server has ended", "ended"},
		{"has no answer", "hangs"},
		{"do not come to rest", "restless"},
		{"that nobody approved", "unapproved"},
		{" is shown ", "shown"},
		{"a prompt", "prompted"},
		{" names ", "named"},
		{"nobody used", "charged"},
	} {
		if strings.Contains(text, mark[0]) {
			return mark[1]
		}
	}
	return "answered"
}

// diesSoon waits a moment for the end of a server that did not answer.
func (s *scene) diesSoon() bool {
	select {
	case <-s.ended:
		return true
	case <-time.After(5 * time.Second):
		return false
	}
}
