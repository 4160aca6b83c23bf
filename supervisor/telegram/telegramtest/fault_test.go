package telegramtest_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"mews/supervisor/telegram/telegramtest"
)

func text(s string) m { return m{"chat_id": home.ID, "text": s} }

func TestFault_EachKind_FailsAsDocumented(t *testing.T) {
	var badJSON *json.SyntaxError
	for name, test := range map[string]struct {
		fault  telegramtest.Fault
		status int    // the HTTP status that the client sees; 0 if there is none
		body   string // a part of the body that the client reads
		err    func(error) bool
		inChat bool // whether the message is in the chat
		code   int  // code of the call in the call log
	}{
		"an error": {
			fault: telegramtest.Fault{Kind: telegramtest.ErrorFault}, status: 500,
			body: `"error_code":500,"description":"Internal Server Error"`, code: 500,
		},
		"an error with own text": {
			fault:  telegramtest.Fault{Kind: telegramtest.ErrorFault, Code: 400, Text: "Bad Request: PEER_ID_INVALID"},
			status: 400, body: `"description":"Bad Request: PEER_ID_INVALID"`, code: 400,
		},
		"an error with retry_after": {
			fault:  telegramtest.Fault{Kind: telegramtest.ErrorFault, Code: 429, RetryAfter: 7},
			status: 429, body: `"parameters":{"retry_after":7}`, code: 429,
		},
		"an error after processing": {
			fault: telegramtest.Fault{Kind: telegramtest.ErrorFault, After: true}, status: 500, body: "Internal",
			inChat: true, code: 500,
		},
		"a page": {
			fault: telegramtest.Fault{Kind: telegramtest.HTMLFault}, status: 502, body: "<h1>502 Bad Gateway</h1>",
			err: func(err error) bool { return errors.As(err, &badJSON) }, code: 502,
		},
		"a page after processing": {
			fault: telegramtest.Fault{Kind: telegramtest.HTMLFault, Code: 504, After: true}, status: 504,
			body: "504 Gateway",
			err:  func(err error) bool { return errors.As(err, &badJSON) }, inChat: true, code: 504,
		},
		"a reset": {
			fault: telegramtest.Fault{Kind: telegramtest.ResetFault},
			err:   func(err error) bool { return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF) },
		},
		"a reset after processing": {
			fault: telegramtest.Fault{Kind: telegramtest.ResetFault, After: true}, inChat: true,
			err: func(err error) bool { return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF) },
		},
		"half of an answer": {
			fault: telegramtest.Fault{Kind: telegramtest.TruncatedFault}, status: 200, body: `{"ok":true`, inChat: true,
			err: func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) },
		},
		"no JSON": {
			fault: telegramtest.Fault{Kind: telegramtest.BadJSONFault}, status: 200, body: `{"ok":true`, code: 200,
			err: func(err error) bool { return errors.As(err, &badJSON) },
		},
		"a slow answer": {
			fault:  telegramtest.Fault{Kind: telegramtest.SlowFault, Over: 10 * time.Millisecond},
			status: 200, body: `"text":"x"`, inChat: true, code: 200,
		},
		"fault of another chat": {
			fault: telegramtest.Fault{Kind: telegramtest.ErrorFault, Chat: 9}, status: 200, body: `"text":"x"`,
			inChat: true, code: 200,
		},
		"fault of another method": {
			fault: telegramtest.Fault{Kind: telegramtest.ErrorFault, Method: "getMe"}, status: 200, body: `"text":"x"`,
			inChat: true, code: 200,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := startServer(t, telegramtest.Options{Strict: true})
			s.AddChat(home)
			s.InjectFault(test.fault)
			r, err := c.post("sendMessage", text("x"))
			if test.err == nil && err != nil || test.err != nil && !test.err(err) {
				t.Errorf("the client's error is %v", err)
			}
			if r.Status != test.status || !strings.Contains(r.Raw, test.body) {
				t.Errorf("answered %d %q, want %d %q", r.Status, r.Raw, test.status, test.body)
			}
			call := s.Calls("sendMessage")[0]
			if got := len(s.BotMessages(home.ID)) == 1; got != test.inChat || call.Processed != test.inChat || call.Code != test.code {
				t.Errorf("in chat: %t, processed: %t, code %d; want %t, %d", got, call.Processed, call.Code, test.inChat, test.code)
			}
		})
	}
}

func TestHangFault_ClientGone_Ends(t *testing.T) {
	for name, after := range map[string]bool{"before processing": false, "after processing": true} {
		t.Run(name, func(t *testing.T) {
			s, c := startServer(t, telegramtest.Options{})
			s.AddChat(home)
			s.InjectFault(telegramtest.Fault{Kind: telegramtest.HangFault, After: after})
			c.http.Timeout = 50 * time.Millisecond
			if after { // wait until the server has carried out the request
				c.http.Timeout = 2 * time.Second
			}
			if _, err := c.post("sendMessage", text("x")); !errors.Is(err, os.ErrDeadlineExceeded) && !os.IsTimeout(err) {
				t.Errorf("the client's error is %v", err)
			}
			if got := len(s.BotMessages(home.ID)) == 1; got != after {
				t.Errorf("the message stands: %t", got)
			}
		})
	}
}

func TestFault_EndsAfterTimesOrDuration(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	fails := func(n int) (failed int) {
		for range n {
			if r := c.call("getMe", nil); !r.OK {
				failed++
			}
		}
		return failed
	}
	s.InjectFault(telegramtest.Fault{Kind: telegramtest.ErrorFault, Method: "getme", Times: 2})
	if n := fails(5); n != 2 {
		t.Errorf("%d of 5 failed, want 2", n)
	}
	end := s.InjectFault(telegramtest.Fault{Kind: telegramtest.ErrorFault, Times: -1})
	if n := fails(5); n != 5 {
		t.Errorf("%d of 5 failed, want all", n)
	}
	end()
	s.InjectFault(telegramtest.Fault{Kind: telegramtest.ErrorFault, For: time.Minute})
	if n := fails(5); n != 5 {
		t.Errorf("%d of 5 failed within the minute, want all", n)
	}
	s.AdvanceClock(time.Minute)
	if n := fails(5); n != 0 {
		t.Errorf("%d of 5 failed after it, want none", n)
	}
	s.InjectFault(telegramtest.Fault{Kind: telegramtest.ErrorFault, Rate: 0.3, Seed: 1})
	if n := fails(200); n < 30 || n > 90 {
		t.Errorf("%d of 200 failed at a rate of 0.3", n)
	}
}

func TestFloodFault_RefusesUntilWaitEnds(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	clock := telegramtest.Options{Now: func() time.Time { return now }}
	s, c := startServer(t, clock)
	s.AddChat(home)
	s.AddChat(team)
	s.InjectFault(telegramtest.Fault{Kind: telegramtest.FloodFault, Chat: home.ID, RetryAfter: 5})

	r := c.wantRefusal(429, "Too Many Requests: retry after 5", "sendMessage", text("x"))
	if r.Parameters.RetryAfter != 5 {
		t.Errorf("retry after %d", r.Parameters.RetryAfter)
	}
	c.wantRefusal(429, "Too Many Requests: retry after 5", "sendMessage", text("on its way already"))
	wantNoViolation(t, s)
	c.send(team.ID, "another chat")

	s.AdvanceClock(2*time.Second + time.Millisecond)
	c.wantRefusal(429, "Too Many Requests: retry after 3", "sendChatAction", m{"chat_id": home.ID, "action": "typing"})
	wantViolation(t, s, "sendchataction for chat 1001 came 2.999s before the end of its retry_after")
	s.AdvanceClock(3 * time.Second)
	c.send(home.ID, "patient")
}

// TestFlood_KilledClient_MayForgetRefusal checks a client that was killed before it could store the
// refusal. It must still obey the next refusal.
func TestFlood_KilledClient_MayForgetRefusal(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	s, c := startServer(t, telegramtest.Options{Now: func() time.Time { return now }})
	s.AddChat(home)
	s.InjectFault(telegramtest.Fault{Kind: telegramtest.FloodFault, Chat: home.ID, RetryAfter: 9})
	c.wantRefusal(429, "Too Many Requests: retry after 9", "sendMessage", text("x"))
	s.RecordClientKill(now.Add(time.Millisecond))
	s.AdvanceClock(time.Second)
	c.wantRefusal(429, "Too Many Requests: retry after 8", "sendMessage", text("in its next life"))
	wantNoViolation(t, s)
	s.RecordClientKill(now.Add(4 * time.Second)) // the client had three seconds to store the refusal
	s.AdvanceClock(4 * time.Second)
	c.wantRefusal(429, "Too Many Requests: retry after 4", "sendMessage", text("once more"))
	wantViolation(t, s, "sendmessage for chat 1001 came 4s before the end of its retry_after")
}

// TestFlood_UnreadRefusal_MayBeForgotten checks a client that closes the connection. The client may
// not have read the last answer.
func TestFlood_UnreadRefusal_MayBeForgotten(t *testing.T) {
	s, _ := startServer(t, telegramtest.Options{})
	s.AddChat(home)
	s.InjectFault(telegramtest.Fault{Kind: telegramtest.FloodFault, Chat: home.ID, RetryAfter: 60})
	send := func() *client {
		c := dial(t, s)
		if r := c.call("sendMessage", m{"chat_id": home.ID, "text": "x"}); r.Status != http.StatusTooManyRequests {
			t.Fatalf("answered %d", r.Status)
		}
		return c
	}
	for i := range 2 {
		send().http.CloseIdleConnections()
		s.WaitUntil(t, "the connection's end", func() bool { return s.CountDisconnects() > i })
		s.AdvanceClock(time.Second)
	}
	send()
	wantNoViolation(t, s)
	s.AdvanceClock(time.Second)
	send()
	wantViolation(t, s, "sendmessage for chat 1001 came 5")
}

func TestFlood_WithoutChat_RefusesAllChats(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	s.AddChat(home)
	s.AddChat(team)
	s.InjectFault(telegramtest.Fault{Kind: telegramtest.FloodFault, RetryAfter: 5})
	c.mustCall("getMe", nil, nil) // getMe has no chat
	c.wantRefusal(429, "Too Many Requests: retry after 5", "sendMessage", text("x"))
	s.AdvanceClock(time.Second)
	if r := c.call("sendMessage", m{"chat_id": team.ID, "text": "x"}); r.Status != 429 {
		t.Errorf("another chat: %d", r.Status)
	}
	wantViolation(t, s, "for chat -100")
	c.poll(nil)

	s.InjectFault(telegramtest.Fault{Kind: telegramtest.FloodFault, Method: "getUpdates", RetryAfter: 2})
	c.wantRefusal(429, "Too Many Requests: retry after 2", "getUpdates", nil)
	s.AdvanceClock(time.Second)
	if r := c.call("getUpdates", nil); r.Status != 429 || r.Parameters.RetryAfter != 1 {
		t.Errorf("too early: %s", r.Raw)
	}
}

func TestFloodControl_TooManySends_Refuses(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	s, c := startServer(t, telegramtest.Options{Now: func() time.Time { return now }})
	s.AddChat(home)
	s.SetFloodControl(3, time.Second, 4)
	id := c.send(home.ID, "1")
	c.send(home.ID, "2")
	c.mustCall("editMessageText", m{"chat_id": home.ID, "message_id": id, "text": "edits count"}, nil)
	c.wantRefusal(429, "Too Many Requests: retry after 4", "sendMessage", text("4"))
	if len(s.BotMessages(home.ID)) != 2 {
		t.Error("what was refused stands")
	}
	s.AdvanceClock(4 * time.Second)
	c.send(home.ID, "5")
	s.SetFloodControl(0, 0, 0)
	for range 10 {
		c.send(home.ID, "off")
	}
}

func TestRates_TooManySends_IsViolation(t *testing.T) {
	for name, test := range map[string]struct {
		rates telegramtest.SendRates
		chats []telegramtest.Chat
		every time.Duration
		n     int
		words string // a part of the violation; "" if there is none
	}{
		"a chat at its rate": {telegramtest.SendRates{Chat: 1}, []telegramtest.Chat{home}, time.Second, 5, ""},
		"a chat a little closer": {telegramtest.SendRates{Chat: 1}, []telegramtest.Chat{home},
			960 * time.Millisecond, 5, ""},
		"a chat too fast": {telegramtest.SendRates{Chat: 1}, []telegramtest.Chat{home},
			900 * time.Millisecond, 2, "2 messages or edits to chat 1001 within 1s, at most 1"},
		"a burst within its window": {telegramtest.SendRates{Chat: 3, Window: 3 * time.Second},
			[]telegramtest.Chat{home}, 0, 3, ""},
		"a burst that is too long": {telegramtest.SendRates{Chat: 3, Window: 3 * time.Second},
			[]telegramtest.Chat{home}, 0, 4, "4 messages or edits to chat 1001 within 3s, at most 3"},
		"a group's minute": {telegramtest.SendRates{Group: 20}, []telegramtest.Chat{team}, 3 * time.Second,
			60, ""},
		"a group too fast": {telegramtest.SendRates{Group: 20}, []telegramtest.Chat{team}, 2 * time.Second,
			21, "21 messages or edits to chat -100 within 1m0s, at most 20"},
		"no group": {telegramtest.SendRates{Group: 20}, []telegramtest.Chat{home}, time.Second, 40,
			""},
		"all chats together": {telegramtest.SendRates{All: 30}, []telegramtest.Chat{home, team},
			10 * time.Millisecond, 31, "31 messages or edits to all chats within 1s, at most 30"},
		"all chats at the full rate": {telegramtest.SendRates{All: 30}, []telegramtest.Chat{home, team},
			time.Second / 30, 90, ""},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Unix(1_800_000_000, 0)
			s, c := startServer(t, telegramtest.Options{Rates: test.rates, Now: func() time.Time { return now }})
			for i := range test.n {
				chat := test.chats[i%len(test.chats)]
				s.AddChat(chat)
				c.send(chat.ID, "x")
				s.AdvanceClock(test.every)
			}
			if test.words == "" {
				wantNoViolation(t, s)
			} else {
				wantViolation(t, s, test.words)
			}
		})
	}
}

// fakeTB is a testing.TB that only counts its errors.
type fakeTB struct {
	testing.TB
	cleanups []func()
	errors   int
}

func (f *fakeTB) Helper()               {}
func (f *fakeTB) Cleanup(fn func())     { f.cleanups = append(f.cleanups, fn) }
func (f *fakeTB) Errorf(string, ...any) { f.errors++ }

func TestStrictServer_Violation_FailsTest(t *testing.T) {
	for strict, want := range map[bool]int{true: 1, false: 0} {
		f := &fakeTB{TB: t}
		s := telegramtest.New(f, telegramtest.Options{Strict: strict})
		s.AddChat(home)
		dial(t, s).wantRefusal(400, "Bad Request: unsupported parse_mode", "sendMessage",
			m{"chat_id": home.ID, "text": "x", "parse_mode": "HTML"})
		for _, end := range f.cleanups {
			end()
		}
		if f.errors != want {
			t.Errorf("strict %t: %d errors, want %d", strict, f.errors, want)
		}
	}
}

func TestServerClose_EndsAllGoroutines(t *testing.T) {
	f := &fakeTB{TB: t}
	s := telegramtest.New(f, telegramtest.Options{})
	c := dial(t, s)
	s.InjectFault(telegramtest.Fault{Kind: telegramtest.HangFault, Method: "getMe"})
	ended := make(chan error, 2)
	go func() { _, err := c.post("getUpdates", m{"timeout": 50}); ended <- err }()
	go func() { _, err := c.post("getMe", nil); ended <- err }()
	s.WaitUntil(t, "both", func() bool { return s.CountCalls() == 2 })
	f.cleanups[0]()
	for range 2 {
		if <-ended == nil {
			t.Error("a call was answered by a server that is closed")
		}
	}
	if _, err := http.Get(s.URL()); err == nil {
		t.Error("it still listens")
	}
}
