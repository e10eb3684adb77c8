package tokens

import (
	"math"
	"sync"

	"github.com/nestorhq/nestor/internal/llm"
)

// Meter measures requests before they are sent and learns from the usage that
// providers report afterwards. One meter serves a whole process: what one
// agent's calls teach about a model holds for all of them, and a text that was
// counted once is not counted again. The zero value is ready to use; it is
// safe for concurrent use.
type Meter struct {
	counts cache

	mu      sync.Mutex
	lessons map[string]lesson // by model
}

// Request estimates the input tokens of a whole request: the instruction, the
// tools with their schemas and all messages.
func (m *Meter) Request(model string, req *llm.Request) int {
	return m.lesson(model).correct(m.ruler(model).request(req))
}

// Message estimates one message of a conversation.
func (m *Meter) Message(model string, msg llm.Message) int {
	return m.lesson(model).correct(m.ruler(model).message(&msg))
}

// Text estimates a text by itself.
func (m *Meter) Text(model, text string) int {
	return m.lesson(model).correct(m.ruler(model).text(text))
}

// Over reports whether a request takes more than limit tokens. It is what to
// ask before every call: a request of fewer bytes than the limit allows tokens
// is not counted at all.
func (m *Meter) Over(model string, req *llm.Request, limit int) bool {
	if m.lesson(model).correct(ruler{}.request(req)) <= limit {
		return false
	}
	return m.Request(model, req) > limit
}

// Learn corrects later estimates for a model by the input tokens that the
// provider reported for req. The model is the one that answered.
//
// It takes the request and not the estimate that was made for it, because that
// one is corrected by what was known when the call began: with many calls under
// way, correcting the correction would overshoot.
//
// Requests that are too small to tell anything, or hold media, are ignored. So
// are most, once there have been enough: a lesson costs a count.
func (m *Meter) Learn(model string, req *llm.Request, reported int64) {
	if reported <= 0 || (ruler{}).request(req) < smallestLesson || hasMedia(req) || !m.wants(model) {
		return
	}
	counted := m.ruler(model).request(req)
	if counted < smallestLesson {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lessons[model] = m.lessons[model].with(float64(reported) / float64(counted))
}

// wants takes note of a report and says whether to learn from it.
func (m *Meter) wants(model string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lessons == nil {
		m.lessons = map[string]lesson{}
	}
	l := m.lessons[model]
	l.reports++
	m.lessons[model] = l
	return l.reports <= everyLesson || l.reports%everyLesson == 0
}

func (m *Meter) lesson(model string) lesson {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lessons[model]
}

func (m *Meter) ruler(model string) ruler {
	by := encodingOf(model)
	return ruler{func(s string) int { return m.counts.count(by, s) }}
}

const (
	// smallestLesson is the number of tokens from which on the texts outweigh
	// what providers add to them.
	smallestLesson = 1_000
	// Each of the first reports is a lesson, later one in this many.
	everyLesson = 16
	// A lesson moves the correction by this part of the way, so that an odd
	// report does little and five of one kind do most.
	lessonStep = 1. / 5
	// Corrections stay in these bounds, whatever is reported. Requests are kept
	// below 80% of a window: with the lower bound they cannot outgrow it even if a
	// server reports next to nothing.
	leastFactor, mostFactor = 0.8, 2.
)

// lesson is what reports have taught about a model.
type lesson struct {
	shift   float64 // of the factor from 1
	reports int
}

func (l lesson) with(ratio float64) lesson {
	ratio = min(max(ratio, leastFactor), mostFactor)
	l.shift += (ratio - 1 - l.shift) * lessonStep
	return l
}

func (l lesson) correct(tokens int) int {
	return int(math.Ceil(float64(tokens) * (1 + l.shift)))
}
