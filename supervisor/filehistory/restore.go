package filehistory

import (
	"context"
	"fmt"
	"path"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/internal/presses"
	"mews/supervisor/markdown"
)

// parameters returns the parameters of an operation about a version of the requested path. The
// request's moment chooses the version if point is 0.
func (asked request) parameters(action protocol.FileHistoryAction, point int64) protocol.FileHistoryParameters {
	return protocol.FileHistoryParameters{Action: action, Path: asked.path, Point: point, Nonce: asked.nonce,
		At: atUnlessPoint(asked.at, point)}
}

// preview tells what a restore would change, and offers it.
func (h *FileHistory) preview(ctx context.Context, r feature.CommandRequest, asked request, inbound, point int64) (
	d supervisor.Delivery, err error) {
	result, err := h.run(ctx, r.Conversation.User, 0, asked.parameters(protocol.FileHistoryPreview, point))
	if err != nil {
		return d, err
	}
	lines := countLines(result, textWouldRestore, textWouldDelete, textWouldNotKeep)
	if len(lines) == 0 {
		lines = []string{textNothingDiffers}
	}
	lines = append(lines, fmt.Sprintf(textCopyHint, markdown.EscapeName(asked.copyPath(point))))
	d.Text = fmt.Sprintf(textPreview, asked.name(), h.momentText(r.Conversation.User, asked, result.Version)) +
		strings.Join(lines, "\n")
	var row []supervisor.Button
	button := func(text, action string) {
		row = append(row, supervisor.Button{Text: text, Press: presses.FileHistoryPress{Action: action, First: inbound,
			Second: point, Nonce: asked.nonce}.String()})
	}
	if result.Restored.Count+result.Deleted.Count > 0 {
		button(textPutBack, pressPutBack)
	}
	button(textAsCopy, pressCopy)
	row = append(row, supervisor.Button{Text: textLeave, Press: presses.FileHistoryPress{Action: pressLeave}.String()})
	d.Buttons = [][]supervisor.Button{row}
	return d, nil
}

// name returns the path as Markdown, or words for the whole home.
func (asked request) name() string {
	if asked.path == "." {
		return textWholeHome
	}
	return markdown.EscapeName(asked.path)
}

// copyPath returns the path of a copy.
func (asked request) copyPath(point int64) string {
	when := fmt.Sprint("-version-", point)
	if point == 0 {
		when = asked.at.Format("-2006-01-02-1504")
	}
	if asked.path == "." {
		return "home" + when
	}
	ext := path.Ext(asked.path)
	if strings.TrimSuffix(path.Base(asked.path), ext) == "" { // the name of a hidden file is no extension
		ext = ""
	}
	return strings.TrimSuffix(asked.path, ext) + when + ext
}

// putBack restores a version in place.
func (h *FileHistory) putBack(ctx context.Context, r feature.CommandRequest, asked request, _, point int64) (
	supervisor.Delivery, error) {
	return h.restore(ctx, r, asked, point, "")
}

// copyBack restores a version as a copy.
func (h *FileHistory) copyBack(ctx context.Context, r feature.CommandRequest, asked request, _, point int64) (
	supervisor.Delivery, error) {
	return h.restore(ctx, r, asked, point, asked.copyPath(point))
}

// restore restores a version, and offers to take that back.
func (h *FileHistory) restore(ctx context.Context, r feature.CommandRequest, asked request, point int64, to string) (
	d supervisor.Delivery, err error) {
	p := asked.parameters(protocol.FileHistoryRestore, point)
	p.Copy = to
	result, err := h.restoreVersion(ctx, r.Conversation.User, r.Inbound, p)
	if err != nil {
		return d, err
	}
	at := h.momentText(r.Conversation.User, asked, result.Version)
	lines := countLines(result, strings.Replace(textRestored, "%s", at, 1), textDeletedNow, textStaysNotKept)
	switch {
	case to != "" && hasCopy(result):
		lines = append([]string{fmt.Sprintf(textCopied, markdown.EscapeName(to))}, lines...)
	case len(lines) == 0:
		lines = []string{textNothingPutBack}
	}
	d.Text, d.Buttons = strings.Join(lines, "\n"), takeBackButton(result.Span)
	return d, nil
}

// hasCopy reports whether the restore to a new path, or an earlier try of it, has made a copy. If
// all files failed, it may have made folders.
func hasCopy(r protocol.FileHistoryResult) bool {
	return r.Span != nil && (r.Restored.Count > 0 || r.Failed.Count == 0)
}

// restoreVersion restores a version for an inbound, and records that in the ledger. A repeated call
// for the same inbound restores nothing else.
func (h *FileHistory) restoreVersion(ctx context.Context, user string, inbound int64,
	p protocol.FileHistoryParameters) (r protocol.FileHistoryResult, err error) {
	if err := h.checkOn(user); err != nil {
		return r, err
	}
	operation, r, err := h.runOperation(ctx, user, inbound, p)
	if err != nil || r.Span == nil {
		return r, err
	}
	return r, h.Effects.PutOfOperation(ctx, operation, h.effect(user, p, r))
}

// effect returns the effect of a restore.
func (h *FileHistory) effect(user string, p protocol.FileHistoryParameters,
	r protocol.FileHistoryResult) supervisor.Effect {
	version := r.Version
	if version == nil { // it is gone
		version = &protocol.FileVersion{Point: p.Point}
	}
	at := h.momentText(user, request{at: p.At}, version)
	e := supervisor.Effect{User: user, Kind: supervisor.EffectFilesRestored, Target: p.Path,
		Detail: fmt.Sprintf(textRestoredDetail, amount.Plural(r.Restored.Count+r.Deleted.Count, "file", "files"), at)}
	if e.Target == "." {
		e.Target = textWholeHome
	}
	of := e.Target
	if p.Copy != "" {
		e.Target = p.Copy
	}
	if p.Copy != "" && hasCopy(r) {
		e.Detail = fmt.Sprintf(textCopyDetail, of, at)
	}
	return e
}

// takeBack takes back what a restore, or the undo of a restore, changed.
// If force is true, files that have changed since are overwritten too.
func (h *FileHistory) takeBack(ctx context.Context, r feature.CommandRequest, span protocol.HistorySpan, force bool) (
	d supervisor.Delivery, err error) {
	done, why, err := h.undoSpan(ctx, r.Conversation.User, r.Inbound, span, force)
	if err != nil {
		return d, err
	}
	var lines []string
	for _, line := range []struct {
		text  string
		count protocol.PathCount
	}{{textTakenBack, done.Restored}, {textChangedSince, done.Changed}, {textMayBeOther, done.Shared},
		{textStaysNotKept, done.NotKept}, {textCouldNotChange, done.Failed}, {textUnkept, done.Unkept}} {
		if line.count.Count > 0 && (line.text != textUnkept || !force) {
			lines = append(lines, fmt.Sprintf(line.text, nameCounted(line.count, markdown.EscapeName)))
		}
	}
	switch {
	case why != "":
		lines = append(lines, endedEarlyLine(why))
	case len(lines) == 0:
		lines = []string{textNothingToTake}
	}
	d.Text, d.Buttons = strings.Join(lines, "\n"), takeBackButton(done.Span)
	if done.Changed.Count+done.Unkept.Count > 0 && !force {
		d.Buttons = append(d.Buttons, []supervisor.Button{{Text: textPutBackAnyway, Press: presses.FileHistoryPress{
			Action: pressForce, First: span.From, Second: span.To, Nonce: span.Nonce}.String()},
			{Text: textLeave, Press: presses.FileHistoryPress{Action: pressLeave}.String()}})
	}
	return d, nil
}

// takeBackButton returns the button that takes back the changes of a span. nil means no changes.
func takeBackButton(span *protocol.HistorySpan) [][]supervisor.Button {
	if span == nil {
		return nil
	}
	return [][]supervisor.Button{{{Text: textTakeBack, Press: presses.FileHistoryPress{Action: pressUndo,
		First: span.From, Second: span.To, Nonce: span.Nonce}.String()}}}
}

// countLines returns a sentence for each count of a preview or a restore.
func countLines(r protocol.FileHistoryResult, restored, deleted, notKept string) (lines []string) {
	for _, line := range []struct {
		text  string
		count protocol.PathCount
	}{{restored, r.Restored}, {deleted, r.Deleted}, {notKept, r.NotKept}, {textCouldNotChange, r.Failed}} {
		if line.count.Count > 0 {
			lines = append(lines, fmt.Sprintf(line.text, nameCounted(line.count, markdown.EscapeName)))
		}
	}
	if r.Why != "" {
		lines = append(lines, endedEarlyLine(r.Why))
	}
	return lines
}

// endedEarlyLine returns the sentence about a restore that ended early. The worker gives the reason.
func endedEarlyLine(why string) string {
	return fmt.Sprintf(textEndedEarly, markdown.EscapeSentence(why))
}

// nameCounted joins the named paths of a count, and the number of the others.
func nameCounted(c protocol.PathCount, quote func(string) string) string {
	var names []string
	for _, path := range c.Named {
		names = append(names, quote(path))
	}
	text, left := strings.Join(names, ", "), c.Count-int64(len(names))
	switch {
	case left <= 0:
		return text
	case text == "":
		return amount.Plural(left, "file", "files")
	}
	return text + fmt.Sprintf(textMoreFiles, amount.Plural(left, "more file", "more files"))
}
