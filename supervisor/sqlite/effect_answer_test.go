package sqlite_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/effect"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// commitChanges commits the result of a call that changed files.
func (s *story) commitChanges(turn supervisor.Turn, call string, changes ...protocol.Change) {
	s.Helper()
	r := result(call, "done")
	r.Changes = changes
	_, err := s.db.Turns().CommitResult(s.Context(), turn.ID, r)
	s.must(err)
}

var edited = protocol.Change{Kind: "edit", Target: "notes.md", Detail: "1 line"}

func TestAnswer_TurnWithEffects_ListsEffects(t *testing.T) {
	s := newStory(t)
	turn := s.startTurnCalling("c1", "c2")
	s.commitChanges(turn, "c1", edited, edited)
	s.must(s.db.Turns().CommitCallStart(t.Context(), turn.ID, "c2"))
	d, err := s.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndStopped,
		State: supervisor.InboundAnswered,
		Text:  "nothing said", TextWithEffects: "see below", Unanswered: "It was not run."})
	s.must(err)
	want := []string{"edited notes.md 2 times", "began read_file: it may not have finished"}
	s.same("effects", d.Effects, want)
	s.same("text", d.Text, "see below")
	list, err := s.db.Outbox().ListPending(t.Context(), s.home.ID, 0, 10)
	s.must(err)
	s.same("kept", list[0].Effects, want)
	s.same("whose word", s.query("SELECT kind || ':' || reported_by FROM effect ORDER BY id"), "edit:worker edit:worker call.begun:supervisor")

	next := s.startTurn("and now")
	d, err = s.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: next.ID, Why: protocol.TurnEndDone,
		State: supervisor.InboundAnswered,
		Text:  "said", TextWithEffects: "see below"})
	s.must(err)
	s.same("of a turn that did nothing", d.Effects, []string(nil))
	s.same("its text", d.Text, "said")
}

func TestAnswer_LedgerSetting_HidesEffects(t *testing.T) {
	for name, c := range map[string]struct {
		setting, chat string
		told          bool
	}{"not set": {"", "7", true}, "on": {"on", "7", true}, "off": {"off", "7", false}, "in a group": {"", "-100", false}} {
		s := newStory(t)
		if c.setting != "" {
			s.must(s.db.Settings().Put(t.Context(), "alice", sqlite.SettingEffectLines, c.setting))
		}
		turn := s.startTelegramTurn(c.chat)
		_, err := s.db.Turns().CommitStep(t.Context(), step(turn, "", "c1"))
		s.must(err)
		s.commitChanges(turn, "c1", edited)
		s.same(name, len(s.finish(turn, "done").Effects) == 1, c.told)
	}
}

// The last step makes no post if the turn has effects, because the caller's post lacks the effect
// lines.
func TestCommitLastStep_WithEffects_MakesNoPost(t *testing.T) {
	s := newStory(t)
	turn := s.startTelegramTurn("7")
	_, err := s.db.Turns().CommitStep(t.Context(), step(turn, "", "c1"))
	s.must(err)
	s.commitChanges(turn, "c1", edited)
	e, err := s.db.Turns().CommitLastStep(t.Context(), lastStep(turn, "hello"))
	s.must(err)
	s.same("ended", e.Ended, true)
	s.same("effects", e.Delivery.Effects, []string{"edited notes.md (1 line)"})
	s.same("post", e.Post, supervisor.Post{})
}

// Even if the service is killed between a result and the end of the turn, the answer lists the
// effects.
func TestAnswer_CrashAfterResult_ListsEffects(t *testing.T) {
	path, turn := filepath.Join(t.TempDir(), "mews.db"), supervisor.Turn{}
	open := func(t *testing.T) *story {
		return &story{T: t, path: path, now: noon, db: sqlitetest.OpenPath(t, path, sqlite.Options{})}
	}
	t.Run("before", func(t *testing.T) { // the subtest closes the database at its end
		s := open(t)
		s.home = s.conversation("alice")
		turn = s.startTurnCalling("c1")
		s.commitChanges(turn, "c1", edited)
	})
	s := open(t)
	s.same("effects", s.finish(turn, "done").Effects, []string{"edited notes.md (1 line)"})
}

func TestListEffects_Query_SelectsEffects(t *testing.T) {
	s := newStory(t)
	turn := s.startTurnCalling("c1", "c2")
	s.commitChanges(turn, "c1", edited)
	s.now = noon.Add(time.Hour)
	s.commitChanges(turn, "c2", protocol.Change{Kind: "run", Target: "make", Detail: "exit 0"}, protocol.Change{Kind: "write", Target: "a"})
	for name, c := range map[string]struct {
		q    supervisor.EffectQuery
		want []string
	}{
		"all":           {supervisor.EffectQuery{User: "alice"}, []string{"write a", "run make", "edit notes.md"}},
		"another user":  {supervisor.EffectQuery{User: "bob"}, nil},
		"some kinds":    {supervisor.EffectQuery{User: "alice", Kinds: []string{"run", "edit"}}, []string{"run make", "edit notes.md"}},
		"since":         {supervisor.EffectQuery{User: "alice", From: noon.Add(time.Minute)}, []string{"write a", "run make"}},
		"until":         {supervisor.EffectQuery{User: "alice", To: noon.Add(time.Minute)}, []string{"edit notes.md"}},
		"the next page": {supervisor.EffectQuery{User: "alice", Before: 3}, []string{"run make", "edit notes.md"}},
		"unknown kind":  {supervisor.EffectQuery{User: "alice", Kinds: []string{"none"}}, nil},
	} {
		c.q.Limit = 10
		list, err := s.db.Effects().List(t.Context(), c.q)
		s.must(err)
		var got []string
		for _, e := range list {
			got = append(got, e.Kind+" "+e.Target)
		}
		s.same(name, got, c.want)
	}
	one, err := s.db.Effects().List(t.Context(), supervisor.EffectQuery{User: "alice", Limit: 1})
	s.must(err)
	s.same("one", one, []supervisor.Effect{{ID: 3, User: "alice", Turn: turn.ID, Call: "c2", Kind: "write", Target: "a",
		ReportedBy: supervisor.ReportedByWorker, At: s.now}})
}

func TestCountEffects_AllUsers_AreGrouped(t *testing.T) {
	s := newStory(t)
	turn := s.startTurnCalling("c1", "c2")
	s.commitChanges(turn, "c1", edited, protocol.Change{Kind: "write", Target: "a"}, protocol.Change{Kind: "run", Target: "make"})
	bob := s.conversation("bob")
	his, _, err := s.db.Turns().Start(t.Context(), s.put(bob, supervisor.KindText, "hi").ID, nil)
	s.must(err)
	_, err = s.db.Turns().CommitStep(t.Context(), step(his, "", "c1"))
	s.must(err)
	s.now = noon.Add(time.Hour)
	s.commitChanges(his, "c1", edited)
	counts, err := s.db.Effects().Count(t.Context(), noon, time.Time{})
	s.must(err)
	s.same("counts", effect.SumByGroup(counts), []supervisor.EffectCount{{User: "alice", Group: "changed", Count: 2},
		{User: "alice", Group: "run", Count: 1},
		{User: "bob", Group: "changed", Count: 1}})
	counts, err = s.db.Effects().Count(t.Context(), noon.Add(time.Minute), time.Time{})
	s.must(err)
	s.same("later", effect.SumByGroup(counts), []supervisor.EffectCount{{User: "bob", Group: "changed", Count: 1}})
}

func TestCompleteArrivals_Files_AreInLedger(t *testing.T) {
	s := newStory(t)
	files := []supervisor.Attachment{{File: "a", Kind: "document", Name: "report.pdf"}, {File: "b", Kind: "photo"}, {File: "c", Kind: "voice"}}
	_, err := s.db.Inbox().StoreBatch(t.Context(), supervisor.InboundBatch{Source: "bot", Next: 2,
		Items: []supervisor.BatchItem{{Update: 1, Attachments: files,
			Inbound: supervisor.Inbound{Conversation: s.home, Key: "1", Kind: supervisor.KindText, Text: "look"}}}})
	s.must(err)
	arriving, err := s.db.Inbox().ListArrivingInbounds(t.Context())
	s.must(err)
	for i := range 2 {
		s.must(s.db.Attachments().PutBytes(t.Context(), arriving[0].ID, i, protocol.BlobRef{SHA256: strings.Repeat("ab", 32), Size: 12}))
	}
	s.must(s.db.Attachments().PutFailure(t.Context(), arriving[0].ID, 2, "It is gone."))
	for range 2 { // the second round is a repeat after a crash
		_, err := s.db.Inbox().CompleteArrivals(t.Context(), []sqlite.ArrivalResult{{Inbound: arriving[0].ID,
			Origin: supervisor.OriginWorld}})
		s.must(err)
	}
	list, err := s.db.Effects().List(t.Context(), supervisor.EffectQuery{User: "alice", Limit: 10})
	s.must(err)
	var got []string
	for _, e := range list {
		got = append(got, effect.Describe(e, nil)+", "+string(e.ReportedBy))
	}
	s.same("ledger", got, []string{"received photo (12 bytes), supervisor", "received report.pdf (12 bytes), supervisor"})
}
