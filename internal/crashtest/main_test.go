package crashtest

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
)

// taskVariable makes the test binary a child that carries out the task in it.
const taskVariable = "NESTOR_CRASHTEST"

// task tells a child what to do.
type task struct {
	// Program is one of programs.
	Program  string
	Database engines.Place
	// Name of the child in what it says.
	Name string
	Kill point
	// Wait makes handlers wait for a line on standard input.
	Wait bool
	// World is the child's address in the world.
	World string
}

// programs are what a child can do. Each works until it is done or ctx ends.
var programs = map[string]func(context.Context, *child) error{
	"append": runAppend,
	"member": runMember,
	"slow":   runSlow,
	"write":  runWrite,
}

// matrices have programs that a child can do, too.
var matrices = []*matrix{
	&flowMatrix, &conversationMatrix, &talkMatrix, &errandMatrix, &reservationMatrix, &analysisMatrix, &documentsMatrix,
	&executionMatrix, &steeredMatrix, &measureMatrix, &writeDocumentMatrix,
}

// childLimit is when a child that is not done says where it hangs.
const childLimit = time.Minute

func TestMain(m *testing.M) {
	if text := os.Getenv(taskVariable); text != "" {
		os.Exit(runChild(text))
	}
	// Processes that are killed and started again wait for the disk more than they
	// compute.
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testmain.Run(m)
}

// child is this process, when it is one.
type child struct {
	task
	input <-chan string // the lines of standard input
}

func runChild(text string) int {
	debug.SetTraceback("all")
	time.AfterFunc(childLimit, func() { panic("the child is not done") })
	slog.SetDefault(slog.New(slog.DiscardHandler)) // failures and take-overs are what is expected here
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	input := make(chan string)
	go func() { // standard input ends when the test wants it, or is gone
		defer cancel()
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			input <- lines.Text()
		}
	}()
	for _, m := range matrices {
		programs[m.name] = func(ctx context.Context, c *child) error {
			_, err := m.program(ctx, c.life())
			return err
		}
	}
	c := &child{input: input}
	err := json.Unmarshal([]byte(text), &c.task)
	if err == nil {
		err = programs[c.Program](ctx, c)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// life is that of the child, which kills itself at its point.
func (c *child) life() *life {
	l := newLife(c.Database, c.World)
	l.Dies = c.Kill
	return l
}

// say writes one line of a [trace].
func (c *child) say(what string, args ...any) {
	fmt.Print(line(c.Name, what, args...))
}
