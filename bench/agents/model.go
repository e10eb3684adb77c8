package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The model: a server that speaks the wire format of chat completions and
// answers at once, or as fast as a hosted one. What it says is a function of the request alone, found by
// a scan and not by decoding, so that the model is never what is measured.
//
// An agent's instruction ends with a mark (see instruction). The model then
// asks for one calculation per step and gives its final answer when it has
// spoken as often as the mark says. Whoever else asks, for a title or a report,
// gets a sentence.
//
// The sizes of a step are those of an agent that reads a little and thinks
// aloud: some 200 characters of thought, sent in pieces of 16 characters (four
// tokens) or of one token, and a calculation whose result has some 970 characters. With more, 200
// steps would outgrow the 120,000 tokens from which Nestor condenses a
// conversation, and the two programs would no longer send the same. Where the size of
// what is stored is measured, the calculation is as long as its result.

// instruction is what an agent is told: how many steps to take, and how the model is to
// talk to it.
func instruction(steps int, s manner) string {
	return fmt.Sprintf("Compute the powers of two that were agreed upon, one after the other, and report the last one. %s%d wait=%s pace=%s asks=%d]",
		mark, steps, s.wait, s.pace, s.asks)
}

const mark = "[steps="

// manner is how a model talks: how long it lets one wait for a reply to begin, and then
// for each of its tokens. Without a pace the whole reply comes at once, in larger pieces.
// A calculation that it asks for has at least so many characters.
type manner struct {
	wait, pace time.Duration
	asks       int
}

var (
	instant = manner{}
	// verbose is as quick, with 1 KB in and out of each call.
	verbose = manner{asks: 1000}
	// hosted is as fast as a model that is rented: 50 tokens a second, each in a
	// chunk of its own. A reply has about 60.
	hosted = manner{wait: 300 * time.Millisecond, pace: 20 * time.Millisecond}
)

// model answers requests. It remembers the last opening of a conversation, and
// what it says at each step.
type model struct {
	opening  atomic.Pointer[[]byte]
	requests sync.Pool
	sayings  sync.Map // []byte by saying
}

func newModel() http.Handler {
	m := &model{requests: sync.Pool{New: func() any { return new(bytes.Buffer) }}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", m.answer)
	mux.HandleFunc("GET /opening", func(w http.ResponseWriter, _ *http.Request) {
		if body := m.opening.Load(); body != nil {
			w.Write(*body)
		}
	})
	return mux
}

func (m *model) answer(w http.ResponseWriter, r *http.Request) {
	request := m.requests.Get().(*bytes.Buffer)
	defer m.requests.Put(request)
	request.Reset()
	if _, err := request.ReadFrom(r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	body := request.Bytes()
	steps, manner, err := readMark(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	step := 1 + bytes.Count(body, []byte(`"role":"assistant"`))
	if steps > 0 && step == 1 {
		opening := bytes.Clone(body)
		m.opening.Store(&opening)
	}
	reply := append(m.saying(step, steps, manner), usage(len(body))...)
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	if manner.pace == 0 {
		if pause(r.Context(), manner.wait) {
			w.Write(reply)
		}
		return
	}
	// The times are counted from the start, so that a machine that is late once
	// does not make the model slower.
	began, stream := time.Now(), http.NewResponseController(w)
	for i, event := range bytes.SplitAfter(reply, []byte("\n\n")) {
		if !pause(r.Context(), time.Until(began.Add(manner.wait+time.Duration(i)*manner.pace))) {
			return
		}
		w.Write(event)
		stream.Flush()
	}
}

// pause waits and reports whether the client still does.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// saying is one of the things that the model says.
type saying struct {
	step            int // -1 is the end, 0 for those who are no agents
	pieceSize, asks int
}

// saying is what the model says at a step, up to the usage.
func (m *model) saying(step, steps int, how manner) []byte {
	pieceSize := how.pieceSize()
	switch {
	case steps == 0:
		step = 0
	case step > steps:
		step = -1
	}
	key := saying{step, pieceSize, how.asks}
	if said, ok := m.sayings.Load(key); ok {
		return said.([]byte)
	}
	var said []byte
	switch step {
	case 0:
		said = stream(pieceSize, "All agents did what they were asked to do.", "", "")
	case -1:
		said = stream(pieceSize, "", "final_answer", `{"answer":"The last power of two is computed. All of the powers are in the steps above."}`)
	default:
		calculation := fmt.Sprintf("2^(3200+%d)", step)
		calculation += strings.Repeat(" + 0", max(0, how.asks-len(calculation)+3)/4)
		said = stream(pieceSize, thought(step), "calculator", fmt.Sprintf(`{"expression":%q}`, calculation))
	}
	said = slices.Clip(said) // so that nobody appends into what others read
	m.sayings.Store(key, said)
	return said
}

// readMark finds what an instruction asks for; no steps in a request of
// somebody else than an agent.
func readMark(body []byte) (steps int, s manner, err error) {
	i := bytes.Index(body, []byte(mark))
	if i < 0 {
		return 0, instant, nil
	}
	text, _, _ := strings.Cut(string(body[i+len(mark):min(i+len(mark)+80, len(body))]), "]")
	number, text, _ := strings.Cut(text, " wait=")
	wait, text, _ := strings.Cut(text, " pace=")
	pace, asks, _ := strings.Cut(text, " asks=")
	if steps, err = strconv.Atoi(number); err != nil {
		return 0, s, err
	}
	if s.wait, err = time.ParseDuration(wait); err != nil {
		return 0, s, err
	}
	if s.pace, err = time.ParseDuration(pace); err != nil {
		return 0, s, err
	}
	s.asks, err = strconv.Atoi(asks)
	return steps, s, err
}

// thought is what the model says before its call at a step.
func thought(step int) string {
	return fmt.Sprintf("Step %d: the result above looks right, its last digits agree with what I expected. "+
		"The next power in the list follows from it; I let the calculator do it so that no digit gets lost on the way.", step)
}

// pieceSize is how much of a text one chunk of a stream carries: a token, or four
// of them.
func (s manner) pieceSize() int {
	if s.pace > 0 {
		return 4
	}
	return 16
}

// stream is the chunks of a text and of a call, if there is one.
func stream(pieceSize int, text, name, arguments string) []byte {
	var b bytes.Buffer
	chunk(&b, `{"role":"assistant","content":""}`, "null")
	for _, piece := range pieces(text, pieceSize) {
		chunk(&b, `{"content":`+quote(piece)+`}`, "null")
	}
	if name == "" {
		chunk(&b, "{}", `"stop"`)
		return b.Bytes()
	}
	chunk(&b, `{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":`+quote(name)+`,"arguments":""}}]}`, "null")
	for _, piece := range pieces(arguments, pieceSize) {
		chunk(&b, `{"tool_calls":[{"index":0,"function":{"arguments":`+quote(piece)+`}}]}`, "null")
	}
	chunk(&b, "{}", `"tool_calls"`)
	return b.Bytes()
}

// usage is the end of a stream. Four bytes of the request count as a token.
func usage(size int) string {
	return fmt.Sprintf(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763160000,"model":%q,"choices":[],`+
		`"usage":{"prompt_tokens":%d,"completion_tokens":60,"total_tokens":%d}}`+"\n\ndata: [DONE]\n\n", modelName, size/4, size/4+60)
}

func chunk(b *bytes.Buffer, delta, reason string) {
	b.WriteString(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763160000,"model":"` + modelName +
		`","system_fingerprint":"fp_1","choices":[{"index":0,"delta":`)
	b.WriteString(delta)
	b.WriteString(`,"logprobs":null,"finish_reason":` + reason + "}],\"usage\":null}\n\n")
}

func pieces(text string, size int) (list []string) {
	for len(text) > size {
		list, text = append(list, text[:size]), text[size:]
	}
	if text != "" {
		list = append(list, text)
	}
	return list
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(b)
}

// readOpening asks the model for the request that the last conversation began
// with.
func readOpening(url string) (system string, tools json.RawMessage, err error) {
	res, err := http.Get(url + "/opening")
	if err != nil {
		return "", nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return "", nil, err
	}
	var opening struct {
		Messages []message       `json:"messages"`
		Tools    json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(body, &opening); err != nil {
		return "", nil, err
	}
	if len(opening.Messages) != 2 || opening.Messages[0].Role != "system" {
		return "", nil, errors.New("a conversation does not begin with instructions and a task")
	}
	return opening.Messages[0].Content, opening.Tools, nil
}
