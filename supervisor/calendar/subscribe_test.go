package calendar

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/egress"
	"mews/supervisor/egress/egresstest"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// An address never reaches the store in plain words, also not with a typing error or in a group.
func TestNewHider_Addresses_AreSealedOrHidden(t *testing.T) {
	const secret = "example.org/secret.ics"
	seal := access.NewSealer([access.SealingKeySize]byte{1}).For(access.PurposeCalendar)
	private := supervisor.Conversation{User: "bob", Channel: supervisor.ChannelTelegram}
	group := private
	group.Chat = "-100"
	for _, test := range []struct {
		text string
		in   supervisor.Conversation
		seal *access.Sealer
		want string
	}{
		{"/calendar subscribe https://" + secret + " work", private, seal, sealedPrefix},
		{"/Calendar  SUBSCRIBE\nhttps:/" + secret, private, seal, sealedPrefix},
		{"/calendar@mews_bot subscribe " + secret, private, seal, sealedPrefix},
		{"/calendar subscribe https://" + secret, group, seal, textHidden},
		{"/calendar subscribe https://" + secret, private, nil, textHidden},
	} {
		got, hidden := NewHider(test.seal)(supervisor.Inbound{Conversation: test.in, Text: test.text})
		if !hidden || strings.Contains(got.Text, "secret") ||
			!strings.HasPrefix(got.Text, "/calendar subscribe "+test.want) {
			t.Errorf("%q: stored %q", test.text, got.Text)
		}
	}
	for _, text := range []string{"/calendar", "/calendar subscribe", "/calendar week", "read https://" + secret} {
		got, hidden := NewHider(seal)(supervisor.Inbound{Conversation: private, Text: text})
		if hidden || got.Text != text {
			t.Errorf("%q became %q", text, got.Text)
		}
	}
}

func TestParseSubscription_Text_GivesAddress(t *testing.T) {
	for _, test := range []struct{ words, address, name string }{
		{"webcal://www.example.org/a.ics", "https://www.example.org/a.ics", "example.org"},
		{"WEBCAL://example.org/a.ics  Our  holidays", "https://example.org/a.ics", "Our holidays"},
		{"http://example.org/a.ics?key=1 büro-2", "http://example.org/a.ics?key=1", "büro-2"},
		{"example.org", "", ""},
		{"https://user:word@example.org/a.ics", "", ""},
		{"https://127.0.0.1/a.ics", "", ""},
		{"https://example.org/a.ics [x](y)", "", ""},
		{"https://example.org/a.ics " + strings.Repeat("long", 10), "", ""},
	} {
		address, name, err := parseSubscription(test.words)
		if err != nil && (test.address != "" || strings.Contains(err.Error(), "a.ics")) {
			t.Errorf("%q: %v", test.words, err)
		}
		if err == nil && (address.Reveal() != test.address || name != test.name) {
			t.Errorf("%q is %q with the name %q", test.words, address.Reveal(), name)
		}
	}
}

// A bad answer becomes a sentence without the address.
func TestFetch_BadAnswers_GiveSentences(t *testing.T) {
	for path, want := range map[string]string{"slow": fetchFailures[egress.KindTimeout], "gone": textAddressGone,
		"page": textIsNoCalendar, "large": fetchFailures[egress.KindTooLarge],
		"teapot": "The server answered with status 418."} {
		synctest.Test(t, func(t *testing.T) {
			web := egresstest.New(t)
			web.Serve("example.org", serveBadly)
			address, err := egress.ParseAddress("http://example.org/" + path)
			if err != nil {
				t.Fatal(err)
			}
			c := New(Options{Client: egress.New(web.Options()), Now: time.Now})
			_, err = c.fetch(t.Context(), "bob", 0, source{name: "work", address: address}, sqlite.CalendarCopy{})
			if err == nil || failureText(err) != want {
				t.Errorf("%s: got %v", path, err)
			}
		})
	}
	kept := sqlite.CalendarCopy{Failure: textServerBusy, Body: protocol.BlobRef{SHA256: "ab"}}
	c := New(Options{Now: func() time.Time { return kept.FetchedAt.Add(3 * time.Hour) }})
	if got := c.noteText("work", kept); !strings.Contains(got, textServerBusy+" This copy is 3") {
		t.Errorf("the note is %q", got)
	}
}

// A configured calendar is fetched from a server with a certificate of an admin's own authority.
func TestSetCalendars_CAFile_IsTrusted(t *testing.T) {
	server := egresstest.StartTLS(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n")) // the client may have gone
	})
	files, err := spool.Open(filepath.Join(t.TempDir(), "spool"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	c := New(Options{Client: egress.New(egress.Options{}), Blobs: sqlitetest.Open(t).Blobs(), Spool: files,
		Now: time.Now})
	for file, trusted := range map[string]bool{server.CAFile: true, "": false} {
		if err := c.SetCalendars([]Configured{{Name: "work", URL: server.URL, CAFile: file}}); err != nil {
			t.Fatal(err)
		}
		got, err := c.fetch(t.Context(), "bob", 0, c.configuredFor("bob")[0], sqlite.CalendarCopy{})
		if trusted != (err == nil && got.Body.Size > 0) {
			t.Errorf("with the ca_file %q: %+v, %v", file, got, err)
		}
	}
}

// serveBadly answers as servers in trouble do.
func serveBadly(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/slow":
		<-r.Context().Done() // the client gives up
	case "/gone":
		w.WriteHeader(http.StatusGone)
	case "/page":
		_, _ = w.Write([]byte("<html>Please log in</html>")) // the client may have gone
	case "/large":
		for range 30 << 10 {
			if _, err := w.Write(make([]byte, 1<<10)); err != nil {
				return
			}
		}
	default:
		w.WriteHeader(http.StatusTeapot)
	}
}
