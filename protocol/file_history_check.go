package protocol

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

const (
	// maxCounted bounds counts in results, so that sums of counts fit into an int64.
	maxCounted = 1 << 40
	// maxNotKeptReasons bounds HistorySpace.Why.
	maxNotKeptReasons = 32
)

// checkFields returns an error for fields of other actions, or about paths not asked for.
func (r FileHistoryResult) checkFields(p FileHistoryParameters) error {
	if !reflect.DeepEqual(r, r.fieldsOf(p.Action)) || (r.Space != nil) != (p.Action == FileHistorySpace) {
		return fmt.Errorf("fields of another action than %s", p.Action)
	}
	for _, v := range r.Versions {
		if p.Before > 0 && v.Point >= p.Before || v.Path != "" && p.Path != "." {
			return fmt.Errorf("version %d of %.80q, which was not asked for", v.Point, v.Path)
		}
	}
	if r.Space != nil {
		for _, folder := range r.Space.NoRepository {
			if !slices.Contains(p.Workspaces, folder) {
				return fmt.Errorf("workspace %.80q, which was not asked for", folder)
			}
		}
	}
	return nil
}

// fieldsOf returns a copy of r that has only the fields of an action.
func (r FileHistoryResult) fieldsOf(action FileHistoryAction) FileHistoryResult {
	switch action {
	case FileHistoryVersions:
		return FileHistoryResult{Versions: r.Versions, More: r.More}
	case FileHistoryShow, FileHistoryDiff:
		return FileHistoryResult{Version: r.Version, Blob: r.Blob}
	case FileHistoryPreview:
		return FileHistoryResult{Version: r.Version, Restored: r.Restored, Deleted: r.Deleted, NotKept: r.NotKept,
			Failed: r.Failed}
	case FileHistoryRestore:
		return FileHistoryResult{Version: r.Version, Restored: r.Restored, Deleted: r.Deleted, NotKept: r.NotKept,
			Failed: r.Failed, Why: r.Why, Span: r.Span}
	case FileHistorySpace:
		return FileHistoryResult{Space: r.Space}
	case FileHistoryForget, FileHistoryCount:
		return FileHistoryResult{VersionCount: r.VersionCount, Earlier: r.Earlier}
	}
	return FileHistoryResult{}
}

func (s *HistorySpace) check() error {
	if s == nil {
		return nil
	}
	if s.Bytes < 0 || s.Room < 0 || s.Files < 0 || s.Files > maxCounted || s.Waiting < 0 || s.Waiting > maxCounted ||
		len(s.Why) > maxNotKeptReasons ||
		!isPlainReason(s.Off) {
		return fmt.Errorf("a history of %d bytes and %d files, off by %.80q", s.Bytes, s.Files, s.Off)
	}
	for _, why := range s.Why {
		if why.Count < 0 || why.Count > maxCounted || !isPlainReason(why.Reason) || why.Reason == "" {
			return fmt.Errorf("%d files by %.80q", why.Count, why.Reason)
		}
	}
	return s.Left.check()
}

// PlainReason returns a reason without marks that a terminal or Markdown interprets. It keeps
// letters, digits and the marks of plain sentences, and replaces all other characters with spaces.
// It cuts the reason to MaxUndoReasonBytes.
func PlainReason(text string) string {
	runes := []rune(text)
	for i, r := range runes {
		ends := i+1 == len(runes) || unicode.IsSpace(runes[i+1])
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune(",;'()-_", r):
		case ends && (r == '.' || r == ':'):
		default:
			runes[i] = ' '
		}
	}
	text = strings.Join(strings.Fields(string(runes)), " ")
	return strings.TrimSpace(strings.ToValidUTF8(text[:min(len(text), MaxUndoReasonBytes)], ""))
}

func isPlainReason(text string) bool { return text == PlainReason(text) }
