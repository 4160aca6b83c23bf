package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/egress"
)

// site is a page of the web, and a worker that reads it.
type site struct {
	*testing.T
	*Evaluator
	text, tag, modified string
	status              int
	read                int // how often the worker has read the page
	asked               []string
	job                 supervisor.Job
	seen                string
}

func newSite(t *testing.T, condition supervisor.CheckCondition) *site {
	s := &site{T: t, status: http.StatusOK, text: "first"}
	condition.URL = "http://example.org/page?id=1"
	s.job = supervisor.Job{ID: 1, User: "ann", Kind: supervisor.JobCheck, Text: "Look",
		Options: supervisor.JobOptions{Check: condition}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked = append(s.asked, r.Header.Get("If-None-Match")+r.Header.Get("If-Modified-Since"))
		if s.tag != "" && r.Header.Get("If-None-Match") == s.tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		for name, value := range map[string]string{"ETag": s.tag, "Last-Modified": s.modified} {
			if value != "" {
				w.Header().Set(name, value)
			}
		}
		w.WriteHeader(s.status)
		_, _ = w.Write([]byte(s.text)) // the client may have gone
	}))
	t.Cleanup(server.Close)
	client := egress.New(egress.Options{Dial: func(ctx context.Context, network, _ string,
		control egress.Control) (net.Conn, error) {
		if err := control("tcp4", "93.184.216.34:80", nil); err != nil {
			return nil, err
		}
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}})
	s.Evaluator = New(Options{Fetch: client.Fetch, Check: func(_ context.Context, _ string,
		p protocol.CheckParameters) (
		protocol.CheckResult, error) {
		s.read++
		if err := p.Validate(); err != nil || p.Page.MediaType != "text/html" || p.Page.Charset != "utf-8" {
			t.Errorf("%+v: %v", p, err)
		}
		sum := sha256.Sum256([]byte(strings.TrimRight(string(p.Page.Body), " ")))
		return protocol.CheckResult{Seen: hex.EncodeToString(sum[:]), Found: string(p.Page.Body),
			Met: p.Page.Contains != "" && strings.Contains(string(p.Page.Body), p.Page.Contains)}, nil
	}})
	return s
}

// check checks the page once.
func (s *site) check() (supervisor.CheckOutcome, error) {
	out, err := s.EvaluateCheck(s.Context(), supervisor.CheckFire{ClaimedFire: supervisor.ClaimedFire{Job: s.job},
		Seen: s.seen})
	if err == nil {
		s.seen = out.Seen
	}
	return out, err
}

// expect checks the page, which now has a text, and compares the message.
func (s *site) expect(text, want string) {
	s.Helper()
	s.text = text
	if out, err := s.check(); err != nil || out.Text != want {
		s.Errorf("%q: got %q, %v, want %q", text, out.Text, err, want)
	}
}

const pageChanged = "Look\n\n```\nhttp://example.org/page?id=1\n```"

func TestPageCheck_ChangedText_SaysSoOnce(t *testing.T) {
	s := newSite(t, supervisor.CheckCondition{})
	s.expect("first", "")
	s.expect("first ", "") // the readable text is the same
	s.expect("second", pageChanged)
	s.expect("second", "")
}

func TestPageCheck_SameTag_ReadsNoBody(t *testing.T) {
	s := newSite(t, supervisor.CheckCondition{})
	s.tag, s.modified = `"a"`, "Mon, 30 Nov 2026 10:00:00 GMT"
	s.expect("first", "")
	s.expect("second", "")
	if s.read != 1 || s.asked[1] != s.tag+s.modified {
		t.Errorf("read %d times, asked %q", s.read, s.asked)
	}
	s.tag = `"b"`
	s.expect("second", pageChanged)
}

func TestPageCheck_Contains_SaysEachAppearance(t *testing.T) {
	s := newSite(t, supervisor.CheckCondition{Contains: "stock"})
	s.expect("sold out", "")
	s.expect("in stock", "Look\n\n```\nhttp://example.org/page?id=1\nin stock\n```")
	s.expect("in stock: 3", "")
	s.expect("sold out", "")
	s.expect("in stock", "Look\n\n```\nhttp://example.org/page?id=1\nin stock\n```")
}

func TestPageCheck_Task_GetsTextAsMaterial(t *testing.T) {
	s := newSite(t, supervisor.CheckCondition{Task: true})
	s.expect("first", "")
	s.text = "second"
	out, err := s.check()
	if err != nil || out.Prompt == nil || out.Prompt.Material != "http://example.org/page?id=1\nsecond" {
		t.Errorf("%+v, %v", out.Prompt, err)
	}
}

func TestPageCheck_BadAnswer_NamesStatus(t *testing.T) {
	for status, later := range map[int]bool{404: false, 403: false, 304: false, 429: true, 503: true} {
		s := newSite(t, supervisor.CheckCondition{})
		s.status = status
		_, err := s.check()
		told := new(supervisor.Error)
		if !errors.As(err, &told) || errors.Is(err, supervisor.ErrCheckAgain) != later ||
			!strings.HasPrefix(told.Message, "example.org answered with the status ") {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// The limits of all fetches hold for checks too.
func TestPageCheck_ManyChecks_CountInUsersLimit(t *testing.T) {
	s := newSite(t, supervisor.CheckCondition{})
	for range 300 {
		if _, err := s.check(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.check()
	failed := new(egress.Failure)
	if !errors.As(err, &failed) || failed.Kind != egress.KindLimit || !errors.Is(err, supervisor.ErrCheckAgain) {
		t.Errorf("%v", err)
	}
}

func TestParse_PageCheck_RefusesBadAddresses(t *testing.T) {
	for _, c := range []protocol.CheckArguments{{URL: "ftp://example.org/"}, {URL: "http://127.0.0.1/"},
		{URL: "http://2130706433/"},
		{URL: "https://user:key@example.org/"}, {URL: "https://example.org:8080/"},
		{URL: "http://localhost/"}, {Contains: "x"},
		{URL: "https://example.org/", Files: "a"}, {URL: "https://example.org/", Command: "true"},
		{URL: "https://example.org/", Contains: strings.Repeat("x", 501)}, {Files: "a", Contains: "x"}} {
		if _, err := ParseCondition(c); !errors.As(err, new(*supervisor.Error)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	l, err := ParseCondition(protocol.CheckArguments{URL: "https://example.org/shop", Contains: "in stock"})
	if want := "It checks whether the page `https://example.org/shop` has the words: in stock"; err != nil ||
		DescribeCondition(l) != want {
		t.Errorf("%q, %v", DescribeCondition(l), err)
	}
}
