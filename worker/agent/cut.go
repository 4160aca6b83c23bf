package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
)

// Bounds of the part of an output that a model is shown, in bytes. At maxOutput a result still fits
// into a line of the wire if each of its bytes becomes an escape of six bytes.
const (
	defaultOutput = 16 << 10 // output limit of a turn without its own limit
	minOutput     = 1 << 10
	maxOutput     = 128 << 10
	noteRoom      = 320 // room for the line that replaces the part left out
)

// limitOutput cuts a text to the turn's output limit. The supervisor stores the whole text as a
// blob. A line in place of the part left out tells the model how to read it.
func (t *turn) limitOutput(text string) (string, *protocol.BlobRef) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	limit := outputLimit(t.limits.Output)
	if len(text) <= limit {
		return text, nil
	}
	head, tail := headAndTail(text, limit-noteRoom)
	gone := text[len(head) : len(text)-len(tail)]
	left := fmt.Sprintf("%d bytes (%s) left out", len(gone), amount.Plural(strings.Count(gone, "\n"), "line", "lines"))

	ref, err := t.host.StoreBlob(t.commitCtx, strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.report(fmt.Errorf("turn %d: keep an output of %d bytes: %w", t.id, len(text), err))
		return head + fmt.Sprintf("\n[... %s; they could not be kept: ask for less at a time ...]\n", left) + tail, nil
	}
	note := fmt.Sprintf("\n[... %s; read on with read_output {\"output\": %q, \"start\": %d} ...]\n", left, ref.SHA256, len(head))
	return head + note + tail, &ref
}

func outputLimit(limit int) int {
	if limit <= 0 {
		limit = defaultOutput
	}
	return min(max(limit, minOutput), maxOutput)
}

// headAndTail returns the beginning and the end of a text that is longer than room bytes: two
// thirds of room and one third. It cuts at the end of a line, if a line ends in the half next to
// the cut. Otherwise it cuts between characters. The text must be valid UTF-8.
func headAndTail(text string, room int) (head, tail string) {
	head = text[:room*2/3]
	if end := strings.LastIndexByte(head, '\n'); end >= len(head)/2 {
		head = head[:end+1]
	} else {
		head = worker.TrimPartialRune(head)
	}
	tail = text[len(text)-room/3:]
	if end := strings.IndexByte(tail, '\n'); end >= 0 && end < len(tail)/2 {
		return head, tail[end+1:]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return head, tail
}
