package telegram_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/telegram"
)

// store is a gate that stores batches as a database does. It stores each update once, with the
// offset.
type store struct {
	mu      sync.Mutex
	next    int64
	kept    map[string]supervisor.Incoming // stored updates, by key; by update id if there is no key
	order   []string                       // the stored texts, in order
	batches [][]int64                      // the updates of every batch that came, stored or not
	refuse  func() error                   // called before a batch is stored; nil refuses no batch
	changed chan struct{}
}

func newStore(next int64) *store {
	return &store{next: next, kept: map[string]supervisor.Incoming{}, changed: make(chan struct{}, 1)}
}

func (s *store) NextOffset(context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next, nil
}

func (s *store) StoreBatch(_ context.Context, batch []supervisor.Incoming, next int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = append(s.batches, ids(batch))
	if s.refuse != nil {
		if err := s.refuse(); err != nil {
			return err
		}
	}
	for _, l := range batch {
		s.keep(l)
	}
	if next != 0 {
		s.next = next
	}
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return nil
}

func (s *store) keep(l supervisor.Incoming) {
	key := l.Key
	if key == "" {
		key = fmt.Sprint(l.Update)
	}
	if _, again := s.kept[key]; again {
		return
	}
	s.kept[key] = l
	s.order = append(s.order, l.Text)
}

func ids(batch []supervisor.Incoming) []int64 {
	var ids []int64
	for _, l := range batch {
		ids = append(ids, l.Update)
	}
	return ids
}

// texts returns the stored texts.
func (s *store) texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.order)
}

func (s *store) offset() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next
}

// hears waits until the stored texts equal the wanted texts.
func (s *store) hears(t *testing.T, want ...string) {
	t.Helper()
	late := time.After(30 * time.Second)
	for len(s.texts()) < len(want) {
		select {
		case <-s.changed:
		case <-late:
			t.Fatalf("kept %q after 30 s, want %q", s.texts(), want)
		}
	}
	if got := s.texts(); !slices.Equal(got, want) {
		t.Fatalf("kept %q, want %q", got, want)
	}
}

// asked is a request that a fakeTransport got.
type asked struct {
	method string
	params map[string]any
	after  time.Duration // time since the rig's beginning
}

func (a asked) offset() int64 {
	n, _ := a.params["offset"].(json.Number).Int64()
	return n
}

// fakeTransport is a connection to Telegram in memory. The test decides the answers.
type fakeTransport struct {
	t      *testing.T
	began  time.Time
	answer func(a asked, ctx context.Context) (*http.Response, error)

	mu   sync.Mutex
	made []asked
}

func newWire(t *testing.T, answer func(asked, context.Context) (*http.Response, error)) *fakeTransport {
	return &fakeTransport{t: t, began: time.Now(), answer: answer}
}

func (w *fakeTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	a := asked{method: path.Base(r.URL.Path), after: time.Since(w.began)}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(&a.params); err != nil {
		w.t.Errorf("%s: the request is no JSON: %v", a.method, err)
	}
	w.mu.Lock()
	w.made = append(w.made, a)
	w.mu.Unlock()
	return w.answer(a, r.Context())
}

// requests returns the requests of one method, or all.
func (w *fakeTransport) requests(method string) []asked {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.made), func(a asked) bool { return method != "" && a.method != method })
}

// client returns a client over the fakeTransport.
func (w *fakeTransport) client() *telegram.Client {
	c, err := telegram.New(telegram.Options{Token: "7:TEST-token", Transport: w})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func respond(code int, body string) (*http.Response, error) {
	return &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func result(body string) (*http.Response, error) {
	return respond(200, `{"ok":true,"result":`+body+`}`)
}

func refusal(code int, description, more string) (*http.Response, error) {
	return respond(code, fmt.Sprintf(`{"ok":false,"error_code":%d,"description":%q%s}`, code, description, more))
}

// silence answers a poll without updates.
func silence(ctx context.Context) (*http.Response, error) {
	timer := time.NewTimer(50 * time.Second)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return result(`[]`)
	}
}

// said returns an update in which Ann writes a text.
func said(id int64, words string) string {
	return strings.Replace(message(ann, privateChat, text(words)), "500001", fmt.Sprint(id), 1)
}

// heard records alarms and recovery messages.
type heard struct {
	mu   sync.Mutex
	told []string
}

func (h *heard) tell(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = append(h.told, text)
}

func (h *heard) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.told)
}

func (h *heard) health() *telegram.Health {
	return &telegram.Health{Alarm: h.tell, Recovered: h.tell}
}

// run runs a function until the test ends or end is called.
func run(t *testing.T, what func(context.Context) error) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- what(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("it ended with %v", err)
		}
	})
	t.Cleanup(end)
	return end
}

// logged returns a logger with its output.
func logged() (hclog.Logger, *logBuffer) {
	var j logBuffer
	return hclog.New(&hclog.LoggerOptions{Output: &j, Level: hclog.Info}), &j
}

type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *logBuffer) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

func (j *logBuffer) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}
