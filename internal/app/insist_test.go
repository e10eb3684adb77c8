package app

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
)

func TestWhatPanicsBesideTheJobsBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		began := 0
		err := insist(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), func(context.Context) error {
			if began++; began < 3 {
				panic("ouch")
			}
			return nil
		})
		if err != nil || began != 3 || strings.Count(log.String(), "panic: ouch") != 2 {
			t.Errorf("it began %d times, %v: %s", began, err, log.String())
		}
	})
}
