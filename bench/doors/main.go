// Command doors measures how long it takes until a client reads the first word of an
// answer, at each door and by Nestor's own API, which is what the doors stand on. The model
// answers at once, with a word that nobody else says; a time ends when the word is read.
// All take turns in one run: what counts is the difference.
//
//	go run ./bench/doors
//	PG_FSYNC=on scripts/with-postgres go run ./bench/doors
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/nestorhq/nestor/server"
)

func main() {
	rounds := flag.Int("rounds", 100, "answers that are asked for at each door")
	flag.Parse()
	for engine, db := range map[string]string{"sqlite": "", "postgres": os.Getenv("NESTOR_TEST_POSTGRES")} {
		if engine == "postgres" && db == "" {
			continue
		}
		if err := measure(engine, db, *rounds); err != nil {
			log.Fatal(engine, ": ", err)
		}
	}
}

func measure(engine, db string, rounds int) (err error) {
	dir, err := os.MkdirTemp("", "nestor-doors-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := server.Start(context.Background(), server.Config{
		Data: dir, DB: db, Addr: "127.0.0.1:0", Token: token, Model: instant{}, Env: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	defer s.Close()
	times := make([][]time.Duration, len(ways))
	for n := range rounds {
		for i, w := range ways { // in turn, so that what else the machine does meets all
			took, err := w.ask(s.URL(), n)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			times[i] = append(times[i], took)
		}
	}
	own := median(times[0])
	for i, w := range ways {
		m := median(times[i])
		fmt.Printf("%-9s %-28s first word after %6.2f ms, %+.2f ms to the API\n", engine, w.name, ms(m), ms(m-own))
	}
	return nil
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
