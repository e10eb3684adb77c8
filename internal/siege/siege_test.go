package siege

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// seedVariable names the seed of the one sequence that is to be tried.
	seedVariable = "NESTOR_SIEGE_SEED"
	// timeVariable says for how long seeds are tried that nobody tried before.
	timeVariable = "NESTOR_SIEGE"
)

// sequences are as many as each engine takes in some half a minute, with races
// looked for, beside other tests.
const sequences = 12

// The server that was attacked lives, answers others, comes to rest, and shows
// nothing to anybody from whom it is kept, whatever documents of the runtime
// people write, and whatever they do in between.
func TestSiege(t *testing.T) {
	for name, postgres := range map[string]bool{"sqlite": false, "postgres": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			besiege(t, postgres, seeds(t))
		})
	}
}

// seeds are always the same, and one that nobody tried before; or the one that is
// asked for; or new ones, until the time that is asked for is over.
func seeds(t *testing.T) iter.Seq[uint64] {
	if text := os.Getenv(seedVariable); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Values([]uint64{seed})
	}
	if text := os.Getenv(timeVariable); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		end := time.Now().Add(d)
		return func(yield func(uint64) bool) {
			for !t.Failed() && time.Now().Before(end) && yield(rand.Uint64()) {
			}
		}
	}
	return func(yield func(uint64) bool) {
		for seed := range uint64(sequences - 1) {
			if !yield(seed + 1) {
				return
			}
		}
		yield(rand.Uint64())
	}
}

// siege is a server and those around it. If the server does not live through a
// sequence there is another one for the next.
type siege struct {
	testing.TB
	postgres bool
	*world
	bystander bystander
	failed    int
}

// maxShortened are the failures of which one test makes shorter sequences.
const maxShortened = 3

func besiege(t *testing.T, postgres bool, seeds iter.Seq[uint64]) {
	g := &siege{TB: t, postgres: postgres}
	tried, last := 0, uint64(0)
	for seed := range seeds {
		tried, last = tried+1, seed
		g.try(t, seed)
	}
	t.Logf("%d sequences of %d steps, the last of the seed %d; answered with %v; another user asked %d times and waited %v at most",
		tried, sequenceSteps, last, g.statuses, g.bystander.times, g.bystander.worst)
}

// try tells of a sequence that does not leave the server as it should be, made as
// short as it can be.
func (g *siege) try(t *testing.T, seed uint64) {
	t.Helper()
	if g.world == nil || g.dead() {
		statuses := map[int]int{}
		if g.world != nil {
			statuses = g.statuses
		}
		g.world = newWorld(g.TB, g.postgres)
		g.statuses = statuses
	}
	s := g.newScene()
	list := s.sequence(seed)
	err := s.play(list, &g.bystander)
	if err == nil {
		return
	}
	if way(err) == "hangs" || way(err) == "restless" {
		g.end()
	}
	text := &strings.Builder{}
	fmt.Fprintf(text, "seed %d: %v\n", seed, err)
	if g.failed++; g.failed <= maxShortened && !testing.Short() {
		short, again := shorten(t, g.postgres, list, err)
		if again == nil {
			fmt.Fprintln(text, "It did not happen again on a new server, with all steps:")
		} else {
			fmt.Fprintf(text, "These %d of %d steps do it on a new server, where %v\n", len(short), len(list), again)
		}
		for _, st := range short {
			fmt.Fprintln(text, "  ", st)
		}
	}
	fmt.Fprintf(text, "Again: %s=%d go test -run TestSiege ./internal/siege", seedVariable, seed)
	t.Error(text)
}

func (s *scene) sequence(seed uint64) []step {
	asks := map[string]string{}
	for name, p := range s.cast {
		asks[name] = p.asks
	}
	return steps(seed, s.names(), asks)
}

// play takes the steps and looks at what they did.
func (s *scene) play(list []step, b *bystander) error {
	focus := focusOf(list)
	stop, unfollow := s.watch(b), s.follow(focus)
	forbidden := s.outside.ran(forbiddenTool)
	err := s.playSteps(list, focus)
	err = errors.Join(err, stop())
	unfollow()
	if err == nil {
		err = s.rest()
	}
	if s.dead() || err != nil && s.diesSoon() {
		return fmt.Errorf("the server has ended: %w\n%s", s.err, s.log)
	}
	if err != nil {
		return err
	}
	if found := s.canaries.crossed(); len(found) > 0 {
		return errors.New(strings.Join(found, "\n"))
	}
	if n := s.outside.ran(forbiddenTool) - forbidden; n > 0 {
		return fmt.Errorf("a tool that nobody approved ran %d times", n)
	}
	found, err := s.forged()
	if err == nil && len(found) > 0 {
		err = errors.New(strings.Join(found, "\n"))
	}
	return err
}

func (s *scene) playSteps(list []step, focus string) error {
	for _, st := range list {
		if err := s.take(st); err != nil {
			return err
		}
	}
	if err := s.rest(); err != nil {
		return err
	}
	return s.lookAround(focus)
}

// focusOf is the letter that most paths of the steps are about.
func focusOf(list []step) string {
	most, focus := 0, "c"
	for _, letter := range letters {
		n := 0
		for _, st := range list {
			n += strings.Count(st.path+st.body, " "+string(letter)+"}")
		}
		if n > most {
			most, focus = n, string(letter)
		}
	}
	return focus
}
