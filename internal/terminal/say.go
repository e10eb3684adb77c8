package terminal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
	"unicode"

	"github.com/nestorhq/nestor"
)

// refusal is that the server has too much to do, and when it is asked again.
type refusal struct {
	wait time.Duration
	why  error
}

// errGivenUp: the person does not want to wait until the server takes a message.
var errGivenUp = nestor.Errorf(nestor.CodeCancelled, "the message was not sent")

// say sends a message. A server that has too much to do is asked again for a while,
// which is shown; who does not want to wait interrupts. What could not be sent is shown, so
// that it is not lost, and the chat goes on if there is somebody to say more.
func (c *chat) say(ctx context.Context, content string) error {
	sending, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	refused := make(chan refusal)
	patient := *c.Client
	patient.Waiting = func(wait time.Duration, why error) {
		select {
		case refused <- refusal{wait, why}:
		case <-sending.Done():
		}
	}
	c.state.owed["answer"] = true
	sent := make(chan error, 1)
	go func() {
		_, err := patient.Say(sending, c.id, content)
		sent <- err
	}()
	var interrupt <-chan struct{} // once there is something to interrupt
	for {
		select {
		case r := <-refused:
			interrupt = c.Interrupt
			c.view.say(fmt.Sprintf("%s Trying again in %.0f s; Ctrl-C gives up.", sentence(r.why), math.Ceil(r.wait.Seconds())))
		case e := <-c.events:
			if err := c.take(e); err != nil {
				return err
			}
		case <-interrupt:
			interrupt = nil
			giveUp(errGivenUp)
		case err := <-sent:
			if !errors.Is(err, errGivenUp) && !errors.Is(err, nestor.ErrRateLimited) {
				return err
			}
			delete(c.state.owed, "answer")
			c.view.say("Not sent: " + content)
			if c.Message != "" { // there is nothing else to say
				return err
			}
			return nil
		}
	}
}

// sentence is what an error says, for people.
func sentence(err error) string {
	text := []rune(err.Error())
	var e *nestor.Error
	if errors.As(err, &e) {
		text = []rune(e.Message)
	}
	if len(text) > 0 {
		text[0] = unicode.ToUpper(text[0])
	}
	return string(text) + "."
}
