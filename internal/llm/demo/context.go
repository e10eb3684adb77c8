package demo

import (
	"regexp"
	"slices"
	"strings"

	"github.com/nestorhq/nestor/internal/llm"
)

// scene is a request as the rules see it.
type scene struct {
	req   *llm.Request
	part  part
	tools map[string]llm.Tool
	// said is what the user said since the model last spoke, in one text: two
	// messages in quick succession get one answer.
	said string
	// earlier is everything the user said before, oldest first.
	earlier []string
	// tasks are those of the state block, oldest first.
	tasks []task
	// ended are the events of agents that ended since the user spoke, if all have: then
	// it is the orchestrator's turn.
	ended []event
	// question is what an agent asks in the last message.
	question string
	// work is what an agent has to do and has done.
	work work
}

// task is one line of a state block.
type task struct {
	handle, name, status string
	question             string
}

// event is how an agent ended.
type event struct {
	title, text string
	failed      bool
}

func (t task) waiting() bool  { return t.status == "waiting" }
func (t task) finished() bool { return t.status == "success" }
func (t task) isAgent() bool  { return strings.HasPrefix(t.handle, "A") }

// role is the name in words.
func (t task) role() string {
	if t.name != "" && t.name != general {
		return t.name
	}
	return "agent"
}

func read(req *llm.Request) *scene {
	sc := &scene{req: req, tools: offered(req)}
	sc.part = partOf(sc.tools)
	sc.tasks = readSections(req.System).state
	spoke := -1
	for i, m := range req.Messages {
		if m.Role != llm.RoleUser {
			spoke = i
		}
	}
	var said []string
	var events []event
	for i, m := range req.Messages {
		if m.Role != llm.RoleUser {
			continue
		}
		s := readSections(textOf(m))
		if s.state != nil {
			sc.tasks = s.state
		}
		switch {
		case s.message == "":
		case i > spoke:
			said = append(said, s.message)
		default:
			sc.earlier = append(sc.earlier, s.message)
		}
		switch {
		case s.message != "":
			events = nil
		case s.event != nil:
			events = append(events, *s.event)
		}
		if i == len(req.Messages)-1 {
			if sc.question = s.question; s.turn {
				sc.ended = events
			}
		}
	}
	sc.said = strings.Join(said, "\n")
	sc.work = readWork(req.Messages)
	return sc
}

// offered returns the tools the reply may call.
func offered(req *llm.Request) map[string]llm.Tool {
	tools := make(map[string]llm.Tool)
	for _, t := range req.Tools {
		named := slices.ContainsFunc(req.Tools, func(t llm.Tool) bool { return t.Name == req.ToolChoice })
		if req.ToolChoice != "none" && (!named || t.Name == req.ToolChoice) {
			tools[t.Name] = t
		}
	}
	return tools
}

// sections is a text divided by the headings of the package comment.
type sections struct {
	message  string
	state    []task
	event    *event
	turn     bool // all that was started has ended
	question string
}

var (
	heading   = regexp.MustCompile(`(?i)^\s*#{1,6}\s*(state|message|event)\b:?\s*(.*?)\s*$`)
	stateLine = regexp.MustCompile(`^\s*[-*]\s*[AT]\d+\s*\|`)
	asks      = regexp.MustCompile(`^\S+ \(“.*?”\) asks: (.*)$`)
	titled    = regexp.MustCompile(`“(.*)”`)
)

func readSections(text string) sections {
	var s sections
	var message []string
	in := ""       // the heading at hand
	entry := false // the line before belongs to a task
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		h := heading.FindStringSubmatch(line)
		switch {
		case h != nil:
			in, entry = strings.ToLower(h[1]), false
			switch about := h[2]; {
			case in == "message":
				message = nil // what came before is not the user's
			case in != "event":
			case about == "":
				s.turn = true
			case strings.HasPrefix(about, "question"):
				in = "question"
			default:
				s.event = &event{failed: strings.HasSuffix(about, "was not done")}
				if m := titled.FindStringSubmatch(about); m != nil {
					s.event.title = m[1]
				}
			}
		case in == "event":
			if s.event != nil {
				s.event.text = strings.TrimSpace(s.event.text + "\n" + line)
			}
		case in == "question":
			if m := asks.FindStringSubmatch(line); m != nil {
				s.question = m[1]
			}
		case in != "message" && stateLine.MatchString(line):
			s.state = append(s.state, readTask(line))
			entry = true
		case entry && strings.HasPrefix(line, "  "):
			t := &s.state[len(s.state)-1]
			t.question = strings.TrimSpace(t.question + "\n" + strings.TrimSpace(line))
		case in == "state":
			entry = false
		default:
			message = append(message, line)
		}
	}
	s.message = strings.TrimSpace(strings.Join(message, "\n"))
	return s
}

// readTask reads the fields of a line. What a task asks is the last one, and may contain
// bars.
func readTask(line string) task {
	fields := strings.SplitN(strings.TrimLeft(line, " \t-*"), "|", 5)
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	fields = append(fields, "", "", "", "")
	status, _, _ := strings.Cut(fields[3], " ")
	question, asked := strings.CutPrefix(fields[4], "question:")
	t := task{handle: fields[0], name: fields[1], status: status}
	if asked {
		t.question = strings.TrimSpace(question)
	}
	return t
}

// textOf is the text of a message.
func textOf(m llm.Message) string {
	var parts []string
	for _, p := range m.Parts {
		if t, ok := p.(llm.Text); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}
