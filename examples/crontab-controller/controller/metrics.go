package controller

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"k8s.io/component-base/metrics/legacyregistry"
)

var (
	metrics     = promauto.With(legacyregistry.Registerer())
	runsCreated = metrics.NewCounter(prometheus.CounterOpts{Name: "crontab_runs_created_total", Help: "CronRuns that were created."})
	runsSkipped = metrics.NewCounter(prometheus.CounterOpts{
		Name: "crontab_runs_skipped_total", Help: "CronRuns that were not created, because another was active.",
	})
	runDelay = metrics.NewHistogram(prometheus.HistogramOpts{
		Name: "crontab_run_delay_seconds", Help: "From the scheduled time to the creation of a CronRun.",
	})
)
