package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// partLog records the actions of parts, in order.
type partLog struct {
	mu    sync.Mutex
	lines []string
}

func (d *partLog) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// untilEnded returns a part that runs until it is stopped.
func (d *partLog) untilEnded(name string) part {
	return part{name, func(ctx context.Context) error {
		<-ctx.Done()
		d.note("%s ends", name)
		return ctx.Err()
	}}
}

func TestRunParts_StopsPartsInReverseOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d partLog
		slow, end := make(chan struct{}), make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		ran := make(chan error, 1)
		go func() {
			ran <- runParts(ctx, []part{d.untilEnded("database"), {"sessions", func(ctx context.Context) error {
				<-ctx.Done()
				close(slow)
				<-end
				d.note("sessions ends")
				return nil
			}}, d.untilEnded("socket")}, func() { d.note("started") })
		}()
		synctest.Wait()
		cancel()
		<-slow
		synctest.Wait()
		d.note("sessions takes its time")
		close(end)
		if err := <-ran; err != nil {
			t.Errorf("ended with %v", err)
		}
		want := []string{"started", "socket ends", "sessions takes its time", "sessions ends", "database ends"}
		if !slices.Equal(d.lines, want) {
			t.Errorf("got %q, want %q", d.lines, want)
		}
	})
}

func TestRunParts_OnePartEnds_EndsAllParts(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"with an error":    {errors.New("the disk is gone"), "sessions: the disk is gone"},
		"without an error": {nil, "sessions: ended by itself"},
		"as if cancelled":  {context.Canceled, "sessions: ended by itself"},
	} {
		t.Run(name, func(t *testing.T) {
			var d partLog
			err := runParts(t.Context(), []part{d.untilEnded("database"),
				{"sessions", func(context.Context) error { return c.err }}, d.untilEnded("socket")}, func() {})
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if !slices.Equal(d.lines, []string{"socket ends", "database ends"}) {
				t.Errorf("got %q", d.lines)
			}
		})
	}
}

func TestRunParts_ReturnsEveryError(t *testing.T) {
	fail := func(name string) part {
		return part{name, func(ctx context.Context) error {
			<-ctx.Done()
			return errors.New("cannot close")
		}}
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := runParts(ctx, []part{fail("one"), fail("two")}, cancel)
	if err == nil || !strings.Contains(err.Error(), "one: cannot close") || !strings.Contains(err.Error(), "two: cannot close") {
		t.Errorf("got %v", err)
	}
}
