// Package reply holds the answers that are being given: one Stream for each running turn, and the
// Watchers that show them.
//
// A stream keeps the latest text and not how it came to be. So a slow watcher costs no memory and
// delays nobody: it is told that there is something new, and looks when it can. What must not be
// missed is in the outbox; a watcher is only told to look there.
package reply

import (
	"slices"
	"strings"
	"sync"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

// Feeds are the conversations that somebody watches or answers in. The zero value is ready.
type Feeds struct {
	// Changed is called after each change of a conversation's reply, and when its outbox holds
	// something new. It must not block. nil is nobody; it is set before the first use.
	Changed func(conversation int64)

	mu    sync.Mutex      // guards what follows
	feeds map[int64]*feed // by conversation; dropped when nobody needs it
}

// feed is one conversation's.
type feed struct {
	streams  []*Stream // of the turns that run and answer there; the first is shown
	watchers map[*Watcher]struct{}
}

// shown is the stream that is shown, nil where no turn runs that answers there.
func (fd *feed) shown() *Stream {
	if fd == nil || len(fd.streams) == 0 {
		return nil
	}
	return fd.streams[0]
}

// Open begins the reply of a turn, where that answers. said is what earlier attempts at the turn
// have committed. The caller closes the stream.
func (f *Feeds) Open(turn supervisor.Turn, said string) *Stream {
	s := &Stream{feeds: f, turn: turn, said: said}
	s.update(func(fd *feed) { fd.streams = append(fd.streams, s) })
	return s
}

// Look is the reply that is being given in a conversation, if there is one: of several the first
// that began.
func (f *Feeds) Look(conversation int64) (supervisor.Reply, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.feeds[conversation].shown()
	if s == nil {
		return supervisor.Reply{}, false
	}
	return supervisor.Reply{Turn: s.turn, Text: s.visible(), Note: s.note, Tool: s.running()}, true
}

// Watch shows a conversation from now on. The caller closes the watcher.
func (f *Feeds) Watch(conversation int64) *Watcher {
	w := &Watcher{feeds: f, conversation: conversation, changed: make(chan struct{}, 1)}
	f.change(conversation, func(fd *feed) { fd.watchers[w] = struct{}{} })
	return w
}

// Delivery tells the watchers of a conversation that its outbox holds something new.
func (f *Feeds) Delivery(conversation int64) {
	f.update(conversation, func(fd *feed) {
		for w := range fd.watchers {
			w.outbox = true
		}
	})
}

// update changes a feed and tells whoever wants to know. change alone tells only its watchers.
func (f *Feeds) update(conversation int64, change func(*feed)) {
	f.change(conversation, change)
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
		signals.Send(w.changed)
	}
}

// Stream is one turn's reply as it grows. Its methods may be called from any goroutine and never
// block.
type Stream struct {
	feeds   *Feeds // whose mutex guards what follows
	turn    supervisor.Turn
	said    string               // by committed steps
	ahead   string               // of what the unfinished step says; no model has said it
	partial []byte               // by the unfinished step
	note    string               // why nothing comes; no part of the reply
	tools   []supervisor.ToolRun // those that run, the one that began first at first
}

// running is the tool that has run longest. The caller has the mutex.
func (s *Stream) running() supervisor.ToolRun {
	if len(s.tools) == 0 {
		return supervisor.ToolRun{}
	}
	return s.tools[0]
}

// Add appends what the model has just said.
func (s *Stream) Add(text string) {
	s.update(func(*feed) { s.partial, s.note, s.tools = append(s.partial, text...), "", nil })
}

// Commit ends a step: text is what it said, whole.
func (s *Stream) Commit(text string) {
	s.set(func() { s.said, s.ahead, s.partial, s.note, s.tools = Join(s.said, text), "", nil, "", nil })
}

// Reset drops what the unfinished step has said: the step will be made again.
func (s *Stream) Reset() { s.Begin("") }

// Begin begins a step, and drops what one that did not end has said. ahead stands before what the
// step says; "" is nothing.
func (s *Stream) Begin(ahead string) {
	s.set(func() { s.ahead, s.partial, s.note, s.tools = ahead, nil, "", nil })
}

// Note shows below the reply why nothing comes. It is no part of the reply, and goes with what
// comes next.
func (s *Stream) Note(text string) { s.set(func() { s.note = text }) }

// set changes the reply, and tells of it where that shows.
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

// Tool shows a line about a tool. Tools that have begun and not ended run, until the model says
// something.
func (s *Stream) Tool(event protocol.TurnEvent) {
	s.update(func(fd *feed) {
		s.runTool(event)
		for w := range fd.watchers {
			if fd.shown() == s {
				w.tool(event)
			}
		}
	})
}

// runTool keeps which tools run. The caller has the mutex.
func (s *Stream) runTool(event protocol.TurnEvent) {
	is := func(run supervisor.ToolRun) bool { return run.Call == event.Call }
	switch {
	case event.Kind == protocol.ToolEnded:
		s.tools = slices.DeleteFunc(s.tools, is)
	case event.Kind == protocol.ToolBegan && len(s.tools) < maxToolLines && !slices.ContainsFunc(s.tools, is):
		s.tools = append(s.tools, supervisor.ToolRun{Call: event.Call, Tool: event.Tool, Text: event.Text})
	}
}

// Text is the whole reply so far; partial is its part that no step has committed.
func (s *Stream) Text() (text, partial string) {
	s.feeds.mu.Lock()
	defer s.feeds.mu.Unlock()
	return s.text(), string(s.partial)
}

// With is the whole reply as it is once a step has said text.
func (s *Stream) With(text string) string {
	s.feeds.mu.Lock()
	defer s.feeds.mu.Unlock()
	return Join(s.said, text)
}

// text is the whole reply so far. The caller has the mutex.
func (s *Stream) text() string { return Join(s.said, s.ahead, string(s.partial)) }

// visible is what is to be seen of the reply. The caller has the mutex.
func (s *Stream) visible() string { return Join(s.text(), s.note) }

func (s *Stream) update(change func(*feed)) { s.feeds.update(shownIn(s.turn), change) }

// shownIn is the conversation in which a turn's reply is seen to grow. That of a job's is not: it
// may have nothing to say.
func shownIn(t supervisor.Turn) int64 {
	if t.Kind == supervisor.TurnJob {
		return t.Conversation.ID
	}
	return t.AnswersIn().ID
}

// Close ends the reply; what is left to show of it is in the outbox.
func (s *Stream) Close() {
	s.update(func(fd *feed) {
		fd.streams = slices.DeleteFunc(fd.streams, func(other *Stream) bool { return other == s })
		for w := range fd.watchers {
			w.outbox = true
		}
	})
	if to := s.turn.AnswersIn().ID; to != shownIn(s.turn) {
		s.feeds.Delivery(to)
	}
}

// Join is a reply of several steps: each text that is not empty is a paragraph.
func Join(steps ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(steps), func(s string) bool { return s == "" }), "\n\n")
}
