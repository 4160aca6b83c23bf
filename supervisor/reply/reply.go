// Package reply holds the answers of running turns: one Stream for each turn, and the Watchers that
// show it.
//
// A stream keeps only its latest text. So a slow watcher costs no memory and delays nobody: it
// learns of a change, and reads the text when it can. Messages that must arrive are in the outbox;
// a watcher only learns that there is something to read.
package reply

import (
	"slices"
	"strings"
	"sync"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

// Feeds holds the conversations that have a watcher or a running answer. The zero value is ready.
type Feeds struct {
	// Changed is called after each change of a conversation's reply, and when its outbox has
	// something new. It must not block. nil is allowed. Set it before the first use.
	Changed func(conversation int64)

	mu    sync.Mutex      // guards the fields below
	feeds map[int64]*feed // feeds by the id of their conversation; a feed without watchers and streams is removed
}

// feed is the state of one conversation.
type feed struct {
	streams  []*Stream // streams of the running turns that answer in this conversation; the first is shown
	watchers map[*Watcher]struct{}
}

// shown returns the shown stream, or nil if no running turn answers here.
func (fd *feed) shown() *Stream {
	if fd == nil || len(fd.streams) == 0 {
		return nil
	}
	return fd.streams[0]
}

// OpenStream begins the reply of a turn, in the conversation of its answer. said is the committed
// text of earlier attempts. The caller closes the stream.
func (f *Feeds) OpenStream(turn supervisor.Turn, said string) *Stream {
	return f.open(&Stream{turn: turn, said: said})
}

// OpenHiddenStream is like OpenStream, but does not show the reply while it grows.
func (f *Feeds) OpenHiddenStream(turn supervisor.Turn, said string) *Stream {
	return f.open(&Stream{turn: turn, said: said, hidden: true})
}

func (f *Feeds) open(s *Stream) *Stream {
	s.feeds = f
	s.update(func(fd *feed) { fd.streams = append(fd.streams, s) })
	return s
}

// CurrentReply returns the current reply in a conversation, if any. If there are several replies,
// it returns the oldest.
func (f *Feeds) CurrentReply(conversation int64) (supervisor.Reply, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.feeds[conversation].shown()
	if s == nil {
		return supervisor.Reply{}, false
	}
	return supervisor.Reply{Turn: s.turn, Text: s.visible(), Note: s.note, Tool: s.running()}, true
}

// WatchConversation returns a watcher of a conversation. The caller closes the watcher.
func (f *Feeds) WatchConversation(conversation int64) *Watcher {
	w := &Watcher{feeds: f, conversation: conversation, changed: make(chan struct{}, 1)}
	f.change(conversation, func(fd *feed) { fd.watchers[w] = struct{}{} })
	return w
}

// NotifyDelivery tells the watchers of a conversation that its outbox has something new.
func (f *Feeds) NotifyDelivery(conversation int64) {
	f.update(conversation, func(fd *feed) {
		for w := range fd.watchers {
			w.outbox = true
		}
	})
}

// NotifyLine wakes the watchers of a conversation, because a user's line was stored.
func (f *Feeds) NotifyLine(conversation int64) { f.change(conversation, func(*feed) {}) }

// update edits a feed and wakes its watchers, like the method change. Then it also calls f.Changed.
func (f *Feeds) update(conversation int64, edit func(*feed)) {
	f.change(conversation, edit)
	if f.Changed != nil {
		f.Changed(conversation)
	}
}

func (f *Feeds) change(conversation int64, change func(*feed)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fd := f.feeds[conversation]
	if fd == nil {
		fd = &feed{watchers: map[*Watcher]struct{}{}}
	}
	change(fd)
	if len(fd.streams) == 0 && len(fd.watchers) == 0 {
		delete(f.feeds, conversation)
		return
	}
	if f.feeds == nil {
		f.feeds = map[int64]*feed{}
	}
	f.feeds[conversation] = fd
	for w := range fd.watchers {
		signals.SendToken(w.changed)
	}
}

// Stream is one turn's reply as it grows. Its methods may be called from any goroutine and never
// block.
type Stream struct {
	feeds   *Feeds // the mutex of feeds also guards the fields below
	turn    supervisor.Turn
	said    string               // the text of committed steps
	ahead   string               // text before the unfinished step's text, not written by a model
	partial []byte               // the text of the unfinished step
	note    string               // why the reply is delayed; not a part of the reply
	tools   []supervisor.ToolRun // running tools, the oldest first
	hidden  bool                 // the reply is not shown while it grows
}

// running returns the tool that has run longest. The caller holds the mutex.
func (s *Stream) running() supervisor.ToolRun {
	if len(s.tools) == 0 {
		return supervisor.ToolRun{}
	}
	return s.tools[0]
}

// AppendText appends a piece of the model's text.
func (s *Stream) AppendText(text string) {
	s.update(func(*feed) { s.partial, s.note, s.tools = append(s.partial, text...), "", nil })
}

// CommitStep ends a step; text is its whole text.
func (s *Stream) CommitStep(text string) {
	s.set(func() { s.said, s.ahead, s.partial, s.note, s.tools = JoinSteps(s.said, text), "", nil, "", nil })
}

// ResetStep drops the text of the unfinished step, which will be repeated.
func (s *Stream) ResetStep() { s.BeginStep("") }

// BeginStep begins a step, and drops the text of an unfinished step. ahead comes before the new
// step's text; "" means nothing.
func (s *Stream) BeginStep(ahead string) {
	s.set(func() { s.ahead, s.partial, s.note, s.tools = ahead, nil, "", nil })
}

// ShowNote shows below the reply why it is delayed. The note is not a part of the reply, and
// disappears with the next text.
func (s *Stream) ShowNote(text string) { s.set(func() { s.note = text }) }

// Hide stops showing the reply while it grows. Its text is kept for the answer.
func (s *Stream) Hide() { s.set(func() { s.hidden, s.tools = true, nil }) }

// set changes the reply, and notifies watchers if the visible text changes.
func (s *Stream) set(change func()) {
	s.feeds.mu.Lock()
	shown := s.visible()
	change()
	changed := s.visible() != shown
	s.feeds.mu.Unlock()
	if changed {
		s.update(func(*feed) {})
	}
}

// ShowTool shows a line about a tool. A tool counts as running from its begin to its end, or until
// the model writes text.
func (s *Stream) ShowTool(event protocol.TurnEvent) {
	s.update(func(fd *feed) {
		if s.hidden {
			return
		}
		s.runTool(event)
		for w := range fd.watchers {
			if fd.shown() == s {
				w.tool(event)
			}
		}
	})
}

// runTool updates the list of running tools. The caller holds the mutex.
func (s *Stream) runTool(event protocol.TurnEvent) {
	is := func(run supervisor.ToolRun) bool { return run.Call == event.Call }
	switch {
	case event.Kind == protocol.EventToolEnded:
		s.tools = slices.DeleteFunc(s.tools, is)
	case event.Kind == protocol.EventToolBegan && len(s.tools) < maxToolLines && !slices.ContainsFunc(s.tools, is):
		s.tools = append(s.tools, supervisor.ToolRun{Call: event.Call, Tool: event.Tool, Text: event.Text})
	}
}

// Text returns the whole reply so far; partial is its uncommitted part.
func (s *Stream) Text() (text, partial string) {
	s.feeds.mu.Lock()
	defer s.feeds.mu.Unlock()
	return s.text(), string(s.partial)
}

// TextWithStep returns the whole reply after a step with that text.
func (s *Stream) TextWithStep(text string) string {
	s.feeds.mu.Lock()
	defer s.feeds.mu.Unlock()
	return JoinSteps(s.said, text)
}

// text returns the whole reply so far. The caller holds the mutex.
func (s *Stream) text() string { return JoinSteps(s.said, s.ahead, string(s.partial)) }

// visible returns the text to show. The caller holds the mutex.
func (s *Stream) visible() string {
	if s.hidden {
		return s.note
	}
	return JoinSteps(s.text(), s.note)
}

func (s *Stream) update(change func(*feed)) { s.feeds.update(shownIn(s.turn), change) }

// shownIn returns the conversation that shows a turn's reply as it grows. A job's reply is not
// shown, because the job may end without a message.
func shownIn(t supervisor.Turn) int64 {
	if t.Kind == supervisor.TurnJob {
		return t.Conversation.ID
	}
	return t.AnswerConversation().ID
}

// Close ends the reply; its final text is in the outbox.
func (s *Stream) Close() {
	s.update(func(fd *feed) {
		fd.streams = slices.DeleteFunc(fd.streams, func(other *Stream) bool { return other == s })
		for w := range fd.watchers {
			w.outbox = true
		}
	})
	if to := s.turn.AnswerConversation().ID; to != shownIn(s.turn) {
		s.feeds.NotifyDelivery(to)
	}
}

// JoinSteps joins the texts of several steps. Each text that is not empty becomes a paragraph.
func JoinSteps(steps ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(steps), func(s string) bool { return s == "" }), "\n\n")
}
