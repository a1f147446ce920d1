package controller

import (
	"time"

	"github.com/robfig/cron/v3"
)

// parser accepts the fields of crontab(5) and an optional field for seconds. It would also accept time zones, but the
// CRD rejects these.
var parser = cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// lastDue returns the latest time on a schedule that is after last and not after now. It returns the zero time if there
// is none. If several times were missed, for example because the controller did not run, the earlier ones are skipped.
func lastDue(schedule cron.Schedule, last, now time.Time) (due time.Time) {
	last = now.Add(-min(now.Sub(last), 5*365*24*time.Hour)) // The library looks no further ahead than this.
	// A schedule can only be iterated forward. So start close to now, and then ever further back, until there is a
	// time.
	for from, back := now, time.Second; due.IsZero() && from.After(last); back *= 2 {
		if from = now.Add(-back); from.Before(last) {
			from = last
		}
		for t := schedule.Next(from.UTC()); !t.IsZero() && !t.After(now); t = schedule.Next(t) {
			due = t
		}
	}
	return due
}
