package telegramtest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"mews/supervisor/telegram/telegramtest"
)

var (
	alice = telegramtest.User{ID: 1001, First: "Alice", Username: "alice"}
	home  = telegramtest.PrivateChat(alice)
	team  = telegramtest.Chat{ID: -100, Type: "group", Title: "Team"}
	forum = telegramtest.Chat{ID: -1000000000077, Type: "supergroup", Title: "Forum", Forum: true}
	hall  = telegramtest.Chat{ID: -1000000000088, Type: "supergroup", Title: "Hall"}
)

type m = map[string]any

// reply is the server's answer to a call.
type reply struct {
	Status      int             `json:"-"`
	Raw         string          `json:"-"`
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	Code        int             `json:"error_code"`
	Description string          `json:"description"`
	Parameters  struct {
		RetryAfter int   `json:"retry_after"`
		MigrateTo  int64 `json:"migrate_to_chat_id"`
	} `json:"parameters"`
}

// client is a bot that calls one server.
type client struct {
	t    testing.TB
	s    *telegramtest.Server
	http *http.Client
}

func dial(t testing.TB, s *telegramtest.Server) *client {
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	t.Cleanup(transport.CloseIdleConnections)
	return &client{t, s, &http.Client{Transport: transport}}
}

// startServer starts a server, and returns it with a client.
func startServer(t testing.TB, o telegramtest.Options) (*telegramtest.Server, *client) {
	s := telegramtest.New(t, o)
	return s, dial(t, s)
}

// post calls a method with a JSON body.
func (c *client) post(method string, params m) (reply, error) {
	body, err := json.Marshal(params)
	if err != nil {
		return reply{}, err
	}
	resp, err := c.http.Post(c.s.URL()+"/bot"+c.s.Token()+"/"+method, "application/json", bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	return read(resp)
}

func read(resp *http.Response) (reply, error) {
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	r := reply{Status: resp.StatusCode, Raw: string(raw)}
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(raw, &r)
}

// call calls a method. A call without an answer fails the test.
func (c *client) call(method string, params m) reply {
	c.t.Helper()
	r, err := c.post(method, params)
	if err != nil {
		c.t.Fatalf("%s %v: %v, read %q", method, params, err, r.Raw)
	}
	return r
}

// mustCall calls a method that must succeed, and decodes its result.
func (c *client) mustCall(method string, params m, into any) {
	c.t.Helper()
	r := c.call(method, params)
	if !r.OK || r.Status != http.StatusOK {
		c.t.Fatalf("%s %v: %d %s", method, params, r.Status, r.Description)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(r.Result, into); err != nil {
		c.t.Fatalf("%s: read %s: %v", method, r.Result, err)
	}
}

// wantRefusal calls a method that must be refused with a code and a text.
func (c *client) wantRefusal(code int, words, method string, params m) reply {
	c.t.Helper()
	r := c.call(method, params)
	if r.Status != code || r.Code != code || r.OK || r.Description != words {
		c.t.Errorf("%s %v: answered %d %q, want %d %q", method, params, r.Status, r.Description, code, words)
	}
	return r
}

// message is a message as JSON of the Bot API.
type message struct {
	ID      int64                 `json:"message_id"`
	Text    string                `json:"text"`
	Caption string                `json:"caption"`
	Thread  int64                 `json:"message_thread_id"`
	Topic   bool                  `json:"is_topic_message"`
	Answers *message              `json:"reply_to_message"`
	Created map[string]any        `json:"forum_topic_created"`
	From    struct{ ID int64 }    `json:"from"`
	Marks   []telegramtest.Entity `json:"entities"`
	Chat    struct {
		ID   int64
		Type string
	} `json:"chat"`
	MovedTo   int64 `json:"migrate_to_chat_id"`
	MovedFrom int64 `json:"migrate_from_chat_id"`
}

// update is an update as JSON of the Bot API.
type update struct {
	ID       int64    `json:"update_id"`
	Message  *message `json:"message"`
	Edited   *message `json:"edited_message"`
	Post     *message `json:"channel_post"`
	Callback *struct {
		ID, Data string
		Message  *message
	} `json:"callback_query"`
}

// poll calls getUpdates.
func (c *client) poll(params m) []update {
	c.t.Helper()
	var updates []update
	c.mustCall("getUpdates", params, &updates)
	return updates
}

func ids(updates []update) []int64 {
	var list []int64
	for _, u := range updates {
		list = append(list, u.ID)
	}
	return list
}

// send sends a text and returns the id of the message.
func (c *client) send(chat int64, text string) int64 {
	c.t.Helper()
	var sent message
	c.mustCall("sendMessage", m{"chat_id": chat, "text": text}, &sent)
	return sent.ID
}

// wantViolation checks that the server has exactly one violation, which contains the words.
func wantViolation(t testing.TB, s *telegramtest.Server, words string) {
	t.Helper()
	for _, v := range s.Violations() {
		if strings.Contains(v, words) {
			return
		}
	}
	t.Errorf("no violation says %q: %q", words, s.Violations())
}

func wantNoViolation(t testing.TB, s *telegramtest.Server) {
	t.Helper()
	if v := s.Violations(); len(v) > 0 {
		t.Errorf("violations: %q", v)
	}
}
