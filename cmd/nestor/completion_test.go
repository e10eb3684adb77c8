package main

import (
	"os/exec"
	"strings"
	"testing"
)

// Bash runs the script of the built program.
func TestBashCompletesWithTheScript(t *testing.T) {
	p := newProgram(t)
	name := p.command().Path
	for line, want := range map[string]string{
		"nestor mod":             "models",
		"nestor models ":         "default ls test",
		"nestor jobs ls --st":    "--state",
		"nestor serve --tls-":    "--tls-cert --tls-key",
		"nestor plan ":           "add done give move outcome run show tasks undo unpin why",
		"nestor plan add --repl": "--replace",
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
