package jobs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
)

// jobCounts counts the jobs in the store whenever metrics are read.
type jobCounts struct{ store store.Queue }

var jobsDesc = prometheus.NewDesc("nestor_jobs", "Jobs in the queue, by state; dead are the dead letters.", []string{"state"}, nil)

var oldestDesc = prometheus.NewDesc("nestor_jobs_oldest_seconds", "How long the oldest job that is ready has been due; 0 if none is.", nil, nil)

var limitsDesc = prometheus.NewDesc("nestor_at_limit", "Users and accounts that have as many jobs running as may.", []string{"of"}, nil)

func (*jobCounts) Describe(ch chan<- *prometheus.Desc) {
	ch <- jobsDesc
	ch <- oldestDesc
	ch <- limitsDesc
}

func (c *jobCounts) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	counts, err := c.store.CountJobs(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(jobsDesc, err)
		return
	}
	for _, state := range []nestor.JobState{nestor.JobReady, nestor.JobRunning, nestor.JobBlocked, nestor.JobDead} {
		ch <- prometheus.MustNewConstMetric(jobsDesc, prometheus.GaugeValue, float64(counts[state]), string(state))
	}
	oldest, err := c.store.OldestReady(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(oldestDesc, err)
		return
	}
	age := 0.0
	if !oldest.IsZero() {
		age = max(0, time.Since(oldest).Seconds())
	}
	ch <- prometheus.MustNewConstMetric(oldestDesc, prometheus.GaugeValue, age)
	full, err := c.store.AtLimit(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(limitsDesc, err)
		return
	}
	for _, of := range []string{store.OfUser, store.OfAccount} {
		n := 0
		for _, f := range full {
			if f.Of == of {
				n++
			}
		}
		ch <- prometheus.MustNewConstMetric(limitsDesc, prometheus.GaugeValue, float64(n), of)
	}
}

type triggerCounts struct{ set *trigger.Set }

var (
	firedDesc  = prometheus.NewDesc("nestor_trigger_fired_total", "Times a trigger fired.", []string{"trigger"}, nil)
	errorsDesc = prometheus.NewDesc("nestor_trigger_errors_total", "Conditions that could not be evaluated.", []string{"trigger"}, nil)
)

func (*triggerCounts) Describe(ch chan<- *prometheus.Desc) { ch <- firedDesc; ch <- errorsDesc }

func (c *triggerCounts) Collect(ch chan<- prometheus.Metric) {
	for _, t := range c.set.List() {
		ch <- prometheus.MustNewConstMetric(firedDesc, prometheus.CounterValue, float64(t.Fired), t.ID)
		ch <- prometheus.MustNewConstMetric(errorsDesc, prometheus.CounterValue, float64(t.Errors), t.ID)
	}
}
