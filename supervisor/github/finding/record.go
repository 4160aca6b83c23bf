package finding

import (
	"cmp"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/github/diff"
)

// Record is a finding in the list of a pull request's findings. Pushes and failures remove no
// record from the list.
type Record struct {
	Finding
	State   supervisor.FindingState
	Found   string // the first head with the finding
	Seen    string // the last head in which the finding's lines were read
	Fixed   string // the first head without the finding; "" unless the finding is fixed
	Posted  bool   // the finding is on GitHub
	Inline  bool   // the finding is on GitHub as a comment on its lines
	Turn    int64  // the turn that found the finding; 0 means unknown
	MutedBy string // login or name of the user who muted the finding; "" means none; not stored
}

// IsOpen reports whether the finding is open and not muted.
func (r Record) IsOpen() bool { return r.State == supervisor.FindingOpen && r.MutedBy == "" }

// Head is a head of a pull request, with its files as far as they are known.
type Head struct {
	SHA   string
	Files []diff.File // the whole change, as VisibleCode shows it
	// texts of whole files, by path; "" for a missing file. Other files are unknown
	Texts    map[string]string
	Coverage Coverage
	Unread   bool // no review has read this head
	Turn     int64
}

// MergeFindings returns a pull request's findings after a new head. checked is the result of the
// head's review; it is empty if the head was not reviewed.
func MergeFindings(records []Record, checked CheckedFindings, h Head) []Record {
	merged := slices.Clone(records)
	met := map[int]bool{}
	for _, f := range slices.Concat(checked.All(), checked.Known) {
		i := indexOf(merged, f, met)
		if i < 0 {
			met[len(merged)] = true
			merged = append(merged, Record{Finding: f, State: supervisor.FindingOpen, Found: h.SHA, Seen: h.SHA,
				Turn: h.Turn})
			continue
		}
		met[i] = true
		merged[i].move(f)
		merged[i].State, merged[i].Seen = supervisor.FindingOpen, h.SHA
		merged[i].Fixed, merged[i].Refutation = "", ""
	}
	for _, f := range checked.Refuted {
		i := indexOf(merged, f, nil)
		switch {
		case i < 0:
			met[len(merged)] = true
			merged = append(merged, Record{Finding: f, State: supervisor.FindingRefuted, Found: h.SHA, Seen: h.SHA,
				Turn: h.Turn})
		case !met[i]:
			met[i] = true
			merged[i].move(f)
			merged[i].Refutation, merged[i].State = f.Refutation, supervisor.FindingRefuted
			merged[i].Seen, merged[i].Fixed = h.SHA, ""
		}
	}
	for i := range merged {
		if !met[i] {
			merged[i].follow(h)
		}
	}
	return merged
}

// indexOf returns the index of the record of a finding; -1 if there is none. A record with the same
// code and a similar title counts too, unless its index is in met.
func indexOf(records []Record, f Finding, met map[int]bool) int {
	if i := slices.IndexFunc(records, func(r Record) bool { return r.Fingerprint == f.Fingerprint }); i >= 0 {
		return i
	}
	for i, r := range records {
		if !met[i] && r.Identity().Matches(f) {
			return i
		}
	}
	return -1
}

// move gives the record the position at which its finding was found again. The record's text and
// fingerprint stay.
func (r *Record) move(f Finding) {
	r.Path, r.Side, r.Start, r.Line, r.Placed = f.Path, f.Side, f.Start, f.Line, f.Placed
	r.Code, r.Window, r.Quote = f.Code, f.Window, f.Quote
}

// follow updates a finding that the review of a head did not report.
func (r *Record) follow(h Head) {
	if r.State == supervisor.FindingRefuted {
		return
	}
	at, placed, match := h.locate(*r)
	if match == codeUnknown {
		return
	}
	if match != codeGone {
		r.Path, r.Start, r.Line, r.Placed = at.Path, at.Start, at.Line, placed
	}
	read := !h.Unread && h.Coverage.HasRead(r.Path)
	switch {
	case match == codeSame:
		r.State, r.Fixed = supervisor.FindingOpen, "" // the finding is back: perhaps its fix was undone
		if read {
			r.Seen = h.SHA
		}
	case r.State == supervisor.FindingFixed:
	case read:
		r.State, r.Seen, r.Fixed = supervisor.FindingFixed, h.SHA, h.SHA
	default:
		r.State = supervisor.FindingChanged
	}
}

// locate searches a head for a finding's code: first the diff, then the whole file.
func (h Head) locate(r Record) (found diff.Position, placed bool, match codeMatch) {
	at := guess{diff.Position{Path: r.Path, Side: diff.Side(r.Side), Start: r.Start, Line: r.Line}}
	for i := range h.Files {
		file := &h.Files[i]
		if file.Path() != r.Path && (file.Status != diff.FileRenamed || file.Old != r.Path) {
			continue
		}
		at.Path = file.Path()
		for j := range file.Hunks {
			start, line, fit := sideOf(&file.Hunks[j], at.Side).match(r)
			if fit > max(match, codeGone) {
				at.take(start, line)
				placed, match = line > 0, fit
			}
		}
		if match > codeGone {
			return at.Position, placed, match
		}
		// the diff has all lines of a removed or added file
		if at.Side == diff.RightSide && (file.Status == diff.FileRemoved || file.Status == diff.FileAdded) {
			return at.Position, false, codeGone
		}
	}
	if at.Side == diff.LeftSide { // the change does not remove the line any more
		return at.Position, false, codeGone
	}
	text, known := h.Texts[at.Path]
	if !known {
		return at.Position, false, codeUnknown
	}
	start, line, match := fileSide(text).match(r)
	at.take(start, line)
	return at.Position, false, match
}

// guess is a position that a search may correct.
type guess struct{ diff.Position }

// take sets the lines of the guess. line is 0 if the code is there, but not in consecutive lines.
func (g *guess) take(start, line int) {
	if g.Start, g.Line = start, line; start == line {
		g.Start = 0
	}
}

// match searches lines for the code of a finding. A finding without code is searched by its quote.
// line is 0 if no comment may be at the lines.
func (s side) match(r Record) (start, line int, match codeMatch) {
	if len(r.Code.Lines) > 0 {
		return s.find(r.Code)
	}
	first, last, ok := findQuote(strings.Join(s.texts, "\n"), r.Quote, slices.Index(s.numbers, r.Line)+1)
	switch {
	case !ok:
		return 0, 0, codeGone
	case last == 0 || s.ends != nil && !s.ends[last-1]:
		return 0, 0, codeSame
	}
	return s.numbers[cmp.Or(first, last)-1], s.numbers[last-1], codeSame
}

// PathsToRead returns the paths of files whose text is needed to merge findings. most limits their
// number.
func PathsToRead(records []Record, h Head, most int) (paths []string) {
	for _, r := range records {
		if r.State == supervisor.FindingRefuted {
			continue
		}
		if at, _, match := h.locate(r); match == codeUnknown && !slices.Contains(paths, at.Path) && len(paths) < most {
			paths = append(paths, at.Path)
		}
	}
	return paths
}
