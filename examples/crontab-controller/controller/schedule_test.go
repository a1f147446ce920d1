package controller

import (
	"testing"
	"time"
)

func TestLastDue(t *testing.T) {
	day := func(text string) time.Time {
		parsed, err := time.Parse(time.DateTime, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	tests := []struct{ spec, last, now, want string }{
		{"*/10 * * * *", "2026-03-01 12:00:00", "2026-03-01 12:09:59", ""},
		{"*/10 * * * *", "2026-03-01 12:00:00", "2026-03-01 12:10:00", "2026-03-01 12:10:00"},
		{"*/10 * * * *", "2026-03-01 11:59:59", "2026-03-01 12:00:00", "2026-03-01 12:00:00"},
		{"*/10 * * * *", "2026-02-01 12:00:00", "2026-03-01 12:19:59", "2026-03-01 12:10:00"},
		{"*/5 * * * * *", "2026-03-01 12:00:00", "2026-03-01 12:00:14", "2026-03-01 12:00:10"},
		{"0 3 * * *", "2026-02-01 12:00:00", "2026-03-01 02:59:59", "2026-02-28 03:00:00"},
		{"0 3 29 2 *", "2023-03-01 12:00:00", "2026-03-01 12:00:00", "2024-02-29 03:00:00"},
		{"0 3 30 2 *", "2023-03-01 12:00:00", "2026-03-01 12:00:00", ""},
		{"0 3 29 2 *", "1999-01-01 00:00:00", "2026-03-01 12:00:00", "2024-02-29 03:00:00"}, // does not look at all 27 years
		{"0 3 * * *", "2026-03-01 12:00:00", "2026-03-01 02:00:00", ""},                     // a clock that was set back
	}
	for _, test := range tests {
		schedule, err := parser.Parse(test.spec)
		if err != nil {
			t.Fatal(err)
		}
		var want time.Time
		if test.want != "" {
			want = day(test.want)
		}
		// The time zone makes no difference.
		last, now := day(test.last).In(time.FixedZone("", 4000)), day(test.now).In(time.FixedZone("", -8000))
		if got := lastDue(schedule, last, now); !got.Equal(want) {
			t.Errorf("%s from %s to %s: %s, want %s", test.spec, test.last, test.now, got, want)
		}
	}
	schedule, err := parser.Parse("* * * * *")
	if err != nil {
		t.Fatal(err)
	}
	if got := lastDue(schedule, time.Time{}, day("2026-03-01 12:00:30")); !got.Equal(day("2026-03-01 12:00:00")) {
		t.Errorf("from the zero time: %s", got)
	}
}
