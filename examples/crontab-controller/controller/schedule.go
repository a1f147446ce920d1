package controller

import (
	"time"

	"github.com/robfig/cron/v3"
)

// parser takes crontab(5) with an optional field of seconds. It also knows time zones, which the CRD does not let through.
var parser = cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// lastDue returns the last time on a schedule after last, up to and including now; the zero time if there is none. Of
// times that were missed because nobody looked, it is the only one that counts.
func lastDue(schedule cron.Schedule, last, now time.Time) (due time.Time) {
	last = now.Add(-min(now.Sub(last), 5*365*24*time.Hour)) // as far as the library looks, too
	// One can only go forward on a schedule. So begin close to now, and then ever further back, until there is a time.
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
