//go:build unix

package main

import "testing"

func TestRow(t *testing.T) {
	for _, test := range []struct {
		kubegen, classic []float64
		want             string
	}{
		{[]float64{3, 1, 2}, []float64{5, 4, 6}, "s\t2 (1 - 3)\t5 (4 - 6)\t0.40\t"},
		{[]float64{5, 4, 6}, []float64{3, 1, 2}, "s\t5 (4 - 6)\t2 (1 - 3)\t2.50\t"},
		{[]float64{3, 1, 4}, []float64{5, 4, 6}, "s\t3 (1 - 4)\t5 (4 - 6)\t~0.60\t"},
		{[]float64{1, 9}, []float64{4}, "s\t5 (1 - 9)\t4 (4 - 4)\t~1.25\t"},
	} {
		if got := row("s", test.kubegen, test.classic); got != test.want {
			t.Errorf("%v and %v are %q, want %q", test.kubegen, test.classic, got, test.want)
		}
	}
}
