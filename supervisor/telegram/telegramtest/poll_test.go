package telegramtest_test

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor/telegram/telegramtest"
)

func TestUpdate_Unconfirmed_ComesAgain(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	first, message := s.Say(home, alice, "one")
	s.Say(home, alice, "two")

	for range 2 {
		got := c.poll(nil)
		if len(got) != 2 || got[0].ID != first || got[0].Message.Text != "one" || got[0].Message.ID != message {
			t.Fatalf("got %+v", got)
		}
	}
	if got := c.poll(m{"offset": first + 1}); len(got) != 1 || got[0].Message.Text != "two" {
		t.Errorf("after the first was confirmed: %+v", got)
	}
	if s.CountPendingUpdates() != 1 {
		t.Errorf("%d updates wait, want 1", s.CountPendingUpdates())
	}
	if got := c.poll(m{"offset": first + 2}); len(got) != 0 || s.CountPendingUpdates() != 0 {
		t.Errorf("after all were confirmed: %+v, %d wait", got, s.CountPendingUpdates())
	}
}

func TestGetUpdates_Offset_ConfirmsAndSelects(t *testing.T) {
	for name, test := range map[string]struct {
		offset    int64
		want      []int64
		confirmed []int64
	}{
		"none":                              {0, []int64{101, 102, 103}, nil},
		"the oldest":                        {101, []int64{101, 102, 103}, nil},
		"one in the middle":                 {103, []int64{103}, []int64{101, 102}},
		"before the oldest":                 {7, []int64{101, 102, 103}, nil},
		"the next id":                       {104, nil, []int64{101, 102, 103}},
		"ten beyond the next id":            {114, nil, []int64{101, 102, 103}},
		"eleven beyond begins at the head":  {115, []int64{101, 102, 103}, nil},
		"negative: the last one":            {-1, []int64{103}, []int64{101, 102}},
		"negative: the last two":            {-2, []int64{102, 103}, []int64{101}},
		"negative: more than there are":     {-50, []int64{101, 102, 103}, nil},
		"far beyond, as after other an API": {700000000, []int64{101, 102, 103}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var confirmed []int64
			s, c := startServer(t, telegramtest.Options{
				NextUpdate: 101, Strict: true,
				BeforeConfirm: func(ids []int64) { confirmed = append(confirmed, ids...) },
			})
			for range 3 {
				s.Say(home, alice, "x")
			}
			if diff := cmp.Diff(test.want, ids(c.poll(m{"offset": test.offset}))); diff != "" {
				t.Errorf("answered (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.confirmed, confirmed); diff != "" {
				t.Errorf("checked (-want +got):\n%s", diff)
			}
			if got := 3 - s.CountPendingUpdates(); got != len(test.confirmed) {
				t.Errorf("%d forgotten, want %d", got, len(test.confirmed))
			}
		})
	}
}

func TestBeforeConfirm_UpdatesAreStillPending(t *testing.T) {
	var s *telegramtest.Server
	var waiting int
	s, c := startServer(t, telegramtest.Options{BeforeConfirm: func([]int64) { waiting = s.CountPendingUpdates() }})
	id, _ := s.Say(home, alice, "x")
	c.poll(m{"offset": id + 1})
	if waiting != 1 || s.CountPendingUpdates() != 0 {
		t.Errorf("%d waited at the check, %d after it; want 1, 0", waiting, s.CountPendingUpdates())
	}
}

func TestSetNextUpdateID_LowersIDs(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	id, _ := s.Say(home, alice, "before")
	c.poll(m{"offset": id + 1})
	s.SetNextUpdateID(77)
	s.Say(home, alice, "after")
	if got := c.poll(m{"offset": id + 1}); len(got) != 1 || got[0].ID != 77 {
		t.Errorf("the old offset got %+v, want the head of the queue", got)
	}
	if s.CountPendingUpdates() != 1 {
		t.Error("an offset beyond the queue has confirmed something")
	}
}

func TestGetUpdates_LimitsBatch(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	for range 130 {
		s.Say(home, alice, "x")
	}
	for limit, want := range map[int]int{0: 1, 1: 1, 7: 7, 100: 100, 1000: 100} {
		if got := len(c.poll(m{"limit": limit})); got != want {
			t.Errorf("limit %d brought %d, want %d", limit, got, want)
		}
	}
	if got := len(c.poll(nil)); got != 100 {
		t.Errorf("no limit brought %d, want 100", got)
	}
	s, c = startServer(t, telegramtest.Options{})
	for range 3 {
		s.PushUpdate(m{"message": m{"text": strings.Repeat("x", 2<<20)}})
	}
	if got := len(c.poll(nil)); got != 1 {
		t.Errorf("%d updates of 2 MB in one answer, want 1", got)
	}
}

func TestOnRequest_RunsBeforeAnswer(t *testing.T) {
	var s *telegramtest.Server
	var seen []string
	s, c := startServer(t, telegramtest.Options{OnRequest: func(call telegramtest.APICall) {
		stand := len(s.BotMessages(alice.ID))
		seen = append(seen, fmt.Sprintf("%s to %d: %d, %d stand there", call.Method, call.ChatID, call.Code, stand))
	}})
	s.AddChat(home)
	c.call("sendMessage", m{"chat_id": alice.ID, "text": "hello"})
	c.call("getMe", nil)
	if want := []string{"sendMessage to 1001: 0, 0 stand there", "getMe to 0: 0, 1 stand there"}; !slices.Equal(seen,
		want) {
		t.Errorf("seen: %q, want %q", seen, want)
	}
}

func TestIsPolling_ReportsWaitingPoll(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	if c.poll(m{"timeout": 0}); s.IsPolling() {
		t.Error("a poll that does not wait is said to wait")
	}
	got := make(chan []update)
	go func() { got <- c.poll(m{"timeout": 50}) }()
	s.WaitUntil(t, "a poll that waits", s.IsPolling)
	s.Say(home, alice, "hello")
	if <-got; s.IsPolling() {
		t.Error("a poll that was answered is said to wait")
	}
}

func TestLongPoll_NewUpdate_EndsWait(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	got := make(chan []update)
	go func() { got <- c.poll(m{"timeout": 50}) }()
	s.WaitUntil(t, "the poll", func() bool { return s.CountCalls("getUpdates") == 1 })
	s.Say(home, alice, "hello")
	if u := <-got; len(u) != 1 || u[0].Message.Text != "hello" {
		t.Errorf("the poll was woken with %+v", u)
	}
}

func TestLongPoll_Timeout_ReturnsNoUpdates(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	if got := c.poll(m{"timeout": 1}); len(got) != 0 {
		t.Errorf("got %+v", got)
	}
	if calls := s.Calls("getupdates"); len(calls) != 1 || calls[0].Code != 200 || !calls[0].Processed {
		t.Errorf("kept %+v", calls)
	}
}

func TestLongPoll_SecondPoll_EndsFirstPoll(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	older, newer := make(chan reply), make(chan reply)
	go func() { older <- c.call("getUpdates", m{"timeout": 50}) }()
	s.WaitUntil(t, "the older poll", func() bool { return s.CountCalls("getUpdates") == 1 })
	go func() { newer <- c.call("getUpdates", m{"timeout": 50}) }()

	r := <-older
	want := "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
	if r.Status != 409 || r.Code != 409 || r.Description != want {
		t.Errorf("the older got %d %q", r.Status, r.Description)
	}
	s.Say(home, alice, "x")
	if r := <-newer; !r.OK || !strings.Contains(r.Raw, `"text":"x"`) {
		t.Errorf("the newer got %s", r.Raw)
	}
	wantViolation(t, s, "two getUpdates at once")
}

func TestLongPoll_ClientGone_IsNoConflict(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL()+"/bot"+s.Token()+"/getUpdates?timeout=50", nil)
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan error)
	go func() {
		resp, err := c.http.Do(req)
		if err == nil {
			resp.Body.Close()
		}
		gone <- err
	}()
	s.WaitUntil(t, "the poll", func() bool { return s.CountCalls("getUpdates") == 1 })
	cancel()
	if err := <-gone; err == nil {
		t.Fatal("the poll was answered")
	}
	next := make(chan []update)
	go func() { next <- c.poll(m{"timeout": 50}) }() // the server may not have noticed that the first client is gone
	s.WaitUntil(t, "the next poll", func() bool { return s.CountCalls("getUpdates") == 2 })
	s.Say(home, alice, "x")
	if got := <-next; len(got) != 1 {
		t.Errorf("the next poll got %+v", got)
	}
}

func TestAllowedUpdates_FilterLaterUpdates(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	reaction := m{"message_reaction": m{"chat": m{"id": home.ID, "type": "private"}}}
	if id := s.PushUpdate(reaction); id != 0 {
		t.Errorf("a kind that must be asked for was kept as %d", id)
	}
	said, _ := s.Say(home, alice, "before")
	if got := c.poll(m{"allowed_updates": []string{"message_reaction"}}); len(got) != 1 || got[0].ID != said {
		t.Errorf("what waited before: %+v", got)
	}
	if id, _ := s.Say(home, alice, "not asked for"); id != 0 {
		t.Errorf("a message was kept as %d", id)
	}
	if id := s.PushUpdate(reaction); id != said+1 {
		t.Errorf("the reaction was kept as %d, want %d", id, said+1)
	}
	c.poll(nil) // a poll without allowed_updates changes nothing
	if id, _ := s.Say(home, alice, "not asked for"); id != 0 {
		t.Errorf("a message was kept as %d", id)
	}
	c.poll(m{"allowed_updates": []string{}})
	if id, _ := s.Say(home, alice, "all kinds again"); id == 0 {
		t.Error("an empty list is not the default")
	}
}

func TestUpdates_ExpireAfterDay(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	old, _ := s.Say(home, alice, "old", telegramtest.WithDate(time.Now().Add(-23*time.Hour)))
	s.Say(home, alice, "new")
	s.AdvanceClock(2 * time.Hour)
	if got := c.poll(nil); len(got) != 1 || got[0].Message.Text != "new" {
		t.Errorf("two hours later: %+v", got)
	}
	if diff := cmp.Diff([]int64{old}, s.ExpiredUpdates()); diff != "" {
		t.Errorf("expired (-want +got):\n%s", diff)
	}
	s.AdvanceClock(23 * time.Hour)
	if s.CountPendingUpdates() != 0 || len(s.ExpiredUpdates()) != 2 {
		t.Errorf("a day later %d wait, %d expired", s.CountPendingUpdates(), len(s.ExpiredUpdates()))
	}
}

func TestParams_EveryEncoding_IsRead(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	s.AddChat(home)
	address := s.URL() + "/bot" + s.Token() + "/sendMessage"
	form := url.Values{"chat_id": {fmt.Sprint(home.ID)}, "text": {"hi"}, "disable_notification": {"true"},
		"entities": {`[{"type":"bold","offset":0,"length":2}]`}}
	var multi bytes.Buffer
	w := multipart.NewWriter(&multi)
	for name, v := range form {
		if err := w.WriteField(name, v[0]); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	json := fmt.Sprintf(`{"chat_id":%d,"text":"hi","disable_notification":true,`+
		`"entities":[{"type":"bold","offset":0,"length":2}]}`, home.ID)

	for name, ask := range map[string]func() (*http.Response, error){
		"the address": func() (*http.Response, error) { return c.http.Get(address + "?" + form.Encode()) },
		"a form":      func() (*http.Response, error) { return c.http.PostForm(address, form) },
		"multipart":   func() (*http.Response, error) { return c.http.Post(address, w.FormDataContentType(), &multi) },
		"JSON": func() (*http.Response, error) {
			return c.http.Post(address, "application/json", strings.NewReader(json))
		},
	} {
		resp, err := ask()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r, err := read(resp); err != nil || !r.OK {
			t.Errorf("%s: %v, %s", name, err, r.Raw)
		}
	}
	sent := s.BotMessages(home.ID)
	if len(sent) != 4 {
		t.Fatalf("%d messages", len(sent))
	}
	for _, msg := range sent {
		if msg.Text != "hi" || !msg.Silent || !slices.Equal(msg.Entities, []telegramtest.Entity{{Type: "bold", Length: 2}}) {
			t.Errorf("in chat: %+v", msg)
		}
	}
}

func TestRequest_Malformed_IsRefused(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	token := s.Token()
	for path, want := range map[string]int{
		"/":                           404,
		"/bot" + token:                404,
		"/bot" + token + "/":          404,
		"/bot" + token + "/getStarts": 404,
		"/bot" + token + "/GETME":     200,
		"/bot42:other/getMe":          401,
		"/botnonsense/getMe":          404,
		"/file/bot42:other/x":         401,
	} {
		resp, err := c.http.Get(s.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := read(resp)
		if err != nil || r.Status != want || want != 200 && r.Code != want {
			t.Errorf("%s: %v, %d %s; want %d", path, err, r.Status, r.Raw, want)
		}
	}
	resp, err := c.http.Post(s.URL()+"/bot"+token+"/getMe", "application/json", strings.NewReader("{"))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := read(resp); err != nil || r.Status != 400 {
		t.Errorf("half an object: %v, %s", err, r.Raw)
	}
}

func TestToken_Revoked_IsRefusedUntilReplaced(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Token: "77:secret", Username: "my_bot"})
	var me struct {
		ID       int64
		Username string
		IsBot    bool `json:"is_bot"`
	}
	c.mustCall("getMe", nil, &me)
	if me.ID != 77 || s.BotID() != 77 || me.Username != "my_bot" || !me.IsBot {
		t.Errorf("getMe: %+v", me)
	}
	s.RevokeToken()
	c.wantRefusal(401, "Unauthorized", "getMe", nil)
	s.SetToken("77:new")
	c.mustCall("getMe", nil, nil)
}
