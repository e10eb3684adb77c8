// Mutate breaks the mechanisms behind docs/guarantees.md one by one and makes
// sure that the test named there fails, within its normal time.
//
//	scripts/with-postgres go run ./scripts/mutate [TEXT]
//
// With TEXT it tries the mutants whose description, file or test holds it. It needs no
// clean tree and changes none: the go command is given the broken files as an overlay.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
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
	begin := time.Now()
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	list, err := parse(mutants)
	if err != nil {
		return err
	}
	var chosen []mutant
	for _, m := range list {
		if strings.Contains(m.promise+"\n"+m.file+"\n"+m.notices, only) {
			chosen = append(chosen, m)
		}
	}
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	overlay, alone, err := weave(root, folder, chosen)
	if err != nil {
		return err
	}
	t := &trial{root: root, folder: folder, overlay: overlay, builds: map[string]func() error{}, normal: map[string]func() (time.Duration, error){}}
	for _, m := range alone {
		t.alone = append(t.alone, m.name)
	}
	var (
		tell         sync.Mutex
		alive, wrong int
		running      sync.WaitGroup
		next         = make(chan mutant)
	)
	for range runtime.NumCPU() {
		running.Go(func() {
			for m := range next {
				fate, err := t.fate(m)
				tell.Lock()
				if err != nil {
					wrong++
					fmt.Printf("ERROR    %s: %v\n", m.promise, err)
				} else {
					if fate != dead {
						alive++
					}
					fmt.Printf("%-8s %s (%s)\n", fate, m.promise, m.notices)
				}
				tell.Unlock()
			}
		})
	}
	for _, m := range chosen {
		next <- m
	}
	close(next)
	running.Wait()
	fmt.Printf("%d mutants in %s: %d not noticed, %d not tried\n", len(chosen), time.Since(begin).Round(time.Second), alive, wrong)
	if alive+wrong > 0 || len(chosen) == 0 {
		return errors.New("not every mutant was noticed by the test that guarantees against it")
	}
	return nil
}
