package chat

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/inbox"
)

// closedGate is a gate that any six digits open.
type closedGate struct{}

func (closedGate) Check(_ context.Context, in supervisor.Inbound) (supervisor.GateDecision, error) {
	if in.Text == "123456" {
		return supervisor.GateDecision{CheckCode: func(f supervisor.SecondFactor, _ time.Time) (supervisor.SecondFactor,
			supervisor.LoginCodeResult) {
			f.Secret, f.Confirmed = []byte("sealed"), true
			return f, supervisor.LoginCodeResult{Right: true, Action: "login", Text: "Come in."}
		}}, nil
	}
	return supervisor.GateDecision{Check: &supervisor.GateCheck{IdleTimeout: time.Hour, Lifetime: time.Hour, Challenge: "Send your code."}}, nil
}

// A closed gate ends the pipe, because no answer comes before a code is sent.
func TestPipe_ClosedGate_Ends(t *testing.T) {
	for name, c := range map[string]struct{ lines, out, told, verdict string }{
		"no code":        {"hello\n", "", textHeld, "of 1 line, 0 could not be sent and 1 had no full answer"},
		"a code behind":  {"hello\n123456\nand this\n", "re: and this\n", "Come in.", "of 3 lines, 0 could not be sent and 1 had no full answer"},
		"a code before":  {"123456\nhello\n", "re: hello\n", "Come in.", ""},
		"a code and end": {"123456\n", "", "Come in.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newRig(t)
			p.options.Inbox = inbox.New(inbox.Options{Store: p.db.Inbox(), Gate: closedGate{}, Accepted: func(in supervisor.Inbound) {
				turn, _, err := p.db.Turns().Start(context.Background(), in.ID, nil)
				if err != nil {
					t.Error(err)
					return
				}
				p.finish(turn, p.feeds.OpenStream(turn, ""), "re: "+in.Text)
			}, Queued: p.feeds.NotifyDelivery})
			p.live()
			var out, told bytes.Buffer
			err := runPipe(t.Context(), Console{Out: &out, Err: &told}, strings.NewReader(c.lines), p.socket, Options{})
			verdict := ""
			if err != nil {
				verdict = err.Error()
			}
			if out.String() != c.out || !strings.Contains(told.String(), c.told) || verdict != c.verdict {
				t.Errorf("printed was %q beside %q, %q", out.String(), told.String(), verdict)
			}
		})
	}
}
