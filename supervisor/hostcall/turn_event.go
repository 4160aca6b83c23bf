package hostcall

import (
	"fmt"

	"mews/protocol"
	"mews/supervisor/feature"
)

const (
	maxEventText = 300 // bytes of a tool's line that are shown

	// Lines of progress of all turns of a worker: a second, and at once. Nobody can read more.
	eventRate  = 200
	eventBurst = 400
)

var eventRows = []row{
	{method: protocol.MethodTurnEvent, phase: inTurn, kinds: withHome, limit: 10_000, handler: turnNote((*turn).showEvent)},
}

var eventKinds = map[protocol.EventKind]bool{
	protocol.ToolBegan: true, protocol.ToolProgressed: true, protocol.ToolEnded: true,
}

// showEvent passes a tool's line on to whoever watches. Where lines come too fast, lines of
// progress are dropped.
func (t *turn) showEvent(event *protocol.TurnEvent) error {
	switch {
	case len(event.Call) > maxName:
		return feature.Offence{Err: fmt.Errorf("call: %d bytes, at most %d", len(event.Call), maxName)}
	case !eventKinds[event.Kind]:
		return feature.Offence{Err: fmt.Errorf("kind: %q is none", printable(string(event.Kind), maxName))}
	}
	if !t.events.AllowN(t.now(), 1) && event.Kind == protocol.ToolProgressed {
		return nil
	}
	event.Text = printable(event.Text, maxEventText)
	event.Tool = printable(event.Tool, maxName)
	event.Call = printable(event.Call, maxName)
	t.Reply.Tool(*event)
	return nil
}
