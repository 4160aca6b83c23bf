package control

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/reply"
)

const (
	// listLimit is how many deliveries are read from the outbox at once.
	listLimit = 50
	// maxText limits a text that is too long for a line of the wire, in bytes. A line has 1 MiB,
	// and JSON needs six bytes for a control character.
	maxText = 128 << 10
)

// serve sends deliveries and progress to the client after it has attached. It returns when ctx
// ends.
func (c *serverConn) serve(ctx context.Context) {
	defer c.conn.Close(nil)
	p, ok := c.awaitAttach(ctx)
	if !ok {
		return
	}
	watcher := c.o.Feeds.WatchConversation(p.conversation)
	defer watcher.Close()
	f := &follower{serverConn: c, conversation: p.conversation, after: p.after, line: p.line}
	err := f.follow(ctx, p.start, watcher)
	if ctx.Err() == nil && !errors.Is(err, protocol.ErrClosed) {
		c.o.Log.Warn("deliver to a terminal", "uid", c.uid, "error", err)
	}
}

// awaitAttach waits until the client attaches. The client must make its first call within
// FirstCallTimeout, and attach within CallTimeout after that. So idle connections do not use up the
// limit of connections.
func (c *serverConn) awaitAttach(ctx context.Context) (p position, ok bool) {
	deadline := time.NewTimer(min(c.o.FirstCallTimeout, c.o.CallTimeout))
	defer deadline.Stop()
	called := c.called
	for {
		select {
		case <-called:
			called = nil
			deadline.Reset(c.o.CallTimeout)
		case p = <-c.attachedAt:
			return p, true
		case <-deadline.C:
			return p, false
		case <-ctx.Done():
			return p, false
		}
	}
}

// follower keeps a client up to date with a conversation.
type follower struct {
	*serverConn
	conversation  int64
	after         int64      // the newest delivery that the client has
	deliveredTurn int64      // the newest turn whose answer the client has
	line          int64      // the newest line that the client has
	lastShown     shownReply // the part of the running reply that the client has
}

// follow sends missed deliveries, and then new deliveries and progress. An answer is delivered
// before any progress of the next turn.
func (f *follower) follow(ctx context.Context, start int64, watcher *reply.Watcher) error {
	if err := f.catchUp(ctx, start); err != nil {
		return err
	}
	for first := true; ; first = false {
		update, err := watcher.NextUpdate(ctx)
		if err != nil {
			return err
		}
		if _, err := f.activeConversation(); err != nil {
			return err
		}
		if first || update.Outbox {
			if err := f.deliverAll(ctx, f.o.Outbox.List, math.MaxInt64); err != nil {
				return err
			}
		}
		if err := f.sendLines(ctx, time.Time{}); err != nil {
			return err
		}
		if err := f.present(ctx, update); err != nil {
			return err
		}
	}
}

// catchUp delivers the messages up to start that no client has taken. The client's newest delivery
// is sent again: the supervisor may have ended before it committed the client's answer.
func (f *follower) catchUp(ctx context.Context, start int64) error {
	if f.after > 0 {
		list, err := f.o.Outbox.List(ctx, f.conversation, f.after-1, 1)
		if err != nil {
			return err
		}
		if err := f.deliver(ctx, upTo(list, f.after)); err != nil {
			return err
		}
	}
	if f.after >= start {
		return nil
	}
	err := f.deliverAll(ctx, f.o.Outbox.ListPending, start)
	f.after = start
	return err
}

// upTo returns the beginning of a list, up to and including the delivery with the given ID.
func upTo(list []supervisor.Delivery, id int64) []supervisor.Delivery {
	for i, d := range list {
		if d.ID > id {
			return list[:i]
		}
	}
	return list
}

// deliverAll delivers the deliveries of a list after the client's newest, up to the ID last.
func (f *follower) deliverAll(ctx context.Context, list func(ctx context.Context, conversation, after int64, limit int) ([]supervisor.Delivery, error),
	last int64) error {
	for {
		page, err := list(ctx, f.conversation, f.after, listLimit)
		if err != nil {
			return err
		}
		page = upTo(page, last)
		if err := f.deliver(ctx, page); err != nil || len(page) < listLimit {
			return err
		}
	}
}

// deliver delivers a list in order. Before each delivery, the client must have answered the
// previous one.
func (f *follower) deliver(ctx context.Context, list []supervisor.Delivery) error {
	for _, d := range list {
		if err := f.sendLines(ctx, d.CreatedAt); err != nil {
			return err
		}
		if len(d.Effects) > 0 { // the lines of effects change when the client takes the files before the answer
			now, err := f.o.Outbox.List(ctx, f.conversation, d.ID-1, 1)
			if err != nil {
				return err
			}
			for _, same := range upTo(now, d.ID) {
				d.Effects = same.Effects
			}
		}
		answer, err := f.offer(ctx, d)
		if err != nil {
			return fmt.Errorf("delivery %d: %w", d.ID, err)
		}
		if answer.Taken {
			if err := f.o.Outbox.MarkDelivered(ctx, d.ID); err != nil {
				return err
			}
		}
		f.after, f.deliveredTurn = d.ID, max(f.deliveredTurn, d.Turn)
	}
	return nil
}

// offer sends a delivery. If the text is too long for a line, offer sends only its beginning; the
// whole text stays in the outbox.
func (f *follower) offer(ctx context.Context, d supervisor.Delivery) (answer DeliverResult, err error) {
	ctx, cancel := context.WithTimeout(ctx, f.o.CallTimeout)
	defer cancel()
	wire := Delivery{ID: d.ID, Inbound: d.Inbound, Key: d.Key, Also: d.AlsoKeys, Kind: d.Kind, Why: d.TurnEnd, Text: d.Text, At: d.CreatedAt,
		Buttons: d.Buttons, Asks: d.IsQuestion, Effects: d.Effects}
	for _, file := range d.Files {
		wire.Files = append(wire.Files, File{Name: file.Name, Size: file.Size, MediaType: file.MediaType, Caption: file.Caption, Path: file.Path})
	}
	err = f.conn.Call(ctx, MethodDeliver, wire, &answer)
	if errors.Is(err, protocol.ErrLineTooLong) {
		wire.Text = fmt.Sprintf(textCut, cut(d.Text, maxText), len(d.Text)>>10)
		err = f.conn.Call(ctx, MethodDeliver, wire, &answer)
	}
	return answer, err
}

// present sends progress to the client, except for a turn whose answer was already delivered.
func (f *follower) present(ctx context.Context, update reply.ReplyUpdate) error {
	if update.Turn <= f.deliveredTurn {
		update = reply.ReplyUpdate{}
	}
	show, changed := f.lastShown.next(update)
	if !changed {
		return nil
	}
	err := f.conn.Notify(ctx, MethodProgress, show)
	if errors.Is(err, protocol.ErrLineTooLong) { // the lines about tools are too long; clients may miss progress
		show.Tools = nil
		err = f.conn.Notify(ctx, MethodProgress, show)
	}
	return err
}

// shownReply is the part of the running reply that the client has got.
type shownReply struct {
	turn int64
	text string
}

// next returns the changes of the reply since the last call. It returns false if nothing changed.
func (s *shownReply) next(u reply.ReplyUpdate) (Progress, bool) {
	was := *s
	s.turn, s.text = u.Turn, cut(u.Text, maxText)
	show := Progress{Turn: u.Turn, Inbound: u.Inbound, Text: s.text}
	if u.Turn == was.turn && strings.HasPrefix(s.text, was.text) {
		show.Offset, show.Text = len(was.text), s.text[len(was.text):]
	}
	for _, t := range u.Tools {
		show.Tools = append(show.Tools, ToolLine{Call: t.Call, Tool: t.Tool, State: string(t.Kind), Text: t.Text, Failed: t.Failed})
	}
	return show, show.Turn != was.turn || show.Text != "" || show.Offset < len(was.text) || len(show.Tools) > 0
}

// cut returns the beginning of a text: at most the given number of bytes, without a partial
// character.
func cut(text string, most int) string {
	return strings.ToValidUTF8(text[:min(most, len(text))], "")
}
