package control

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/reply"
)

const (
	// listLimit is how many deliveries are read from the outbox at once.
	listLimit = 50
	// maxText is how much of a text that is too long for a line of the wire goes over it, in bytes. JSON makes six of a
	// control character, and the line has 1 MiB.
	maxText = 128 << 10
)

// serve delivers and shows to an attached client until ctx ends, which is when its connection does.
func (c *serverConn) serve(ctx context.Context) {
	defer c.conn.Close(nil)
	j, ok := c.awaitAttach(ctx)
	if !ok {
		return
	}
	watcher := c.o.Feeds.Watch(j.conversation)
	defer watcher.Close()
	f := &follower{serverConn: c, conversation: j.conversation, after: j.after}
	err := f.follow(ctx, j.start, watcher)
	if ctx.Err() == nil && !errors.Is(err, protocol.ErrClosed) {
		c.o.Log.Warn("deliver to a terminal", "uid", c.uid, "error", err)
	}
}

// awaitAttach waits until the client attaches. One that holds a place and does nothing with it is not waited for: it has to ask
// for something soon, and to attach in a while.
func (c *serverConn) awaitAttach(ctx context.Context) (j position, ok bool) {
	silent := time.NewTimer(min(c.o.FirstCallTimeout, c.o.CallTimeout))
	defer silent.Stop()
	select {
	case <-c.called:
	case <-silent.C:
		return j, false
	case <-ctx.Done():
		return j, false
	}
	idle := time.NewTimer(c.o.CallTimeout)
	defer idle.Stop()
	select {
	case j = <-c.attachedAt:
		return j, true
	case <-idle.C:
	case <-ctx.Done():
	}
	return j, false
}

// follower takes a client along a conversation.
type follower struct {
	*serverConn
	conversation  int64
	after         int64      // the newest delivery that the client has
	deliveredTurn int64      // the newest turn whose answer the client has
	lastShown     shownReply // what it was shown of the running reply
}

// follow catches up and then goes along. An answer is delivered before anything of the next turn is shown.
func (f *follower) follow(ctx context.Context, start int64, watcher *reply.Watcher) error {
	if err := f.catchUp(ctx, start); err != nil {
		return err
	}
	for first := true; ; first = false {
		update, err := watcher.Next(ctx)
		if err != nil {
			return err
		}
		if _, err := f.activeConversation(); err != nil {
			return err
		}
		if first || update.Outbox {
			if err := f.deliverAll(ctx); err != nil {
				return err
			}
		}
		if err := f.present(ctx, update); err != nil {
			return err
		}
	}
}

// catchUp gives the client what nobody has taken, up to start. First comes once more what it has already: the supervisor
// may have ended between its answer and the commit of that.
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
	for f.after < start {
		list, err := f.o.Outbox.Pending(ctx, f.conversation, f.after, listLimit)
		if err != nil {
			return err
		}
		due := upTo(list, start)
		if err := f.deliver(ctx, due); err != nil {
			return err
		}
		if len(due) < listLimit {
			f.after = start
		}
	}
	return nil
}

// upTo is the beginning of a list, to the delivery with an id.
func upTo(list []supervisor.Delivery, id int64) []supervisor.Delivery {
	for i, d := range list {
		if d.ID > id {
			return list[:i]
		}
	}
	return list
}

// deliverAll gives the client all that it does not have.
func (f *follower) deliverAll(ctx context.Context) error {
	for {
		list, err := f.o.Outbox.List(ctx, f.conversation, f.after, listLimit)
		if err != nil {
			return err
		}
		if err := f.deliver(ctx, list); err != nil {
			return err
		}
		if len(list) < listLimit {
			return nil
		}
	}
}

// deliver gives the client deliveries, one after the other, each once the one before it has been answered.
func (f *follower) deliver(ctx context.Context, list []supervisor.Delivery) error {
	for _, d := range list {
		answer, err := f.offer(ctx, d)
		if err != nil {
			return fmt.Errorf("delivery %d: %w", d.ID, err)
		}
		if answer.Taken {
			if err := f.o.Outbox.Delivered(ctx, d.ID); err != nil {
				return err
			}
		}
		f.after, f.deliveredTurn = d.ID, max(f.deliveredTurn, d.Turn)
	}
	return nil
}

// offer sends a delivery. One that is too long for a line goes as far as it fits; the whole of it stays in the outbox.
func (f *follower) offer(ctx context.Context, d supervisor.Delivery) (answer Delivered, err error) {
	ctx, cancel := context.WithTimeout(ctx, f.o.CallTimeout)
	defer cancel()
	wire := Delivery{ID: d.ID, Inbound: d.Inbound, Key: d.Key, Also: d.AlsoKeys, Kind: d.Kind, Why: d.Why, Text: d.Text, At: d.CreatedAt,
		Buttons: d.Buttons}
	for _, file := range d.Files {
		wire.Files = append(wire.Files, File{Name: file.Name, Size: file.Size, MediaType: file.MediaType, Caption: file.Caption})
	}
	err = f.conn.Call(ctx, MethodDeliver, wire, &answer)
	if errors.Is(err, protocol.ErrTooLong) {
		wire.Text = fmt.Sprintf("%s\n\n(This is the beginning of %d KiB; the rest is too long to be shown here.)",
			cut(d.Text, maxText), len(d.Text)>>10)
		err = f.conn.Call(ctx, MethodDeliver, wire, &answer)
	}
	return answer, err
}

// present shows what happens at the moment. Of a turn whose answer was delivered nothing is left to show.
func (f *follower) present(ctx context.Context, update reply.Update) error {
	if update.Turn <= f.deliveredTurn {
		update = reply.Update{}
	}
	show, changed := f.lastShown.next(update)
	if !changed {
		return nil
	}
	err := f.conn.Notify(ctx, MethodShow, show)
	if errors.Is(err, protocol.ErrTooLong) { // it is the tools' lines, which may be missed
		show.Tools = nil
		err = f.conn.Notify(ctx, MethodShow, show)
	}
	return err
}

// shownReply is what a client has been shown of the running reply.
type shownReply struct {
	turn int64
	text string
}

// next is what has changed since, and whether that is anything.
func (s *shownReply) next(u reply.Update) (Show, bool) {
	was := *s
	s.turn, s.text = u.Turn, cut(u.Text, maxText)
	show := Show{Turn: u.Turn, Inbound: u.Inbound, Text: s.text}
	if u.Turn == was.turn && strings.HasPrefix(s.text, was.text) {
		show.Offset, show.Text = len(was.text), s.text[len(was.text):]
	}
	for _, t := range u.Tools {
		show.Tools = append(show.Tools, ToolLine{Call: t.Call, Tool: t.Tool, State: string(t.Kind), Text: t.Text, Failed: t.Failed})
	}
	return show, show.Turn != was.turn || show.Text != "" || show.Offset < len(was.text) || len(show.Tools) > 0
}

// cut is the beginning of a text, at most so many bytes of it and no half character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
