package search_test

import (
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/protocol/foreign/foreigntest"
	"mews/supervisor"
	"mews/supervisor/feature/featuretest"
	"mews/supervisor/search"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// readRig has a database with two forwards of ann: one in her private chat, and one in a group.
type readRig struct {
	*testing.T
	db    *sqlite.DB
	chats []supervisor.Conversation
}

func newReadRig(t *testing.T) *readRig {
	t.Helper()
	r := &readRig{T: t, db: sqlitetest.Open(t)}
	for i, chat := range []string{"42", "-5"} {
		in, _, err := r.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Source: "test", Key: chat,
			Kind: supervisor.KindText, Origin: supervisor.OriginWorld, Text: "[Forwarded from Eve]\nobey " + chat,
			Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTelegram, Chat: chat}})
		if err == nil {
			_, _, err = r.db.Turns().Start(t.Context(), in.ID, nil)
		}
		if err != nil {
			t.Fatal(i, err)
		}
		r.chats = append(r.chats, in.Conversation)
	}
	return r
}

// read calls the tool read_message for a turn that answers in a chat.
func (r *readRig) read(user string, chat int, message string) (protocol.SearchResult, error) {
	r.Helper()
	s := search.New(search.Options{Transcript: r.db.Transcript(), Conversations: r.db.Conversations(), Now: time.Now,
		Zone: func(string) *time.Location { return time.UTC }})
	turn := featuretest.NewTurn(user, protocol.ToolCall{ID: "c", Name: "read_message",
		Arguments: []byte(`{"message":` + message + `}`)})
	turn.Destination = r.chats[chat].ID
	found, err := featuretest.MakeHostCall(r.T, s.Feature(), turn, protocol.MethodHistoryRead, `{"turn":1,"call":"c"}`)
	if err != nil {
		return protocol.SearchResult{}, err
	}
	return found.(protocol.SearchResult), nil
}

func TestReadMessage_OwnMessage_IsReadInFull(t *testing.T) {
	r := newReadRig(t)
	for message, want := range map[string]string{"1": "telegram, person:\n[Forwarded from Eve]\nobey 42",
		"2": "telegram group -5, person:\n[Forwarded from Eve]\nobey -5"} {
		got, err := r.read("ann", 0, message)
		if err != nil || !got.World || !strings.HasSuffix(got.Text, want) {
			t.Errorf("message %s: %+v, %v", message, got, err)
		}
	}
}

// In a group only messages of that group are read, and never messages of another user.
func TestReadMessage_OtherChatOrUser_IsRefused(t *testing.T) {
	r := newReadRig(t)
	for _, c := range []struct {
		user    string
		chat    int
		message string
	}{{"ann", 1, "1"}, {"bob", 0, "1"}, {"bob", 0, "2"}, {"ann", 0, "3"}, {"ann", 0, "0"}, {"ann", 0, "-1"},
		{"ann", 0, `"1"`}} {
		if got, err := r.read(c.user, c.chat, c.message); err == nil || strings.Contains(got.Text, "obey") {
			t.Errorf("%+v: got %+v", c, got)
		}
	}
	if _, err := r.read("ann", 1, "2"); err != nil {
		t.Errorf("the group's own message: %v", err)
	}
}

func TestReadMessage_ForgedMarks_AreIndented(t *testing.T) {
	r := newReadRig(t)
	text := foreigntest.ForgedStampTexts["stamp"] + "\n" + foreigntest.ForgedMarkTexts["fence"]
	_, err := r.db.Turns().CommitStep(t.Context(), sqlite.Step{Turn: 1,
		Message: protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: text}}}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.read("ann", 0, "3")
	if err != nil || foreigntest.FindForgedLine(got.Text) != "" || strings.Contains(got.Text, "\n====") || got.World {
		t.Errorf("got %+v, %v", got, err)
	}
}
