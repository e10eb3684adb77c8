package demo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// agentRules: results end the work, a missing piece is asked for, otherwise
// tools are called; without any of that the agent says so.
var agentRules = []rule{
	{"add to the document that was read", addsToDocument, addToDocument},
	{"sum up what the tools returned", func(sc *scene) bool { return len(sc.work.results) > 0 }, concludeWork},
	{"ask for what is missing", func(sc *scene) bool { return missing(sc) != "" }, ask},
	{"call the tools that help", func(sc *scene) bool { return len(plan(sc)) > 0 }, callTools},
	{"finish with what the user said", func(sc *scene) bool { return len(sc.work.answers) > 0 }, concludeAnswers},
	{"admit that no tool helps", always, concludeNothing},
}

// missing returns the question that must be answered first, or "". No question
// is asked twice.
func missing(sc *scene) string {
	text, goal := head(sc.work.text()), head(sc.work.goal)
	for _, s := range asked(text) {
		if s.missing == nil {
			continue
		}
		// What counts as asked is the question as it was before the answers.
		if q := s.missing(goal); q != "" && !sc.work.asked(q) && s.missing(text) != "" {
			return q
		}
	}
	return ""
}

func ask(sc *scene) reply {
	question := missing(sc)
	if _, ok := sc.tools[askUser]; !ok {
		return finish(sc, "I cannot go on without an answer to this: "+question)
	}
	return reply{calls: []call{{askUser, map[string]any{"question": question}}}}
}

// maxCalls bounds how many tools run at once for one instruction.
const maxCalls = 8

// plan returns the tool calls for the work, all of which can run in parallel.
func plan(sc *scene) []call {
	calls := toolByName(sc)
	if calls == nil {
		calls = planSkills(sc)
	}
	calls = slices.DeleteFunc(calls, func(c call) bool {
		_, ok := sc.tools[c.tool]
		return !ok
	})
	return calls[:min(len(calls), maxCalls)]
}

func planSkills(sc *scene) []call {
	text, before := head(sc.work.text()), head(sc.work.before)
	var calls []call
	for _, s := range asked(text) {
		if s.calls != nil {
			calls = append(calls, s.calls(text)...)
		}
	}
	if calls != nil || before == "" {
		return calls
	}
	for _, s := range asked(before) { // a follow-up continues what was asked before
		switch {
		case s.calls == nil:
		case s.role == researcher:
			calls = append(calls, s.calls(firstLine(before)+" "+plain(text))...)
		case len(s.calls(text)) > 0:
			calls = append(calls, s.calls(text)...)
		default:
			calls = append(calls, s.calls(before)...)
		}
	}
	return calls
}

var (
	toolMention = regexp.MustCompile(`(?i)\b(?:use|call|run|try)\s+(?:the\s+)?(?:tool\s+)?([\w-]+)|\bthe\s+([\w-]+)\s+tool\b`)
	jsonObject  = regexp.MustCompile(`(?s)\{.*\}`)
)

// toolByName returns the call of a tool that the instruction names, or that the
// request demands, with the arguments it gives as JSON or else the whole text.
func toolByName(sc *scene) []call {
	name := ""
	if _, ok := sc.tools[sc.req.ToolChoice]; ok {
		name = sc.req.ToolChoice
	}
	for _, m := range toolMention.FindAllStringSubmatch(sc.work.goal, -1) {
		if _, ok := sc.tools[m[1]+m[2]]; ok && name == "" {
			name = m[1] + m[2]
		}
	}
	if name == "" || name == finalAnswer || name == askUser {
		return nil
	}
	for _, c := range planSkills(sc) {
		if c.tool == name {
			return planSkills(sc) // the rules know better what to pass
		}
	}
	if args, ok := parseObject(jsonObject.FindString(sc.work.goal)); ok {
		return []call{{name, args}}
	}
	return []call{{name, textArgs(sc.tools[name], topic(sc.work.goal))}}
}

func callTools(sc *scene) reply { return reply{calls: plan(sc)} }

func concludeWork(sc *scene) reply { return finish(sc, summary(sc.work)) }

func concludeAnswers(sc *scene) reply {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n", verbatim(excerpt(sc.work.goal, 200)))
	for _, a := range sc.work.answers {
		fmt.Fprintf(&b, "\n- %s — %s", a.question, a.text)
	}
	b.WriteString("\n\nThat is everything I need, but no tool that I have can do the rest.")
	return finish(sc, b.String())
}

func concludeNothing(sc *scene) reply {
	r := finish(sc, fmt.Sprintf("I could not do this: “%s”. No tool that I have helps with it, and the demo model knows nothing by itself.",
		excerpt(sc.work.goal, 200)))
	for _, c := range r.calls {
		c.args["outcome"] = "could_not"
	}
	return r
}

// finish ends the work, by the tool for that if there is one.
func finish(sc *scene, markdown string) reply {
	if _, ok := sc.tools[finalAnswer]; ok {
		return reply{calls: []call{{finalAnswer, map[string]any{"answer": markdown}}}}
	}
	return say(markdown)
}
