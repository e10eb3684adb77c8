package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// trial runs tests against mutants, several at a time.
type trial struct {
	root, folder string
	overlay      string   // builds the program that can become any mutant
	alone        []string // the names of those that it cannot become

	mu     sync.Mutex
	builds map[string]func() error // by folder of the test
	normal map[string]func() (time.Duration, error)
}

// What becomes of a mutant.
const (
	dead    = "noticed"
	lives   = "LIVES"
	tooLate = "TOO LATE" // noticed, but the test waits for something that never comes
)

// fate runs the test of a mutant.
func (t *trial) fate(m mutant) (string, error) {
	normal, err := t.normalTime(m)
	if err != nil {
		return "", err
	}
	binary, overlay := t.binary(m.dir), t.overlay
	if slices.Contains(t.alone, m.name) {
		folder, err := os.MkdirTemp(t.folder, "alone")
		if err != nil {
			return "", err
		}
		if overlay, err = m.overlay(t.root, folder); err != nil {
			return "", err
		}
		binary = filepath.Join(folder, "test")
		if err := build(m.dir, binary, overlay); err != nil {
			return "", fmt.Errorf("%s: %w", m.promise, err)
		}
	}
	output, err := t.try(m, binary, overlay, m.name, 3*normal+30*time.Second)
	switch {
	case err == nil:
		return lives, nil
	case bytes.Contains(output, []byte("panic: test timed out")):
		return tooLate, nil
	}
	return dead, nil
}

// normalTime is how long the test of a mutant takes where nothing is broken. It is an error if
// it does not pass then.
func (t *trial) normalTime(m mutant) (time.Duration, error) {
	t.mu.Lock()
	if t.builds[m.dir] == nil {
		t.builds[m.dir] = sync.OnceValue(func() error { return build(m.dir, t.binary(m.dir), t.overlay) })
	}
	if t.normal[m.notices] == nil {
		t.normal[m.notices] = sync.OnceValues(func() (time.Duration, error) {
			begin := time.Now()
			output, err := t.try(m, t.binary(m.dir), t.overlay, "", 20*time.Minute)
			if err != nil || bytes.Contains(output, []byte("no tests to run")) {
				return 0, errors.Join(fmt.Errorf("%s does not pass as it is:\n%s", m.notices, output), err)
			}
			return time.Since(begin), nil
		})
	}
	built, normal := t.builds[m.dir], t.normal[m.notices]
	t.mu.Unlock()
	if err := built(); err != nil {
		return 0, err
	}
	return normal()
}

func (t *trial) binary(dir string) string {
	return filepath.Join(t.folder, strings.ReplaceAll(dir, "/", "-")+".test")
}

// try runs the test of a mutant in its folder, where it may build the program, which is then the mutant, too.
func (t *trial) try(m mutant, binary, overlay, name string, limit time.Duration) ([]byte, error) {
	pattern := "^" + strings.ReplaceAll(m.test, "/", "$/^") + "$"
	test := exec.Command(binary, "-test.run", pattern, "-test.timeout", limit.String())
	test.Dir = filepath.Join(t.root, m.dir)
	test.Env = append(os.Environ(), "GOFLAGS=-overlay="+overlay, chosen+"="+name)
	return test.CombinedOutput()
}

func build(dir, binary, overlay string) error {
	output, err := exec.Command("go", "test", "-c", "-overlay="+overlay, "-o", binary, "./"+dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("the tests of %s do not build with their mutants:\n%s", dir, output)
	}
	return nil
}
