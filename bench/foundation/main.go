// Foundation measures the store, the triggers and the worker against programs
// that do only the unavoidable inserts (floor.go), in the same run on the same
// machine: what counts is the ratio.
//
//	scripts/with-postgres go run ./bench/foundation
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"time"
)

func main() {
	total := flag.Int("n", 20000, "transactions per measurement")
	callers := flag.Int("callers", 64, "concurrent callers")
	large := flag.Int("large", 1_000_000, "documents in the large store")
	only := flag.String("only", "", "sqlite or postgres")
	flag.Parse()
	dir, err := os.MkdirTemp("", "nestor-bench")
	if err != nil {
		fail(err)
	}
	defer os.RemoveAll(dir)
	for _, e := range engines(dir) {
		if *only != "" && e.name != *only {
			continue
		}
		fmt.Printf("\n%s\n", e.name)
		if err := measure(e, *callers, *total, *large); err != nil {
			os.RemoveAll(dir)
			fail(err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "bench:", err)
	os.Exit(1)
}

// race runs total calls spread over callers and returns calls per second.
func race(callers, total int, call func(caller, i int) error) (float64, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var wg sync.WaitGroup
	began := time.Now()
	for c := range callers {
		wg.Go(func() {
			for i := range total / callers {
				if ctx.Err() != nil {
					return
				}
				if err := call(c, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return float64(total/callers*callers) / time.Since(began).Seconds(), context.Cause(ctx)
}
