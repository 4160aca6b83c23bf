package filehistory

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/internal/presses"
	"mews/supervisor/markdown"
	"mews/supervisor/slash"
)

// Actions of the buttons. A button about a version names the command's inbound, from which the path
// and the moment are read again. It also names a point; 0 means the moment of the command.
const (
	pressShow    = "look"
	pressCompare = "diff"
	pressAsk     = "ask" // previews a restore
	pressPutBack = "put"
	pressCopy    = "copy"
	pressOlder   = "older" // lists versions before the point
	pressLeave   = "leave"
	pressUndo    = "undo"  // takes back what was restored between two points
	pressForce   = "force" // does that also for files that have changed since
)

// keepsButtons reports whether a message keeps its buttons after a press.
func keepsButtons(press string) bool {
	p, _ := presses.ParseFileHistoryPress(press)
	return p.Action == pressShow || p.Action == pressCompare || p.Action == pressAsk
}

// maxListed is the most versions in an answer, because each has a row of buttons.
const maxListed = 8

// command runs `/history files`.
func (h *FileHistory) command(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	asked, err := parseRequest(r.Arguments, r.At.In(h.Zone(r.Conversation.User)))
	switch {
	case err != nil:
		return d, err
	case asked.at.IsZero():
		return h.list(ctx, r, asked, r.Inbound, 0)
	}
	return h.preview(ctx, r, asked, r.Inbound, 0)
}

// press runs the action of a button.
func (h *FileHistory) press(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	p, ok := presses.ParseFileHistoryPress(r.Arguments)
	switch {
	case !ok:
		return supervisor.Delivery{Text: feature.DeadButtonText}, nil
	case r.Conversation.IsInGroup():
		return supervisor.Delivery{Text: textInGroup}, nil
	case p.Action == pressLeave:
		return supervisor.Delivery{Text: textLeftAlone}, nil
	case p.Action == pressUndo || p.Action == pressForce:
		return h.takeBack(ctx, r, protocol.HistorySpan{From: p.First, To: p.Second, Nonce: p.Nonce},
			p.Action == pressForce)
	}
	run, known := map[string]func(context.Context, feature.CommandRequest, request, int64,
		int64) (supervisor.Delivery, error){
		pressShow: h.showVersion, pressCompare: h.compare, pressAsk: h.preview, pressPutBack: h.putBack,
		pressCopy:  h.copyBack,
		pressOlder: h.list}[p.Action]
	asked, found, err := h.find(ctx, r, p.First)
	if err != nil || !known || !found {
		return supervisor.Delivery{Text: feature.DeadButtonText}, err
	}
	asked.nonce = p.Nonce
	return run(ctx, r, asked, p.First, p.Second)
}

// find reads the request of an earlier command again.
func (h *FileHistory) find(ctx context.Context, r feature.CommandRequest, inbound int64) (asked request, ok bool,
	err error) {
	in, ok, err := h.Sent.Find(ctx, r.Conversation.User, inbound)
	if err != nil || !ok {
		return asked, false, err
	}
	command, arguments := slash.Parse(in.Text)
	name, rest, _ := strings.Cut(arguments, " ")
	if command != commandName || !strings.EqualFold(strings.TrimSpace(name), SubcommandName) {
		return asked, false, nil
	}
	asked, err = parseRequest(rest, in.ReceivedAt.In(h.Zone(r.Conversation.User)))
	return asked, err == nil, nil
}

// list lists versions before a point; 0 means the newest.
func (h *FileHistory) list(ctx context.Context, r feature.CommandRequest, asked request, inbound, before int64) (
	d supervisor.Delivery, err error) {
	result, err := h.run(ctx, r.Conversation.User, 0,
		protocol.FileHistoryParameters{Action: protocol.FileHistoryVersions,
			Path: asked.path, Before: before})
	if err != nil {
		return d, err
	}
	zone := h.Zone(r.Conversation.User)
	last, shown := int64(0), 0
	if asked.path == "." {
		d.Text, last, shown = changesText(result.Versions, zone)
	} else if shown = min(len(result.Versions), maxListed); shown > 0 {
		d.Text, last = fmt.Sprintf(textVersions, markdown.EscapeName(asked.path)), result.Versions[shown-1].Point
		for i, v := range result.Versions[:shown] {
			at := v.At.In(zone)
			d.Text += fmt.Sprintf(textVersionLine, i+1, at.Format(timeLayout),
				authorText(v, at, markdown.EscapeName), stateText(v))
			if row := versionButtons(i+1, v, inbound); len(row) > 0 {
				d.Buttons = append(d.Buttons, row)
			}
		}
	} else {
		d.Text = fmt.Sprintf(textNoVersions, markdown.EscapeName(asked.path))
	}
	if shown > 0 && (result.More || shown < len(result.Versions)) {
		d.Buttons = append(d.Buttons, []supervisor.Button{{Text: textOlder,
			Press: presses.FileHistoryPress{Action: pressOlder, First: inbound, Second: last}.String()}})
	}
	return d, nil
}

// maxChanges is the most lines about the last changes of a home.
const maxChanges = 15

// changesText lists the last changes of a home, with a line for each point. It returns the last
// listed point, and the number of listed changes.
func changesText(list []protocol.FileVersion, zone *time.Location) (text string, last int64, shown int) {
	if len(list) == 0 {
		return textNoChanges, 0, 0
	}
	text = textHomeVersions
	for lines := 0; shown < len(list) && lines < maxChanges; lines++ {
		v, of := list[shown], shown
		for shown < len(list) && list[shown].Point == v.Point {
			shown++
		}
		last = v.Point
		at := v.At.In(zone)
		text += fmt.Sprintf(textChangeLine, at.Format(timeLayout), authorText(v, at, markdown.EscapeName),
			changedText(list[of:shown]))
	}
	return text + textHomeHint, last, shown
}

// maxNamedChanges is the most files that the line about a point names.
const maxNamedChanges = 3

// changedText names the files that changed at one point.
func changedText(list []protocol.FileVersion) string {
	if len(list) == 1 {
		return fmt.Sprintf(textOneChange, markdown.EscapeName(list[0].Path), stateText(list[0]))
	}
	var names []string
	for _, v := range list[:min(len(list), maxNamedChanges)] {
		names = append(names, markdown.EscapeName(v.Path))
	}
	text := strings.Join(names, ", ")
	if len(list) > maxNamedChanges {
		text += textAndMoreChanges
	}
	return text
}

// stateText tells in a few words what a version is.
func stateText(v protocol.FileVersion) string {
	text := ""
	switch v.State {
	case protocol.FileStateAbsent:
		return textDeleted
	case protocol.FileStateFolder:
		text = textFolder
	case protocol.FileStateLink:
		text = textLink
	default:
		text = amount.FormatBytes(v.Size)
	}
	if v.NotKept != "" {
		return fmt.Sprintf(textNotKept, text, protocol.PlainReason(v.NotKept))
	}
	return text
}

// authorText tells who made a version, which was found at a time in the reader's zone. The function
// quote escapes the words of the author.
func authorText(v protocol.FileVersion, at time.Time, quote func(string) string) string {
	text, words := authorTexts[v.By.Kind], ""
	switch {
	case v.By.Kind == protocol.HistoryAuthorOther:
		words = at.Format("15:04")
	case v.By.Words != "":
		words = quote(v.By.Words)
	}
	switch {
	case words == "":
		text = strings.TrimSuffix(strings.TrimSuffix(text, " (%s)"), " %s")
	case strings.Contains(text, "%s"):
		text = fmt.Sprintf(text, words)
	}
	if v.Shared {
		text += textOrOther
	}
	return text
}

// versionButtons returns the buttons of a version. A deleted file, and one that is not kept, have
// none.
func versionButtons(n int, v protocol.FileVersion, inbound int64) (row []supervisor.Button) {
	button := func(text, action string) {
		row = append(row, supervisor.Button{Text: fmt.Sprintf(text, n),
			Press: presses.FileHistoryPress{Action: action, First: inbound, Second: v.Point, Nonce: v.Nonce}.String()})
	}
	switch {
	case v.State == protocol.FileStateAbsent || v.NotKept != "":
		return nil
	case v.State != protocol.FileStateFolder && v.State != protocol.FileStateLink:
		button(textShow, pressShow)
		button(textCompare, pressCompare)
	}
	button(textPutBackNumber, pressAsk)
	return row
}
