package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/search"
)

// settled is how long a home is still before it is looked through: see worker/index.
const indexDelay = time.Second

// BenchmarkHome is how long it takes from a home of 10,000 unchanged files to one new file's being
// found: the worker's walk, the supervisor's look at each file and what goes between them. It is
// given the processor for half of the time at most at first.
func BenchmarkHome(b *testing.B) {
	h := apptest.NewService(b, "", "ann")
	for i := range 10_000 {
		path := filepath.Join(h.Home("ann"), fmt.Sprint("folder", i%200), fmt.Sprint(i, ".md"))
		text := fmt.Sprintf("# Note %d\nword%d\n", i, i)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	apptest.GiveToWorkers(b, filepath.Join(h.Dir, "homes"))
	h.Start()
	v, began := newClient(b, h, "ann"), time.Now()
	v.exchange(b, "hi")
	find := func(words string) (r search.Report, err error) {
		err = control.Ask(b.Context(), h.Socket, search.MethodSearch,
			search.Question{User: "ann", Words: words, In: "home"}, &r)
		return r, err
	}
	h.WaitFor(10*time.Minute, "the home to be in the index", func() bool {
		r, err := find("word1")
		return err == nil && r.Behind == ""
	})
	b.ReportMetric(time.Since(began).Seconds(), "s-to-read")
	var took time.Duration
	n := 0
	for b.Loop() {
		name := fmt.Sprint("new", n, ".md")
		path := filepath.Join(h.Home("ann"), name)
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			b.Fatal(err)
		}
		apptest.GiveToWorkers(b, path)
		changed := time.Now()
		n++
		h.WaitFor(time.Minute, "the new file to be found", func() bool {
			r, err := find(name)
			return err == nil && slices.ContainsFunc(r.Hits,
				func(hit search.ReportHit) bool { return hit.Path == name })
		})
		took += time.Since(changed) - indexDelay
	}
	b.ReportMetric(float64(took.Milliseconds())/float64(n), "ms-to-reconcile")
	v.stop()
}
