package file_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/filestore"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// slow is a storage whose files take a while to come, and that counts who reads.
type slow struct {
	filestore.Storage
	text  string
	takes time.Duration

	mu          sync.Mutex
	now         map[string]int // by user
	most, opens int
}

func (s *slow) Open(_ context.Context, key filestore.Key, _ int64) (io.ReadCloser, error) {
	s.mu.Lock()
	s.opens++
	s.now[key.UserID]++
	s.now[""]++
	s.most = max(s.most, s.now[key.UserID])
	s.mu.Unlock()
	time.Sleep(s.takes) // virtual
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now[key.UserID]--
	return io.NopCloser(bytes.NewReader([]byte(s.text))), nil
}

func library(takes time.Duration, text string) (*slow, *file.Library) {
	s := &slow{text: text, takes: takes, now: map[string]int{}}
	return s, file.New(nil, map[string]filestore.Storage{"slow": s}, "slow", 0)
}

func document(user string, i int, text string) *nestor.File {
	return &nestor.File{Meta: nestor.Meta{ID: fmt.Sprintf("%064d", i)}, UserID: user, Storage: "slow", StoredAs: "k", Size: int64(len(text))}
}

func TestAFileIsReadOnceForAllWhoAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, l := library(time.Second, "a text")
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if text, err := l.Text(t.Context(), document("u", 1, s.text)); err != nil || text != "a text\n" && text != "a text" {
					t.Errorf("%q, %v", text, err)
				}
			})
		}
		all.Wait()
		if s.opens != 1 {
			t.Errorf("the file was read %d times", s.opens)
		}
	})
}

func TestOneFileOfAUserIsReadAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, l := library(time.Second, "a text")
		var all sync.WaitGroup
		var mu sync.Mutex
		read, refused := 0, 0
		for i := range 100 {
			all.Go(func() {
				_, err := l.Text(t.Context(), document("u", i, s.text))
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					read++
				case errors.Is(err, nestor.ErrRateLimited) && errors.As(err, new(nestor.PutOff)):
					refused++
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if s.most != 1 || read != 5 || refused != 95 { // one at a time, and four in line
			t.Errorf("%d were read at once, %d in all, and %d refused", s.most, read, refused)
		}
		if _, err := l.Text(t.Context(), document("u", 1000, s.text)); err != nil {
			t.Errorf("when nobody waits: %v", err)
		}
	})
}

func TestWhoGoesAwayLeavesTheReadingToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, l := library(time.Second, "a text")
		f := document("u", 2, s.text)
		go func() { _, _ = l.Text(t.Context(), document("u", 1, s.text)) }() // has the share
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = l.Text(ctx, f) }() // is to read f
		synctest.Wait()
		var err error
		var waits sync.WaitGroup
		waits.Go(func() { _, err = l.Text(t.Context(), f) })
		synctest.Wait()
		cancel()
		waits.Wait()
		if err != nil {
			t.Errorf("who waited got %v", err)
		}
	})
}

func TestALongTextIsShownInPart(t *testing.T) {
	s, l := library(0, strings.Repeat("é", file.ShownText+7))
	text, err := l.Text(t.Context(), document("u", 1, s.text))
	if want := strings.Repeat("é", file.ShownText) + "\n\n[the rest of the file, 7 characters, is left out]"; err != nil || text != want {
		t.Errorf("it ends with %q, %v", text[max(0, len(text)-80):], err)
	}
}
