package undo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/internal/presses"
	"mews/supervisor/markdown"
)

// Presses of /undo consist of an action, the turn, and the operation to revert. The Undo button's
// press has only the first two.
const (
	pressForce = "force"
	pressLeave = "leave"
	maxShown   = 4096 // the most UTF-16 units of a shown diff
	maxNamed   = 10   // the most file names in a sentence without a count
)

// Kinds of effects of programs, as workers report them.
const (
	kindRun     = "run"
	kindProgram = "program"
)

func (u *Undoer) commands() []feature.Command {
	return []feature.Command{{SlashCommand: supervisor.SlashCommand{Name: "undo",
		Help: "take back what the last answer changed in your files; /undo 2 the one before it, /undo show the " +
			"difference, /undo back the last undo"},
		Group: feature.HelpGroupEveryday, Run: u.command, MayAsk: true, Prefix: presses.UndoPrefix, Press: u.press,
		Keeps: func(press string) bool { return strings.HasPrefix(press, presses.ActionDiff) }}}
}

// command runs /undo: it takes back the changes of the last turn, or of an earlier turn.
func (u *Undoer) command(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	if r.Arguments == textBack {
		return u.redo(ctx, r)
	}
	n, show := 1, false
	if r.Arguments, show = strings.CutPrefix(r.Arguments, textShow); show {
		r.Arguments = strings.TrimSpace(r.Arguments)
	}
	if r.Arguments != "" {
		if n, err = strconv.Atoi(r.Arguments); err != nil || n < 1 {
			return d, supervisor.Errorf(supervisor.CodeInvalid, textUndoUsage, markdown.EscapeName(r.Arguments))
		}
	}
	turn, ok, err := u.FindLastTurn(ctx, r.Conversation, n)
	switch {
	case err != nil:
		return d, fmt.Errorf("find what can be undone: %w", err)
	case !ok && n > 1:
		return supervisor.Delivery{Text: textFewerToUndo}, nil
	case !ok:
		return u.nothingToUndo(ctx, r)
	case show:
		return u.tellDiff(ctx, r, turn, 0)
	}
	return u.tellUndone(ctx, r, turn, 0, false)
}

// redo runs /undo back: it takes back the last undo.
func (u *Undoer) redo(ctx context.Context, r feature.CommandRequest) (supervisor.Delivery, error) {
	turn, operation, err := u.Store.FindLastUndo(ctx, r.Conversation, u.since())
	switch {
	case err != nil:
		return supervisor.Delivery{}, fmt.Errorf("find the last undo: %w", err)
	case turn == 0:
		return supervisor.Delivery{Text: textNothingToRedo}, nil
	}
	return u.tellUndone(ctx, r, turn, operation, false)
}

// nothingToUndo answers an /undo without changes. It names the way back if there was an undo.
func (u *Undoer) nothingToUndo(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	d.Text = textNothingToUndo
	turn, _, err := u.Store.FindLastUndo(ctx, r.Conversation, u.since())
	if err != nil {
		return d, fmt.Errorf("find the last undo: %w", err)
	}
	if turn != 0 {
		d.Text += " " + textRedoHint
	}
	return d, nil
}

// press runs a button below an answer of a turn or of /undo.
func (u *Undoer) press(ctx context.Context, r feature.CommandRequest) (supervisor.Delivery, error) {
	action, turn, of := "", int64(0), int64(0)
	if n, err := fmt.Sscanf(r.Arguments, "%s %d %d", &action, &turn, &of); err != nil || n != 3 {
		return supervisor.Delivery{Text: feature.DeadButtonText}, nil
	}
	switch action {
	case presses.ActionUndo, pressForce:
		return u.tellUndone(ctx, r, turn, of, action == pressForce)
	case presses.ActionDiff:
		return u.tellDiff(ctx, r, turn, of)
	}
	return supervisor.Delivery{Text: textLeftAlone}, nil
}

// RedoButton returns the button that reverts an undo.
func RedoButton(turn, operation int64) supervisor.Button {
	return supervisor.Button{Text: textUndoAgain, Press: presses.FormatUndoPress(presses.ActionUndo, turn, operation)}
}

// tellUndone takes changes back, and returns the answer about the result.
func (u *Undoer) tellUndone(ctx context.Context, r feature.CommandRequest, turn, of int64, force bool) (
	d supervisor.Delivery, err error) {
	report, err := u.UndoTurn(ctx, r.Conversation.User, r.Inbound, turn, of, force)
	if err != nil {
		return d, err
	}
	switch d.Text = report.text(); {
	case d.Text == "":
		d.Text = textNothingToUndo
	case len(report.Programs) > 0,
		of == 0 && report.count(OutcomeRestored)+report.count(OutcomeChangedSince) == 0:
		if _, earlier, err := u.FindLastTurn(ctx, r.Conversation, 2); err == nil && earlier {
			d.Text += "\n" + textUndoEarlier
		}
	}
	button := func(text, action string, of int64) supervisor.Button {
		return supervisor.Button{Text: text, Press: presses.FormatUndoPress(action, turn, of)}
	}
	if report.redoable {
		d.Buttons = append(d.Buttons, []supervisor.Button{RedoButton(turn, report.Operation)})
	}
	if report.asks() {
		row := []supervisor.Button{button(textUndoAnyway, pressForce, of), button(textLeave, pressLeave, of)}
		if !r.Conversation.IsInGroup() {
			row = append(row, button(TextDiffButton, presses.ActionDiff, of))
		}
		d.Buttons = append(d.Buttons, row)
	}
	return d, nil
}

// text returns the report in sentences; "" means that there is nothing to tell.
func (r *Report) text() string {
	var lines []string
	for _, line := range undoLines {
		names := nameFiles(r.Paths[line.outcome])
		if c := r.countSpans(line.outcome); c.Count > 0 {
			names = nameCounted(r.Paths[line.outcome], c)
		}
		if line.outcome == OutcomeChangedByProgram {
			lines = append(lines, r.programLines()...)
			names = strings.Join(append(nonEmpty(names), r.more()...), textListAnd)
		}
		if names != "" {
			lines = append(lines, fmt.Sprintf(line.text, names))
		}
	}
	return strings.Join(append(lines, r.spanLines()...), "\n")
}

// programLines returns sentences about the programs that ran, each named once.
func (r *Report) programLines() (lines []string) {
	var ran, unknown []string
	for _, e := range r.Programs {
		names := &unknown
		switch e.Kind {
		case kindProgram:
			continue
		case kindRun:
			names = &ran
		}
		if !slices.Contains(*names, e.Target) {
			*names = append(*names, e.Target)
		}
	}
	for _, line := range []struct {
		text  string
		names []string
	}{{textProgramsRan, ran}, {textUnknownEnd, unknown}} {
		if len(line.names) > 0 {
			lines = append(lines, fmt.Sprintf(line.text, nameFiles(line.names)))
		}
	}
	return lines
}

// more returns the counts of changed files that the ledger does not name.
func (r *Report) more() (counts []string) {
	for _, e := range r.Programs {
		switch {
		case e.Kind != kindProgram:
		case e.Detail == textDeleted:
			counts = append(counts, fmt.Sprintf("%s (%s)", e.Target, e.Detail))
		default:
			counts = append(counts, e.Target)
		}
	}
	return counts
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// nameFiles joins the names of files. A name is followed by its reason, if there is one.
func nameFiles(paths []string) string {
	var names []string
	for _, listed := range paths[:min(len(paths), maxNamed)] {
		path, why := SplitPathAndReason(listed)
		name := markdown.EscapeName(path)
		if path == "." {
			name = textWholeFolder
		}
		if why != "" {
			name += " (" + why + ")"
		}
		names = append(names, name)
	}
	if more := len(paths) - maxNamed; more > 0 {
		names = append(names, fmt.Sprintf(textMoreFiles, amount.FormatNumber(int64(more))))
	}
	return strings.Join(names, ", ")
}

// tellDiff shows the difference between the files before a turn and now.
func (u *Undoer) tellDiff(ctx context.Context, r feature.CommandRequest, turn, of int64) (d supervisor.Delivery,
	err error) {
	if r.Conversation.IsInGroup() {
		return supervisor.Delivery{Text: textDiffInGroup}, nil
	}
	ref, report, err := u.StoreDiff(ctx, r.Conversation.User, turn, of)
	switch {
	case err != nil:
		return d, err
	case ref == nil:
		return supervisor.Delivery{Text: cmp.Or(report.text(), textNoDiff)}, nil
	}
	d, err = u.DiffDelivery(*ref)
	if text := report.text(); text != "" {
		d.Text += "\n\n" + text
	}
	return d, err
}

// DiffDelivery makes a delivery of a diff in the spool. A long diff becomes a file.
func (u *Undoer) DiffDelivery(ref protocol.BlobRef) (d supervisor.Delivery, err error) {
	text := make([]byte, min(ref.Size, maxShown*utf8.UTFMax))
	if _, _, err := u.Spool.ReadAt(ref.SHA256, text, 0); err != nil {
		return d, fmt.Errorf("read a difference: %w", err)
	}
	if ref.Size == int64(len(text)) && supervisor.UTF16Length(string(text)) <= maxShown {
		return supervisor.Delivery{Text: quotedDiff(string(text))}, nil
	}
	d.Text = textLongDiff
	d.Files = []supervisor.File{{SHA256: ref.SHA256, Size: ref.Size, Name: "changes.diff", MediaType: "text/plain"}}
	return d, nil
}

// quotedDiff returns a diff as a block of code in a quote, because channels fold long quotes. No
// text in the diff can end the block.
func quotedDiff(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	text = fence + "diff\n" + strings.TrimSuffix(strings.ReplaceAll(text, "\r", "␍"), "\n") + "\n" + fence
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}
