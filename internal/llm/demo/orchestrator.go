package demo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nestorhq/nestor/internal/llm"
)

// orchestratorRules in the order of preference: what the runtime asks for, the
// answer to a waiting agent, the follow-up to finished work, new work, talk.
var orchestratorRules = []rule{
	{"conclude when all agents have ended", allEnded, conclude},
	{"answer an agent from the history", questionKnown, answerFromHistory},
	{"have the user asked", questionAsked, haveAsked},
	{"say what the calls led to", callsMade, acknowledge},
	{"give a waiting agent its answer", answersWaiting, replyToWaiting},
	{"continue finished work", followsUp, reactivate},
	{"divide the work among agents", severalParts, delegate},
	{"give the work to an agent", onePart, delegate},
	{"answer directly", always, talk},
}

func allEnded(sc *scene) bool      { return len(sc.ended) > 0 }
func questionAsked(sc *scene) bool { return sc.question != "" }

// conclude says how all agents came out. Their results were shown.
func conclude(sc *scene) reply {
	failed := 0
	for _, e := range sc.ended {
		if e.failed {
			failed++
		}
	}
	switch n := len(sc.ended); {
	case n == 1 && failed == 0:
		return say("With that, all is done.")
	case failed == 0:
		return say(fmt.Sprintf("With that, all %d parts are done.", n))
	case n == 1:
		return say("That could not be done. Please say it differently, or tell me what else would help.")
	default:
		return say(fmt.Sprintf("With that, all %d parts have ended; %d could not be done.", n, failed))
	}
}

func questionKnown(sc *scene) bool {
	if _, ok := sc.tools[replyToAgent]; !ok || sc.question == "" {
		return false
	}
	_, _, ok := known(sc.question, append(slices.Clone(sc.earlier), sc.said))
	return ok
}

func answerFromHistory(sc *scene) reply {
	text, basis, _ := known(sc.question, append(slices.Clone(sc.earlier), sc.said))
	return reply{
		text:  fmt.Sprintf("The agent asked: “%s” I answered “%s”, because you wrote: “%s”", sc.question, text, basis),
		calls: []call{{replyToAgent, map[string]any{"content": text, "basedOn": basis}}},
	}
}

func haveAsked(*scene) reply { return say("ASK") }

func callsMade(sc *scene) bool {
	n := len(sc.req.Messages)
	return n > 0 && sc.req.Messages[n-1].Role == llm.RoleTool
}

// acknowledge tells the user how the calls of the last reply went. It calls
// nothing again, whatever went wrong.
func acknowledge(sc *scene) reply {
	var made, failed int
	var problems []string
	for _, r := range sc.work.results {
		if r.failed {
			failed++
			problems = append(problems, excerpt(r.content, 200))
		} else {
			made++
		}
	}
	switch {
	case failed > 0:
		return say("That did not work: " + strings.Join(problems, "; "))
	case made == 1:
		return say("An agent is on it. You will see what it finds.")
	}
	return say(fmt.Sprintf("%d agents are on it. You will see what they find.", made))
}

// waitingFor returns the waiting task that the user's words answer: the one
// whose question shares most words with them, or else the newest.
func waitingFor(sc *scene) (task, bool) {
	if _, ok := sc.tools[replyToAgent]; !ok {
		return task{}, false
	}
	var best task
	found, most := false, -1
	for _, t := range sc.tasks {
		if n := shared(sc.said, t.question); t.waiting() && t.isAgent() && n >= most {
			best, found, most = t, true, n
		}
	}
	return best, found
}

// answersWaiting holds for anything but a question, small talk and a request
// that has nothing to do with the agent's question.
func answersWaiting(sc *scene) bool {
	t, ok := waitingFor(sc)
	if !ok || sc.said == "" || strings.HasSuffix(sc.said, "?") || smallTalk(sc.said) != nil {
		return false
	}
	return len(asked(sc.said)) == 0 || shared(sc.said, t.question) > 0
}

func replyToWaiting(sc *scene) reply {
	t, _ := waitingFor(sc)
	return reply{
		text:  fmt.Sprintf("Thank you, I am passing that on to the %s.", t.role()),
		calls: []call{{replyToAgent, map[string]any{"agent": t.handle, "content": sc.said}}},
	}
}

var followUp = regexp.MustCompile(`(?i)^(?:ok(?:ay)?[,.]?\s+)?(?:now\b|also\b|and (?:now|what about|how about|in|for|with)\b|what about\b|how about\b|more detail|` +
	`in more detail|tell me more|go deeper|elaborate|expand\b|continue\b|go on\b|can you also\b|please also\b)|\bmore details?\b`)

func newestFinished(sc *scene) (task, bool) {
	for _, t := range slices.Backward(sc.tasks) {
		if t.finished() && t.isAgent() {
			return t, true
		}
	}
	return task{}, false
}

func followsUp(sc *scene) bool {
	_, offered := sc.tools[reactivateAgent]
	_, finished := newestFinished(sc)
	return offered && finished && followUp.MatchString(sc.said)
}

func reactivate(sc *scene) reply {
	t, _ := newestFinished(sc)
	return reply{
		text:  fmt.Sprintf("The %s who worked on this will continue.", t.role()),
		calls: []call{{reactivateAgent, map[string]any{"agent": t.handle, "instruction": sc.said}}},
	}
}

func severalParts(sc *scene) bool { return canDelegate(sc) && len(parts(sc.said)) > 1 }
func onePart(sc *scene) bool      { return canDelegate(sc) && len(parts(sc.said)) == 1 }

func canDelegate(sc *scene) bool {
	_, ok := sc.tools[createAgent]
	return ok
}

func delegate(sc *scene) reply {
	var r reply
	for _, p := range parts(sc.said) {
		r.calls = append(r.calls, call{createAgent, map[string]any{"type": roleFor(p), "instruction": p}})
	}
	r.text = fmt.Sprintf("I am giving this to a %s agent.", r.calls[0].args["type"])
	if n := len(r.calls); n > 1 {
		r.text = fmt.Sprintf("These are %d things; I am starting an agent for each.", n)
	}
	return r
}

// shared counts the content words that two texts have in common.
func shared(a, b string) int {
	n := 0
	others := contentWords(head(b))
	for _, w := range contentWords(head(a)) {
		if slices.Contains(others, w) {
			n++
		}
	}
	return n
}
