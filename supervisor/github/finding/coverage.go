package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor/github/diff"
)

// Reasons why a file was not read, as GitHub shows them. Package diff has further reasons.
const (
	UnreadReasonLimit       = "limit of this review"
	UnreadReasonTooLarge    = "too large for GitHub to show"
	UnreadReasonBinary      = "binary"
	UnreadReasonRenamedOnly = "renamed only"
	UnreadReasonModeOnly    = "file mode only"
	UnreadReasonEmpty       = "empty"
	UnreadReasonNoLines     = "no changed lines"
)

// UnreadFile is a changed file that was not read, or not completely.
type UnreadFile struct {
	Path   string
	Reason string
	Part   bool // other parts of the file were read
}

// NoChangedLinesReason returns why a file has no changed lines. If known is false, it is unknown
// whether the file is binary.
func NoChangedLinesReason(f diff.File, binary, known bool) string {
	switch {
	case binary:
		return UnreadReasonBinary
	case f.Status == diff.FileRenamed || f.Status == diff.FileCopied:
		return UnreadReasonRenamedOnly
	case !known:
		return UnreadReasonNoLines
	case f.Status == diff.FileAdded || f.Status == diff.FileRemoved:
		return UnreadReasonEmpty
	}
	return UnreadReasonModeOnly
}

// Coverage tells which files of a change were read, now or at an earlier head.
type Coverage struct {
	Files    int          // number of all changed files, including the files that GitHub does not list
	Unread   []UnreadFile // files that were not read completely, each path once
	Unlisted int          // number of changed files that GitHub does not list
}

// ReadCount returns the number of files that were read completely.
func (c Coverage) ReadCount() int { return max(0, c.Files-len(c.Unread)-c.Unlisted) }

// IsComplete reports whether every part of the change was read.
func (c Coverage) IsComplete() bool { return len(c.Unread)+c.Unlisted == 0 }

// HasRead reports whether all changed lines of a file were read.
func (c Coverage) HasRead(path string) bool {
	return !slices.ContainsFunc(c.Unread, func(u UnreadFile) bool { return u.Path == path })
}

// UnreadReason returns the reason why a file was not read; "" if it was.
func (c Coverage) UnreadReason(path string) string {
	for _, u := range c.Unread {
		if u.Path == path {
			return u.Reason
		}
	}
	return ""
}

// AddUnread adds an unread file. A path that already has a reason keeps that reason.
func (c *Coverage) AddUnread(u UnreadFile) {
	if c.HasRead(u.Path) {
		c.Unread = append(c.Unread, u)
	}
}

// maxUnreadNames is the number of files that UnreadReasons names for a reason.
const maxUnreadNames = 5

// UnreadReasons returns why a worker did not read parts of a change. It gives each reason once,
// after the names of its files.
func UnreadReasons(m protocol.ReviewMaterial, unread []protocol.ReviewText) (list []string) {
	var reasons []string
	files := map[string][]string{} // names of the unread files, by reason
	for _, u := range unread {
		if !slices.Contains(reasons, u.Text) {
			reasons = append(reasons, u.Text)
		}
		names := []string{u.Name} // the unread text's own name, if its part is unknown
		for _, chunk := range m.Chunks {
			if chunk.Name == u.Name && len(chunk.Files) > 0 {
				names = nil
				for _, f := range chunk.Files {
					names = append(names, f.Path)
				}
			}
		}
		for _, name := range names {
			if name != "" && !slices.Contains(files[u.Text], name) {
				files[u.Text] = append(files[u.Text], name)
			}
		}
	}
	for _, why := range reasons {
		names := files[why]
		if more := len(names) - maxUnreadNames; more > 0 {
			names = append(names[:maxUnreadNames:maxUnreadNames], fmt.Sprintf(textMoreFiles, more))
		}
		if len(names) > 0 {
			why = strings.Join(names, ", ") + ": " + why
		}
		list = append(list, why)
	}
	return list
}

// sorted returns the unread files by reason, then by path.
func (c Coverage) sorted() []UnreadFile {
	return slices.SortedFunc(slices.Values(c.Unread), func(a, b UnreadFile) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Path, b.Path))
	})
}
