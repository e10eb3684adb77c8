package command

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// collectLess lets garbage pile up to a bound before it is collected. Usually
// little memory is in use and much is thrown away: to collect less often takes
// a little memory and saves a tenth of the processor's time. When more is in
// use, as with thousands of agents at once, the garbage may not even double it.
func collectLess() {
	const bound = 96 << 20
	// What the runtime takes a percentage of.
	used := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(used)
	n := uint64(0)
	for _, s := range used {
		n += s.Value.Uint64()
	}
	percent := uint64(300)
	if n > 0 {
		percent = min(percent, max(60, bound*100/n))
	}
	debug.SetGCPercent(int(percent))
	// The next collection finds this sentinel and calls again. A smaller one could
	// share its memory with something in use.
	runtime.AddCleanup(&struct{ _ [16]byte }{}, func(struct{}) { collectLess() }, struct{}{})
}
