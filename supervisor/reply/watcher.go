package reply

import (
	"context"

	"mews/protocol"
)

// maxToolLines is how many tool lines wait for a slow watcher. Older lines are dropped, because
// tool lines only show the moment.
const maxToolLines = 64

// Watcher shows one conversation to one client. Only one goroutine may wait for its updates.
type Watcher struct {
	feeds        *Feeds // the mutex of feeds also guards outbox and tools
	conversation int64
	changed      chan struct{} // holds one token if there is something new
	outbox       bool
	tools        []protocol.TurnEvent
}

// ReplyUpdate is the present state of a conversation, for a watcher to show.
type ReplyUpdate struct {
	Turn    int64 // the running turn; 0 if none runs
	Inbound int64 // the inbound that the turn answers
	Text    string
	Tools   []protocol.TurnEvent // tool lines since the last update
	Outbox  bool                 // whether the outbox may hold something new
}

// NextUpdate waits for a change. It returns the cause when ctx ends.
func (w *Watcher) NextUpdate(ctx context.Context) (ReplyUpdate, error) {
	select {
	case <-ctx.Done():
		return ReplyUpdate{}, context.Cause(ctx)
	case <-w.changed:
		return w.take(), nil
	}
}

// Close ends the watcher.
func (w *Watcher) Close() {
	w.feeds.change(w.conversation, func(fd *feed) { delete(fd.watchers, w) })
}

func (w *Watcher) take() ReplyUpdate {
	w.feeds.mu.Lock()
	defer w.feeds.mu.Unlock()
	u := ReplyUpdate{Tools: w.tools, Outbox: w.outbox}
	w.tools, w.outbox = nil, false
	if s := w.feeds.feeds[w.conversation].shown(); s != nil {
		u.Turn, u.Inbound, u.Text = s.turn.ID, s.turn.Inbound, s.visible()
	}
	return u
}

func (w *Watcher) tool(event protocol.TurnEvent) {
	if len(w.tools) == maxToolLines {
		w.tools = append(w.tools[:0:0], w.tools[1:]...)
	}
	w.tools = append(w.tools, event)
}
