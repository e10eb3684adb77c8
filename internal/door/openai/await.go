package openai

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
)

// await follows an answer that is told as a whole.
func (d *Door) await(ctx context.Context, w http.ResponseWriter, b *begun, to listener) (*answer, outcome, error) {
	late := errors.New("the answer takes too long")
	ctx, stop := context.WithTimeoutCause(ctx, mostWait, late)
	defer stop()
	// The server's own bound for answers is shorter.
	if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(mostWait + time.Minute)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, outcome{}, err
	}
	got := newAnswer(b.chat, to)
	o, err := d.follow(ctx, b.chat, b.place, got)
	if errors.Is(err, late) {
		err = nestor.Errorf(nestor.CodeTimeout, "the run %s goes on, but takes longer than %s: ask for a stream, or for a response in the background", b.place.Run, mostWait)
	}
	return got, o, err
}
