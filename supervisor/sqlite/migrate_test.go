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

// released lists the migrations with their SHA-256. Released migrations must never change, since
// databases keep these digests. A new migration adds a line; no line is ever changed or deleted.
var released = map[string]string{
	"migration/0001_first.sql":                 "56d758c143755cf0af3697dfaf8f2565e6d538677a7e7e1795182461fdfde9b6",
	"migration/0002_telegram.sql":              "96412694ac663041f4512e707266733c70d9c7e9806fe088e93f59e66f18ec62",
	"migration/0003_usage.sql":                 "0270ed919a2affe38567987c46f1aeba805f75d8a196964776e6703fba3237fe",
	"migration/0004_gate.sql":                  "6fdf1e2071bb4fe88135ee17620157ee1657cdf494b425f34d2ec82f1baebe49",
	"migration/0005_busy.sql":                  "e896ab31ff958ae0c8295c49538e91569c501089db5fede868479a60492c6dc2",
	"migration/0006_asking.sql":                "18191b16dfa4a1ed1ddcf2493177739c3d886ed60c8544b1a50149359c715eb4",
	"migration/0007_operations.sql":            "94085c5a1fe305064df89efdc1fc70fcf592c43885496b2309fb50d44312c3f4",
	"migration/0008_host_uid.sql":              "9909f8e5682dd0da7f95d471eb5e6eadd60c1f440d91e3e2d5d594d6c2f9ab48",
	"migration/0009_standing_question.sql":     "46369207137bd6a10f9ce9c64ac17b3f555e26652e3b834d4417ed5a908de201",
	"migration/0010_trimmed.sql":               "78246ffdb0c08e7900ef47bbe75b232eb82e3efafd5dd3951248cf15d168c232",
	"migration/0011_estimated.sql":             "24a502704fef80bc1baa55d09d1523af4c96af4ef02a768ae1e1ab4dfa7941f4",
	"migration/0012_unread.sql":                "13810abe2052c5298724e4970257efeb251e75968a44ac0fafeec2fde8ad114c",
	"migration/0013_counted.sql":               "c278a24cea7caeffbb932aee012fc27a8a723cbffb622504ba9fa42d293f3baa",
	"migration/0014_arriving.sql":              "1c7be13e9aeaf3e51173ddabaa8453d77e866f86a56c65cdf40fdb04b04a9fc3",
	"migration/0015_speech.sql":                "8ad761f7209a57e96d9f91f952ed6e1254068c4f024c4cfa02f91d3d8fab3997",
	"migration/0016_operation_piece.sql":       "c0105222e2c8cdf8e60e494fe522b33b8972aeb92f07ddb2507ec8931c01188e",
	"migration/0017_lease.sql":                 "c93f86328e369ced8737b489e1acba11c9ebe370123b034408db3b82c0cbe233",
	"migration/0018_reply.sql":                 "fc2e0ba3b911ae59fbdcfc1c44f02ffd6459b4d78e7b0a950c25ab26013f3cb0",
	"migration/0019_edits.sql":                 "b8c17906c655d74b5229d30701721e514a5028936b6974682e21d06082894b69",
	"migration/0020_undo.sql":                  "f0ce997343bfa55be32f7f34ac839402122b96e3e36de5803c770a205c759b00",
	"migration/0021_effect.sql":                "84a5ae13e47d331760ce557bf6e851d84c2988e16086eb3dd0967daf6764d03d",
	"migration/0022_question.sql":              "343bc30caf1321ffc97ff8f9cee79e3757bc8a9ccce5bf11947c4d6e80f1b46f",
	"migration/0023_queue.sql":                 "790cbbbc98684375f388dbbb74655c651844754e2460dc1175cb97c402c6ee76",
	"migration/0024_pot.sql":                   "59b998c1c769c5672ee5ef1efbf8c472460f940658145e7d14e74362dbc95c13",
	"migration/0025_webhook_delivery.sql":      "3a855b1ae6f2d9ff1e29acfeea7b4113d12100a7174783671440b244064ee81f",
	"migration/0026_triage.sql":                "4c82ed38269c425681a0cfbffad392a211c485ff12aef203a7e35693362c72c5",
	"migration/0027_repository.sql":            "35415b2e78c2581fff4786a2278edaa264c7ee863a57002b9be1b54105335d8f",
	"migration/0028_review.sql":                "6a6e6dee61d8e064d8d107296104ae297d4b2ecbd57366249ef8f762bad62c2c",
	"migration/0029_opened_tool.sql":           "62d89bbfa31176941b3ecf72c223b880cf67b449bf953157205d69b9fcf78be0",
	"migration/0030_opened_tool_call.sql":      "1634271fb34ac87c4b81cc3d23c82822ef4c98ae25b5d1f9b5e6834a9a8fac6f",
	"migration/0031_memory.sql":                "cb5b93a610a7d6dc581555e35f4a9739c4a179cf381e048417e3949276a0f677",
	"migration/0032_system_text.sql":           "e1838d6abacfc0cfe6c74835690a681112e8ebc0f3024e5bd35adc41242feeac",
	"migration/0033_prompt_file.sql":           "7118fbf5b79225995e73dd9bf45cebb905adc401e1cac824498b682401529653",
	"migration/0034_message_user.sql":          "29d000b8a39a721b4bdfb7f914b1a4ef259d7e3c4b35c629602ab398816c2075",
	"migration/0035_stamp.sql":                 "c64044ab54d8ff8ad34b2797e5d314ebf60650b2a5fbce14b1534090162fd0be",
	"migration/0036_recap.sql":                 "ce4de93cfd2430b4dab80ede62b509218948e0ec30c3c85d6c8c5eb613fb3f10",
	"migration/0037_forgetting.sql":            "10be73f97a216088440ad35a77ccfaed6230e90eda1be12b7c75cd7e26ffd375",
	"migration/0038_forgotten_turn.sql":        "adc9bf3d716096e07b7eff8298867e4de840a1d71a3516b6ca22d6aa04b1267a",
	"migration/0039_forgotten_fact.sql":        "09e2c6190170ea096145fa23e31fc0725e022ed8b0a3f307df2850291952e913",
	"migration/0040_job.sql":                   "6ff79531edc0d4ca1d2b0d5f5dc073195e565537db9c8f235a97f63e9799b82a",
	"migration/0041_fire.sql":                  "6827ae09d0e26bd62eab0d7a937f214ec9424aaf570fd3f4b2597989b9f5ba9c",
	"migration/0042_look.sql":                  "c3dc09272bb1694ef21864b86bf2efbd593da00598f73fc8318e9fbf1f52fc94",
	"migration/0043_repair.sql":                "a701709f7e5040bc815b4b08b6e60c5c1aab8db1967e262cf2b28bf7380b26b3",
	"migration/0044_sent.sql":                  "821594c3a121b465b3003cd2161ebab01aee02e5be5ec10d197e4e449e9ba26e",
	"migration/0045_foreign.sql":               "35885a16e16d67d11ab59342a7a4e362910f7421e77bda22ad3dfd63eae8efe9",
	"migration/0046_review_finding.sql":        "84a7d22277fab2a27152498a6ab2fe790218aed048a9b8d898d7ed866bcc4fa5",
	"migration/0047_kept.sql":                  "ae4c3f6fe1054c9f35cdb708bef7a675dc0f3bf6b82376ff9141c6b35c7b748c",
	"migration/0048_removed_mute.sql":          "1846f59cca31a1e2f2e503c1f218ec4638faa69520dab66cf4377a3fba0232cd",
	"migration/0049_check_command.sql":         "df6a319725a852135a9a272a509de013ac3d84efe66e7409c3b386ea449bfe80",
	"migration/0050_undo_span.sql":             "5c1350da258edafa26d6dc9c06a04650aff0a5a7e3d7795eee1e7752cd77f25d",
	"migration/0051_point_nonce.sql":           "db4f3a938bd2ad7aafe0e64b9ab788405c780a733c8d75b0db2b775953727d63",
	"migration/0052_external_call.sql":         "9ca114b39f91b6e96d9bdd35f15d13d367312a48ad7d96c52d1d9b7013f3ad16",
	"migration/0053_marked_file.sql":           "d357bd5bcbe0bb105bf4cfd8a02a1d530bace3be71c17fd081e2d0b08864fb10",
	"migration/0054_web_fetch.sql":             "1cb93049a2515cf7c500d7b1c61464afe31bba7a5a42fcb90cd217b688312853",
	"migration/0055_file_reminder.sql":         "d3f7829c72facb206101e56f6b1c445f655238fff86ade8c44f9e76a3cc3ebe6",
	"migration/0056_todo_section.sql":          "77cbf96a0005cfa23d4fbd5864ec6d8e847de505563e40db7c1cf1ffc764a907",
	"migration/0057_calendar_subscription.sql": "e054c167da5d2034670263abeb9ecbc528b9db7f80abaf2aa95be1d1ade5bbff",
}

func TestMigrations_Released_AreUnchanged(t *testing.T) {
	names, err := fs.Glob(migrations, "migration/*")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, name := range names {
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

// deliverAll is SQL that adds a delivered answer to the database of the first release.
const deliverAll = `;INSERT INTO outbox (id, user, conversation, inbound, turn, kind, text, created_at, delivered_at)
	VALUES (2, 'alice', 1, 1, 1, 'answer', 'It is sunny.', 1763640001000, 1763640002000)`

// begun is SQL that adds commands and a running turn. At its end it deletes the newest inbound and
// the newest turn again.
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
	used, err := db.Usage().Sum(t.Context(), UsageQuery{User: "alice", By: []UsageDimension{UsageByConversation,
		UsageByModel, UsageByDay}})
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
