package crashtest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// ending is how a conversation ended, without what differs between equal ones:
//
//   - times and durations, and positions in the log;
//   - the day under which use is counted;
//   - how often the ledger of the budget was written, and what its shares hold: a
//     call that is made again reserves again. What is reserved and spent in the
//     end is compared;
//   - which of two parallel results the shopper got last, and with it the ids
//     of its last step, which the job of that result makes.
//
// All other ids and the version of every other document are compared.
type ending struct {
	documents map[string]*leftover // by path
	jobs      []string
	// committed tells when the reply of each line of the script was.
	committed map[string]int64
}

// check holds the end, and what happened in the world on the way, against a
// conversation that nothing interrupted. It reports whether the person had to
// decide about the letter.
func (e *ending) check(t *testing.T, w *world, killed int, want []string) (decided bool) {
	t.Helper()
	decided, err := e.undecide()
	if err != nil {
		t.Error(err)
	}
	e.happened(t, w, killed, decided)
	if got := e.lines(); !slices.Equal(got, want) {
		t.Errorf("the end differs:%s", differences(want, got))
	}
	return decided
}

// happened holds what happened in the world against the end.
func (e *ending) happened(t *testing.T, w *world, killed int, decided bool) {
	t.Helper()
	w.check(t, e.committed, killed)
	if !decided && len(w.ran(writeLetter)) == 0 {
		t.Error("the letter was not written")
	}
}

// leftover is one document.
type leftover struct {
	version int64
	log     []string
	body    map[string]any
}

// readEnding reads up to the last document to be created, which contains last.
func readEnding(ctx context.Context, s store.Store, last string) (*ending, error) {
	e := &ending{documents: map[string]*leftover{}, committed: map[string]int64{}}
	collections := map[string]bool{}
	logs := map[nestor.Path][]string{}
	err := followLog(ctx, s, func(change nestor.Change) bool {
		collections[change.Path.Collection()] = true
		logs[change.Path] = append(logs[change.Path], fmt.Sprintf("%s %d", change.Type, change.Version))
		for _, l := range script {
			if e.committed[l.name] == 0 && change.After != nil && strings.Contains(string(change.After.Data), l.text) {
				e.committed[l.name] = change.At
			}
		}
		return change.Type != nestor.Create || !strings.Contains(string(change.After.Data), last)
	})
	if err != nil {
		return nil, err
	}
	documents, err := readAll(ctx, s, slices.Collect(maps.Keys(collections)))
	if err != nil {
		return nil, err
	}
	for _, d := range documents {
		l := &leftover{version: d.Version, log: logs[d.Path]}
		if err := json.Unmarshal(d.Data, &l.body); err != nil {
			return nil, err
		}
		e.add(d.Path, l)
	}
	e.renameLastStep()
	e.jobs, err = endJobs(ctx, s)
	return e, err
}

func (e *ending) add(p nestor.Path, l *leftover) {
	withoutMoments(l.body)
	path := string(p)
	switch {
	case strings.HasSuffix(p.Collection(), "/ledgers"):
		e.addLedger(path, l)
		return
	case strings.HasSuffix(p.Collection(), "/shares"):
		e.addLedger(string(p.Parent()), l)
		return
	case strings.HasSuffix(p.Collection(), "/usage"):
		path, l.log = p.Collection()+"/day", nil
		l.body["entries"] = byRole(l.body["entries"])
		if other := e.documents[path]; other != nil { // midnight has passed
			l.version += other.version
			sum(l.body, other.body)
		}
	}
	e.documents[path] = l
}

// byRole is the use of a day as one thing for each role, so that two days can be added up.
func byRole(entries any) map[string]any {
	use := map[string]any{}
	list, _ := entries.([]any)
	for _, e := range list {
		entry := e.(map[string]any)
		use[fmt.Sprint(entry["role"], " ", entry["model"])] = entry
	}
	return use
}

// addLedger adds up what a ledger and its shares have spent, and what calls have
// reserved in them. What a share is lent differs with what was tried.
func (e *ending) addLedger(path string, l *leftover) {
	kept := map[string]any{}
	for _, name := range []string{"spentTokens", "spentMicros"} {
		kept[name] = l.body[name]
	}
	reserved, _ := l.body["reserved"].(map[string]any)
	maps.DeleteFunc(reserved, func(id string, _ any) bool { return strings.HasPrefix(id, "share.") })
	kept["reserved"] = reserved
	if other := e.documents[path]; other != nil {
		sum(kept, other.body)
	}
	e.documents[path] = &leftover{body: kept}
}

// withoutMoments removes times, durations and positions in the log from a body.
func withoutMoments(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range []string{"at", "startedAt", "endedAt", "durationMs", "modelMs", "firstMs", "attempts", "seenSeq"} {
			delete(v, name)
		}
		for _, inner := range v {
			withoutMoments(inner)
		}
	case []any:
		for _, inner := range v {
			withoutMoments(inner)
		}
	}
}

// sum adds the numbers of one body to those of another.
func sum(to, from map[string]any) {
	for name, v := range from {
		switch v := v.(type) {
		case float64:
			n, _ := to[name].(float64)
			to[name] = n + v
		case map[string]any:
			if inner, ok := to[name].(map[string]any); ok {
				sum(inner, v)
			} else {
				to[name] = v
			}
		}
	}
}

// renameLastStep gives the shopper's last step names in place of its ids.
func (e *ending) renameLastStep() {
	var ids []string
	for path, l := range e.documents {
		calls, ok := l.body["toolCalls"].([]any) // what the chat is told of it has none
		if ok && l.body["role"] == "assistant" && l.body["content"] == bought.text {
			l.body["repliesTo"] = "LAST"
			call := calls[0].(map[string]any)["id"].(string)
			ids = append(ids, nestor.Path(path).ID(), "REPLY", call, "CALL")
			for path, l := range e.documents {
				if l.body["toolCallId"] == call {
					ids = append(ids, nestor.Path(path).ID(), "ANSWER")
				}
			}
		}
	}
	rename := strings.NewReplacer(ids...)
	renamed := map[string]*leftover{}
	for path, l := range e.documents {
		for name, v := range l.body {
			text, err := json.Marshal(v)
			if err == nil {
				err = json.Unmarshal([]byte(rename.Replace(string(text))), &v)
			}
			if err != nil {
				panic(err) // it was decoded from JSON
			}
			l.body[name] = v
		}
		renamed[rename.Replace(path)] = l
	}
	e.documents = renamed
}

// undecide takes back what the person decided about the letter, and reports
// whether they had to: the decision, the two versions of the call that it took
// in place of one, and the notice in the chat.
func (e *ending) undecide() (decided bool, err error) {
	for _, l := range e.documents {
		decisions, ok := l.body["decisions"].([]any)
		if !ok {
			continue
		}
		want := []any{map[string]any{"action": "done", "by": person, "reason": letterAnswer}}
		if decided || l.body["toolName"] != writeLetter || fmt.Sprint(decisions) != fmt.Sprint(want) {
			return true, fmt.Errorf("the decisions about %s are %v", l.body["toolName"], decisions)
		}
		decided = true
		delete(l.body, "decisions")
		l.version--
		l.log = l.log[:len(l.log)-1]
	}
	if !decided {
		return false, nil
	}
	notices := 0
	maps.DeleteFunc(e.documents, func(_ string, l *leftover) bool {
		content, _ := l.body["content"].(string)
		notice := l.body["type"] == "status" && strings.Contains(content, writeLetter)
		if notice {
			notices++
		}
		return notice
	})
	if notices != 1 {
		err = fmt.Errorf("the chat has %d notices of the interrupted call", notices)
	}
	return true, err
}

// lines describes all of it, one thing per line.
func (e *ending) lines() []string {
	lines := slices.Clone(e.jobs)
	for path, l := range e.documents {
		body, err := json.Marshal(l.body)
		if err != nil {
			panic(err) // it was decoded from JSON
		}
		lines = append(lines, fmt.Sprintf("%s: version %d, log %v, %s", path, l.version, l.log, body))
	}
	slices.Sort(lines)
	return lines
}
