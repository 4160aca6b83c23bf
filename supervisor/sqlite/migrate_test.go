package sqlite

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"

	"mews/protocol"
	"mews/supervisor"
)

// released lists the released migrations with their SHA-256. They must never change, since users'
// databases have run them. A release adds a line for each new migration.
var released = map[string]string{
	"migration/0001_first.sql":             "56d758c143755cf0af3697dfaf8f2565e6d538677a7e7e1795182461fdfde9b6",
	"migration/0002_telegram.sql":          "96412694ac663041f4512e707266733c70d9c7e9806fe088e93f59e66f18ec62",
	"migration/0003_usage.sql":             "0270ed919a2affe38567987c46f1aeba805f75d8a196964776e6703fba3237fe",
	"migration/0004_gate.sql":              "6fdf1e2071bb4fe88135ee17620157ee1657cdf494b425f34d2ec82f1baebe49",
	"migration/0005_busy.sql":              "e896ab31ff958ae0c8295c49538e91569c501089db5fede868479a60492c6dc2",
	"migration/0006_asking.sql":            "18191b16dfa4a1ed1ddcf2493177739c3d886ed60c8544b1a50149359c715eb4",
	"migration/0007_operations.sql":        "94085c5a1fe305064df89efdc1fc70fcf592c43885496b2309fb50d44312c3f4",
	"migration/0008_host_uid.sql":          "9909f8e5682dd0da7f95d471eb5e6eadd60c1f440d91e3e2d5d594d6c2f9ab48",
	"migration/0009_standing_question.sql": "46369207137bd6a10f9ce9c64ac17b3f555e26652e3b834d4417ed5a908de201",
}

func TestMigrations_Released_AreUnchanged(t *testing.T) {
	names, err := fs.Glob(migrations, "migration/*")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for i, name := range names {
		if i >= len(released) { // later migrations are not released yet; the names are sorted
			break
		}
		body, err := fs.ReadFile(migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(body)
		got[name] = hex.EncodeToString(sum[:])
	}
	if d := cmp.Diff(released, got); d != "" {
		t.Errorf("(-released +here)\n%s", d)
	}
}

// schema returns the tables and indexes of a database with their columns.
func schema(r *rig) []string {
	r.Helper()
	return r.list(`SELECT type || ' ' || name || ' on ' || tbl_name || ': ' ||
		coalesce(sql, '') FROM sqlite_schema UNION ALL
		SELECT m.name || '.' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || c.pk || ' ' ||
		coalesce(c.dflt_value, '')
		FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c WHERE m.type = 'table' ORDER BY 1`)
}

// makeDatabase makes a database by SQL statements, without package sqlite.
func makeDatabase(t *testing.T, path, statements string) {
	t.Helper()
	conn, err := sqlite3.Open("file:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(conn.Exec(statements), conn.Close()); err != nil {
		t.Fatal(err)
	}
}

// deliverAll adds a delivered answer to the database of the first release.
const deliverAll = `;INSERT INTO outbox (id, user, conversation, inbound, turn, kind, text, created_at, delivered_at)
	VALUES (2, 'alice', 1, 1, 1, 'answer', 'It is sunny.', 1763640001000, 1763640002000)`

// begun adds commands and a running turn. The newest command and the newest turn were deleted.
const begun = `;INSERT INTO inbox (id, user, conversation, source, key, kind, text, state, received_at, changed_at)
	VALUES (3, 'alice', 1, 'terminal', 'k3', 'command', '/Stop@mews_bot at once', 'new', 1, 1),
	(4, 'alice', 1, 'terminal', 'k4', 'command', '/new', 'done', 1, 1),
	(5, 'alice', 1, 'terminal', 'k5', 'text', '/etc/passwd', 'running', 1, 1),
	(9, 'alice', 1, 'terminal', 'k9', 'text', '', 'done', 1, 1);
	INSERT INTO turn (id, user, conversation, kind, inbound, started_at, why, ended_at)
	VALUES (2, 'alice', 1, 'chat', 5, 1, NULL, NULL), (7, 'alice', 1, 'chat', 9, 1, 'done', 1);
	DELETE FROM turn WHERE id = 7; DELETE FROM inbox WHERE id = 9`

func TestOpen_DatabaseOfFirstRelease_IsMigrated(t *testing.T) {
	frozen, err := os.ReadFile("testdata/first.sql")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mews.db")
	makeDatabase(t, path, string(frozen)+deliverAll+begun)
	upgraded, fresh := newRigAt(t, path), newRig(t)
	db := upgraded.db
	defer upgraded.run()()
	defer fresh.run()()
	if d := cmp.Diff(schema(fresh), schema(upgraded)); d != "" {
		t.Errorf("(-fresh +upgraded)\n%s", d)
	}
	messages, err := db.Transcript().ListMessages(t.Context(), 1)
	if err != nil || len(messages) != 2 || messages[1].Text() != "Good morning, Alice." {
		t.Errorf("its messages are %+v; %v", messages, err)
	}
	pending, err := db.Outbox().ListPending(t.Context(), 1, 0, 10)
	if err != nil || len(pending) != 1 || pending[0].Conversation.User != "alice" {
		t.Errorf("its pending deliveries are %+v; %v", pending, err)
	}
	upgraded.same("what it has delivered", upgraded.count("SELECT count(*) FROM outbox WHERE outcome = 'sent'"), 1)
	upgraded.same("delivered again", db.Outbox().MarkDelivered(t.Context(), 2), nil)
	upgraded.same("its usage", upgraded.count("SELECT count(*) FROM usage"), 1)
	upgraded.same("that of its message", upgraded.count(`SELECT count(*) FROM usage WHERE message = 2 AND user = 'alice' AND
		conversation = 1 AND turn = 1 AND purpose = 'chat' AND class IS NULL AND cost IS NULL AND
		created_at = 1763640001000`), 1)
	used, err := db.Usage().Sum(t.Context(), UsageQuery{User: "alice", By: []UsageDimension{ByConversation, ByModel, ByDay}})
	upgraded.same("error", err, nil)
	if d := cmp.Diff([]UsageTotal{{Conversation: 1, Model: "offline", Day: "2025-11-20", Calls: 1,
		Usage: protocol.Usage{Input: 12, Output: 4}, Unpriced: 1}}, used); d != "" {
		t.Errorf("what it had used: (-want +got)\n%s", d)
	}
	upgraded.same("what waits", upgraded.count("SELECT count(*) FROM outbox WHERE outcome IS NULL"), 1)
	upgraded.same("commands", strings.Join(upgraded.list("SELECT command FROM inbox ORDER BY id"), ","), ",,stop,new,")
	running, ok, err := db.Turns().FindRunning(t.Context(), 1)
	if err != nil || !ok || running.Turn.ID != 2 || running.Turn.Inbound != 5 ||
		running.Turn.AnswerConversation() != running.Turn.Conversation {
		t.Errorf("its running turn is %+v; %v", running.Turn, err)
	}
	_, err = db.Turns().Finish(t.Context(), TurnEnding{Turn: 2, Why: protocol.TurnEndDone,
		State: supervisor.InboundAnswered})
	upgraded.same("finished", err, nil)
	turn, _, err := db.Turns().Start(t.Context(), 2, nil)
	if err != nil || turn.ID != 8 {
		t.Errorf("its next turn is %+v, not the eighth; %v", turn, err)
	}
	in, _, err := db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Conversation: turn.Conversation,
		Source: "terminal", Key: "k10",
		Kind: supervisor.KindText})
	if err != nil || in.ID != 10 {
		t.Errorf("its next inbound is %+v, not the tenth; %v", in, err)
	}
	upgraded.same("dangling", upgraded.count("SELECT count(*) FROM pragma_foreign_key_check"), 0)
}
