package mutation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kubegen/kubegen/test/mutation/mutant"
)

// suite is the tests of a binary that has mutants.
type suite struct {
	binary, dir string // dir is where the tests run
	tests       []*suiteTest
}

// suiteTest is a test that passes without mutants.
type suiteTest struct {
	name     string
	duration time.Duration
	reaches  map[int]bool
}

// record runs all tests without mutants, each by itself, and finds out how long they take and which mutants they reach.
func record(ctx context.Context, binary, dir string, processes int) (*suite, error) {
	s := &suite{binary: binary, dir: dir}
	list := exec.CommandContext(ctx, binary, "-test.list", "^Test")
	list.Dir = dir
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Fields(string(out)) {
		s.tests = append(s.tests, &suiteTest{name: name, reaches: map[int]bool{}})
	}
	logs, err := os.MkdirTemp(filepath.Dir(binary), "reached")
	if err != nil {
		return nil, err
	}
	errs := make([]error, len(s.tests))
	parallel(processes, len(s.tests), func(i int) { errs[i] = s.recordTest(ctx, s.tests[i], filepath.Join(logs, strconv.Itoa(i))) })
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(s.tests, func(a, b *suiteTest) int { return int(a.duration - b.duration) })
	return s, nil
}

func (s *suite) recordTest(ctx context.Context, test *suiteTest, log string) error {
	begun := time.Now()
	out, err := s.run(ctx, 10*time.Minute, mutant.Record+"="+log, test)
	if err != nil {
		return fmt.Errorf("%s without mutants: %w\n%s", test.name, err, out)
	}
	test.duration = time.Since(begun)
	text, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	for _, line := range strings.Fields(string(text)) {
		id, err := strconv.Atoi(line)
		if err != nil {
			return err
		}
		test.reaches[id] = true
	}
	return nil
}

// run runs tests in one process. If they do not end in time, the error is context.DeadlineExceeded.
func (s *suite) run(ctx context.Context, limit time.Duration, environment string, tests ...*suiteTest) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var names []string
	for _, test := range tests {
		names = append(names, test.name)
	}
	cmd := exec.CommandContext(ctx, s.binary, "-test.run", "^("+strings.Join(names, "|")+")$", "-test.failfast")
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), environment, "GOMAXPROCS=2")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil { // which says why it was killed
		err = ctx.Err()
	}
	return out.Bytes(), err
}

// result is what became of a mutant.
type result struct {
	change
	reached bool
	noticed bool
	hung    bool   // no test has failed, but they do not end
	by      string // the tests of which one noticed
	out     []byte
	took    time.Duration
}

// try runs the tests that reach a mutant, the quickest first, until one fails. Quick ones share a process. Tests that
// do not end in time get much more of it, because the machine may be busy; those that do not end then hang, which
// counts as noticed, but not by a test. A patient try gives them more time at once.
func (s *suite) try(ctx context.Context, of change, patient bool) result {
	r := result{change: of}
	var group []*suiteTest
	var sum time.Duration
	begun := time.Now()
	flush := func() bool {
		if len(group) == 0 {
			return false
		}
		limits := []time.Duration{2*time.Second + 5*sum, time.Minute + 20*sum}
		if patient {
			limits = limits[1:]
		}
		var out []byte
		var err error
		for _, limit := range limits {
			if out, err = s.run(ctx, limit, mutant.Active+"="+strconv.Itoa(of.id), group...); !errors.Is(err, context.DeadlineExceeded) {
				break
			}
		}
		var names []string
		for _, test := range group {
			names = append(names, test.name)
		}
		r.noticed, r.hung = err != nil && ctx.Err() == nil, errors.Is(err, context.DeadlineExceeded)
		r.by, r.out, r.took = strings.Join(names, " "), out, time.Since(begun)
		group, sum = nil, 0
		return r.noticed
	}
	for _, test := range s.tests {
		if !test.reaches[of.id] {
			continue
		}
		r.reached = true
		if group, sum = append(group, test), sum+test.duration; len(group) == 1 && sum < time.Second/4 || sum < time.Second/2 {
			continue
		}
		if flush() {
			return r
		}
	}
	flush()
	return r
}

// parallel calls a function for each number below n, in some goroutines.
func parallel(goroutines, n int, do func(int)) {
	var running sync.WaitGroup
	next := make(chan int)
	for range goroutines {
		running.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	running.Wait()
}
