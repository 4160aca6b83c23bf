package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// OnMessage is called after the message is on disk. A user's message is reported together with the
// model's next message, or with the turn's end. ListDialogMessages lists the user's messages and
// the answers, without tool messages. OnMessage and ListDialogMessages leave out messages of
// channels where nobody talks.
func TestOnMessage_CommittedMessage_IsReported(t *testing.T) {
	s := &story{T: t, path: filepath.Join(t.TempDir(), "mews.db"), now: noon}
	var told []string
	s.db = sqlitetest.OpenPath(t, s.path, sqlite.Options{Now: func() time.Time { return s.now }, OnMessage: func(user string, conversation int64) {
		told = append(told, fmt.Sprint(user, " ", conversation))
	}})
	s.home = s.conversation("alice")
	at := fmt.Sprint("alice ", s.home.ID)
	turn := s.startTurnCalling("a")
	s.same("told", told, []string{at})
	_, err := s.db.Turns().CommitResult(t.Context(), turn.ID, protocol.ToolResult{Call: "a", Name: "read_file", Text: "printed"})
	s.must(err)
	s.same("told of a result", told, []string{at})
	_, err = s.db.Turns().CommitStep(t.Context(), step(turn, "here they are"))
	s.must(err)
	s.finish(turn, "here they are")
	told = nil
	s.finish(s.startTurn("never answered"), "")
	s.same("told of a turn without an answer", told, []string{at})

	job, err := s.db.Conversations().FindOrCreate(t.Context(), "alice", "job", "", "")
	s.must(err)
	told = nil
	_, _, err = s.db.Turns().Start(t.Context(), s.put(job, supervisor.KindText, "the model's own").ID, nil)
	s.must(err)
	s.same("told of a job", told, []string(nil))
	ids, err := s.db.Transcript().ListConversations(t.Context(), "alice")
	s.must(err)
	s.same("conversations", ids, []int64{s.home.ID})

	list, err := s.db.Transcript().ListDialogMessages(t.Context(), "alice", s.home.ID, 0, 10)
	s.must(err)
	var texts []string
	for _, m := range list {
		texts = append(texts, string(m.Role)+": "+m.Text())
	}
	s.same("said", texts, []string{"user: read my notes", "assistant: ", "assistant: here they are",
		"user: never answered"})
	sizes, err := s.db.Transcript().MessageSizes(t.Context(), "alice", s.home.ID, 0, list[0].ID)
	s.must(err)
	s.same("sizes", sizes, map[int64]int64{list[0].ID: list[0].Size})
	list, err = s.db.Transcript().ListDialogMessages(t.Context(), "bob", s.home.ID, 0, 10)
	s.must(err)
	s.same("what bob sees of it", len(list), 0)
}
