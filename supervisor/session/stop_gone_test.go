package session_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/session"
	"mews/supervisor/sqlite"
)

// A stop waits for the turn of a text, but the text gets no turn. The stop ends, and the
// conversation is served again.
func TestStop_TextGetsNoTurn_StopEnds(t *testing.T) {
	for name, c := range map[string]struct {
		leave func(h *harness, one, later supervisor.Inbound, command int64) error
		want  func(one supervisor.Inbound) sqlite.PrecedingText
		told  []string
	}{
		"dropped alone": {func(h *harness, one, _ supervisor.Inbound, _ int64) error {
			_, _, err := h.db.Inbox().DropText(h.Context(), "ann", one.ID)
			return err
		}, func(supervisor.Inbound) sqlite.PrecedingText { return sqlite.PrecedingText{Waiting: 1} },
			[]string{"re: two"}},
		"dropped with all before": {func(h *harness, _, _ supervisor.Inbound, command int64) error {
			_, err := h.db.Inbox().DropWaitingTexts(h.Context(), command)
			return err
		}, func(supervisor.Inbound) sqlite.PrecedingText { return sqlite.PrecedingText{Waiting: 1} },
			[]string{"re: two"}},
		"taken into a later turn": {func(h *harness, _, later supervisor.Inbound, _ int64) error {
			turn, _, err := h.db.Turns().Start(h.Context(), later.ID, nil)
			if err == nil {
				_, err = h.db.Turns().AddWaitingTexts(h.Context(), turn.ID, 1<<10, supervisor.PriorityUsual)
			}
			return err
		}, func(supervisor.Inbound) sqlite.PrecedingText { return sqlite.PrecedingText{Waiting: 2} },
			[]string{"re: two"}},
		"answered": {func(h *harness, one, _ supervisor.Inbound, _ int64) error {
			turn, _, err := h.db.Turns().Start(h.Context(), one.ID, nil)
			if err == nil {
				_, err = h.db.Turns().Finish(h.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
					State: supervisor.InboundAnswered, Text: "re: one"})
			}
			return err
		}, func(one supervisor.Inbound) sqlite.PrecedingText {
			return sqlite.PrecedingText{Inbound: one.ID, Why: protocol.TurnEndDone, Waiting: 1}
		}, []string{"re: one", "re: two"}},
		"none of these": {func(*harness, supervisor.Inbound, supervisor.Inbound, int64) error { return nil },
			func(one supervisor.Inbound) sqlite.PrecedingText { return stopped(one, 1) },
			[]string{"(Stopped, as you asked.)", "re: two"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h *harness
				h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
					return h.echo(ctx,
						a)
				})
				home := h.conversation("ann", "")
				one := h.keep(home, "one")
				command := h.command(home)
				two := h.keep(home, "two")
				early := session.New(h.options) // no session runs yet, so the stop waits
				came := make(chan sqlite.PrecedingText, 1)
				go func() {
					got, err := early.StopTurn(t.Context(), home, command)
					came <- must(h, got, err)
				}()
				synctest.Wait()
				tick(t)
				if err := c.leave(h, one, two, command); err != nil {
					t.Fatal(err)
				}
				h.liveAs(early)
				h.came(name, <-came, c.want(one))
				for i, d := range h.await(home, len(c.told)) {
					if d.Text != c.told[i] {
						t.Errorf("told were %q, want %q", d.Text, c.told[i])
					}
				}
			})
		})
	}
}

// A stop and a drop of the same text come at the same time, 400 times. Each stop ends, and each
// conversation is served after it.
func TestStop_TextDroppedMeanwhile_StopEnds(t *testing.T) {
	var h *harness
	h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		return h.echo(ctx,
			a)
	})
	home := h.conversation("ann", "")
	h.live()
	for i := range 400 {
		one := h.keep(home, "one")
		command := h.command(home)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		came := make(chan error, 1)
		go func() {
			_, err := h.registry.StopTurn(ctx, home, command)
			came <- err
		}()
		for range i % 40 {
			runtime.Gosched()
		}
		if _, _, err := h.db.Inbox().DropText(ctx, "ann", one.ID); err != nil {
			t.Fatal(err)
		}
		h.registry.WakeSession(home)
		if err := <-came; err != nil {
			t.Fatalf("try %d: %v", i, err)
		}
		cancel()
	}
}
