// Package testmain is the one TestMain:
//
//	func TestMain(m *testing.M) { testmain.Run(m) }
package testmain

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// Run runs the tests of a package, then after and what [AtEnd] says, and ends the process: as a failure
// if something of that fails or a goroutine is left over. A server of net/http whose
// client went away in the middle sleeps for half a second before it closes the
// connection, whoever closes the server: that goroutine is on its way out.
func Run(m *testing.M, after ...func() error) {
	goleak.VerifyTestMain(tests{m, after}, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// AtEnd has something done after the tests of the package, if it uses [Run].
func AtEnd(do func() error) {
	ends.Lock()
	defer ends.Unlock()
	ends.list = append(ends.list, do)
}

var ends struct {
	sync.Mutex
	list []func() error
}

type tests struct {
	*testing.M
	after []func() error
}

// Run implements [goleak.TestingM].
func (t tests) Run() int {
	code := t.M.Run()
	for _, f := range append(t.after, ends.list...) {
		if err := f(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	return code
}
