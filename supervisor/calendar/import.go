package calendar

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
	"mews/supervisor/slash"
	"mews/supervisor/taint"
)

// Actions of the buttons below the question of an import. The first names the command's inbound,
// from which the path is read again, and the digest of the events that the user has seen.
const (
	pressAdd   = "add"
	pressLeave = "leave"
)

// askImport tells what an import would do, and asks.
func (c *Calendar) askImport(ctx context.Context, r feature.CommandRequest, path string) (d supervisor.Delivery,
	err error) {
	if path == "" {
		return d, supervisor.Errorf(supervisor.CodeInvalid, textUsage)
	}
	result, err := c.operate(ctx, r.Conversation.User, protocol.CalendarParameters{
		Action: protocol.CalendarActionPreview, Path: path})
	if err != nil || result.Import == nil {
		return d, err
	}
	i := *result.Import
	name := markdown.EscapeName(path)
	if i.Added+i.Changed+i.Cancelled == 0 {
		return supervisor.Delivery{Text: fmt.Sprintf(textNothingNew, name)}, nil
	}
	d.Text = fmt.Sprintf(textMayImport, name, countsText(i))
	for _, title := range i.Titles {
		d.Text += fmt.Sprintf(textTitle, markdown.EscapeSentence(title))
	}
	if more := i.Added + i.Changed + i.Cancelled - len(i.Titles); more > 0 {
		d.Text += fmt.Sprintf(textMoreTitles, more)
	}
	d.Buttons = [][]supervisor.Button{{
		{Text: textAddButton, Press: fmt.Sprint(prefix, pressAdd, " ", r.Inbound, " ", i.Digest),
			Answer: supervisor.AnswerChoiceOnce},
		{Text: textLeaveButton, Press: prefix + pressLeave, Answer: supervisor.AnswerChoiceNo},
	}}
	return d, nil
}

// countsText counts what an import does.
func countsText(i protocol.CalendarImport) string {
	var parts []string
	for _, part := range []struct {
		n            int
		one, several string
	}{{i.Added, "new event", "new events"}, {i.Changed, "changed event", "changed events"},
		{i.Cancelled, "cancelled event", "cancelled events"}} {
		if part.n > 0 {
			parts = append(parts, amount.Plural(part.n, part.one, part.several))
		}
	}
	return strings.Join(parts, ", ")
}

// addImport runs an import after the user has pressed its button.
func (c *Calendar) addImport(ctx context.Context, r feature.CommandRequest, inbound, digest string) (
	d supervisor.Delivery, err error) {
	id, _ := strconv.ParseInt(inbound, 10, 64) // 0 is no inbound
	in, found, err := c.o.Sent.Find(ctx, r.Conversation.User, id)
	if err != nil {
		return d, err
	}
	command, arguments := slash.Parse(in.Text)
	word, path, _ := strings.Cut(strings.TrimSpace(arguments), " ")
	if !found || command != commandName || !strings.EqualFold(word, "import") {
		return supervisor.Delivery{Text: feature.DeadButtonText}, nil
	}
	path = strings.TrimSpace(path)
	// The mark comes first, so that no crash can lose it.
	origin := taint.OriginOfFile(taint.CleanPath(path))
	if err := c.o.Marks.MarkFile(ctx, r.Conversation.User, fileName, []string{origin}); err != nil {
		return d, err
	}
	result, err := c.operate(ctx, r.Conversation.User, protocol.CalendarParameters{
		Action: protocol.CalendarActionImport, Path: path, Digest: digest})
	if err != nil || result.Import == nil {
		return d, err
	}
	i := *result.Import
	if i.Added+i.Changed+i.Cancelled == 0 {
		return supervisor.Delivery{Text: fmt.Sprintf(textNothingNew, markdown.EscapeName(path))}, nil
	}
	err = c.o.Effects.Put(ctx, supervisor.Effect{User: r.Conversation.User, Kind: supervisor.EffectCalendarImported,
		Target: fileName, Detail: countsText(i)})
	return supervisor.Delivery{Text: fmt.Sprintf(textImported, countsText(i))}, err
}

// send sends an event as a file.
func (c *Calendar) send(ctx context.Context, r feature.CommandRequest, id string) (d supervisor.Delivery, err error) {
	if id == "" {
		return d, supervisor.Errorf(supervisor.CodeInvalid, textUsage)
	}
	result, err := c.operate(ctx, r.Conversation.User, protocol.CalendarParameters{Action: protocol.CalendarActionSend,
		ID: id})
	if err != nil || result.Blob == nil {
		return d, err
	}
	d.Text = textSent
	d.Files = []supervisor.File{{SHA256: result.Blob.SHA256, Size: result.Blob.Size, Name: "event.ics",
		MediaType: "text/calendar"}}
	return d, nil
}
