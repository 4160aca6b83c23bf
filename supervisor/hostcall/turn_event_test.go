package hostcall_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/hostcall"
)

// toolLineCounter is a reply that counts its lines about tools, by kind.
type toolLineCounter struct{ shown map[protocol.EventKind]int }

func (l *toolLineCounter) AppendText(string)                 {}
func (l *toolLineCounter) CommitStep(string)                 {}
func (l *toolLineCounter) ResetStep()                        {}
func (l *toolLineCounter) BeginStep(string)                  {}
func (l *toolLineCounter) ShowNote(string)                   {}
func (l *toolLineCounter) Hide()                             {}
func (l *toolLineCounter) ShowTool(event protocol.TurnEvent) { l.shown[event.Kind]++ }

// watched returns a rig with a stopped clock, the lines that its user sees, and the clock's time.
func watched(t *testing.T) (*rig, *toolLineCounter, *time.Time) {
	r, l, now := newRig(t, says(protocol.ContentPart{Text: "hi"})), &toolLineCounter{map[protocol.EventKind]int{}},
		time.Unix(1e9,
			0)
	r.options.Now = func() time.Time { return now }
	r.conn, r.peer = r.newConn("ann")
	turn := r.turn()
	turn.Reply = l
	r.conn.BeginTurn(turn)
	return r, l, &now
}

func (r *rig) event(event protocol.TurnEvent) {
	r.t.Helper()
	event.Turn = r.open.Turn.ID
	raw, err := json.Marshal(event)
	if err != nil {
		r.t.Fatal(err)
	}
	r.conn.HandleNotification(&protocol.Request{Method: protocol.MethodTurnEvent, Params: raw})
}

func TestTurnEvent_Invalid_EndsWorker(t *testing.T) {
	for name, offend := range map[string]func(*rig){
		"a call's id of 65 bytes": func(r *rig) {
			r.event(protocol.TurnEvent{Kind: protocol.EventToolBegan, Call: strings.Repeat("c", 65)})
		},
		"a kind that there is not": func(r *rig) { r.event(protocol.TurnEvent{Kind: "tool.exploded"}) },
		"more than 10,000 of them": func(r *rig) {
			for range 10_001 {
				r.event(protocol.TurnEvent{Kind: protocol.EventToolEnded})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, _, _ := watched(t)
			offend(r)
			if r.peer.ended == nil || len(r.audited) != 1 {
				t.Errorf("ended for %v; audited %q", r.peer.ended, r.audited)
			}
		})
	}
}

func TestTurnEvent_TooFast_DropsProgress(t *testing.T) {
	r, l, now := watched(t)
	send := func(kind protocol.EventKind, n int) {
		for i := range n {
			r.event(protocol.TurnEvent{Kind: kind, Call: strings.Repeat("c", 64), Text: fmt.Sprint(i)})
		}
	}
	for _, step := range []struct {
		after time.Duration
		want  int // number of progress lines that the user must see
	}{{0, 400}, {0, 400}, {time.Second, 600}, {10 * time.Millisecond, 602}, {time.Hour, 1002}} {
		*now = now.Add(step.after)
		if send(protocol.EventToolProgress, 500); l.shown[protocol.EventToolProgress] != step.want {
			t.Errorf("after %v: %d lines of progress in all, want %d", step.after, l.shown[protocol.EventToolProgress],
				step.want)
		}
	}
	if send(protocol.EventToolEnded, 3); l.shown[protocol.EventToolEnded] != 3 {
		t.Errorf("of 3 ends %d were shown", l.shown[protocol.EventToolEnded])
	}
	if r.peer.ended != nil {
		t.Errorf("ended for %v", r.peer.ended)
	}
}

func TestForbiddenCalls_OnlyFirstIsAudited(t *testing.T) {
	r, _, _ := watched(t)
	for range 100 {
		r.event(protocol.TurnEvent{Kind: "tool.exploded"})
	}
	if len(r.audited) != 1 {
		t.Errorf("%d rows", len(r.audited))
	}
}

var _ hostcall.Reply = (*toolLineCounter)(nil)
