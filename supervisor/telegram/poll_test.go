package telegram_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor/telegram"
)

// gate is a store, or a wrapper of a store.
type gate interface {
	telegram.UpdateReceiver
	texts() []string
	offset() int64
}

// polling is the record of a poller's run over a connection in memory.
type polling struct {
	*fakeTransport
	gate
	heard
	status telegram.HealthStatus
}

// poll runs a poller for a while, in a synctest bubble.
func poll(t *testing.T, s gate, while time.Duration, answer func(asked, context.Context) (*http.Response, error)) *polling {
	t.Helper()
	p := &polling{gate: s}
	p.fakeTransport, p.status = pollAs(t, s, telegram.PollOptions{Health: p.health()}, while, answer)
	return p
}

// pollAs is like poll, with options, which must have Health.
func pollAs(t *testing.T, s gate, o telegram.PollOptions, while time.Duration,
	answer func(asked, context.Context) (*http.Response, error)) (w *fakeTransport, status telegram.HealthStatus) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w = newWire(t, answer)
		end := run(t, telegram.NewPoller(w.client(), s, o).Run)
		time.Sleep(while) // waits in the bubble's fake time
		synctest.Wait()
		status = o.Health.Status()
		end()
	})
	return w, status
}

// gaps returns the time between each request and the request before it.
func gaps(made []asked) []time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(made); i++ {
		gaps = append(gaps, made[i].after-made[i-1].after)
	}
	return gaps
}

// TestPoll_Failures_PauseAndAlarm checks, for each failure, the pauses, the alarm's time and text,
// and the recovery.
func TestPoll_Failures_PauseAndAlarm(t *testing.T) {
	s, doubling := time.Second, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
	// polling continues within 3 s of Telegram's return
	away, longest := doubling[:2], 2500*time.Millisecond
	for name, test := range map[string]struct {
		fail  func(context.Context) (*http.Response, error)
		rests []time.Duration
		most  time.Duration
		alarm int // failures in a row until the alarm
		says  string
		do    string
	}{
		"a refused token": {always(refusal(401, "Unauthorized", "")), []time.Duration{5 * s, 10 * s, 20 * s}, 5 * time.Minute, 3,
			"does not accept the bot's token (Unauthorized)", "@BotFather"},
		"a token of no bot": {always(refusal(404, "Not Found", "")), []time.Duration{5 * s, 10 * s}, 5 * time.Minute, 3,
			"does not accept the bot's token (Not Found)", "@BotFather"},
		"a bot that is at another server": {always(refusal(400, "Logged out", "")), []time.Duration{5 * s, 10 * s}, 5 * time.Minute, 3,
			"logged out of this Bot API server (Logged out)", "telegram.api_url"},
		"another poller": {saysConflict, doubling, 30 * s, 7,
			"another program polls with this bot's token", "Stop that program"},
		"internal error": {always(refusal(500, "Internal Server Error", "")), away, longest, 3,
			"internal error (Internal Server Error)", "passes by itself"},
		"a gateway's page": {always(respond(502, "<html>Bad Gateway</html>")), away, longest, 3,
			"answers with an error (502 Bad Gateway)", "telegram.api_url"},
		"another web server": {always(respond(200, "<html>Welcome!</html>")), doubling, 60 * s, 3,
			"is not Telegram's Bot API", "telegram.api_url"},
		"an answer of another kind": {always(result(`{"a":1}`)), doubling, 60 * s, 3,
			"is not Telegram's Bot API", "telegram.api_url"},
		"a refused request": {always(refusal(400, "Bad Request: x", "")), doubling, 60 * s, 3,
			"refuses the request (Bad Request: x)", "configuration"},
		"no network": {always(nil, errors.New("connection refused")), away, longest, 3,
			"Telegram cannot be reached", "network"},
	} {
		t.Run(name, func(t *testing.T) {
			broken := true
			p := poll(t, newStore(0), 2*time.Hour, func(a asked, ctx context.Context) (*http.Response, error) {
				if broken = broken && a.after < time.Hour; broken {
					return test.fail(ctx)
				}
				return silence(ctx)
			})
			failing := slices.DeleteFunc(p.requests("getUpdates"), func(a asked) bool { return a.after >= time.Hour })
			checkRests(t, gaps(failing), test.rests, test.most)
			checkAlarm(t, p, failing, test.alarm, test.says, test.do)
		})
	}
}

// always repeats one answer or error.
func always(resp *http.Response, err error) func(context.Context) (*http.Response, error) {
	if err != nil {
		return func(context.Context) (*http.Response, error) { return nil, err }
	}
	body, _ := io.ReadAll(resp.Body) // the body is a string, so reading cannot fail
	return func(context.Context) (*http.Response, error) { return respond(resp.StatusCode, string(body)) }
}

func says401(context.Context) (*http.Response, error) { return refusal(401, "Unauthorized", "") }

func saysConflict(context.Context) (*http.Response, error) {
	return refusal(409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running", "")
}

func checkRests(t *testing.T, got, want []time.Duration, most time.Duration) {
	t.Helper()
	around := func(d, about time.Duration) bool {
		return d >= max(time.Second, about*3/4) && d <= about*5/4+time.Microsecond
	}
	for i, about := range want {
		if !around(got[i], about) {
			t.Errorf("rest %d is %s, want about %s", i, got[i], about)
		}
	}
	for i, d := range got[12:] {
		if !around(d, most) {
			t.Errorf("rest %d is %s, want about %s", i+12, d, most)
		}
	}
}

func checkAlarm(t *testing.T, p *polling, failing []asked, after int, says, do string) {
	t.Helper()
	told := p.heard.all()
	if len(told) != 2 {
		t.Fatalf("told %q, want one alarm and one recovery", told)
	}
	if !strings.Contains(told[0], says) || !strings.Contains(told[0], do) || !strings.Contains(told[0], "Since 2000-01-01 00:00") {
		t.Errorf("the alarm is %q", told[0])
	}
	if !strings.Contains(told[1], "again") || !strings.Contains(told[1], "not lost") && !strings.Contains(told[1], "should write again") {
		t.Errorf("the recovery is %q", told[1])
	}
	if p.status.State != telegram.HealthOK || p.status.Failures != 0 || p.status.Error != "" || p.status.Completed.IsZero() {
		t.Errorf("at the end the status is %+v", p.status)
	}
	if len(failing) <= after {
		t.Errorf("only %d attempts", len(failing))
	}
}

// TestAlarm_TwoFailures_IsNotRaised checks a short conflict: a poll of our own killed process
// continues for some 30 s.
func TestAlarm_TwoFailures_IsNotRaised(t *testing.T) {
	for name, test := range map[string]struct {
		fail  func(context.Context) (*http.Response, error)
		times int
	}{
		"a lingering poll": {saysConflict, 6},
		"a short break":    {says401, 2},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			p := poll(t, newStore(0), time.Hour, func(_ asked, ctx context.Context) (*http.Response, error) {
				if n++; n <= test.times {
					return test.fail(ctx)
				}
				return silence(ctx)
			})
			if told := p.heard.all(); len(told) != 0 || p.status.State != telegram.HealthOK {
				t.Errorf("told %q, status %+v", told, p.status)
			}
		})
	}
}

// TestTwoPollers_SameToken_AlarmOnce checks two pollers that alternate. A poll that succeeds
// between the conflicts is no recovery. There is one alarm, and one recovery some time after the
// last conflict.
func TestTwoPollers_SameToken_AlarmOnce(t *testing.T) {
	n, states := 0, map[telegram.HealthState]int{}
	o := telegram.PollOptions{Health: new(telegram.Health)}
	var told []string
	var at []time.Duration
	var began time.Time
	tell := func(text string) { told, at = append(told, text), append(at, time.Since(began)) }
	o.Health.Alarm, o.Health.Recovered = tell, tell
	pollAs(t, newStore(0), o, time.Hour, func(a asked, ctx context.Context) (*http.Response, error) {
		if began.IsZero() {
			began = time.Now().Add(-a.after)
		}
		if a.after > 5*time.Minute && a.after < 35*time.Minute {
			states[o.Health.Status().State]++
		}
		if n++; n%2 == 0 && a.after < 30*time.Minute {
			time.Sleep(20 * time.Second) // the other program's poll ends this poll
			return saysConflict(ctx)
		}
		return brief(ctx)
	})
	if len(told) != 2 || !strings.Contains(told[0], "another program polls") || !strings.Contains(told[1], "should write again") {
		t.Fatalf("told %q", told)
	}
	if at[0] > 5*time.Minute || at[1] < 39*time.Minute || at[1] > 42*time.Minute {
		t.Errorf("told at %v", at)
	}
	if states[telegram.HealthOK] > 0 || states[telegram.HealthFailing] == 0 {
		t.Errorf("the states were %v", states)
	}
}

// TestPollPause_AnswerToOtherCall_EndsPause checks that an answer ends the pause after Telegram was
// unreachable. A pause after a refused poll does not end early.
func TestPollPause_AnswerToOtherCall_EndsPause(t *testing.T) {
	for name, test := range map[string]struct {
		fail func(context.Context) (*http.Response, error)
		ends bool
	}{
		"away":    {always(nil, errors.New("connection refused")), true},
		"refused": {says401, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(t, func(a asked, ctx context.Context) (*http.Response, error) {
					if a.method == "getMe" {
						return result(`{"id":7,"is_bot":true,"first_name":"Mews","username":"mews_bot"}`)
					}
					return test.fail(ctx)
				})
				c := w.client()
				defer run(t, telegram.NewPoller(c, newStore(0), telegram.PollOptions{}).Run)()
				time.Sleep(time.Hour) // long enough for the longest pauses
				synctest.Wait()
				n := len(w.requests("getUpdates"))
				for len(w.requests("getUpdates")) == n {
					time.Sleep(10 * time.Millisecond)
					synctest.Wait()
				}
				time.Sleep(1100 * time.Millisecond) // two polls are at least a second apart
				answered := time.Since(w.began)
				if _, err := c.RefreshMe(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Minute)
				polls := w.requests("getUpdates")
				if next := polls[n+1].after; (next == answered) != test.ends || !test.ends && next-polls[n].after < 4*time.Minute {
					t.Errorf("polls at %v and %v, an answer at %v", polls[n].after, next, answered)
				}
			})
		})
	}
}

func TestHealthStatus_AfterFailure_NamesFailure(t *testing.T) {
	p := poll(t, newStore(0), time.Minute, func(_ asked, ctx context.Context) (*http.Response, error) { return says401(ctx) })
	s := p.status
	if s.Mode != telegram.ModePolling || s.State != telegram.HealthFailing || s.Failures < 3 ||
		s.Error != "Telegram does not accept the bot's token (Unauthorized)" || s.Completed.IsZero() {
		t.Errorf("the status is %+v", s)
	}
}

func TestPoll_RateLimited_WaitsForRetryAfter(t *testing.T) {
	p := poll(t, newStore(0), 2*time.Hour, func(a asked, ctx context.Context) (*http.Response, error) {
		if a.after < 5*time.Minute {
			return refusal(429, "Too Many Requests: retry after 137", `,"parameters":{"retry_after":137}`)
		}
		return silence(ctx)
	})
	for i, gap := range gaps(p.requests(""))[:3] {
		if gap != 137*time.Second {
			t.Errorf("rest %d is %s, want 137 s", i, gap)
		}
	}
}

// TestLongOutage_ReportsLostUpdates checks that the recovery message does not claim that expired
// updates are safe.
func TestLongOutage_ReportsLostUpdates(t *testing.T) {
	p := poll(t, newStore(0), 26*time.Hour, func(a asked, ctx context.Context) (*http.Response, error) {
		if a.after < 25*time.Hour {
			return nil, errors.New("connection refused")
		}
		return silence(ctx)
	})
	if told := p.heard.all(); len(told) != 2 || !strings.Contains(told[1], "older ones are lost") {
		t.Errorf("told %q", told)
	}
}

// TestPoller_FirstRequest_IsGetUpdates checks the whole first request, and that no other request is
// made. The server need not wait, so that a success shows at once.
func TestPoller_FirstRequest_IsGetUpdates(t *testing.T) {
	begun := false
	p := poll(t, newStore(7), time.Hour, func(_ asked, ctx context.Context) (*http.Response, error) {
		if !begun {
			begun = true
			return result(`[]`)
		}
		return silence(ctx)
	})
	all := p.requests("")
	if len(all) < 60 || len(all) != len(p.requests("getUpdates")) {
		t.Errorf("%d requests, %d of them polls", len(all), len(p.requests("getUpdates")))
	}
	first := all[0].params
	kinds, _ := first["allowed_updates"].([]any)
	if all[0].after != 0 || all[0].offset() != 7 || !slices.Equal(kinds, []any{"message", "edited_message",
		"callback_query", "message_reaction", "my_chat_member"}) {
		t.Errorf("the first request is %+v", all[0])
	}
	for _, field := range []struct {
		of         asked
		name, want string
	}{{all[0], "limit", "100"}, {all[0], "timeout", "0"}, {all[1], "timeout", "50"}} {
		if got := field.of.params[field.name].(interface{ String() string }).String(); got != field.want {
			t.Errorf("%s is %s, want %s", field.name, got, field.want)
		}
	}
}

func TestPoll_WebhookIsSet_RemovesWebhook(t *testing.T) {
	webhook := true
	p := poll(t, newStore(0), time.Hour, func(a asked, ctx context.Context) (*http.Response, error) {
		if a.method == "deleteWebhook" {
			webhook = false
			return result(`true`)
		}
		if webhook {
			return refusal(409,
				"Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first", "")
		}
		return silence(ctx)
	})
	deletes := p.requests("deleteWebhook")
	if len(deletes) != 1 || deletes[0].params["drop_pending_updates"] != false {
		t.Errorf("the webhook was deleted by %+v", deletes)
	}
	if p.requests("")[2].after > 2*time.Second || p.status.State != telegram.HealthOK {
		t.Errorf("requests %+v", p.requests("")[:3])
	}
}

// TestRemoveWebhook_Failure_PausesNormally also checks that the pauses grow.
func TestRemoveWebhook_Failure_PausesNormally(t *testing.T) {
	p := poll(t, newStore(0), time.Hour, func(a asked, _ context.Context) (*http.Response, error) {
		if a.method == "deleteWebhook" {
			return refusal(500, "Internal Server Error", "")
		}
		return refusal(409, "Conflict: can't use getUpdates method while webhook is active", "")
	})
	for i, gap := range gaps(p.requests("")) {
		if gap < time.Second {
			t.Errorf("request %d came after %s", i+1, gap)
		}
	}
}

// feed answers polls with the batches, and then with empty answers.
func feed(batches ...string) func(asked, context.Context) (*http.Response, error) {
	return func(_ asked, ctx context.Context) (*http.Response, error) {
		if len(batches) == 0 {
			return silence(ctx)
		}
		next := batches[0]
		batches = batches[1:]
		return result(next)
	}
}

func offsets(made []asked) []int64 {
	var all []int64
	for _, a := range made {
		all = append(all, a.offset())
	}
	return all
}

func TestOffset_FollowsHighestStoredID(t *testing.T) {
	for name, test := range map[string]struct {
		begin   int64
		batches []string
		want    []int64
	}{
		"moves behind the highest": {0, []string{"[" + said(8, "b") + "," + said(7, "a") + "]"}, []int64{0, 9}},
		"stays where nothing came": {5, []string{"[" + said(8, "b") + "]", "[]"}, []int64{5, 9, 9}},
		"falls back with the ids": {900000, []string{"[" + said(5, "a") + "]", "[" + said(6, "b") + "]"},
			[]int64{900000, 6, 7}},
		"passes what is no update":   {5, []string{`[{"update_id":6,"message":7},{"update_id":7}]`}, []int64{5, 8}},
		"passes what is no object":   {5, []string{`[3,` + said(6, "a") + `]`}, []int64{5, 7}},
		"stays where no id is known": {5, []string{`[3]`}, []int64{5, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			p := poll(t, newStore(test.begin), time.Minute, feed(test.batches...))
			got := offsets(p.requests(""))
			if len(got) < len(test.want) || !slices.Equal(got[:len(test.want)], test.want) {
				t.Errorf("asked for %v, want %v", got, test.want)
			}
			if last := test.want[len(test.want)-1]; p.offset() != last {
				t.Errorf("kept offset %d, want %d", p.offset(), last)
			}
		})
	}
}

// TestPoll_IgnoredOffset_SlowsDown checks a server that ignores the offset. Updates are still read,
// but more slowly.
func TestPoll_IgnoredOffset_SlowsDown(t *testing.T) {
	p := poll(t, newStore(0), time.Hour, func(a asked, _ context.Context) (*http.Response, error) {
		if a.after < 30*time.Minute {
			return result("[" + said(6, "a") + "]")
		}
		return result("[" + said(6, "a") + "," + said(7, "b") + "]")
	})
	if n := len(p.requests("")); n > 120 {
		t.Errorf("%d requests in an hour", n)
	}
	if got := p.texts(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("kept %q", got)
	}
	if told := p.heard.all(); len(told) == 0 || !strings.Contains(told[0], "the same updates again") {
		t.Errorf("told %q", told)
	}
}

func TestPoll_ServerWithoutWait_IsSlowed(t *testing.T) {
	p := poll(t, newStore(0), time.Hour, func(asked, context.Context) (*http.Response, error) { return result(`[]`) })
	if n := len(p.requests("")); n > 3602 || n < 3500 {
		t.Errorf("%d requests in an hour, want one a second", n)
	}
}

// TestOffset_MovesOnlyAfterStore checks an hour of a full disk, during which the offset stays.
func TestOffset_MovesOnlyAfterStore(t *testing.T) {
	var began time.Time
	s := newStore(0)
	p := poll(t, s, 2*time.Hour, func(a asked, ctx context.Context) (*http.Response, error) {
		if began.IsZero() {
			began = time.Now()
			s.refuse = func() error {
				if time.Since(began) < time.Hour {
					return errors.New("database or disk is full")
				}
				return nil
			}
		}
		if a.offset() == 8 {
			return silence(ctx)
		}
		return result("[" + said(7, "keep me") + "]")
	})
	for _, a := range p.requests("") {
		if a.after < time.Hour && a.offset() != 0 {
			t.Fatalf("asked for %d after %s", a.offset(), a.after)
		}
	}
	if n := len(p.requests("")); n > 200 {
		t.Errorf("%d requests", n)
	}
	if got := p.texts(); !slices.Equal(got, []string{"keep me"}) {
		t.Errorf("kept %q", got)
	}
	if told := p.heard.all(); len(told) != 2 || !strings.Contains(told[0], "disk is full") || !strings.Contains(told[1], "not lost") {
		t.Errorf("told %q", told)
	}
}

// unreadableStore is a store that cannot be read for a while.
type unreadableStore struct {
	*store
	until time.Time
}

func (g *unreadableStore) NextOffset(ctx context.Context) (int64, error) {
	if time.Now().Before(g.until) {
		return 0, errors.New("database is locked")
	}
	return g.store.NextOffset(ctx)
}

func TestOffset_UnreadableStore_DelaysPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, func(_ asked, ctx context.Context) (*http.Response, error) { return silence(ctx) })
		g := &unreadableStore{newStore(12), time.Now().Add(10 * time.Minute)}
		end := run(t, telegram.NewPoller(w.client(), g, telegram.PollOptions{}).Run)
		time.Sleep(20 * time.Minute)
		end()
		if made := w.requests(""); len(made) == 0 || made[0].offset() != 12 || made[0].after < 10*time.Minute {
			t.Errorf("requests %v", made)
		}
	})
}

// TestHangingPoll_TimesOut checks that a poll ends after the server's wait and a margin.
func TestHangingPoll_TimesOut(t *testing.T) {
	hangs := true
	p := poll(t, newStore(0), time.Hour, func(_ asked, ctx context.Context) (*http.Response, error) {
		if hangs {
			hangs = false
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return silence(ctx)
	})
	if second := p.requests("")[1].after; second > 120*time.Second {
		t.Errorf("the next poll began after %s", second)
	}
	if p.status.Stalls != 1 || p.status.State != telegram.HealthOK {
		t.Errorf("the status is %+v", p.status)
	}
}

// TestPoll_IgnoringContext_IsAbandoned checks that the late result of an abandoned poll is not
// used.
func TestPoll_IgnoringContext_IsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var calls atomic.Int64
		w := newWire(t, func(_ asked, ctx context.Context) (*http.Response, error) {
			if calls.Add(1) == 1 {
				<-release
				return result("[" + said(900, "too late") + "]")
			}
			return silence(ctx)
		})
		s, health := newStore(0), new(telegram.Health)
		end := run(t, telegram.NewPoller(w.client(), s, telegram.PollOptions{Health: health}).Run)
		time.Sleep(time.Hour)
		close(release)
		synctest.Wait()
		end()
		if second := w.requests("")[1].after; second < 120*time.Second || second > 130*time.Second {
			t.Errorf("the next poll began after %s, want some 126 s", second)
		}
		if got := s.texts(); len(got) != 0 || health.Status().Stalls != 1 || health.Status().State != telegram.HealthOK {
			t.Errorf("kept %q, status %+v", got, health.Status())
		}
	})
}

func TestPollerRun_ContextEnd_CancelsPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, func(_ asked, ctx context.Context) (*http.Response, error) { return silence(ctx) })
		health := new(telegram.Health)
		end := run(t, telegram.NewPoller(w.client(), newStore(0), telegram.PollOptions{Health: health}).Run)
		time.Sleep(10 * time.Second)
		before := time.Now()
		end()
		if took := time.Since(before); took != 0 {
			t.Errorf("it took %s", took)
		}
		if s := health.Status(); s.Failures != 0 || s.State != telegram.HealthStarting {
			t.Errorf("the status is %+v", s)
		}
	})
}
