package hostcall

import (
	"fmt"
	"time"

	"mews/protocol"
)

const (
	maxEventText = 300 // bytes of a tool's line that are shown
	maxName      = 64  // bytes of a call's id; ours are far shorter

	// Lines of all turns of a worker: so many a second, and so many at once. An eye follows no more.
	eventRate  = 200
	eventBurst = 400
)

var eventKinds = map[protocol.EventKind]bool{
	protocol.ToolBegan: true, protocol.ToolProgressed: true, protocol.ToolEnded: true,
}

// showEvent passes a tool's line on to whoever watches. Where the lines come too fast, those that only say how far a tool
// has come are dropped.
func showEvent(d *Conn, t *turn, event *protocol.TurnEvent) error {
	switch {
	case len(event.Call) > maxName:
		return fmt.Errorf("call: %d bytes, at most %d", len(event.Call), maxName)
	case !eventKinds[event.Kind]:
		return fmt.Errorf("kind: %q is none", printable(string(event.Kind), maxName))
	}
	if !d.events.take(d.now()) && event.Kind == protocol.ToolProgressed {
		return nil
	}
	event.Text = printable(event.Text, maxEventText)
	event.Tool = printable(event.Tool, maxName)
	event.Call = printable(event.Call, maxName)
	t.Reply.Tool(*event)
	return nil
}

// tokenBucket holds eventBurst tokens at first and at most, and gets eventRate a second. It belongs to the goroutine that
// reads the worker's notifications.
type tokenBucket struct {
	spent float64 // tokens that are missing
	at    time.Time
}

// take takes a token, or says that there is none.
func (b *tokenBucket) take(now time.Time) bool {
	if passed := now.Sub(b.at); passed > 0 {
		b.spent = max(0, b.spent-eventRate*passed.Seconds())
		b.at = now
	}
	if b.spent+1 > eventBurst {
		return false
	}
	b.spent++
	return true
}
