package siege

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// step is one request. Its texts name what is there when it is sent: {chat c} is
// the path of a chat, {id c} its id, {task c 3} the id of some task in it, and so
// with agent, call, message and run; see [scene.fill]. So a step means the same
// when others before it are left out.
type step struct {
	who, method, path, body string
}

func (s step) String() string {
	text := fmt.Sprintf("%-16s %s %s", s.who, s.method, s.path)
	if s.body != "" {
		text += " " + s.body
	}
	return text
}

// sequence is what follows from a seed.
type sequence struct {
	*rand.Rand
	names []string          // of the cast
	asks  map[string]string // of each
	focus string            // the letter of the chat that most steps are about
}

const (
	// sequenceSteps are those of one sequence.
	sequenceSteps = 40
	// forgedUsage is in no usage that the model reports.
	forgedUsage = 777777777
)

// steps are those of a seed, for people with these names and chats.
func steps(seed uint64, names []string, asks map[string]string) []step {
	q := &sequence{Rand: rand.New(rand.NewPCG(seed, 28)), names: names, asks: asks}
	q.focus = q.among("c", "c", "c", "c", "p", "p", "p", "p", "p", "k", "k", "k", "w", "w", "w", "q", "e", "s")
	list := make([]step, sequenceSteps)
	for i := range list {
		list[i] = q.step()
	}
	return list
}

func (q *sequence) among(list ...string) string { return list[q.IntN(len(list))] }

// one reports true once in so many times.
func (q *sequence) one(in int) bool { return q.IntN(in) == 0 }

// step is a write or a verb by somebody about a chat in which it does no harm if
// it is allowed: see person.asks.
func (q *sequence) step() step {
	letter := q.focus
	if q.one(6) {
		letter = string(letters[q.IntN(len(letters))])
	}
	who := q.among(q.names...)
	if !q.one(6) { // more often somebody who can
		var able []string
		for _, name := range q.names {
			if strings.Contains(q.asks[name], letter) {
				able = append(able, name)
			}
		}
		if len(able) > 0 {
			who = q.among(able...)
		}
	}
	s := q.act(letter, who)
	s.who = who
	s.path = strings.ReplaceAll(s.path, "{L}", letter)
	s.body = strings.ReplaceAll(s.body, "{L}", letter)
	return s
}

// act is what somebody does about a chat. Those whose own it is, and who do not
// ask for work there, only do what starts none.
func (q *sequence) act(letter, who string) step {
	owns := strings.HasPrefix(who, "u1") && strings.Contains("cpkws", letter) || who == "u2" && strings.Contains("cqe", letter) ||
		who == "local" || who == "ex" && letter == "e" || who == "u1" && letter == "e" || who == "u1 writes" && letter == "e"
	if owns && !strings.Contains(q.asks[who], letter) {
		return q.control()
	}
	switch q.IntN(10) {
	case 0, 1, 2, 3, 4:
		return q.write(who, letter)
	case 5, 6:
		return q.control()
	case 7:
		return q.look(letter)
	}
	return q.ask(who)
}

// some draws the id of something that is there.
func (q *sequence) some(kind string) string { return fmt.Sprintf("{%s {L} %d}", kind, q.IntN(100)) }

// ask is a verb that starts work.
func (q *sequence) ask(who string) step {
	post := func(path, body string) step {
		return step{method: "POST", path: "chats/{id {L}}/" + path + "{user {L}}", body: body}
	}
	switch q.IntN(9) {
	case 0, 1:
		return post("messages", `{"content":"Please look around."}`)
	case 2, 3:
		tool := q.among("read_document", "write_document", "search_documents", "gated", forbiddenTool, "calculator")
		args := map[string]string{
			"read_document": `{"title":"` + privateTitle + `"}`, "write_document": `{"title":"New","content":"words"}`, "search_documents": `{"query":"canary"}`,
			"calculator": `{"expression":"6*7"}`,
		}[tool]
		if args == "" {
			args = `{"word":"x"}`
		}
		return post("tasks", `{"name":"tool:`+tool+`","args":`+args+`}`)
	case 4:
		return post("tasks", `{"name":"agent:`+q.among("general", "researcher")+`","instruction":"Look around."}`)
	case 5:
		return post("tasks/"+q.some("task")+"/messages", `{"content":"In German, please."}`)
	case 6:
		return post("tasks/"+q.some("task")+"/answer", `{"questionId":"`+q.some("question")+`","content":"Yes."}`)
	case 7:
		return post("messages", `{"content":[{"type":"file","fileId":"{file `+q.among("u1", "u2", "u3", "u4")+` `+who+`}"}]}`)
	}
	return step{method: "PATCH", path: "chats/{id {L}}{user {L}}", body: `{"participant":"` + q.among("orchestrator", "agent:general", "model:{id {L}}", "agent:researcher") + `"}`}
}

// control is a verb that starts no work that nobody asked for before.
func (q *sequence) control() step {
	post := func(path, body string) step {
		return step{method: "POST", path: "chats/{id {L}}/" + path + "{user {L}}", body: body}
	}
	switch q.IntN(12) {
	case 0, 1, 2:
		return post("tasks/"+q.some("task")+"/cancel", "")
	case 3:
		return post("stop", "")
	case 4:
		return post("tasks/"+q.some("task")+"/"+q.among("pause", "resume"), "")
	case 5:
		return post("tasks/"+q.some("task")+"/retry", "")
	case 6, 7:
		return post("sub-agents/{call {L} "+fmt.Sprint(q.IntN(100))+"}/decision", `{"action":"approve"}`)
	case 8:
		return step{method: "POST", path: "runs/" + q.some("run") + "/cancel{user {L}}"}
	case 9:
		return post("fork", `{}`)
	case 10:
		return step{method: "PATCH", path: "chats/{id {L}}/mark{user {L}}", body: `{"pinned":true}`}
	}
	if q.one(4) {
		return step{method: "DELETE", path: "docs/{chat {L}}" + q.among("", "/messages/"+q.some("message"), "/tasks/"+q.some("task"), "/sub-agents/"+q.some("agent"))}
	}
	return step{method: "PATCH", path: "chats/{id {L}}{user {L}}", body: `{"budget":{"tokens":` + q.among("10", "100000") + `}}`}
}

// look reads something that others may be kept from.
func (q *sequence) look(letter string) step {
	paths := looks(letter)
	return step{method: "GET", path: paths[q.IntN(len(paths))]}
}
