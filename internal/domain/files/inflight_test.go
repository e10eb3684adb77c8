package files_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"
	"unsafe"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// stalled is a model that answers those who show it something large when it is told to.
type stalled struct {
	seeing
	begun chan struct{} // one for each call that shows something large
	goOn  chan struct{}

	mu        sync.Mutex
	now, most int
	calls     int
	places    map[*byte]bool // where the bytes lie that calls under way hold
}

func (s *stalled) Generate(ctx context.Context, r *llm.Request) iter.Seq2[llm.Event, error] {
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			if media, ok := p.(llm.Media); ok && len(media.Data) > 1<<20 {
				return s.hold(ctx, r, unsafe.SliceData(media.Data))
			}
		}
	}
	return s.seeing.Generate(ctx, r)
}

func (s *stalled) hold(ctx context.Context, r *llm.Request, at *byte) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		s.mu.Lock()
		s.calls++
		s.now++
		s.most = max(s.most, s.now)
		s.places[at] = true
		s.mu.Unlock()
		s.begun <- struct{}{}
		select {
		case <-s.goOn:
		case <-ctx.Done():
		}
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
		s.seeing.Generate(ctx, r)(yield)
	}
}

func TestAUserHasAShareOfTheBytesOnTheirWayToModels(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &stalled{begun: make(chan struct{}, 100), goOn: make(chan struct{}), places: map[*byte]bool{}}
		model.take("image/png")
		cfg.Model = model
		p := &person{servertest.Enter(t, cfg), &model.seeing}
		ada, bob := p.as(p.SignIn("ada")), p.as(p.SignIn("bob"))
		large := named("image", ada.upload("large.png", "", append(bytes.Clone(picture), make([]byte, 13_500_000)...)).ID)
		small := named("image", bob.upload("small.png", "", picture).ID)
		const chats = 14 // two are asked about at once, eight wait in line, and four are put off
		for i := range chats {
			id := fmt.Sprintf("c%d", i)
			ada.chat(id)
			ada.Wants(201, "POST", "chats/"+id+"/messages", `{"content":[`+large+`]}`)
		}
		<-model.begun
		<-model.begun
		bob.chat("b")
		bob.Wants(200, "POST", "chats/b/messages?wait=1", `{"content":[`+small+`]}`, "Fine.")
		close(model.goOn)
		p.Settled()
		if model.most != 2 || model.calls != chats {
			t.Errorf("%d calls with an image of 13.5 MB were under way at once, and %d in all", model.most, model.calls)
		}
		if len(model.places) != 1 {
			t.Errorf("calls that show the same image hold it at %d places", len(model.places))
		}
		for i := range chats {
			ada.Wants(200, "GET", fmt.Sprintf("chats/c%d/messages", i), "", "Fine.")
		}
	})
}
