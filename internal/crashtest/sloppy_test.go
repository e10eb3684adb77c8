package crashtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// In sloppy conversations the model makes every mistake that models make, at random at each
// step, while processes die. Each ends nevertheless, and nothing is told that did not happen.

// wishes are what the person says, one after the other.
var wishes = []string{"Hold the scarf for me.", "Hold the hat and the gloves, too.", "What is left?"}

var sloppy = matrix{name: "sloppy", program: func(ctx context.Context, l *life) ([]string, error) {
	m, err := join(ctx, l, memberOptions{})
	if err != nil {
		return nil, err
	}
	err = m.run(ctx, func(ctx context.Context) error {
		return m.workUntil(ctx, m.worker, func(ctx context.Context) (bool, error) { return patientPerson(ctx, m) })
	})
	if err != nil {
		return nil, err
	}
	return nil, m.store.View(ctx, untold)
}}

func TestASloppyModelClaimsNothingAndEndsWhereverItIsKilled(t *testing.T) {
	for _, engine := range engines.Names {
		for seed := range uint64(24) {
			t.Run(fmt.Sprint(engine, " ", seed), func(t *testing.T) {
				t.Parallel()
				trial := sloppy.begin(t, engine)
				trial.world.improvised = (&improviser{seed: seed}).reply
				dice := rand.New(rand.NewPCG(seed, 1))
				for range dice.IntN(3) {
					trial.kill(point{Kind: afterCommit, N: 1 + dice.IntN(60)}, false)
				}
				trial.live(newLife(trial.db, trial.world.address(survivor)))
			})
		}
	}
}

// patientPerson says what is left to say and answers what is asked, as long as no job is left.
func patientPerson(ctx context.Context, m *member) (over bool, err error) {
	for !over {
		left, err := m.store.Jobs(ctx, store.JobFilter{Limit: 1})
		if err != nil || len(left) > 0 {
			return false, err
		}
		if over, err = nextWord(ctx, m); err != nil {
			return false, err
		}
	}
	return true, nil
}

// nextWord reports whether nothing is left to say.
func nextWord(ctx context.Context, m *member) (none bool, err error) {
	now, err := m.look(ctx)
	if err != nil {
		return false, err
	}
	if !now.opened {
		return false, m.write(ctx, chatPath, nestor.Chat{Title: "Gifts", Budget: budget})
	}
	var tasks []nestor.Task
	if err := m.store.View(ctx, func(r store.Reader) (err error) {
		tasks, err = all[nestor.Task](r, store.Tasks)
		return err
	}); err != nil {
		return false, err
	}
	for _, t := range tasks {
		if t.Status == nestor.TaskWaiting {
			return false, m.answer(ctx, chatPath.Child("tasks", t.ID), nestor.DeriveID("said", t.QuestionID), "The red one.")
		}
	}
	for i, wish := range wishes {
		if !now.said[wish] {
			return false, m.say(ctx, fmt.Sprint("m", i), wish)
		}
	}
	return true, nil
}

func all[T any](r store.Reader, c *store.Collection) (list []T, err error) {
	page, err := r.Query(store.Query{Flat: c.Name, Limit: store.MaxLimit})
	for _, d := range page.Items {
		v, err := nestor.As[T](d)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, err
}

// untold reports what is told and did not happen, or happened and is not told.
func untold(r store.Reader) error {
	messages, err := all[nestor.Message](r, store.Messages)
	tasks, err2 := all[nestor.Task](r, store.Tasks)
	calls, err3 := all[nestor.ToolCall](r, store.SubAgentToolCalls)
	problems := []error{err, err2, err3}
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	answered, ordered := map[string]bool{}, 0
	for _, m := range messages {
		for _, id := range append(m.Answers, m.RepliesTo) {
			answered[id] = true
		}
		started := 0
		for _, c := range m.ToolCalls {
			if c.Function.Name == controltool.CreateAgent {
				started++
			}
		}
		ordered += started
		if n := 0; m.Role == nestor.RoleAssistant && m.TaskID == "" {
			if _, err := fmt.Sscanf(m.Content, "Started %d.", &n); err == nil && n > started {
				wrong("%q is said of %d agents", m.Content, started)
			}
		}
		if m.Role == nestor.RoleAssistant && m.Content == "" && len(m.ToolCalls) == 0 {
			wrong("%s is empty", m.ID)
		}
	}
	for i, wish := range wishes {
		if !answered[fmt.Sprint("m", i)] {
			wrong("%q has no answer", wish)
		}
	}
	for _, t := range tasks {
		held := slices.ContainsFunc(calls, func(c nestor.ToolCall) bool {
			return c.SubAgentID == t.SubAgentID && c.ToolName == holdItem && c.Status == nestor.ToolCallSuccess
		})
		told := slices.ContainsFunc(messages, func(m nestor.Message) bool { return m.TaskID == t.ID && m.QuestionID == "" })
		switch {
		case !t.Status.Ended():
			wrong("task %s is %s", t.ID, t.Status)
		case !told:
			wrong("the end of task %s, which is %s, is not told", t.ID, t.Status)
		case t.Status == nestor.TaskSuccess && strings.HasPrefix(t.Result, itIsHeld) && !held:
			wrong("task %s says %q, and nothing was", t.ID, t.Result)
		}
	}
	if len(tasks) != ordered {
		wrong("%d agents were ordered and %d started", ordered, len(tasks))
	}
	for _, c := range calls {
		if !c.Status.Ended() {
			wrong("the call %s of %s is %s", c.ID, c.ToolName, c.Status)
		}
	}
	return cmp.Or(errors.Join(problems...), nil)
}
