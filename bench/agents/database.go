package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// databaseTime is what all processes of a PostgreSQL server on this machine have used
// of the processors, those that have ended included.
func databaseTime(ctx context.Context, url string) (time.Duration, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	var own int
	if err := conn.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&own); err != nil {
		return 0, err
	}
	mine, err := readStat(fmt.Sprintf("/proc/%d/stat", own))
	if err != nil {
		return 0, fmt.Errorf("the server is not on this machine: %w", err)
	}
	server := mine.parent
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	var sum time.Duration
	for _, file := range all {
		s, err := readStat(file)
		switch {
		case err != nil: // it has ended since
		case s.parent == server:
			sum += s.own
		case s.pid == server:
			sum += s.own + s.children
		}
	}
	return sum, nil
}

// stat is what the system tells of a process.
type stat struct {
	pid, parent   int
	own, children time.Duration
}

func readStat(file string) (s stat, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	// The name, in parentheses, may have spaces.
	head, _, _ := strings.Cut(string(text), " ")
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	number := func(text string) int {
		n, e := strconv.Atoi(text)
		if e != nil {
			err = e
		}
		return n
	}
	ticks := func(of []string) (sum time.Duration) {
		for _, field := range of {
			sum += time.Duration(number(field)) * 10 * time.Millisecond // hundredths of a second
		}
		return sum
	}
	return stat{pid: number(head), parent: number(fields[1]), own: ticks(fields[11:13]), children: ticks(fields[13:15])}, err
}
