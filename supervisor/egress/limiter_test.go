package egress_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor/egress"
	"mews/supervisor/egress/egresstest"
)

func TestFetch_TurnAndHour_AreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := egresstest.New(t)
		internet.Serve("example.org", func(http.ResponseWriter, *http.Request) {})
		client := egress.New(internet.Options())
		a := mustParse(t, "http://example.org/")
		for _, step := range []struct {
			wait time.Duration
			user string
			turn int64
			n    int // fetches that are tried
			want int // fetches that answer
		}{
			{0, "alice", 1, 31, 30},
			{0, "alice", 2, 31, 30},
			{0, "bob", 1, 1, 0}, // the turn of another
			{0, "bob", 3, 1, 1},
			{30 * time.Minute, "alice", 0, 241, 240},
			{0, "alice", 4, 1, 0},
			{0, "bob", 4, 1, 1}, // a refused fetch does not count
			{29 * time.Minute, "alice", 4, 1, 0},
			{time.Minute, "alice", 4, 40, 29}, // the first 60 are an hour ago, and bob had one of this turn
			{0, "alice", 0, 40, 31},
			{22 * time.Hour, "alice", 1, 1, 0}, // turns last long
			{25 * time.Hour, "alice", 1, 31, 30},
		} {
			time.Sleep(step.wait)
			answered := 0
			for range step.n {
				_, _, err := fetch(t, client, nil, egress.Request{User: step.user, Turn: step.turn, Address: a})
				var f *egress.Failure
				if err == nil {
					answered++
				} else if !errors.As(err, &f) || f.Kind != egress.KindLimit {
					t.Fatal(err)
				}
			}
			if answered != step.want {
				t.Errorf("%+v: %d answered", step, answered)
			}
		}
	})
}

func TestFetch_HourLimit_NamesTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := egresstest.New(t)
		internet.Serve("example.org", func(http.ResponseWriter, *http.Request) {})
		client := egress.New(internet.Options())
		for range 300 {
			if _, _, err := get(t, client, "http://example.org/"); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(17*time.Minute + time.Second)
		_, _, err := get(t, client, "http://example.org/")
		if err == nil || !strings.Contains(err.Error(), "43 minutes") {
			t.Errorf("got error %v", err)
		}
	})
}

// TestFetch_AtOnce_IsLimited lets ten people fetch six addresses each, of a server that waits.
func TestFetch_AtOnce_IsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most, of, mostOf := 0, 0, map[string]int{}, 0
		internet := egresstest.New(t)
		internet.Serve("example.org", func(w http.ResponseWriter, r *http.Request) {
			user := r.URL.Query().Get("user")
			mu.Lock()
			running++
			of[user]++
			most, mostOf = max(most, running), max(mostOf, of[user])
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			running--
			of[user]--
			mu.Unlock()
		})
		client := egress.New(internet.Options())
		var people sync.WaitGroup
		for user := range 10 {
			for range 6 {
				people.Go(func() {
					name := fmt.Sprint("user", user)
					a := mustParse(t, "http://example.org/?user="+name)
					if _, _, err := fetch(t, client, nil, egress.Request{User: name, Address: a}); err != nil {
						t.Error(err)
					}
				})
			}
		}
		people.Wait()
		if most != 16 || mostOf > 4 {
			t.Errorf("%d at once, and %d of one person", most, mostOf)
		}
	})
}

func TestFetch_ForgottenBody_FreesItsSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := egresstest.New(t)
		internet.Serve("example.org", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "a")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		})
		client := egress.New(internet.Options())
		r := egress.Request{User: "alice", Address: mustParse(t, "http://example.org/")}
		var forgotten []io.Closer
		for range 4 {
			resp, err := client.Fetch(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			forgotten = append(forgotten, resp.Body)
		}
		began := time.Now()
		resp, err := client.Fetch(t.Context(), r)
		if err != nil || time.Since(began) != 30*time.Second {
			t.Errorf("it waited %s: %v", time.Since(began), err)
		}
		for _, body := range append(forgotten, resp.Body) {
			if err := body.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
