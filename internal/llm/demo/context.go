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
	// report and question are the tasks under the heading of that name in the
	// last message.
	report, question []task
	// work is what an agent has to do and has done.
	work work
}

// task is one line of a state block.
type task struct {
	id, agent, name, status string
	question, result, err   string
}

func (t task) waiting() bool  { return t.status == "waiting" || t.status == "waiting_for_user" }
func (t task) finished() bool { return t.status == "success" || t.status == "completed" }
func (t task) failed() bool   { return t.status == "failed" || t.status == "cancelled" }

// role is the name in words: "researcher" of "agent:researcher".
func (t task) role() string {
	if _, role, _ := strings.Cut(t.name, ":"); role != "" && role != general {
		return role
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
		if i == len(req.Messages)-1 {
			sc.report, sc.question = s.report, s.question
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
	message                 string
	state, report, question []task
}

var (
	heading  = regexp.MustCompile(`(?i)^\s*#{1,6}\s*(state|message|report|question)\s*:?\s*$`)
	taskLine = regexp.MustCompile(`(?i)^\s*[-*]\s*task\s+\S+\s*\|`)
)

func readSections(text string) sections {
	var s sections
	var message []string
	tasks := &s.state // where lines of tasks go
	in := ""          // the heading at hand
	entry := false    // the line before belongs to a task
	blank := false    // the line before is empty
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch h := heading.FindStringSubmatch(line); {
		case h != nil:
			in, entry = strings.ToLower(h[1]), false
			switch in {
			case "report":
				tasks = &s.report
			case "question":
				tasks = &s.question
			case "message":
				message = nil // what came before is not the user's
				fallthrough
			default:
				tasks = &s.state
			}
		case in != "message" && taskLine.MatchString(line):
			*tasks = append(*tasks, readTask(line))
			entry = true
		case entry && continues(line, in, blank):
			(*tasks)[len(*tasks)-1].goOn(line)
		default:
			message = append(message, line)
			entry = false
		}
		blank = strings.TrimSpace(line) == ""
	}
	s.message = strings.TrimSpace(strings.Join(message, "\n"))
	return s
}

// continues reports whether a line belongs to the task above it. Under Report
// and Question all do; elsewhere the user's words may follow.
func continues(line, in string, afterBlank bool) bool {
	indented := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
	return indented || strings.TrimSpace(line) == "" || in == "report" || in == "question" || in == "state" && !afterBlank
}

// readTask reads the fields of a line in any order and skips those it does not
// know. What a task asks or found is the last field, and may contain bars.
func readTask(line string) task {
	var t task
	rest := strings.TrimLeft(line, " \t-*")
	for more := true; more; {
		field := rest
		if !isText(rest) {
			field, rest, more = strings.Cut(rest, "|")
		} else {
			more = false
		}
		key, value, _ := strings.Cut(strings.TrimSpace(field), " ")
		value = strings.TrimSpace(value)
		switch key = strings.ToLower(key); {
		case key == "task":
			t.id = value
		case key == "agent":
			t.agent = value
		case key == "question:":
			t.question = value
		case key == "result:":
			t.result = value
		case key == "error:":
			t.err = value
		case strings.HasPrefix(key, "agent:"), strings.HasPrefix(key, "tool:"):
			t.name = key
		case value == "" && t.status == "":
			t.status = key
		}
	}
	return t
}

func isText(field string) bool {
	field = strings.ToLower(strings.TrimSpace(field))
	return strings.HasPrefix(field, "question:") || strings.HasPrefix(field, "result:") || strings.HasPrefix(field, "error:")
}

// goOn adds a line to what the task asks or found.
func (t *task) goOn(line string) {
	text := &t.result
	switch {
	case t.question != "":
		text = &t.question
	case t.err != "":
		text = &t.err
	}
	*text = strings.TrimRight(*text+"\n"+strings.TrimPrefix(line, "  "), " ")
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
