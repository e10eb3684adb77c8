package app

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/bus"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// metrics are what /metrics shows. Nothing of them is a source of truth.
type metrics struct {
	registry *prometheus.Registry
	writes   *prometheus.CounterVec
	hop      prometheus.Histogram
	attempts *prometheus.HistogramVec
	newest   atomic.Int64 // seq of the newest commit of this process
}

func newMetrics(s store.Store) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nestor_writes_total", Help: "Documents written by this process, by type of change.",
		}, []string{"type"}),
		hop: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "nestor_job_hop_seconds", Help: "Time from the commit that claimed a job to the start of its handler.",
			Buckets: prometheus.ExponentialBuckets(10e-6, 2, 16),
		}),
		attempts: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "nestor_job_attempt_seconds",
			Help:    "Duration of the attempts at jobs, by trigger and outcome: done, retried, dead, lease_lost, drained.",
			Buckets: prometheus.ExponentialBuckets(1e-3, 4, 10),
		}, []string{"trigger", "outcome"}),
	}
	m.registry.MustRegister(m.writes, m.hop, m.attempts,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	s.Observe(store.First, m.committed)
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func (m *metrics) committed(c store.Commit) {
	for i := range c.Changes {
		m.writes.WithLabelValues(string(c.Changes[i].Type)).Inc()
		for seq := c.Changes[i].Seq; ; {
			old := m.newest.Load()
			if seq <= old || m.newest.CompareAndSwap(old, seq) {
				break
			}
		}
	}
}

// hooks count attempts, and tell those who want to know how each ended.
func (m *metrics) hooks(record func(j *nestor.Job, outcome string, took time.Duration), ended func()) worker.Hooks {
	return worker.Hooks{
		Started: func(_ *nestor.Job, hop time.Duration) { m.hop.Observe(hop.Seconds()) },
		Ended: func(j *nestor.Job, o worker.Outcome, took time.Duration) {
			m.attempts.WithLabelValues(j.Trigger, string(o)).Observe(took.Seconds())
			record(j, string(o), took)
			ended()
		},
	}
}

// load shows what waits, what was refused and what runs.
func (m *metrics) load(b *worker.Backlog, w *worker.Worker) {
	refused := func(of string, count func(worker.Refused) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "nestor_refused_total", Help: "Requests for work that this process refused because too many jobs wait, of a user or in all.",
			ConstLabels: prometheus.Labels{"of": of},
		}, func() float64 { return float64(count(b.Refused())) })
	}
	m.registry.MustRegister(
		refused("user", func(r worker.Refused) int64 { return r.Tenant }),
		refused("server", func(r worker.Refused) int64 { return r.All }),
	)
	m.gauge("nestor_worker_jobs", "Jobs that this process runs.", func() float64 { return float64(w.Running()) })
	m.gauge("nestor_worker_concurrency", "Jobs that this process may run at once.", func() float64 { return float64(w.Concurrency()) })
}

// follow shows how far the feed is behind, who listens, and how the bus between
// nodes is doing, if there is one.
func (m *metrics) follow(f *feed.Feed, b bus.Bus) {
	m.gauge("nestor_feed_lag_changes", "Changes committed here and not yet passed on to subscribers.",
		func() float64 { return float64(max(0, m.newest.Load()-f.Position())) })
	m.gauge("nestor_feed_subscribers", "Subscribers that follow the change feed live.", func() float64 { return float64(f.Subscribers()) })
	m.gauge("nestor_feed_held_bytes", "Bytes kept for subscribers that have not taken them yet.", func() float64 { return float64(f.Held()) })
	if b == nil {
		return
	}
	m.gauge("nestor_bus_up", "1 if live text reaches other nodes and comes from them, 0 if the bus is away.", func() float64 {
		if b.State().Up {
			return 1
		}
		return 0
	})
	m.gauge("nestor_bus_peers", "Other nodes that were heard lately.", func() float64 { return float64(f.Peers()) })
	m.gauge("nestor_bus_drafts", "Drafts of other nodes that are shown here.", func() float64 { return float64(f.Relayed().Drafts) })
	m.counter("nestor_bus_asked_total", "How often something of another node was missing and asked for again.", func() float64 { return float64(f.Relayed().Asked) })
	m.counter("nestor_bus_sent_total", "Messages, or pieces of them, sent to other nodes.", func() float64 { return float64(b.State().Sent) })
	m.counter("nestor_bus_sent_bytes_total", "Bytes of these.", func() float64 { return float64(b.State().SentBytes) })
	m.counter("nestor_bus_received_total", "Messages, or pieces of them, received from nodes.", func() float64 { return float64(b.State().Received) })
}

func (m *metrics) gauge(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

func (m *metrics) counter(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
}
