package alarm

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// server is a fake of the servers that take alarms. It refuses what the real ones refuse.
type server struct {
	*httptest.Server
	got []string // what it has taken
}

func newServer(t *testing.T) *server {
	s := &server{}
	mux := http.NewServeMux()
	body := func(r *http.Request) string {
		text, _ := io.ReadAll(r.Body) // an error leaves the text short, and the test fails
		return string(text)
	}
	// ntfy takes a message of up to 4,096 bytes for a topic of 1 to 64 letters, digits, _ and -
	mux.HandleFunc("POST /{topic}", func(w http.ResponseWriter, r *http.Request) {
		text := body(r)
		if text == "" || len(text) > 4096 || r.Header.Get("Title") == "" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.got = append(s.got, "ntfy "+r.Header.Get("Title")+"/"+r.Header.Get("Priority")+": "+text)
	})
	// Healthchecks takes any body for a known check
	healthchecks := func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("check") != "11111111-2222-3333-4444-555555555555" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		s.got = append(s.got, strings.TrimSpace("healthchecks "+r.PathValue("signal")+": "+body(r)))
	}
	mux.HandleFunc("POST /ping/{check}", healthchecks)
	mux.HandleFunc("POST /ping/{check}/{signal}", healthchecks)
	// Slack takes JSON with a text
	mux.HandleFunc("POST /hooks/{key}", func(w http.ResponseWriter, r *http.Request) {
		var m struct{ Text string }
		err := json.Unmarshal([]byte(body(r)), &m)
		if r.Header.Get("Content-Type") != "application/json" || err != nil || m.Text == "" {
			http.Error(w, "invalid_payload", http.StatusBadRequest)
			return
		}
		s.got = append(s.got, "slack "+m.Text)
	})
	mux.HandleFunc("POST /moved/there", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/topic", http.StatusTemporaryRedirect)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// send sends an alarm and its end to a path of the server.
func (s *server) send(t *testing.T, path string) error {
	t.Helper()
	r, err := NewRemote(s.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.client.CloseIdleConnections)
	for _, ended := range []bool{false, true} {
		if err := r.Send(t.Context(), Message{Disk, "a <b> & c", ended}); err != nil {
			return err
		}
	}
	return nil
}

func TestSend_EachServer_TakesAlarms(t *testing.T) {
	const check = "/ping/11111111-2222-3333-4444-555555555555"
	for path, want := range map[string]string{
		"/my-topic":  "ntfy Mews/high: a <b> & c; ntfy Mews: over/default: a <b> & c",
		check:        "healthchecks fail: a <b> & c; healthchecks : a <b> & c",
		"/hooks/key": "slack Mews: a &lt;b&gt; &amp; c; slack Mews: a &lt;b&gt; &amp; c",
	} {
		s := newServer(t)
		err := s.send(t, path)
		if got := strings.Join(s.got, "; "); err != nil || got != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
}

// TestSend_Refusal_HidesURL: a refusal is told without the URL, and a redirect is not followed.
func TestSend_Refusal_HidesURL(t *testing.T) {
	for path, want := range map[string]string{"/ping/secret": "404", "/a/b/secret": "404", "/moved/there": "307"} {
		s := newServer(t)
		err := s.send(t, path)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") ||
			!refuses(err) || len(s.got) > 0 {
			t.Errorf("%s: %v, %q", path, err, s.got)
		}
	}
	s := newServer(t)
	s.Close()
	if err := s.send(t, "/secret"); err == nil || strings.Contains(err.Error(), "secret") || refuses(err) {
		t.Errorf("a server that is gone: %v", err)
	}
}

func TestDescribeURL_Secret_IsHidden(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "",
		"https://ntfy.sh/secret":               "ntfy at ntfy.sh",
		"https://hc-ping.com/x":                "healthchecks at hc-ping.com",
		"https://chat.x.org/hooks/y":           "slack at chat.x.org",
		"https://hooks.slack.com/services/a/b": "slack at hooks.slack.com",
		"https://discord.com/api/webhooks/1/x/slack": "slack at discord.com",
	} {
		if got := DescribeURL(text); got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}
