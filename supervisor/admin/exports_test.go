package admin

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor"
	"mews/supervisor/problem"
)

// endless writes until its writer fails.
func endless(_ context.Context, w io.Writer) error {
	for {
		if _, err := w.Write(make([]byte, 1000)); err != nil {
			return err
		}
	}
}

// brief writes nothing and returns at once.
func brief(context.Context, io.Writer) error { return nil }

// A client without a free slot waits. It waits for at most one export of another client, even if
// that client wants many. If no slot becomes free, the error says what to do.
func TestExports_AllSlotsTaken_ClientsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p exports
		p.open(t.Context())
		defer p.close()
		ann, ben := Caller{UID: 1}, Caller{UID: 2}
		begin := func(by Caller, order chan<- string, what string, pack func(context.Context, io.Writer) error) {
			if _, err := p.begin(t.Context(), by, pack); err != nil {
				what = problem.UserText(err)
			}
			order <- what
		}
		var first string
		for range maxExports {
			token, err := p.begin(t.Context(), ann, endless)
			if err != nil {
				t.Fatal(err)
			}
			first = token
		}
		order := make(chan string, 3)
		for _, what := range []string{"ann's fifth", "ann's sixth"} {
			go begin(ann, order, what, endless) // these exports wait for a slot until other exports end below
			synctest.Wait()
		}
		go begin(ben, order, "ben's first", endless)
		synctest.Wait()

		end := func(token string) { // the client disconnects in the middle of the export
			gone, leave := context.WithCancel(t.Context())
			leave()
			for err := error(nil); err == nil; {
				_, _, err = p.next(gone, ann, token)
				synctest.Wait()
			}
		}
		end(first)
		if got := <-order; got != "ann's fifth" {
			t.Errorf("the first to get a slot is %s", got)
		}
		var any string
		p.mu.Lock()
		for token, one := range p.all {
			if one.owner == ann {
				any = token
			}
		}
		p.mu.Unlock()
		end(any)
		if got := <-order; got != "ben's first" {
			t.Errorf("the second to get a slot is %s", got)
		}
		began := time.Now()
		if got := <-order; !strings.Contains(got, "4 exports are running") || !strings.Contains(got, "Run this again in a minute") {
			t.Errorf("without a free slot the client is told %q", got)
		}
		if waited := time.Since(began); waited != exportWaitTimeout {
			t.Errorf("that took %v", waited) // waited is the time that passed on the fake clock
		}
		time.Sleep(exportIdleTimeout) // no client fetches, so all exports end
		synctest.Wait()
		if _, err := p.begin(t.Context(), ben, brief); err != nil || len(p.all) != 1 {
			t.Errorf("after a minute: %v, %d run", err, len(p.all))
		}
	})
}

// Only the client that began an export can fetch it. An export also ends with the service.
func TestExports_OtherClient_GetsNothing(t *testing.T) {
	var p exports
	ctx, end := context.WithCancel(t.Context())
	p.open(ctx)
	by := Caller{UID: 1}
	token, err := p.begin(t.Context(), by, endless)
	if err != nil {
		t.Fatal(err)
	}
	if piece, last, err := p.next(t.Context(), by, token); err != nil || last || len(piece) != chunkBytes {
		t.Errorf("the first piece: %d bytes, last %v, %v", len(piece), last, err)
	}
	if _, _, err := p.next(t.Context(), Caller{UID: 4711},
		token); supervisor.ErrorCodeOf(err) != supervisor.CodeNotFound {
		t.Errorf("for another: %v", err)
	}
	for range maxExports - 1 {
		if _, err := p.begin(t.Context(), by, endless); err != nil {
			t.Fatal(err)
		}
	}
	end()
	p.close()
	if _, _, err := p.next(t.Context(), by, token); err == nil {
		t.Error("it goes on after the end")
	}
}

// While a home is archived there is nothing to fetch yet. The client must ask again, and loses no
// data.
func TestExports_NotBegun_GivesEmptyPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p exports
		p.open(t.Context())
		defer p.close()
		by := Caller{UID: 1}
		archived := make(chan struct{})
		token, err := p.begin(t.Context(), by, func(_ context.Context, w io.Writer) error {
			<-archived
			_, err := io.WriteString(w, "whole")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 10 { // this takes longer than an export waits for its client
			if chunk, last, err := p.next(t.Context(), by, token); len(chunk) != 0 || last || err != nil {
				t.Fatalf("before it has begun: %q, last %v, %v", chunk, last, err)
			}
		}
		close(archived)
		if chunk, last, err := p.next(t.Context(), by, token); string(chunk) != "whole" || !last || err != nil {
			t.Errorf("then: %q, last %v, %v", chunk, last, err)
		}
	})
}
