package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"mews/protocol"
	"mews/supervisor/internal/engine"
	"mews/supervisor/taint"
)

const (
	// maxMarkedFiles is how many marked files of a user are known. If there are more, folders stand
	// for their files, and the oldest marks of files without a folder are dropped.
	maxMarkedFiles = 2000
	// maxMarkedContents is how many marked bytes of a user are known. The oldest are dropped.
	maxMarkedContents = 10_000
)

const (
	putMark = `INSERT INTO marked_file (user, path, origins, turn, marked_at) VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT (user, path) DO UPDATE SET origins = excluded.origins, turn = excluded.turn,
		marked_at = excluded.marked_at, ended = 0`
	putContent = `INSERT INTO marked_content (user, digest, origins, turn, marked_at) VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT (user, digest) DO UPDATE SET origins = excluded.origins, turn = excluded.turn,
		marked_at = excluded.marked_at`
	endMark = `UPDATE marked_file SET ended = 1 WHERE user = ?1
		AND (path = ?2 OR path >= ?2 || '/' AND path < ?2 || '0')`
	// reopenMarks renews all ended marks, because a restore does not name each of its files.
	reopenMarks = `UPDATE marked_file SET ended = 0 WHERE user = ? AND ended = 1`
	moveMarks   = `UPDATE OR REPLACE marked_file SET path = ?3 || substr(path, length(?2) + 1)
		WHERE user = ?1 AND ended = 0 AND (path = ?2 OR path >= ?2 || '/' AND path < ?2 || '0')`
	// findMark selects the origins of a path. The list has the path and the folders above it.
	findMark = `SELECT origins FROM marked_file WHERE user = ?1 AND ended = 0
		AND path IN (SELECT value FROM json_each(?2)) ORDER BY length(path) DESC LIMIT 1`
	// findCopied selects the origins of marked bytes, or of bytes that a user has received.
	findCopied = `SELECT origins FROM marked_content WHERE user = ?1 AND digest = ?2 UNION ALL
		SELECT json_array(?3) FROM attachment WHERE user = ?1 AND sha256 = ?2 LIMIT 1`
	dropMarks = `DELETE FROM marked_file WHERE user = ?1 AND id NOT IN
		(SELECT id FROM marked_file WHERE user = ?1 ORDER BY ended, merged DESC, instr(path, '/') = 0,
			marked_at DESC, id DESC LIMIT ?2)`
	dropContents = `DELETE FROM marked_content WHERE user = ?1 AND id NOT IN
		(SELECT id FROM marked_content WHERE user = ?1 ORDER BY marked_at DESC, id DESC LIMIT ?2)`
)

// marker stores the marks of one user's files. turn is the turn that changed the files; 0 means
// none.
type marker struct {
	*tx
	user string
	turn int64
}

// MarkFile stores that a file of a user's home has words of others.
func (s Taints) MarkFile(ctx context.Context, user, path string, origins []string) error {
	return s.db.write(ctx, func(t *tx) {
		m := marker{t, user, 0}
		m.mark(path, "", origins)
		m.dropMarks()
	}, "mark %s of %s", path, user)
}

// markFiles stores which changed files have words of others. origins are those of the changes; none
// means that the changes have no words of others.
func (t turnTx) markFiles(r protocol.ToolResult, origins []string) {
	m, marked := marker{t.tx, t.turn.Conversation.User, t.turn.ID}, false
	for _, c := range r.Changes {
		marked = m.markChange(c, origins) || marked
	}
	if marked {
		m.dropMarks()
	}
}

// auditMarksDropped is the action of the audit log if there are too many marked files.
const auditMarksDropped = "taint.marks_dropped"

func (m marker) dropMarks() {
	m.mergeMarks()
	n := m.ExecCount(dropMarks, m.user, maxMarkedFiles) + m.ExecCount(dropContents, m.user, maxMarkedContents)
	if n > 0 {
		m.audit(m.user, auditMarksDropped, fmt.Sprintf("%d marks", n))
	}
}

// markChange stores the mark of one changed file, and reports whether there is one.
func (m marker) markChange(c protocol.Change, origins []string) (marked bool) {
	for _, unnamed := range c.Unnamed {
		if len(origins) > 0 {
			m.mark(unnamed, "", origins)
			marked = true
		}
	}
	if c.Undo == nil || c.Undo.Path == "" || c.Undo.Path == "." {
		return marked
	}
	name, before := c.Undo.Path, m.originsOf(c.Undo.Path, c.Undo.Before)
	if len(before) > 0 {
		m.markContent(c.Undo.Before, before)
	}
	switch after := c.Undo.After; {
	case c.Undo.To != "":
		return m.moveMark(*c.Undo, c.Undo.To, before, origins)
	case !after.IsHash() && c.Kind == changeDelete && c.Detail != "" && fs.ValidPath(c.Detail):
		return m.moveMark(*c.Undo, c.Detail, before, origins)
	case !after.IsHash() && c.Kind == changeDelete:
		m.Exec(endMark, m.user, name)
		return false
	case len(origins) == 0 && after.IsHash():
		origins = m.originsOfContent(after)
	}
	switch {
	case len(origins) > 0:
		m.mark(name, c.Undo.After, origins)
		return true
	case c.Kind == changeWrite:
		m.Exec(endMark, m.user, name)
	}
	return marked
}

// Kinds of changes that end a file's mark, unless the turn is tainted.
const (
	changeWrite  = "write"
	changeDelete = "delete"
)

// moveMark gives the marks of a moved file or folder to its new path. before has the origins of the
// moved file, and origins has those of the turn.
func (m marker) moveMark(moved protocol.Undo, to string, before, origins []string) bool {
	m.Exec(moveMarks, m.user, moved.Path, to)
	if origins = taint.Union(append(slices.Clone(before), origins...)); len(origins) > 0 {
		m.mark(to, "", origins)
	}
	return len(origins) > 0
}

// originsOf returns the origins of a file with a state: those of its path and those of its bytes.
func (m marker) originsOf(name string, state protocol.FileState) []string {
	var paths, origins []string
	for p := name; p != "."; p = path.Dir(p) {
		paths = append(paths, p)
	}
	raw, _ := one(m, engine.ScanString, findMark, m.user, encodedList(paths))
	m.fail(json.Unmarshal([]byte(cmp.Or(raw, "[]")), &origins))
	if taint.IsReceivedPath(name) {
		origins = append(origins, taint.OriginOfFile(name))
	}
	return taint.Union(append(origins, m.originsOfContent(state)...))
}

// originsOfContent returns the origins of bytes that are marked or were received.
func (m marker) originsOfContent(state protocol.FileState) (origins []string) {
	if state.IsHash() {
		raw, _ := one(m, engine.ScanString, findCopied, m.user, string(state), taint.OriginReceivedFiles)
		m.fail(json.Unmarshal([]byte(cmp.Or(raw, "[]")), &origins))
	}
	return origins
}

func (m marker) mark(name string, state protocol.FileState, origins []string) {
	m.Exec(putMark, m.user, name, columnEncoder{origins}, orNull(m.turn), m.Now)
	m.markContent(state, origins)
}

// emptyContent is the state of an empty file.
const emptyContent = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// markContent marks the bytes of a file, wherever they appear later. The mark does not end.
func (m marker) markContent(state protocol.FileState, origins []string) {
	if state.IsHash() && state != emptyContent {
		m.Exec(putContent, m.user, string(state), columnEncoder{origins}, orNull(m.turn), m.Now)
	}
}
