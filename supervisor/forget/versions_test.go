package forget_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/forget"
	"mews/supervisor/sqlite/sqlitetest"
)

// fakeVersions has two earlier versions of each file. Each span changed 30 more files.
type fakeVersions struct {
	counted, gone []string
	spans         []protocol.HistorySpan
	err           error
}

func (v *fakeVersions) CountEarlier(_ context.Context, _ string, of supervisor.ChangedFiles) (
	e protocol.EarlierVersions, err error) {
	v.counted, v.spans = of.Paths, of.Spans
	for _, path := range of.Paths {
		e.Files = append(e.Files, protocol.PathVersions{Path: path, Versions: 2})
	}
	e.More = 30 * int64(len(of.Spans))
	return e, nil
}

func (v *fakeVersions) ForgetEarlier(_ context.Context, _ string, of supervisor.ChangedFiles) (int64, error) {
	v.gone, v.spans = append(v.gone, of.Paths...), of.Spans
	return int64(2 * len(of.Paths)), v.err
}

// undoRow returns the statements for a change of a file by turn 1.
func undoRow(id int, path string) string {
	return fmt.Sprintf(`INSERT INTO effect (id, user, turn, call, kind, target, detail, reported_by, created_at)
			VALUES (%[1]d, 'alice', 1, 'c', 'write', '%[2]s', '', 'worker', 1);
		INSERT INTO undo (effect, user, turn, operation, path, moved_to, before, after, size, mode, why_not, created_at)
			VALUES (%[1]d, 'alice', 1, 0, '%[2]s', '', '', '', 0, 0, '', 1)`, id, path)
}

// TestForget_FilesThatStay_VersionsOnRequest: the question counts earlier versions of files. These
// files stay. Only the second button deletes the versions, and before the messages. Files outside
// the home have none.
func TestForget_FilesThatStay_VersionsOnRequest(t *testing.T) {
	for _, button := range []string{"Forget it", "Forget it, and delete these versions"} {
		db, h, v := sqlitetest.Open(t), &fakeHome{}, &fakeVersions{}
		in, _, err := db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Source: "terminal", Key: "1",
			Kind: supervisor.KindText, Text: "write a letter",
			Conversation: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTerminal}})
		if err == nil {
			_, _, err = db.Turns().Start(t.Context(), in.ID, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		sqlitetest.ExecStatements(t, db, `UPDATE turn SET ended_at = started_at, why = 'done';
			UPDATE inbox SET state = 'done'`)
		for i, path := range []string{"letter.md", "/workspaces/code/a", "letter.md", "MEMORY.md"} {
			sqlitetest.ExecStatements(t, db, undoRow(i+1, path))
		}
		// a program that changed 30 more files; the ledger lists none of them
		sqlitetest.ExecStatements(t, db, undoRow(5, ".")+`;
			UPDATE undo SET from_point = 3, to_point = 5, nonce = '9f3a' WHERE effect = 5`)
		spans := []protocol.HistorySpan{{From: 3, To: 5, Nonce: "9f3a"}}
		messages := func() string {
			return sqlitetest.QueryColumn(t, db, `SELECT count(*) FROM inbox WHERE text <> ''`)[0]
		}
		f := forget.New(forget.Options{Store: db.ForgetRequestStore(), Index: h, Home: h,
			Turns: db.ForgetRequestStore(),
			Facts: db.Memories(), Versions: v, People: fakePeople{}, Remove: func(string) error { return nil },
			Audit: func(string, string, string) {}, Log: hclog.NewNullLogger()})
		command := f.Feature().Commands[0]
		ask := feature.CommandRequest{Inbound: in.ID + 1, Conversation: in.Conversation,
			At:        time.Now().Add(time.Minute),
			Arguments: "conversation"}
		d, err := command.Run(t.Context(), ask)
		if err != nil || !strings.Contains(d.Text, ":\n- `letter.md`: 2 earlier versions\n- 30 more files") ||
			!slices.Equal(v.counted, []string{"letter.md"}) || !slices.Equal(v.spans, spans) {
			t.Fatalf("asked %q, %v, %q", d.Text, err, v.counted)
		}
		for _, row := range d.Buttons {
			if row[0].Text == button {
				ask.Arguments = strings.TrimPrefix(row[0].Press, command.Prefix)
			}
		}
		all := strings.HasSuffix(button, "versions")
		if v.err = errors.New("the worker has ended"); all {
			if _, err := command.Press(t.Context(), ask); err == nil || messages() != "1" {
				t.Errorf("versions that stay: %v, %s messages", err, messages())
			}
		}
		v.err, v.gone, v.spans = nil, nil, nil
		d, err = command.Press(t.Context(), ask)
		told := strings.Contains(d.Text, "\n- 2 earlier versions of files")
		if err != nil || messages() != "0" || told != all || slices.Equal(v.gone, []string{"letter.md"}) != all ||
			slices.Equal(v.spans, spans) != all {
			t.Errorf("%s: told %q, %v, forgotten %q", button, d.Text, err, v.gone)
		}
	}
}
