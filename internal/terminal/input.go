package terminal

import (
	"bufio"
	"context"
	"io"
)

// readLines yields the lines of in. The goroutine that reads ends with the
// input, or, when ctx ends first, after the next line: a read from a terminal
// cannot be interrupted.
func readLines(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}
