package sqlite_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// newZoneStory returns a story (a test database) in the time zone UTC+2.
func newZoneStory(t *testing.T) *story {
	t.Helper()
	s := &story{T: t, path: filepath.Join(t.TempDir(), "mews.db"), now: noon}
	s.db = sqlitetest.OpenPath(t, s.path, sqlite.Options{Now: func() time.Time { return s.now },
		Zone: func(string, string) *time.Location { return time.FixedZone("", 2*60*60) }})
	s.home = s.conversation("alice")
	return s
}

// startInbound starts the turn of an inbound.
func (s *story) startInbound(in supervisor.Inbound) supervisor.Turn {
	s.Helper()
	s.keys++
	in.Conversation, in.Source, in.Key, in.Kind = s.home, "telegram", fmt.Sprint("in-", s.keys), supervisor.KindText
	in, _, err := s.db.Inbox().StoreInbound(s.Context(), in)
	s.must(err)
	if in.Parts == "" && s.parts != "" {
		sqlitetest.ExecStatements(s, s.db, fmt.Sprintf("UPDATE inbox SET parts = '%s' WHERE id = %d", s.parts, in.ID))
	}
	turn, _, err := s.db.Turns().Start(s.Context(), in.ID, nil)
	s.must(err)
	return turn
}

// runCall runs a tool call with a result in a turn.
func (s *story) runCall(turn supervisor.Turn, name, text string, world bool) {
	s.Helper()
	call := protocol.ToolCall{ID: fmt.Sprint("c", turn.ID), Name: name, Arguments: []byte(`{}`)}
	_, err := s.db.Turns().CommitStep(s.Context(), sqlite.Step{Turn: turn.ID,
		Message: protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Call: &call}}}})
	s.must(err)
	_, err = s.db.Turns().CommitResult(s.Context(), turn.ID, protocol.ToolResult{Call: call.ID, Name: name, Text: text,
		World: world})
	s.must(err)
}

// material reports whether a turn's facts and tasks count as words of others.
func (s *story) material(turn supervisor.Turn) (facts, tasks bool) {
	s.Helper()
	basis, _, err := s.db.Memories().FindFactBasis(s.Context(), turn.ID, 0)
	s.must(err)
	tasks, err = s.db.Jobs().HasWorldWords(s.Context(), turn.ID)
	s.must(err)
	return basis.HasMaterial, tasks
}

// wordsOf returns the words of messages, each message on one line.
func wordsOf(list []protocol.Message) string {
	var lines []string
	for _, m := range list {
		text := m.Recap + m.Text()
		for _, p := range m.Parts {
			if p.Result != nil {
				text += "{" + p.Result.Text + "}"
			}
		}
		if text != "" {
			lines = append(lines, strings.ReplaceAll(text, "\n", "|"))
		}
	}
	return strings.Join(lines, "\n")
}

// Words of others taint a turn while its request contains the words. At the end of their day a line
// takes their place, and the user's own words stay.
func TestWorldWords_NextDay_BecomeOneLine(t *testing.T) {
	const world = supervisor.OriginWorld
	for name, c := range map[string]struct {
		in           supervisor.Inbound
		parts        string // parts of the inbound
		tool, result string
		world        bool // whether the tool result has words of others
		facts, tasks bool // whether a turn on the same day is tainted
		want         string
	}{
		"own words": {in: supervisor.Inbound{Text: "hello", OwnText: true}, want: "hello"},
		"a forward": {in: supervisor.Inbound{Text: "[Forwarded from Eve]\nobey", Origin: world}, facts: true,
			tasks: true, want: "[a forward of 39 bytes, 20 Nov; read_message 1]"},
		"a file with a caption": {in: supervisor.Inbound{Text: "file this", Origin: world, OwnText: true},
			parts: `[{"text":"[File uploads/a.txt: text, 4 bytes.] obey"}]`, facts: true, tasks: true,
			want: "file this|[a file of 75 bytes, 20 Nov; read_message 1]"},
		"a file alone": {in: supervisor.Inbound{Origin: world, OwnText: true},
			parts: `[{"text":"[File uploads/a.txt: text, 4 bytes.] obey"}]`, facts: true, tasks: true,
			want: "[a file of 54 bytes, 20 Nov; read_message 1]"},
		"a caption of others": {in: supervisor.Inbound{Text: "file this", Origin: world},
			parts: `[{"text":"[File uploads/a.txt: text, 4 bytes.] obey"}]`, facts: true, tasks: true,
			want: "[a file of 75 bytes, 20 Nov; read_message 1]"},
		"a picture": {in: supervisor.Inbound{Text: "who?", Origin: world, OwnText: true}, facts: true, tasks: true,
			parts: `[{"image":{"sha256":"x","size":9,"media_type":"image/png","width":1,"height":1}}]`,
			want:  "who?|[a picture of 97 bytes, 20 Nov; read_message 1]"},
		"a quote of others": {in: supervisor.Inbound{Quote: "> Eve: obey", Text: "what?", Origin: world, OwnText: true},
			facts: true, tasks: true, want: "what?|[a quote of 31 bytes, 20 Nov; read_message 1]"},
		"a quote of the assistant": {in: supervisor.Inbound{Quote: "> You: it says obey", Text: "what?", OwnText: true},
			facts: true, want: "what?|[a quote of 39 bytes, 20 Nov; read_message 1]"},
		"own words and a file that was read": {in: supervisor.Inbound{Text: "read it", OwnText: true},
			tool: "read_file", result: "obey", facts: true,
			want: "read it\n{[a result of 59 bytes, 20 Nov; read_message 3]}"},
		"a marked result": {in: supervisor.Inbound{Text: "read it", OwnText: true},
			tool: "get_time", result: "obey", world: true, facts: true, tasks: true,
			want: "read it\n{[a result of 71 bytes, 20 Nov; read_message 3]}"},
		"a trusted result": {in: supervisor.Inbound{Text: "what time?", OwnText: true},
			tool: "get_time", result: "noon", want: "what time?\n{noon}"},
		"of an earlier version": {in: supervisor.Inbound{Text: "[File uploads/a.txt: text.] obey", Origin: world},
			facts: true, tasks: true, want: "[a file of 45 bytes, 20 Nov; read_message 1]"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newZoneStory(t)
			s.parts = c.parts
			turn := s.startInbound(c.in)
			s.parts = ""
			if c.tool != "" {
				s.runCall(turn, c.tool, c.result, c.world)
			}
			if facts, tasks := s.material(turn); facts != c.facts || tasks != c.tasks {
				t.Errorf("on the day: facts %t, tasks %t", facts, tasks)
			}
			s.finish(turn, "ok")
			whole := wordsOf(s.transcript(s.home))
			s.now = noon.Add(9*time.Hour + 59*time.Minute) // in UTC+2 it is one minute before midnight
			later := s.startInbound(supervisor.Inbound{Text: "later", OwnText: true})
			s.same("later on the day", wordsOf(s.transcript(s.home)), whole+"\nlater")
			s.finish(later, "ok")
			s.now = noon.Add(10 * time.Hour)
			next := s.startInbound(supervisor.Inbound{Text: "next", OwnText: true})
			s.same("on the next day", wordsOf(s.transcript(s.home)), c.want+"\nlater\nnext")
			if facts, tasks := s.material(next); facts || tasks {
				t.Errorf("on the next day: facts %t, tasks %t", facts, tasks)
			}
			opened := s.query("SELECT name FROM opened_tool")
			if (opened == "read_message") != (c.facts || c.tasks) {
				t.Errorf("open is %q", opened)
			}
			m, in, found, err := s.db.Transcript().FindWholeMessage(t.Context(), "alice", 1)
			words := strings.ReplaceAll(m.Text(), "\n", "|")
			if err != nil || !found || in != s.home.ID || !strings.Contains(whole, words) ||
				m.World != (c.in.Origin == world || c.in.Quote != "") {
				t.Errorf("read again is %+v, %v", m, err)
			}
			s.runCall(next, supervisor.ReadMessageToolName, "obey", true)
			if facts, tasks := s.material(next); !facts || !tasks {
				t.Errorf("after it was read again: facts %t, tasks %t", facts, tasks)
			}
		})
	}
}

// The beginning of requests changes once a day, with the first turn of the day. A message that was
// not answered yet stays whole.
func TestModelRequest_BeginningChangesOncePerDay(t *testing.T) {
	s := newZoneStory(t)
	forward := supervisor.Inbound{Text: "[Forwarded from Eve]\nobey", Origin: supervisor.OriginWorld}
	s.finish(s.startInbound(forward), "ok")
	border := func() string { return s.query("SELECT foreign_from FROM conversation WHERE id = ?", s.home.ID) }
	s.same("on the first day", border(), "0")
	s.now = s.now.Add(24 * time.Hour)
	s.finish(s.startInbound(forward), "ok")
	s.same("on the second day", border(), "2")
	for range 3 {
		s.now = s.now.Add(time.Hour)
		s.finish(s.startInbound(forward), "ok")
		s.same("later", border(), "2")
	}
	s.now = s.now.Add(-48 * time.Hour) // the clock is set back
	s.finish(s.startInbound(forward), "ok")
	s.same("after the clock was set back", border(), "2")
	s.now = s.now.Add(96 * time.Hour)
	turn := s.startInbound(forward)
	s.same("lines", strings.Count(wordsOf(s.transcript(s.home)), "read_message"), 6)
	_, err := s.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndStopped,
		State: supervisor.InboundAnswered, Text: "Stopped."})
	s.must(err)
	s.now = s.now.Add(24 * time.Hour)
	s.startInbound(supervisor.Inbound{Text: "and this", OwnText: true})
	if got := wordsOf(s.transcript(s.home)); !strings.HasSuffix(got, "\n[Forwarded from Eve]|obey\nand this") {
		t.Errorf("an unanswered forward is gone: %s", got)
	}
}

// A user can't read messages of another user again.
func TestFindWholeMessage_OtherUser_IsNotFound(t *testing.T) {
	s := newZoneStory(t)
	s.startInbound(supervisor.Inbound{Text: "secret"})
	for user, id := range map[string]int64{"bob": 1, "alice": 99, "": 1} {
		if m, _, found, err := s.db.Transcript().FindWholeMessage(t.Context(), user, id); found || err != nil {
			t.Errorf("%s: got %+v, %v", user, m, err)
		}
	}
}

// A question names the words of others that the model sees, the newest first.
func TestListWorldWords_Several_ListsNewestFirst(t *testing.T) {
	s := newZoneStory(t)
	turn := s.startInbound(supervisor.Inbound{Text: "[Forwarded from Eve]\nobey", Origin: supervisor.OriginWorld})
	s.runCall(turn, "read_file", "obey", false)
	s.finish(turn, "ok")
	turn = s.startInbound(supervisor.Inbound{Text: "hello", OwnText: true})
	list, err := s.db.Transcript().ListWorldWords(t.Context(), turn.ID)
	if err != nil || len(list) != 2 || list[0].ID != 3 || list[0].World || list[1].ID != 1 || !list[1].World {
		t.Errorf("got %+v, %v", list, err)
	}
}

// The model's own words about a private file stay in the window after the file's words have left
// it. So the file still counts as read.
func TestHasRead_ResultOfYesterday_Counts(t *testing.T) {
	s := newZoneStory(t)
	hasRead := func(turn supervisor.Turn) bool {
		read, err := s.db.Taints().HasRead(t.Context(), turn.ID, []string{"read_file"})
		s.must(err)
		return read
	}
	turn := s.startInbound(supervisor.Inbound{Text: "read it", OwnText: true})
	s.same("before", hasRead(turn), false)
	s.runCall(turn, "read_file", "the secret plan", true)
	_, err := s.db.Turns().CommitStep(t.Context(), step(turn, "It is the secret plan."))
	s.must(err)
	s.finish(turn, "")
	s.now = s.now.Add(24 * time.Hour)
	turn = s.startInbound(supervisor.Inbound{Text: "hello", OwnText: true})
	if words := wordsOf(s.transcript(s.home)); strings.Contains(words, "|the secret plan") ||
		!strings.Contains(words, "It is the secret plan.") {
		t.Errorf("the model sees %s", words)
	}
	s.same("on the next day", hasRead(turn), true)
}
