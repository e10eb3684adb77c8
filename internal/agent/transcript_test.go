package agent_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/scripted"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/trigger"
)

var update = flag.Bool("update", false, "rewrite what the transcripts want")

// TestTranscripts plays every file of testdata on both engines. A file holds
//
//	-- setup --           what is special about the world (see setup), as JSON
//	-- reply NAME --      what the model says, in the form of package scripted;
//	                      "-- CONNECTION/reply NAME --" is for that connection
//	-- input --           what people do (see world.do)
//	-- want --            what is in the chat at the end (see world.render)
//
// In all of them the invariants of invariants_test.go hold.
func TestTranscripts(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) { playAll(t, b, false) })
}

// No job leaves anything to do for its second delivery. That does not depend on
// the engine; with this one it is faster.
func TestTranscriptsWithEveryJobDeliveredTwice(t *testing.T) {
	playAll(t, newBench(t, engines.Postgres(t)), true)
}

// What keeps the steps of agents apart, and has them go on, belongs to the
// handlers: with the six triggers of the first schema, which name no key and
// listen to creations, everything comes out the same. They have no trigger for
// failures and titles; the built-in ones do that here. That does not
// depend on the engine.
func TestTranscriptsOnTriggersWithoutKeys(t *testing.T) {
	const file = "../trigger/testdata/syntrix.json"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	triggers, err := trigger.Load(file, data, nil, agent.Triggers())
	if err != nil || len(triggers) != 6 {
		t.Fatalf("%d triggers: %v", len(triggers), err)
	}
	for _, builtIn := range agent.Triggers().Triggers {
		switch builtIn.ID {
		case "on-task-failed", "on-first-message":
			triggers = append(triggers, builtIn)
		}
	}
	playAll(t, newBenchOn(t, engines.Postgres(t), triggers), false)
}

func playAll(t *testing.T, b *bench, twice bool) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			playFile(t, b, file, twice)
		})
	}
}

func playFile(t *testing.T, b *bench, file string, twice bool) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(data)
	got := play(t, b, archive, twice)
	want := section(archive, "want")
	if *update && !twice && want != nil {
		want.Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want == nil || got != string(want.Data) {
		t.Errorf("got\n%s\nwant (after a change that is meant, run with -update)\n%s", got, want.Data)
	}
}

// play has people do what the input says and returns what came of it.
func play(t *testing.T, b *bench, archive *txtar.Archive, twice bool) string {
	t.Helper()
	w := stage(t, b, archive, twice)
	for line := range strings.Lines(string(section(archive, "input").Data)) {
		w.do(strings.TrimSpace(line))
	}
	w.finish()
	return w.render()
}

// stage makes the world of an archive. At the end of the test all of its replies
// must have been given.
func stage(t *testing.T, b *bench, archive *txtar.Archive, twice bool) *world {
	t.Helper()
	s := setup{twice: twice, models: scripts(t, archive)}
	if f := section(archive, "setup"); f != nil {
		dec := json.NewDecoder(bytes.NewReader(f.Data))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&s); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for name, m := range s.models {
			if err := m.(*scripted.Model).Finished(); err != nil {
				t.Errorf("connection %q: %v", name, err)
			}
		}
	})
	return newWorld(t, b, s)
}

// scripts are the models of an archive by connection.
func scripts(t *testing.T, archive *txtar.Archive) map[string]llm.Model {
	t.Helper()
	parts := map[string]*txtar.Archive{"": {}}
	for _, f := range archive.Files {
		connection, name, ok := strings.Cut(f.Name, "/")
		if !ok {
			connection, name = "", f.Name
		}
		if !strings.HasPrefix(name, "reply") {
			continue
		}
		if parts[connection] == nil {
			parts[connection] = &txtar.Archive{}
		}
		parts[connection].Files = append(parts[connection].Files, txtar.File{Name: name, Data: f.Data})
	}
	models := map[string]llm.Model{}
	for connection, part := range parts {
		m, err := scripted.Parse(txtar.Format(part))
		if err != nil {
			t.Fatal(err)
		}
		models[connection] = m
	}
	return models
}

func section(archive *txtar.Archive, name string) *txtar.File {
	for i := range archive.Files {
		if archive.Files[i].Name == name {
			return &archive.Files[i]
		}
	}
	return nil
}
