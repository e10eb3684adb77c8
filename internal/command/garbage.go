package command

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// collectLess lets garbage pile up to a bound before it is collected. Usually
// what lives is small and what is thrown away plenty: to collect less often
// takes a little memory and saves a tenth of the processor's time. When more
// lives, as with thousands of agents at once, it may not even double.
func collectLess() {
	const bound = 96 << 20
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := uint64(300)
	if n := live[0].Value.Uint64(); n > 0 {
		percent = min(percent, max(80, bound*100/n))
	}
	debug.SetGCPercent(int(percent))
	// The next collection finds this sentinel and looks again. Smaller, it could
	// share its memory with something that lives.
	runtime.AddCleanup(&struct{ _ [16]byte }{}, func(struct{}) { collectLess() }, struct{}{})
}
