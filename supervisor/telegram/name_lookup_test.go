package telegram_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/telegram"
)

// upcoming is an update and its time.
type upcoming struct {
	after time.Duration
	id    int64
	raw   string
}

// private returns an update in which Ann writes to the bot in private.
func private(after time.Duration, id int64, words string) upcoming {
	return upcoming{after, id, said(id, words)}
}

// mention returns an update in which Ann mentions the bot in a group.
func mention(after time.Duration, id int64, words string) upcoming {
	raw := message(ann, group, text("@mews_bot "+words), entity("mention", 0, 9))
	return upcoming{after, id, strings.Replace(raw, "500001", fmt.Sprint(id), 1)}
}

// queue answers polls as Telegram does. It returns up to 100 updates from the offset on. If there
// are no updates, it waits for the next one. It refuses getMe until the time nameless.
func queue(nameless time.Duration, all ...upcoming) func(asked, context.Context) (*http.Response, error) {
	return func(a asked, ctx context.Context) (*http.Response, error) {
		if a.method == "getMe" && a.after < nameless {
			return respond(502, "")
		}
		if a.method == "getMe" {
			return result(ourselves)
		}
		batch, wait := due(all, a.offset(), a.after)
		if len(batch) == 0 && fmt.Sprint(a.params["timeout"]) != "0" {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(wait):
				batch, _ = due(all, a.offset(), a.after+wait)
			}
		}
		return result("[" + strings.Join(batch, ",") + "]")
	}
}

// due returns the updates that have come by now, and the wait for the next one.
func due(all []upcoming, offset int64, now time.Duration) (batch []string, wait time.Duration) {
	wait = 50 * time.Second
	for _, u := range all {
		if u.id >= offset && u.after <= now && len(batch) < 100 {
			batch = append(batch, u.raw)
		}
		if u.after > now {
			wait = min(wait, u.after-now)
		}
	}
	return batch, wait
}

// timingStore is a store that notes the time of each text.
type timingStore struct {
	*store
	began time.Time
	at    map[string]time.Duration
}

func (d *timingStore) StoreBatch(ctx context.Context, batch []supervisor.Incoming, next int64) error {
	if d.began.IsZero() {
		d.began = time.Now() // the first poll is answered at once
	}
	for _, l := range batch {
		if _, known := d.at[l.Text]; !known && l.Text != "" {
			d.at[l.Text] = time.Since(d.began)
		}
	}
	return d.store.StoreBatch(ctx, batch, next)
}

func newDated() *timingStore { return &timingStore{store: newStore(0), at: map[string]time.Duration{}} }

// TestGroupMessage_WaitsBrieflyForBotName checks that a message for the bot is neither dropped nor
// treated as another bot's message. The group keeps its order.
func TestGroupMessage_WaitsBrieflyForBotName(t *testing.T) {
	for name, nameless := range map[string]time.Duration{"that comes at once": 0, "that comes late": 20 * time.Second} {
		t.Run(name, func(t *testing.T) {
			behind := message(ann, group, text("/status"))
			d := newDated()
			p := poll(t, d, time.Hour, queue(nameless, mention(0, 11, "hi"),
				upcoming{0, 12, strings.Replace(behind, "500001", "12", 1)}, private(0, 13, "in private")))
			if got := p.texts(); !slices.Equal(got, []string{"in private", "hi", "/status"}) {
				t.Errorf("kept %q", got)
			}
			if late := d.at["hi"]; late > 2*nameless+10*time.Second || nameless == 0 && late > 0 {
				t.Errorf("it was kept after %s", late)
			}
			if p.status.Username != "mews_bot" || p.status.State != telegram.HealthOK || p.offset() != 14 {
				t.Errorf("the status is %+v, the offset %d", p.status, p.offset())
			}
		})
	}
}

// TestPrivateMessage_NeverWaitsForBotName checks that private messages come at once while the name
// is unknown. A group's message is dropped after a minute, and causes no further polls.
func TestPrivateMessage_NeverWaitsForBotName(t *testing.T) {
	d := newDated()
	p := poll(t, d, time.Hour, queue(2*time.Hour,
		private(0, 10, "before it"), mention(0, 11, "hi"), private(0, 12, "behind it"),
		private(10*time.Second, 13, "later"), mention(20*time.Second, 14, "hello?"),
		mention(10*time.Minute, 15, "and now?"), private(10*time.Minute, 16, "much later")))
	for text, at := range map[string]time.Duration{"before it": 0, "behind it": 0, "later": 10 * time.Second,
		"much later": 10 * time.Minute} {
		if got, ok := d.at[text]; !ok || got > at+time.Second {
			t.Errorf("%q was kept after %s (%v), want %s", text, got, ok, at)
		}
	}
	if len(d.at) != 4 || p.offset() != 17 || p.status.State != telegram.HealthOK {
		t.Errorf("kept %v, offset %d, status %+v", d.at, p.offset(), p.status)
	}
	if polls, asks := len(p.requests("getUpdates")), len(p.requests("getMe")); polls > 150 || asks > 10 {
		t.Errorf("%d polls and %d times asked in an hour", polls, asks)
	}
}

// TestFullBatch_WaitsLessForBotName checks the shorter wait, because private messages may be behind
// a full batch.
func TestFullBatch_WaitsLessForBotName(t *testing.T) {
	d := newDated()
	all := []upcoming{mention(0, 11, "hi")}
	for id := range int64(150) {
		all = append(all, private(0, 12+id, fmt.Sprint("backlog ", id)))
	}
	poll(t, d, time.Hour, queue(time.Hour, all...))
	if got, ok := d.at["backlog 149"]; !ok || got > 6*time.Second || len(d.at) != 150 {
		t.Errorf("the last one was kept after %s (%v), %d in all", got, ok, len(d.at))
	}
}

// TestUpdatesAwaitingBotName_AreNotConfirmed checks that held updates come again after a restart.
func TestUpdatesAwaitingBotName_AreNotConfirmed(t *testing.T) {
	s := newStore(0)
	poll(t, s, 30*time.Second, queue(time.Hour, private(0, 10, "before it"), mention(0, 11, "hi"), private(0, 12, "behind it")))
	if s.offset() != 11 {
		t.Errorf("the offset is %d, want 11", s.offset())
	}
	poll(t, s, time.Minute, queue(0, mention(0, 11, "hi"), private(0, 12, "behind it")))
	if got := s.texts(); !slices.Equal(got, []string{"before it", "behind it", "hi"}) || s.offset() != 13 {
		t.Errorf("kept %q, offset %d", got, s.offset())
	}
}
