package sqlite_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// AGENTS.md is changed by turns, by programs that outlive their turn, by commands of checks, by git
// and by the user. Two turns run at a time, and workers crash. Pending texts are accepted or
// replaced by the old text. Prompts have only texts that the user accepted, or wrote while no
// program ran.
func TestPromptFile_UnacceptedText_IsNeverInForce(t *testing.T) {
	db := sqlitetest.OpenPath(t, filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{})
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		m := &promptFileModel{
			T:       rt,
			t:       t,
			db:      db,
			user:    fmt.Sprint("user", run),
			allowed: map[string]bool{"": true},
			seen:    []string{""},
		}
		turnOf := func(does func(*modelTurn)) func(*rapid.T) {
			return func(rt *rapid.T) {
				if s := m.turns[rapid.IntRange(0, 1).Draw(rt, "turn")]; s != nil && !s.killed {
					does(s)
				}
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"begin":   func(rt *rapid.T) { m.begin(rapid.IntRange(0, 1).Draw(rt, "turn")) },
			"write":   turnOf(func(*modelTurn) { m.write("turn") }),
			"step":    turnOf(func(s *modelTurn) { m.report(s, protocol.PromptFileReport{}) }),
			"start":   turnOf(func(s *modelTurn) { m.program = true }),
			"done":    turnOf(m.done),
			"stop":    turnOf(m.stop),
			"program": func(*rapid.T) { m.ifProgram(func() { m.write("program") }) },
			"ends":    func(*rapid.T) { m.ifProgram(func() { m.program = false }) },
			"check":   func(*rapid.T) { m.checkCommand() },
			"kill":    func(*rapid.T) { m.kill() },
			"hand":    func(*rapid.T) { m.byHand() },
			"undo":    func(rt *rapid.T) { m.disk = rapid.SampledFrom(m.seen).Draw(rt, "text") },
			"git":     func(*rapid.T) { m.write("git") },
			"accept":  func(*rapid.T) { m.decide(true) },
			"back":    func(*rapid.T) { m.decide(false) },
		})
		for n := range m.turns { // each prompt is checked once more at the end
			if s := m.turns[n]; s != nil && !s.killed {
				m.done(s)
			}
			m.begin(n)
		}
	})
}

// promptFileModel is a home with AGENTS.md, and the turns and programs that run in it.
type promptFileModel struct {
	*rapid.T
	t       *testing.T
	db      *sqlite.DB
	user    string
	turns   [2]*modelTurn
	program bool
	check   bool   // a check's command runs
	disk    string // text of the file; "" means no file
	written int

	inbounds int
	seen     []string // states of the file in the last report
	allowed  map[string]bool
}

// modelTurn is a turn of the model. A killed turn continues or is given up.
type modelTurn struct {
	supervisor.Turn
	n                      int
	begun, resumed, killed bool
	programs               bool // the turn reported that it has run programs
}

func (m *promptFileModel) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// write puts a new text into the file.
func (m *promptFileModel) write(by string) {
	m.written++
	m.disk = fmt.Sprint(by, " ", m.written)
}

func (m *promptFileModel) byHand() {
	m.write("hand")
	m.allowed[m.disk] = !m.program && !m.check && m.turns == [2]*modelTurn{}
}

func (m *promptFileModel) ifProgram(do func()) {
	if m.program {
		do()
	}
}

// begin starts, continues or gives up a turn.
func (m *promptFileModel) begin(n int) {
	s := m.turns[n]
	switch {
	case s == nil:
		c, err := m.db.Conversations().FindOrCreate(m.t.Context(), m.user, supervisor.ChannelTelegram, fmt.Sprint(n+1),
			"")
		m.must(err)
		m.inbounds++
		in, _, err := m.db.Inbox().
			StoreInbound(m.t.Context(), supervisor.Inbound{Conversation: c, Source: "test",
				Key:  fmt.Sprint(m.user, " ", m.inbounds),
				Kind: supervisor.KindText, Text: "hi"})
		m.must(err)
		turn, _, err := m.db.Turns().Start(m.t.Context(), in.ID, nil)
		m.must(err)
		m.turns[n] = &modelTurn{Turn: turn, n: n}
	case s.killed && rapid.Bool().Draw(m.T, "given up"):
		m.finish(s, protocol.TurnEndError)
		return
	case s.killed:
		*s = modelTurn{Turn: s.Turn, n: n, resumed: true}
	}
	m.report(m.turns[n], protocol.PromptFileReport{InForce: true})
}

// checkCommand begins a check's command, or ends the running one. The command may write the file.
func (m *promptFileModel) checkCommand() {
	if m.check && rapid.Bool().Draw(m.T, "writes") {
		m.write("check")
	}
	m.report(&modelTurn{begun: m.check}, protocol.PromptFileReport{End: m.check})
	m.check = !m.check
}

// report sends the file's state, as a worker does, and checks the text in force.
func (m *promptFileModel) report(s *modelTurn, r protocol.PromptFileReport) {
	m.Helper()
	f := protocol.PromptFile{Path: "AGENTS.md"}
	if m.disk != "" {
		sum := sha256.Sum256([]byte(m.disk))
		f.State = protocol.FileState(hex.EncodeToString(sum[:]))
	}
	r.Turn, r.Programs, r.Files = s.ID, m.program, []protocol.PromptFile{f}
	for range 2 {
		answer, _, err := m.db.PromptFiles().
			StoreReport(m.t.Context(), supervisor.PromptFileReport{PromptFileReport: r, User: m.user, First: !s.begun,
				Resumed: s.resumed,
				Private: supervisor.Conversation{User: m.user, Channel: supervisor.ChannelTelegram, Chat: "1"}})
		m.must(err)
		if len(answer.Need) > 0 {
			r.Files[0].Inspected, r.Files[0].Text, r.Files[0].FromGit = true, []byte(m.disk), strings.HasPrefix(m.disk, "git")
			continue
		}
		text := m.disk
		for _, file := range answer.Files {
			text = string(file.Text)
		}
		if r.InForce && !m.allowed[text] {
			m.Fatalf("in force is %q", text)
		}
	}
	s.begun, s.programs, m.seen = true, m.program, append(m.seen, m.disk)
}

// done ends a turn after the model's last step.
func (m *promptFileModel) done(s *modelTurn) {
	m.report(s, protocol.PromptFileReport{})
	m.finish(s, protocol.TurnEndDone)
	if s.programs {
		m.report(s, protocol.PromptFileReport{End: true})
	}
}

func (m *promptFileModel) stop(s *modelTurn) {
	m.report(s, protocol.PromptFileReport{End: true})
	m.finish(s, protocol.TurnEndStopped)
}

func (m *promptFileModel) finish(s *modelTurn, why protocol.TurnEndReason) {
	_, err := m.db.Turns().
		Finish(m.t.Context(), sqlite.TurnEnding{Turn: s.ID, Why: why, State: supervisor.InboundAnswered, Text: "hello"})
	m.must(err)
	m.turns[s.n] = nil
}

// kill ends the worker with all turns, programs and checks in it. A check's command may have
// written the file.
func (m *promptFileModel) kill() {
	if m.check && rapid.Bool().Draw(m.T, "written") {
		m.write("check")
	}
	m.program, m.check = false, false
	for _, s := range m.turns {
		if s != nil {
			s.killed = true
		}
	}
}

// decide accepts the pending text, or restores the old text if the file has not changed.
func (m *promptFileModel) decide(accept bool) {
	files, err := m.db.PromptFiles().List(m.t.Context(), m.user)
	m.must(err)
	i := slices.IndexFunc(files, func(f supervisor.PromptFile) bool { return f.Pending.Why != "" })
	if i < 0 {
		return
	}
	f, d := files[i], supervisor.PromptFileDecision{User: m.user, Path: "AGENTS.md", State: files[i].Pending.State}
	if !accept {
		if string(f.Pending.Text) != m.disk {
			return
		}
		m.disk, d.Operation, d.Inverse = string(f.Text), 1, protocol.Undo{Path: d.Path, Before: d.State}
	} else {
		m.allowed[string(f.Pending.Text)] = true
	}
	if ok, err := m.db.PromptFiles().RecordDecision(m.t.Context(), d); err != nil || !ok {
		m.Fatalf("decided: %t, %v", ok, err)
	}
}
