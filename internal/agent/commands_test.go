package agent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// The input of a transcript is what people do, one command per line. Each is
// carried out when the one before has had all its consequences, except for
// what a gate holds back. A command that is refused is part of the outcome.
//
//	user: TEXT                       says something in the chat: m1, m2 and so on
//	user together: TEXT || TEXT      says two things in one transaction
//	user [together] as NAME NAME: …  the same, said by others than the chat's own user
//	task ROLE: INSTRUCTION           starts an agent directly
//	tool NAME [after MESSAGE]: INSTRUCTION
//	                                 calls a tool directly; the task says no status
//	args NAME: ARGUMENTS             the same, with arguments instead of an instruction
//	hold TEXT, release TEXT          closes and opens a gate for what contains TEXT: a request,
//	                                 "model " and all that is new to the model, a reply after
//	                                 a piece of text, "said " and the piece, a call, "tool NAME
//	                                 ARGUMENTS", a job before it begins, "job NAME PATH", or
//	                                 before its effects are committed, "commit NAME PATH"
//	interrupted TEXT                 waits until what a gate held has been interrupted
//	cancel|pause|resume|retry TASK   controls
//	steer TASK [NAME]: TEXT          ann steers, or who is named
//	answer TASK [NAME [N]]: TEXT     ann answers the question of an agent, or who is named; the N-th
//	                                 that it asked, instead of the latest. Messages are a1, a2 and so on
//	again: TEXT                      ann sends the latest answer again, with this text
//	stop                             stops the chat
//	approve|deny|redo|done|skip AGENT TOOL [N]: ARGUMENTS OR REASON
//	                                 decides about the N-th call of a tool, the first if it is not said
//	rename: TITLE                    gives the chat a title
//	participant: PARTICIPANT         has somebody else answer from now on
//	prompt: TEXT                     sets the system prompt of the chat
//	crash                            ends the attempts under way; their jobs are run again
//	delete                           deletes the chat
//	# a remark
func (w *world) do(line string) {
	w.Helper()
	command, rest, _ := strings.Cut(line, ":")
	words, rest := strings.Fields(command), strings.TrimSpace(rest)
	if len(words) == 0 || strings.HasPrefix(line, "#") {
		return
	}
	act := commands[words[0]]
	if act == nil {
		w.Fatalf("unknown command %q", line)
	}
	if slices.Contains([]string{"hold", "release", "interrupted"}, words[0]) {
		rest = strings.TrimSpace(strings.TrimPrefix(line, words[0]))
	}
	if err := act(w, words[1:], rest); err != nil {
		w.refused = append(w.refused, fmt.Sprintf("refused: %s: %s: %s", line, nestor.CodeOf(err), err))
	}
	w.rest()
}

var commands = map[string]func(w *world, words []string, rest string) error{
	"user": func(w *world, words []string, rest string) error {
		texts := []string{rest}
		if len(words) > 0 && words[0] == "together" {
			texts, words = strings.Split(rest, " || "), words[1:]
		}
		var authors []string
		if len(words) > 0 && words[0] == "as" {
			for _, name := range words[1:] {
				authors = append(authors, w.person(name))
			}
		}
		w.sayAs(authors, texts...)
		return nil
	},
	"task": func(w *world, words []string, rest string) error {
		w.update(func(tx store.Tx) error {
			_, err := tx.Create(w.chat.Child("tasks", nestor.NewID()), nestor.Task{
				Type: nestor.TaskAgent, Name: "agent:" + words[0], Instruction: rest, Status: nestor.TaskPending,
			})
			return err
		})
		return nil
	},
	"tool": func(w *world, words []string, rest string) error {
		task := map[string]any{"type": nestor.TaskTool, "name": "tool:" + words[0], "instruction": rest}
		if len(words) > 1 {
			task["triggerMessageId"] = words[2]
		}
		return w.write(w.chat.Child("tasks", nestor.NewID()), task)
	},
	"args": func(w *world, words []string, rest string) error {
		return w.write(w.chat.Child("tasks", nestor.NewID()), map[string]any{
			"type": nestor.TaskTool, "name": "tool:" + words[0], "instruction": "", "args": json.RawMessage(rest),
		})
	},
	"hold": func(w *world, _ []string, rest string) error {
		w.gates.close(rest)
		return nil
	},
	"release": func(w *world, _ []string, rest string) error {
		if !w.gates.open(rest) {
			w.Fatalf("nothing holds %q", rest)
		}
		return nil
	},
	"interrupted": func(w *world, _ []string, rest string) error {
		w.until("what was held is interrupted", func() bool { return w.gates.interrupted(rest) })
		return nil
	},
	"cancel": func(w *world, words []string, _ string) error {
		return w.agents.Cancel(w.Context(), w.task(words[0]), w.person("ann"))
	},
	"pause": func(w *world, words []string, _ string) error {
		return w.agents.Pause(w.Context(), w.task(words[0]), w.person("ann"))
	},
	"resume": func(w *world, words []string, _ string) error {
		return w.agents.Resume(w.Context(), w.task(words[0]), w.person("ann"))
	},
	"retry": func(w *world, words []string, _ string) error {
		return w.agents.Retry(w.Context(), w.task(words[0]), w.person("ann"))
	},
	"steer": func(w *world, words []string, rest string) error {
		by := "ann"
		if len(words) > 1 {
			by = words[1]
		}
		_, err := w.agents.Steer(w.Context(), w.task(words[0]), w.person(by), rest)
		return err
	},
	"answer": func(w *world, words []string, rest string) error {
		by, n := "ann", 0
		if len(words) > 1 {
			by = words[1]
		}
		if len(words) > 2 {
			n, _ = strconv.Atoi(words[2])
		}
		w.answered.task = w.task(words[0])
		w.answers++
		w.answered.Answer = nestor.Answer{
			ID: fmt.Sprintf("a%d", w.answers), QuestionID: w.question(w.answered.task, n), By: w.person(by), Content: rest,
		}
		return w.sendAnswer()
	},
	"again": func(w *world, _ []string, rest string) error {
		w.answered.Content = rest
		return w.sendAnswer()
	},
	"stop":    func(w *world, _ []string, _ string) error { return w.agents.Stop(w.Context(), w.chat, w.person("ann")) },
	"approve": func(w *world, words []string, rest string) error { return w.decide(nestor.Approve, words, rest) },
	"deny":    func(w *world, words []string, rest string) error { return w.decide(nestor.Deny, words, rest) },
	"redo":    func(w *world, words []string, rest string) error { return w.decide(nestor.RetryCall, words, rest) },
	"done":    func(w *world, words []string, rest string) error { return w.decide(nestor.MarkDone, words, rest) },
	"skip":    func(w *world, words []string, rest string) error { return w.decide(nestor.SkipCall, words, rest) },
	"rename": func(w *world, _ []string, rest string) error {
		w.update(func(tx store.Tx) error {
			_, err := tx.Patch(w.chat, map[string]any{"title": rest}, store.AnyVersion)
			return err
		})
		return nil
	},
	"participant": func(w *world, _ []string, rest string) error { return w.patch("participant", rest) },
	"prompt":      func(w *world, _ []string, rest string) error { return w.patch("systemPrompt", rest) },
	"crash": func(w *world, _ []string, _ string) error {
		waiting, gone := w.gates.count()
		w.crash()
		// Whoever is tried again meanwhile waits anew.
		w.until("what was held is gone", func() bool {
			_, now := w.gates.count()
			return now >= gone+waiting
		})
		return nil
	},
	"delete": func(w *world, _ []string, _ string) error {
		w.update(func(tx store.Tx) error { return tx.Delete(w.chat, store.AnyVersion) })
		return nil
	},
}

// patch sets a field of the chat.
func (w *world) patch(field, value string) error {
	return w.bench.store.Update(w.Context(), func(tx store.Tx) error {
		_, err := tx.Patch(w.chat, map[string]any{field: value}, store.AnyVersion)
		return err
	})
}

// write creates a document as a program outside does: as JSON.
func (w *world) write(p nestor.Path, body map[string]any) error {
	return w.bench.store.Update(w.Context(), func(tx store.Tx) error {
		_, err := tx.Create(p, body)
		return err
	})
}

func (w *world) decide(action nestor.DecisionAction, words []string, rest string) error {
	w.Helper()
	d := nestor.Decision{Action: action, By: w.person("ann"), Reason: rest}
	if strings.HasPrefix(rest, "{") {
		d.Args, d.Reason = json.RawMessage(rest), ""
	}
	n := 1
	if len(words) > 2 {
		n, _ = strconv.Atoi(words[2])
	}
	return w.agents.Decide(w.Context(), w.call(words[0], words[1], n), d)
}

// sendAnswer gives the latest answer.
func (w *world) sendAnswer() error {
	d, fresh, err := w.agents.AnswerQuestion(w.Context(), w.answered.task, w.answered.Answer)
	if err == nil && !fresh {
		w.refused = append(w.refused, fmt.Sprintf("there already: %s: %s", d.Path.ID(), load[nestor.Message](w, d.Path).Content))
	}
	return err
}

// question is what the agent of a task asks, or the n-th thing that it asked.
func (w *world) question(task nestor.Path, n int) string {
	w.Helper()
	agent := w.chat.Child("sub-agents", load[nestor.Task](w, task).SubAgentID)
	if n == 0 {
		return load[nestor.SubAgent](w, agent).QuestionCallID
	}
	for _, m := range list[nestor.SubAgentMessage](w, agent, "messages") {
		for _, c := range m.ToolCalls {
			if c.Function.Name == "ask_user" {
				if n--; n == 0 {
					return c.ID
				}
			}
		}
	}
	w.Fatalf("%s did not ask that often", task.ID())
	return ""
}

// call is the path of the n-th call of a tool that an agent made.
func (w *world) call(agent, tool string, n int) nestor.Path {
	w.Helper()
	for _, m := range list[nestor.SubAgentMessage](w, w.agent(agent), "messages") {
		for _, c := range m.ToolCalls {
			if c.Function.Name != tool {
				continue
			}
			if n--; n == 0 {
				return w.agent(agent).Child("tool-calls", c.ID)
			}
		}
	}
	for _, c := range list[nestor.ToolCall](w, w.agent(agent), "tool-calls") { // of a task that is one
		if c.EndsTask && c.ToolName == tool {
			if n--; n == 0 {
				return w.agent(agent).Child("tool-calls", c.ID)
			}
		}
	}
	w.Fatalf("%s made no such call of %s", agent, tool)
	return ""
}
