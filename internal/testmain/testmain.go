// Package testmain is the one TestMain:
//
//	func TestMain(m *testing.M) { testmain.Run(m) }
package testmain

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Run runs the tests of a package, then after, and ends the process: as a failure
// if something of that fails or a goroutine is left over. A server of net/http whose
// client went away in the middle sleeps for half a second before it closes the
// connection, whoever closes the server: that goroutine is on its way out.
func Run(m *testing.M, after ...func() error) {
	goleak.VerifyTestMain(tests{m, after}, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

type tests struct {
	*testing.M
	after []func() error
}

// Run implements [goleak.TestingM].
func (t tests) Run() int {
	code := t.M.Run()
	for _, f := range t.after {
		if err := f(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	return code
}
