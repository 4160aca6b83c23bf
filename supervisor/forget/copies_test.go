package forget_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/forget"
	"mews/supervisor/sqlite/sqlitetest"
)

// copies are fake copies of a database. Delete calls deleted, unless err is set.
type copies struct {
	paths   []string
	err     error
	deleted func()
}

func (c *copies) List() ([]string, error) { return c.paths, nil }

func (c *copies) Delete() (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n := len(c.paths)
	c.deleted()
	c.paths = nil
	return n, nil
}

func TestForget_DatabaseCopies_AreDeletedFirst(t *testing.T) {
	db, h := sqlitetest.Open(t), &fakeHome{}
	in, _, err := db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Source: "terminal", Key: "1",
		Kind: supervisor.KindText, Text: "I take oolong",
		Conversation: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTerminal}})
	if err != nil {
		t.Fatal(err)
	}
	sqlitetest.ExecStatements(t, db, `UPDATE inbox SET state = 'done'`)
	messages := func() string { return sqlitetest.QueryColumn(t, db, `SELECT count(*) FROM inbox WHERE text <> ''`)[0] }
	c := &copies{paths: []string{"mews.db.schema41", "mews.db.schema42"}, err: errors.New("the disk can't be written")}
	c.deleted = func() {
		if messages() != "1" {
			t.Error("the message went before the copies")
		}
	}
	f := forget.New(forget.Options{Store: db.ForgetRequestStore(), Index: h, Home: h, Turns: db.ForgetRequestStore(),
		Facts: db.Memories(), Copies: c, People: fakePeople{}, Remove: func(string) error { return nil },
		Audit: func(string, string, string) {}, Log: hclog.NewNullLogger()})
	command := f.Feature().Commands[0]
	ask := feature.CommandRequest{Inbound: in.ID + 1, Conversation: in.Conversation, At: time.Now().Add(time.Minute),
		Arguments: "conversation"}
	d, err := command.Run(t.Context(), ask)
	if err != nil || !strings.Contains(d.Text, "\n- 2 copies of the database, made before an update") {
		t.Fatalf("asked %q, %v", d.Text, err)
	}
	press := ask
	press.Arguments = strings.TrimPrefix(d.Buttons[0][0].Press, command.Prefix)
	if d, err := command.Press(t.Context(), press); err == nil || messages() != "1" {
		t.Fatalf("copies that stay: %q, %s messages", d.Text, messages())
	}
	c.err = nil
	press.Inbound++
	if d, err = command.Press(t.Context(), press); err != nil || messages() != "0" || len(c.paths) > 0 ||
		!strings.Contains(d.Text, "\n- 2 copies of the database, made before an update") {
		t.Errorf("told %q, %v, %s messages", d.Text, err, messages())
	}
	c.paths, c.deleted = []string{"mews.db.schema43"}, func() {}
	if err := f.ForgetFacts(t.Context(), "alice"); err != nil || len(c.paths) > 0 {
		t.Errorf("a fact: %v, %v", c.paths, err)
	}
}

// Old messages are deleted each day. Copies of the database stay until they are old enough
// themselves.
func TestExpire_DatabaseCopies_Stay(t *testing.T) {
	db, h := sqlitetest.Open(t), &fakeHome{}
	c := &copies{deleted: func() { t.Error("they were deleted") }}
	ctx, cancel := context.WithCancel(t.Context())
	f := forget.New(forget.Options{Store: db.ForgetRequestStore(), Index: h, Home: h, Turns: db.ForgetRequestStore(),
		Facts: db.Memories(), Copies: c, People: fakePeople{map[string]int{"alice": 1, "zoe": 0}, cancel},
		Now: time.Now, Remove: func(string) error { return nil },
		Audit: func(user, action, _ string) { t.Error(fmt.Sprint(user, action)) }, Log: hclog.NewNullLogger()})
	if err := f.Run(ctx); err != nil {
		t.Error(err)
	}
}
