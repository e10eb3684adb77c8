package main

import (
	"bytes"
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
// answers at once. What it says is a function of the request alone, found by
// a scan and not by decoding, so that the model is never what is measured.
//
// An agent's instruction ends with a mark (see instruction). The model then
// asks for one calculation per step and gives its final answer when it has
// spoken as often as the mark says. Whoever else asks, for a title or a report,
// gets a sentence.
//
// The sizes of a step are those of an agent that reads a little and thinks
// aloud: some 200 characters of thought, sent in pieces of 16 characters (four
// tokens), and a calculation whose result has some 970 characters. With more, 200
// steps would outgrow the 120,000 tokens from which Nestor condenses a
// conversation, and the two programs would no longer send the same.

// instruction is what an agent is told: how many steps to take and how long
// the model lets it wait for each reply.
func instruction(steps int, wait time.Duration) string {
	return fmt.Sprintf("Compute the powers of two that were agreed upon, one after the other, and report the last one. %s%d wait=%s]",
		mark, steps, wait)
}

const mark = "[steps="

// model answers requests. It remembers the last opening of a conversation, and
// what it says at each step.
type model struct {
	opening  atomic.Pointer[[]byte]
	requests sync.Pool
	sayings  sync.Map // []byte by step; -1 is the end, 0 for those who are no agents
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
	steps, wait, err := readMark(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	step := 1 + bytes.Count(body, []byte(`"role":"assistant"`))
	if steps > 0 && step == 1 {
		opening := bytes.Clone(body)
		m.opening.Store(&opening)
	}
	reply := append(m.saying(step, steps), usage(len(body))...)
	if wait > 0 {
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Write(reply)
}

// saying is what the model says at a step, up to the usage.
func (m *model) saying(step, steps int) []byte {
	switch {
	case steps == 0:
		step = 0
	case step > steps:
		step = -1
	}
	if said, ok := m.sayings.Load(step); ok {
		return said.([]byte)
	}
	var said []byte
	switch step {
	case 0:
		said = stream("All agents did what they were asked to do.", "", "")
	case -1:
		said = stream("", "final_answer", `{"answer":"The last power of two is computed. All of the powers are in the steps above."}`)
	default:
		said = stream(thought(step), "calculator", fmt.Sprintf(`{"expression":"2^(3200+%d)"}`, step))
	}
	said = slices.Clip(said) // so that nobody appends into what others read
	m.sayings.Store(step, said)
	return said
}

// readMark finds what an instruction asks for; no steps in a request of
// somebody else than an agent.
func readMark(body []byte) (steps int, wait time.Duration, err error) {
	i := bytes.Index(body, []byte(mark))
	if i < 0 {
		return 0, 0, nil
	}
	text, _, _ := strings.Cut(string(body[i+len(mark):min(i+len(mark)+40, len(body))]), "]")
	number, pause, _ := strings.Cut(text, " wait=")
	steps, err = strconv.Atoi(number)
	if err == nil {
		wait, err = time.ParseDuration(pause)
	}
	return steps, wait, err
}

// thought is what the model says before its call at a step.
func thought(step int) string {
	return fmt.Sprintf("Step %d: the result above looks right, its last digits agree with what I expected. "+
		"The next power in the list follows from it; I let the calculator do it so that no digit gets lost on the way.", step)
}

// pieceSize is how much of a text one chunk of a stream carries.
const pieceSize = 16

// stream is the chunks of a text and of a call, if there is one.
func stream(text, name, arguments string) []byte {
	var b bytes.Buffer
	chunk(&b, `{"role":"assistant","content":""}`, "null")
	for _, piece := range pieces(text) {
		chunk(&b, `{"content":`+quote(piece)+`}`, "null")
	}
	if name == "" {
		chunk(&b, "{}", `"stop"`)
		return b.Bytes()
	}
	chunk(&b, `{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":`+quote(name)+`,"arguments":""}}]}`, "null")
	for _, piece := range pieces(arguments) {
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

func pieces(text string) (list []string) {
	for len(text) > pieceSize {
		list, text = append(list, text[:pieceSize]), text[pieceSize:]
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
