package llm

import (
	"context"
	"hash/maphash"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/nestorhq/nestor"
)

// MediaTaker is a model that takes media. Others get the text of the results of
// tools, which describes what came with them, and in place of what people attach
// its [Media.Alt].
type MediaTaker interface {
	// TakesMedia reports whether the model is to be shown media of a type. It may
	// still refuse them: see [Shown].
	TakesMedia(mimeType string) bool
}

// WithMedia returns the message with only those media that keep wants, and whether it
// has fewer now. What somebody attached leaves its text, and stays if it has none. It
// does not change m.
func (m Message) WithMedia(keep func(*Media) bool) (kept Message, fewer bool) {
	for i, p := range m.Parts {
		if attached, ok := p.(Media); ok && attached.Alt != "" && !keep(&attached) {
			if !fewer {
				m.Parts, fewer = slices.Clone(m.Parts), true
			}
			m.Parts[i] = Text{Text: attached.Alt}
			continue
		}
		result, ok := p.(ToolResult)
		if !ok || len(result.Media) == 0 {
			continue
		}
		var media []Media
		for j := range result.Media {
			if keep(&result.Media[j]) {
				media = append(media, result.Media[j])
			}
		}
		if len(media) == len(result.Media) {
			continue
		}
		if !fewer {
			m.Parts, fewer = slices.Clone(m.Parts), true
		}
		result.Media = media
		m.Parts[i] = result
	}
	return m, fewer
}

// withMedia does so for a conversation. It changes no message.
func withMedia(messages []Message, keep func(*Media) bool) []Message {
	changed := false
	for i, m := range messages {
		kept, fewer := m.WithMedia(keep)
		if !fewer {
			continue
		}
		if !changed {
			messages, changed = slices.Clone(messages), true
		}
		messages[i] = kept
	}
	return messages
}

// Shown lets a model see the media that takes reports true for.
//
// Often only its server knows what a model can see. So a request that the
// server refuses, or finds too long, is made once more without media. If it
// goes through, those media are not shown again as long as the model is in use;
// newer ones are tried. A task never fails because of an image.
func Shown(model Model, takes func(mimeType string) bool) Model {
	return &shown{Model: model, takes: takes, refused: map[uint64]bool{}}
}

type shown struct {
	Model
	takes func(string) bool

	mu      sync.Mutex
	refused map[uint64]bool // hashes of media
}

// maxRefused bounds what is remembered. Beyond it all is forgotten and learned
// anew.
const maxRefused = 10_000

// Generate implements [Model].
func (m *shown) Generate(ctx context.Context, req *Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var media []uint64
		seen := *req
		seen.Messages = withMedia(req.Messages, func(one *Media) bool {
			if !m.takes(one.MIMEType) {
				return false
			}
			hash := one.hash()
			if m.refuses(hash) {
				return false
			}
			media = append(media, hash)
			return true
		})
		if len(media) == 0 {
			m.Model.Generate(ctx, &seen)(yield)
			return
		}
		err := untilFirst(m.Model.Generate(ctx, &seen), yield)
		if err == nil {
			return
		}
		if ctx.Err() == nil && aboutMedia(err) {
			plain := *req
			plain.Messages = withMedia(req.Messages, func(*Media) bool { return false })
			if err = untilFirst(m.Model.Generate(ctx, &plain), yield); err == nil {
				m.learn(media)
				return
			}
		}
		yield(nil, err)
	}
}

// aboutMedia reports whether a failure may be due to media: the request is
// refused or too long, or the server failed over what it calls an image, as
// llama.cpp and Ollama do with status 500.
func aboutMedia(err error) bool {
	if _, tooLong := TooLong(err); tooLong {
		return true
	}
	switch nestor.CodeOf(err) {
	case nestor.CodeInvalid:
		return true
	case nestor.CodeUnavailable:
		said := strings.ToLower(err.Error())
		return strings.Contains(said, "image") || strings.Contains(said, "multimodal")
	}
	return false
}

func (m *shown) refuses(media uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.refused[media]
}

func (m *shown) learn(media []uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.refused)+len(media) > maxRefused {
		clear(m.refused)
	}
	for _, one := range media {
		m.refused[one] = true
	}
}

var mediaSeed = maphash.MakeSeed()

func (m *Media) hash() uint64 {
	var h maphash.Hash
	h.SetSeed(mediaSeed)
	_, _ = h.WriteString(m.MIMEType + "\n" + m.URL + "\n")
	_, _ = h.Write(m.Data)
	return h.Sum64()
}
