package sqlite_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mews/supervisor"
	"mews/supervisor/inbox"
	"mews/supervisor/sqlite"
)

// Messages are sent, edited, dropped and answered. Buttons are pressed, and the source repeats
// updates. Turns take each version of a message at most once. In the end a turn has read the last
// version or got it as a correction, or the user was offered a new answer.
func TestEdits_RandomOrder_AnswerLatestText(t *testing.T) {
	s := newEditStory(t)
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		m := &editModel{editStory: s, rt: rt, chat: fmt.Sprint(runs)}
		m.home = s.story.chat("alice", m.chat)
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			editSteps[rapid.SampledFrom(slices.Sorted(maps.Keys(editSteps))).Draw(rt, "step")](m)
		}
		m.settle()
		m.check()
	})
}

// editModel makes random messages and edits of alice in a chat.
type editModel struct {
	*editStory
	rt       *rapid.T
	chat     string
	home     supervisor.Conversation
	messages []string               // ids of the messages on the channel
	items    []supervisor.BatchItem // all updates of the source
	calls    int
}

var editSteps = map[string]func(*editModel){
	"send":    func(m *editModel) { m.send() },
	"edit":    (*editModel).edit,
	"edit it": (*editModel).edit, // listed twice, so that edits happen more often
	"send again": func(m *editModel) {
		m.put(rapid.SampledFrom(append(m.items, supervisor.BatchItem{})).Draw(m.rt,
			"item"))
	},
	"arrive": func(m *editModel) { m.arrive(rapid.IntRange(0, 1).Draw(m.rt, "late") * 7) },
	"begin":  func(m *editModel) { m.begin() },
	"step":   func(m *editModel) { m.step() },
	"finish": func(m *editModel) { m.finish() },
	"press":  (*editModel).press,
	"drop":   (*editModel).drop,
	"minutes": func(m *editModel) {
		m.editStory.now = m.editStory.now.Add(rapid.SampledFrom([]time.Duration{time.Second, time.Minute,
			time.Hour}).Draw(m.rt, "pass"))
	},
}

// put sends an update, and sometimes repeats it.
func (m *editModel) put(item supervisor.BatchItem) {
	if item.Update != 0 {
		m.receive(item)
	}
}

// item makes the next update of the source.
func (m *editModel) item(message, text string) supervisor.BatchItem {
	m.keys++
	item := textItem("alice", int64(m.keys), text)
	item.Inbound.Conversation, item.Inbound.Message = m.home, message
	if rapid.IntRange(0, 3).Draw(m.rt, "file") == 0 {
		item.Attachments = []supervisor.Attachment{photoOf(rapid.SampledFrom([]string{"cat", "dog"}).Draw(m.rt, "of"))}
	}
	return item
}

func (m *editModel) send() {
	message := fmt.Sprintf("%s-%d", m.chat, len(m.messages))
	item := m.item(message, "<"+message+".0>")
	m.messages, m.items = append(m.messages, message), append(m.items, item)
	m.put(item)
}

// edit edits a message, or sends its current version again.
func (m *editModel) edit() {
	if len(m.messages) == 0 {
		return
	}
	message := rapid.SampledFrom(m.messages).Draw(m.rt, "message")
	item := m.item(message, fmt.Sprintf("<%s.%d>", message, rapid.IntRange(0, 3).Draw(m.rt, "version")))
	item.EditedAt = m.editStory.now
	m.items = append(m.items, item)
	m.put(item)
}

// arrive makes all arriving inbounds arrive. The number late says how many of the first results are
// for files that were replaced meanwhile.
func (m *editModel) arrive(late int) {
	for _, in := range m.arriving() {
		_, err := m.db.Inbox().CompleteArrivals(m.Context(), []sqlite.ArrivalResult{{Inbound: in.ID,
			FirstFile: in.FirstFile - late, Origin: in.Origin}})
		m.must(err)
	}
}

func (m *editModel) arriving() []supervisor.Inbound {
	list, err := m.db.Inbox().ListArrivingInbounds(m.Context())
	m.must(err)
	return slices.DeleteFunc(list, func(in supervisor.Inbound) bool { return in.Conversation.ID != m.home.ID })
}

func (m *editModel) running() (sqlite.RunningTurn, bool) {
	open, runs, err := m.db.Turns().FindRunning(m.Context(), m.home.ID)
	m.must(err)
	return open, runs
}

func (m *editModel) begin() bool {
	next, waits, err := m.db.Inbox().NextInbound(m.Context(), m.home.ID)
	m.must(err)
	if _, runs := m.running(); runs || !waits {
		return false
	}
	m.editStory.begin(next)
	return true
}

// step commits a step of a turn that calls a tool.
func (m *editModel) step() {
	open, runs := m.running()
	if !runs {
		return
	}
	m.correct(open.Turn)
	if rapid.Bool().Draw(m.rt, "takes") {
		m.take(open.Turn)
	}
	m.calls++
	call := fmt.Sprint("c", m.chat, "-", m.calls)
	_, err := m.db.Turns().CommitStep(m.Context(), step(open.Turn, "", call))
	m.must(err)
	_, err = m.db.Turns().CommitResult(m.Context(), open.Turn.ID, result(call, "milk"))
	m.must(err)
}

func (m *editModel) finish() {
	open, runs := m.running()
	if !runs {
		return
	}
	m.correct(open.Turn)
	if rapid.Bool().Draw(m.rt, "stopped") {
		m.story.finish(open.Turn, "Stopped.")
		return
	}
	_, err := m.db.Turns().CommitStep(m.Context(), step(open.Turn, "Done."))
	m.must(err)
	if rapid.Bool().Draw(m.rt, "changed after the last word") {
		m.edit()
	}
	m.story.finish(open.Turn, "Done.")
}

// press presses the button of an offer twice, as after a crash.
func (m *editModel) press() {
	for _, press := range strings.Fields(m.query(`SELECT buttons ->> '$[0][0].press' FROM outbox WHERE conversation = ? AND buttons <> ''`, m.home.ID)) {
		item := m.item("", press)
		item.Inbound.Kind, item.Inbound.Message, item.Attachments = supervisor.KindPress, "the offer", nil
		edited, _ := inbox.ParseNewAnswerPress(press)
		by := m.receive(item).Stored[0]
		first, ok := m.answerAnew(by, edited)
		again, _ := m.answerAnew(by, edited)
		if ok && first.ID != again.ID {
			m.rt.Errorf("%s is answered anew twice by one press", first.Text)
		}
	}
}

// drop drops all waiting texts, as /stop all does.
func (m *editModel) drop() {
	item := m.item("", "/stop all")
	item.Inbound.Kind, item.Inbound.Command, item.Inbound.Message, item.Attachments = supervisor.KindCommand, "stop", "", nil
	_, err := m.db.Inbox().DropWaitingTexts(m.Context(), m.receive(item).Stored[0].ID)
	m.must(err)
}

// settle runs all turns to their ends.
func (m *editModel) settle() {
	for more := true; more; {
		m.arrive(0)
		if more = m.begin(); !more {
			_, more = m.running()
		}
		m.finish()
	}
}

func (m *editModel) check() {
	if left := m.query(`SELECT count(*) FROM inbox WHERE conversation = ? AND kind = 'text' AND (state NOT IN ('answered', 'dropped') OR told IS NOT NULL)`,
		m.home.ID); left != "0" {
		m.rt.Errorf("%s are left", left)
	}
	answered := m.query(`SELECT count(*) FROM inbox WHERE conversation = ? AND kind = 'text' AND state = 'answered'`, m.home.ID)
	taken := m.query(`SELECT count(*) FROM message WHERE conversation = ? AND role = 'user' AND parts NOT LIKE '%Correction of my message%'`, m.home.ID)
	if answered != taken {
		m.rt.Errorf("%s messages are answered, and %s were read", answered, taken)
	}
	for _, message := range m.messages {
		// The query finds messages whose newest version was not read, not told to a turn, and not
		// offered. ReplacementNote is left out of the comparison.
		unheard := m.query(`SELECT i.text FROM inbox i WHERE i.id = (SELECT max(id) FROM inbox WHERE message = ?1 AND conversation = ?2) AND i.state = 'answered'
			AND NOT EXISTS (SELECT 1 FROM message m WHERE m.conversation = ?2 AND m.role = 'user' AND (instr(m.parts ->> '$[0].text', i.text)
				OR instr(m.parts ->> '$[0].text', 'now it reads: “' || substr(i.text, 1, instr(i.text || char(10), char(10)) - 1) || '”')))
			AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.inbound = i.id AND o.buttons <> '')`, message, m.home.ID)
		if unheard != "" {
			m.rt.Errorf("%s is not known to anybody: %s", unheard, m.rowsOf(message))
		}
	}
}
