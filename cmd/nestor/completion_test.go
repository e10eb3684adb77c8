package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestACommandLineIsCompleted(t *testing.T) {
	for _, tt := range []struct {
		line []string
		want []string
	}{
		{[]string{"s"}, []string{"serve"}},
		{[]string{"users", ""}, []string{"add", "ls", "rm"}},
		{[]string{"users", "r"}, []string{"rm"}},
		{[]string{"jobs", "ls", "--st"}, []string{"--state"}},
		{[]string{"jobs", "ls", "--state", "dead", "--li"}, []string{"--limit"}},
		{[]string{"keys", "create", "ci", "--e"}, []string{"--expires"}},
		{[]string{"version", "-"}, []string{"--help"}},
		{[]string{"export", ""}, nil}, // a file
		{[]string{"nothing", ""}, nil},
	} {
		var got []string
		for _, c := range candidates(commands, tt.line) {
			got = append(got, c.word)
			if c.help == "" {
				t.Errorf("%q: %s is not explained", tt.line, c.word)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q goes on with %q, want %q", tt.line, got, tt.want)
		}
	}
	var first []string
	for _, c := range candidates(commands, []string{""}) {
		first = append(first, c.word)
	}
	for _, c := range commands {
		if word, _, _ := strings.Cut(c.name, " "); !slices.Contains(first, word) {
			t.Errorf("%q are offered first, without %s", first, word)
		}
	}
}

// Bash runs the script of the built program.
func TestBashCompletesWithTheScript(t *testing.T) {
	p := newProgram(t)
	name := p.command().Path
	for line, want := range map[string]string{
		"nestor mod":             "models",
		"nestor models ":         "ls test",
		"nestor jobs ls --st":    "--state",
		"nestor serve --tls-":    "--tls-cert --tls-key",
		"nestor triggers check ": "",
	} {
		script := p.prints("completion", "bash") + `
			words=(` + line + `)
			[[ "$LINE" == *" " ]] && words+=("")
			COMP_WORDS=("` + name + `" "${words[@]:1}")
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
			_nestor
			echo "${COMPREPLY[*]}"`
		bash := exec.CommandContext(t.Context(), "bash", "-c", script)
		bash.Env = append(p.env, "LINE="+line)
		out, err := bash.CombinedOutput()
		if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != want {
			t.Errorf("%q is completed to %q, %v, want %q", line, got, err, want)
		}
	}
}

func TestEveryShellHasAScriptThatAsksTheProgram(t *testing.T) {
	p := newProgram(t)
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if script := p.prints("completion", shell); !strings.Contains(script, "completion words -- ") {
			t.Errorf("%s: %s", shell, script)
		}
	}
	out, err := p.command("completion", "tcsh").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "bash, zsh or fish") {
		t.Errorf("an unknown shell gets %s, %v", out, err)
	}
}
