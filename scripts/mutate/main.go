// Mutate breaks the mechanisms behind docs/guarantees.md one by one and makes
// sure that the test named there fails, within its normal time.
//
//	scripts/with-postgres go run ./scripts/mutate [TEXT]
//
// With TEXT it tries the mutants whose description holds it. It needs no clean
// tree and changes none: the go command is given each broken file as an overlay.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

//go:embed mutants.txt
var mutants string

func main() {
	if err := run(strings.Join(os.Args[1:], " ")); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(only string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	list, err := parse(mutants)
	if err != nil {
		return err
	}
	normal := map[string]time.Duration{} // by test
	tried, alive := 0, 0
	for _, m := range list {
		if !strings.Contains(m.promise, only) {
			continue
		}
		tried++
		if normal[m.notices] == 0 {
			begin := time.Now()
			output, err := m.try()
			if err != nil || bytes.Contains(output, []byte("no tests to run")) {
				return fmt.Errorf("%s does not pass as it is: %w\n%s", m.notices, err, output)
			}
			normal[m.notices] = time.Since(begin)
		}
		what, err := m.fate(root, normal[m.notices])
		if err != nil {
			return err
		}
		if what != dead {
			alive++
		}
		fmt.Printf("%-8s %s (%s)\n", what, m.promise, m.notices)
	}
	fmt.Printf("%d mutants, %d of them not noticed\n", tried, alive)
	if alive > 0 || tried == 0 {
		return errors.New("not every mutant was noticed by the test that guarantees against it")
	}
	return nil
}

// What becomes of a mutant.
const (
	dead    = "noticed"
	lives   = "LIVES"
	tooLate = "TOO LATE" // noticed, but the test waits for something that never comes
)

// fate runs the test of a mutant, which takes normal without it.
func (m mutant) fate(root string, normal time.Duration) (string, error) {
	folder, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	overlay, err := m.overlay(root, folder)
	if err != nil {
		return "", err
	}
	output, err := m.try("-overlay="+overlay, fmt.Sprintf("-timeout=%s", 2*normal+20*time.Second))
	switch {
	case err == nil:
		return lives, nil
	case bytes.Contains(output, []byte("[build failed]")), bytes.Contains(output, []byte("[setup failed]")):
		return "", fmt.Errorf("%s: the mutant does not build:\n%s", m.promise, output)
	case bytes.Contains(output, []byte("panic: test timed out")):
		return tooLate, nil
	}
	return dead, nil
}

func (m mutant) try(flags ...string) ([]byte, error) {
	args := append([]string{"test", "-count=1", "-run", "^" + strings.ReplaceAll(m.test, "/", "$/^") + "$"}, flags...)
	return exec.Command("go", append(args, "./"+m.dir)...).CombinedOutput()
}
