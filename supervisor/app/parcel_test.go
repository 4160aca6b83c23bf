package app

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor"
	"mews/supervisor/admin"
)

// endless writes until nobody reads any more.
func endless(_ context.Context, w io.Writer) error {
	for {
		if _, err := w.Write(make([]byte, 1000)); err != nil {
			return err
		}
	}
}

// brief is over at once.
func brief(context.Context, io.Writer) error { return nil }

// Who finds all places taken waits for one, and behind no more than one of whoever wants many. Where none becomes free, they
// are told what to do.
func TestAnExportWaitsForItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p admin.Exports
		p.Open(t.Context())
		defer p.Close()
		ann, ben := admin.Caller{Uid: 1}, admin.Caller{Uid: 2}
		begin := func(by admin.Caller, order chan<- string, what string, pack func(context.Context, io.Writer) error) {
			if _, err := p.Begin(t.Context(), by, pack); err != nil {
				what = supervisor.ErrorMessage(err)
			}
			order <- what
		}
		var first string
		for range admin.MaxExports {
			token, err := p.Begin(t.Context(), ann, endless)
			if err != nil {
				t.Fatal(err)
			}
			first = token
		}
		order := make(chan string, 3)
		for _, what := range []string{"ann's fifth", "ann's sixth"} {
			go begin(ann, order, what, endless) // both are waited for below
			synctest.Wait()
		}
		go begin(ben, order, "ben's first", endless)
		synctest.Wait()

		end := func(token string) { // its client has gone in the middle
			gone, leave := context.WithCancel(t.Context())
			leave()
			for err := error(nil); err == nil; {
				_, _, err = p.Next(gone, ann, token)
				synctest.Wait()
			}
		}
		end(first)
		if got := <-order; got != "ann's fifth" {
			t.Errorf("the first to get a place is %s", got)
		}
		var any string
		p.Mu.Lock()
		for token, one := range p.All {
			if one.Whose == ann {
				any = token
			}
		}
		p.Mu.Unlock()
		end(any)
		if got := <-order; got != "ben's first" {
			t.Errorf("the second to get a place is %s", got)
		}
		began := time.Now()
		if got := <-order; !strings.Contains(got, "4 exports are being made") || !strings.Contains(got, "Run this again in a minute") {
			t.Errorf("who gets no place is told %q", got)
		}
		if waited := time.Since(began); waited != admin.ExportWaitTimeout {
			t.Errorf("that took %v", waited) // by the bubble's clock
		}
		time.Sleep(admin.ExportIdleTimeout) // nobody fetches: all are given up
		synctest.Wait()
		if _, err := p.Begin(t.Context(), ben, brief); err != nil || len(p.All) != 1 {
			t.Errorf("after a minute: %v, %d run", err, len(p.All))
		}
	})
}
