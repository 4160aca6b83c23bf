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

// indexDelay is how long a home must be unchanged before its worker reads it: see worker/index.
const indexDelay = time.Second

// BenchmarkNewFileInLargeHome measures how long a new file takes until it is found in a home of
// 10,000 unchanged files. The time includes the worker's walk, the supervisor's comparison of each
// file, and the messages between them. The time of the first indexing is reported too. During the
// first indexing the worker pauses for half of the time.
func BenchmarkNewFileInLargeHome(b *testing.B) {
	h := apptest.NewService(b, "", "ann")
	for i := range 10_000 {
		path := filepath.Join(h.UserHome("ann"), fmt.Sprint("folder", i%200), fmt.Sprint(i, ".md"))
		text := fmt.Sprintf("# Note %d\nword%d\n", i, i)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	apptest.ChownToWorkers(b, filepath.Join(h.Dir, "homes"))
	h.Start()
	v, began := newClient(b, h, "ann"), time.Now()
	v.exchange(b, "hi")
	find := func(words string) (r search.SearchReport, err error) {
		err = control.CallOnce(b.Context(), h.Socket, search.MethodSearch,
			search.TextQuery{User: "ann", Words: words, In: "home"}, &r)
		return r, err
	}
	h.WaitUntilTrue(10*time.Minute, "the home to be in the index", func() bool {
		r, err := find("word1")
		return err == nil && r.Incomplete == ""
	})
	b.ReportMetric(time.Since(began).Seconds(), "s-to-read")
	var took time.Duration
	n := 0
	for b.Loop() {
		name := fmt.Sprint("new", n, ".md")
		path := filepath.Join(h.UserHome("ann"), name)
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			b.Fatal(err)
		}
		apptest.ChownToWorkers(b, path)
		changed := time.Now()
		n++
		h.WaitUntilTrue(time.Minute, "the new file to be found", func() bool {
			r, err := find(name)
			return err == nil && slices.ContainsFunc(r.Hits,
				func(hit search.ReportHit) bool { return hit.Path == name })
		})
		took += time.Since(changed) - indexDelay
	}
	b.ReportMetric(float64(took.Milliseconds())/float64(n), "ms-to-reconcile")
	v.stop()
}
