package undo

import (
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/markdown"
)

// SpanReport is the outcome of the undo of a span of the file history.
type SpanReport struct {
	Name    string // first words of the program that made the changes; for a restore, its file or folder
	Restore bool   // a tool's restore made the changes
	Outcome Outcome
	Why     string // reason why nothing was undone; "" means none
	protocol.UndoneSpan
}

// addSpan adds the outcome of a span to the report, and to the changes for the store.
func (r *Report) addSpan(of supervisor.FileChange, c protocol.UndoneChange, done *supervisor.UndoneChanges) {
	s := SpanReport{Name: of.Target, Restore: supervisor.IsRestoreKind(of.Kind), Outcome: outcomes[c.Outcome],
		Why: c.Why}
	if c.Span != nil {
		s.UndoneSpan = *c.Span
	}
	if s.Outcome == OutcomeExpired && s.NotKept.Count > 0 { // the undo restored everything that it could
		s.Outcome = OutcomeRestored
	}
	r.Spans = append(r.Spans, s)
	endedEarly := s.Outcome == OutcomeImpossible && s.Span != nil
	if s.Outcome == OutcomeRestored || s.Outcome == OutcomeChangedSince || endedEarly {
		left := s.Changed.Count + s.Failed.Count
		if !r.forced {
			left += s.Unkept.Count
		}
		done.Spans = append(done.Spans, supervisor.UndoneSpan{Effect: of.Effect, Partly: endedEarly || left > 0,
			Inverse: s.Span})
	}
}

// count returns the number of files with an outcome.
func (r *Report) count(outcome Outcome) int64 {
	return int64(len(r.Paths[outcome])) + r.countSpans(outcome).Count
}

// asks reports whether the user can repeat the undo by force, for files that it has left alone.
func (r *Report) asks() bool {
	return r.count(OutcomeChangedSince) > 0 ||
		!r.forced && slices.ContainsFunc(r.Spans, func(s SpanReport) bool { return s.Unkept.Count > 0 })
}

// countSpans sums up the files of all spans with an outcome.
func (r *Report) countSpans(outcome Outcome) (sum protocol.PathCount) {
	for _, s := range r.Spans {
		switch outcome {
		case OutcomeRestored:
			sum = addCounts(sum, s.Restored)
		case OutcomeChangedSince:
			sum = addCounts(sum, s.Changed)
		}
	}
	return sum
}

// addCounts adds two counts. A path that both name counts once.
func addCounts(a, b protocol.PathCount) protocol.PathCount {
	sum := protocol.PathCount{Count: a.Count + b.Count, Named: slices.Clone(a.Named)}
	for _, path := range b.Named {
		if slices.Contains(sum.Named, path) {
			sum.Count--
		} else {
			sum.Named = append(sum.Named, path)
		}
	}
	return sum
}

// nameCounted names listed files, which may have reasons, and the files of a count.
func nameCounted(listed []string, more protocol.PathCount) string {
	sum := addCounts(protocol.PathCount{Count: int64(len(listed)), Named: pathsOf(listed)}, more)
	shown := sum.Named[:min(len(sum.Named), protocol.MaxNamedPaths)]
	var names []string
	for i, path := range shown {
		name := markdown.EscapeName(path)
		if i < len(listed) {
			if _, why := SplitPathAndReason(listed[i]); why != "" {
				name += " (" + why + ")"
			}
		}
		names = append(names, name)
	}
	text, left := strings.Join(names, ", "), sum.Count-int64(len(shown))
	switch {
	case left <= 0:
		return text
	case text == "":
		return amount.Plural(left, "file", "files")
	}
	return text + fmt.Sprintf(textAndMore, amount.Plural(left, "more file", "more files"))
}

func pathsOf(listed []string) (paths []string) {
	for _, l := range listed {
		path, _ := SplitPathAndReason(l)
		paths = append(paths, path)
	}
	return paths
}

// spanLines returns the sentences about spans, and about changes that are not kept.
func (r *Report) spanLines() (lines []string) {
	var shared, lost, unkept, failed protocol.PathCount
	for _, s := range r.Spans {
		shared, lost = addCounts(shared, s.Shared), addCounts(lost, s.NotKept)
		unkept, failed = addCounts(unkept, s.Unkept), addCounts(failed, s.Failed)
		expired, impossible := textSpanExpired, textSpanFailed
		if s.Restore {
			expired, impossible = textRestoreExpired, textRestoreFailed
		}
		switch name := markdown.EscapeName(s.Name); {
		case s.Outcome == OutcomeExpired:
			lines = append(lines, fmt.Sprintf(expired, name))
		case s.Outcome == OutcomeImpossible:
			lines = append(lines, fmt.Sprintf(impossible, name, markdown.EscapeSentence(s.Why)))
		}
	}
	textOfUnkept := textUnkept
	if r.forced {
		textOfUnkept = textGone
	}
	for _, line := range []struct {
		text  string
		count protocol.PathCount
	}{{textShared, shared}, {textLost, lost}, {textOfUnkept, unkept}, {textCouldNotChange, failed}} {
		if line.count.Count > 0 {
			lines = append(lines, fmt.Sprintf(line.text, nameCounted(nil, line.count)))
		}
	}
	if len(r.outside) > 0 {
		lines = append(lines, fmt.Sprintf(textOutsideHome, nameFiles(r.outside)))
	}
	if r.hint && r.hasUnknownEnd() {
		lines = append(lines, textHistoryHint)
	}
	return lines
}

// hasUnknownEnd reports whether a call of a program was interrupted.
func (r *Report) hasUnknownEnd() bool {
	return slices.ContainsFunc(r.Programs, func(e supervisor.Effect) bool {
		return e.Kind != kindRun &&
			e.Kind != kindProgram
	})
}
