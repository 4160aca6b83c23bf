package inbox_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mews/supervisor"
	"mews/supervisor/inbox"
	"mews/supervisor/problem"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func message(key, text string) supervisor.Inbound {
	return supervisor.Inbound{Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal},
		Source: "test", Key: key, Text: text}
}

// openGate is a gate that accepts every inbound.
type openGate struct{}

func (openGate) Check(context.Context, supervisor.Inbound) (m supervisor.GateDecision, err error) {
	return m, nil
}

// openInbox returns an inbox on a real database, and the inbounds that it has accepted.
func openInbox(t *testing.T) (*inbox.Inbox, *sqlite.DB, *[]supervisor.Inbound) {
	t.Helper()
	db := sqlitetest.Open(t)
	var accepted []supervisor.Inbound
	return inbox.New(inbox.Options{Store: db.Inbox(), Gate: openGate{},
		Accepted: func(in supervisor.Inbound) { accepted = append(accepted, in) }}), db, &accepted
}

func TestStoreInbound_StoresOnceThenAccepts(t *testing.T) {
	box, db, accepted := openInbox(t)
	first, err := box.StoreInbound(t.Context(), message("k", "hello"))
	if err != nil {
		t.Fatal(err)
	}
	next, ok, err := db.Inbox().NextInbound(t.Context(), first.Conversation.ID)
	if err != nil || !ok || next.ID != first.ID || next.Text != "hello" {
		t.Errorf("on disk is %+v, %v, %v", next, ok, err)
	}
	again, err := box.StoreInbound(t.Context(), message("k", "something else under the same key"))
	if err != nil || again.ID != first.ID || again.Text != "hello" {
		t.Errorf("sent again it is %+v, %v", again, err)
	}
	if len(*accepted) != 2 || (*accepted)[0].ID != first.ID || (*accepted)[1].ID != first.ID {
		t.Errorf("accepted were %+v", *accepted)
	}
}

func TestStoreInbound_InvalidText_IsRefused(t *testing.T) {
	box, _, accepted := openInbox(t)
	for name, c := range map[string]struct{ key, text, want string }{
		"nothing":               {"k", "", "empty"},
		"only space":            {"k", " \n\t", "empty"},
		"too long":              {"k", strings.Repeat("x", supervisor.MaxInboundText+1), "at most 256 KiB"},
		"not UTF-8":             {"k", "a\xffb", "UTF-8"},
		"a zero":                {"k", "a\x00b", "UTF-8"},
		"no key":                {"", "hello", "must have 1 to 128"},
		"a long key":            {strings.Repeat("k", 129), "hello", "must have 1 to 128"},
		"a key of two lines":    {"k\nINFO forged", "hello", "printable"},
		"a key that is no text": {"\xff", "hello", "printable"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := box.StoreInbound(t.Context(), message(c.key, c.text))
			if supervisor.ErrorCodeOf(err) != supervisor.CodeInvalid || !strings.Contains(problem.UserText(err),
				c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	if len(*accepted) != 0 {
		t.Errorf("accepted were %+v", *accepted)
	}
	if _, err := box.StoreInbound(t.Context(), message(strings.Repeat("k", 128), strings.Repeat("x",
		supervisor.MaxInboundText))); err != nil {
		t.Errorf("the most that may be sent is refused: %v", err)
	}
}

func TestCommand_IsSlashAndOneWord(t *testing.T) {
	box, _, _ := openInbox(t)
	for text, want := range map[string]supervisor.InboundKind{
		"/stop":                supervisor.KindCommand,
		"/Stop now":            supervisor.KindCommand,
		"/stop\nnow":           supervisor.KindCommand,
		"/stop@mews_bot":       supervisor.KindCommand,
		"/stop@mews_bot now":   supervisor.KindCommand,
		"/x_1":                 supervisor.KindCommand,
		"stop":                 supervisor.KindText,
		" /stop":               supervisor.KindText,
		"/":                    supervisor.KindText,
		"//comment":            supervisor.KindText,
		"/etc/passwd is what?": supervisor.KindText,
		// an unknown command is a command too: the answer says that it is unknown
		"/home":                              supervisor.KindCommand,
		"/home/":                             supervisor.KindText,
		"/notes.md":                          supervisor.KindText,
		"/1st":                               supervisor.KindText,
		"/stop@":                             supervisor.KindText,
		"/" + strings.Repeat("a", 33):        supervisor.KindText,
		"list /stop":                         supervisor.KindText,
		"/stop, please":                      supervisor.KindText,
		"/stöp":                              supervisor.KindText,
		"/status@" + strings.Repeat("b", 65): supervisor.KindText,
	} {
		in, err := box.StoreInbound(t.Context(), message("k-"+strings.Map(printable, text), text))
		if err != nil || in.Kind != want {
			t.Errorf("%q is a %s (%v), want a %s", text, in.Kind, err, want)
		}
	}
}

func printable(r rune) rune {
	if r <= ' ' || r > '~' {
		return '.'
	}
	return r
}

// fullStore is a store on a full disk.
type fullStore struct{}

func (fullStore) StoreInbound(context.Context, supervisor.Inbound) (supervisor.Inbound, bool, error) {
	return supervisor.Inbound{}, false, &supervisor.Error{Code: supervisor.CodeUnavailable, Message: "The disk is full."}
}

func (fullStore) StoreBatch(context.Context, supervisor.InboundBatch) (r supervisor.BatchReceipt, err error) {
	return r, &supervisor.Error{Code: supervisor.CodeUnavailable, Message: "The disk is full."}
}

func TestStoreInbound_StoreFails_AcceptsNothing(t *testing.T) {
	accepted := func(supervisor.Inbound) { t.Error("accepted") }
	_, err := inbox.New(inbox.Options{Store: fullStore{}, Gate: openGate{},
		Accepted: accepted}).StoreInbound(t.Context(), message("k", "hello"))
	var told *supervisor.Error
	if !errors.As(err, &told) || told.Message != "The disk is full." {
		t.Errorf("got %v", err)
	}
	var unkept supervisor.Inbound
	other := errors.New("told otherwise")
	_, err = inbox.New(inbox.Options{Store: fullStore{}, Gate: openGate{}, Accepted: accepted,
		NotStored: func(in supervisor.Inbound, err error) error {
			if !errors.As(err, &told) {
				t.Errorf("given is %v", err)
			}
			unkept = in
			return other
		}}).StoreInbound(t.Context(), message("k", "/stop"))
	if !errors.Is(err, other) || unkept.Kind != supervisor.KindCommand || unkept.Text != "/stop" {
		t.Errorf("got %v for %+v", err, unkept)
	}
}

func TestStoreInbound_WithFiles_OriginIsWorld(t *testing.T) {
	box, _, _ := openInbox(t)
	in, err := box.StoreInbound(t.Context(), message("k", ""), supervisor.Attachment{File: "f", Kind: "document",
		Name: "letter.txt"})
	if err != nil || in.State != supervisor.InboundArriving || in.Origin != supervisor.OriginWorld {
		t.Errorf("kept is %+v, %v", in, err)
	}
}
