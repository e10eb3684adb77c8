package llmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/nestorhq/nestor/internal/llm"
)

// Wire is the wire format of one provider. The values are [OpenAI], [Anthropic]
// and [Gemini].
type Wire struct {
	// pattern is the route that is served, base the part of it that belongs to
	// a provider's base URL.
	pattern, base string
	contentType   string
	// frames encodes a reply as server-sent events.
	frames func([]llm.Event) []string
	// garbage and overload are frames of a stream that goes wrong.
	garbage, overload string
	// failure encodes an error answer. It may change the status and the header
	// to what the provider really sends.
	failure func(*Turn) any
	// pictured are JSON values that must be in the request of a conversation
	// whose tool results have images.
	pictured []string
}

// Transcript returns a reply as the bytes of one response body.
func (w Wire) Transcript(events []llm.Event) []byte {
	return []byte(strings.Join(w.frames(events), ""))
}

func (w Wire) fail(rw http.ResponseWriter, turn Turn) {
	turn.Header = turn.Header.Clone()
	body := turn.Body
	if body == "" {
		body = encode(w.failure(&turn))
	}
	for name, values := range turn.Header {
		rw.Header()[name] = values
	}
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(turn.Status)
	_, _ = io.WriteString(rw, body)
}

// object keeps the encoders short.
type object = map[string]any

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // only plain data is encoded here
	}
	return string(text)
}

// pieces cuts arguments into deltas of a few characters, so that the cuts fall
// into keys, escapes and numbers.
func pieces(arguments string) []string {
	const size = 5
	var out []string
	for runes := []rune(arguments); len(runes) > 0; {
		n := min(size, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}

// outcome finds the usage and the end of a reply.
func outcome(events []llm.Event) (usage llm.Usage, reported bool, finish llm.Reason) {
	for _, ev := range events {
		switch ev := ev.(type) {
		case llm.Usage:
			usage, reported = ev, true
		case llm.Finish:
			finish = ev.Reason
		}
	}
	return usage, reported, finish
}

// detail is why a reply is refused.
func detail(events []llm.Event) string {
	for _, ev := range events {
		if finish, ok := ev.(llm.Finish); ok {
			return finish.Detail
		}
	}
	return ""
}

// Verbatim is a wire on which every reply is the same bytes.
func Verbatim(stream string) Wire {
	return Wire{frames: func([]llm.Event) []string { return []string{stream} }}
}
