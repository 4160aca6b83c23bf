package hostcall_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor/index"
	"mews/supervisor/operation"
	"mews/supervisor/spool"
)

// indexing begins an operation that indexes ann's home. The index accepts everything, and records
// whose homes are updated.
func (r *rig) indexing(id int64, updates *[]string) {
	s, err := spool.Open(r.t.TempDir())
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { s.Close() })
	x := index.New(index.Options{})
	r.options.UpdateHome = func(user string) *index.HomeUpdate {
		*updates = append(*updates, user)
		return x.BeginHomeUpdate(user)
	}
	r.options.HomeChanged = func(user string) { *updates = append(*updates, user+" changed") }
	r.conn.BeginOperation(operation.Attempt{ID: id, Spool: s, MaxBytes: 4 << 20, Index: true})
}

func indexFile(path string) protocol.IndexedFile { return protocol.IndexedFile{Path: path, Size: 1} }

// TestIndex_InvalidMessage_EndsWorker checks that an invalid message about the index ends the
// worker and is audited.
func TestIndex_InvalidMessage_EndsWorker(t *testing.T) {
	hash := strings.Repeat("0", 32)
	many := make([]protocol.IndexedSection, protocol.MaxIndexSections+1)
	for i := range many {
		many[i] = protocol.IndexedSection{Hash: hash, Line: 1}
	}
	section := func(s protocol.IndexedSection) protocol.IndexSectionsParams {
		f := indexFile("a.md")
		f.Sections = []protocol.IndexedSection{s}
		return protocol.IndexSectionsParams{Operation: 7, Files: []protocol.IndexedFile{f}}
	}
	files := func(list ...protocol.IndexedFile) protocol.IndexFilesParams {
		return protocol.IndexFilesParams{Operation: 7, Files: list}
	}
	for name, c := range map[string]struct {
		method string
		params any
	}{
		"of another operation":        {protocol.MethodIndexFiles, protocol.IndexFilesParams{Operation: 8}},
		"of a non-indexing operation": {protocol.MethodIndexFiles, protocol.IndexFilesParams{Operation: 9}},
		"a path of 4 KiB and more": {protocol.MethodIndexFiles, files(indexFile(strings.Repeat("x",
			protocol.MaxIndexedPathBytes+1)))},
		"a path with NUL":        {protocol.MethodIndexFiles, files(indexFile("a\x00b"))},
		"a path out of the home": {protocol.MethodIndexFiles, files(indexFile("../bob/a.md"))},
		"an absolute path":       {protocol.MethodIndexFiles, files(indexFile("/etc/passwd"))},
		"the home itself":        {protocol.MethodIndexFiles, files(indexFile("."))},
		"too large a file": {protocol.MethodIndexFiles, files(protocol.IndexedFile{Path: "a",
			Size: protocol.MaxIndexedFileBytes + 1})},
		"too many files at once": {protocol.MethodIndexFiles, files(make([]protocol.IndexedFile,
			protocol.MaxFilesPerIndexPage+1)...)},
		"more than a page":         {protocol.MethodIndexFiles, files(indexFile(strings.Repeat("x", 600<<10)))},
		"sections among the names": {protocol.MethodIndexFiles, files(protocol.IndexedFile{Path: "a", Sections: many[:1]})},
		"too many sections": {protocol.MethodIndexSections, protocol.IndexSectionsParams{Operation: 7,
			Files: []protocol.IndexedFile{{Path: "a", Sections: many}}}},
		"an invalid hash":         {protocol.MethodIndexSections, section(protocol.IndexedSection{Hash: strings.Repeat("'", 32), Line: 1})},
		"a line before the first": {protocol.MethodIndexSections, section(protocol.IndexedSection{Hash: hash})},
		"a missing blob": {protocol.MethodIndexPut, protocol.IndexPutParams{Operation: 7,
			Blob: protocol.BlobRef{SHA256: hash + hash, Size: 1}}},
		"a blob named by a path": {protocol.MethodIndexPut, protocol.IndexPutParams{Operation: 7,
			Blob: protocol.BlobRef{SHA256: "../../mews.db", Size: 1}}},
		"a count below 0": {protocol.MethodIndexEnd, protocol.IndexEndParams{Operation: 7,
			Left: protocol.UnindexedCounts{Large: -1}}},
		"a person's name":    {protocol.MethodIndexFiles, json.RawMessage(`{"operation":7,"user":"bob","files":[]}`)},
		"of an unnamed file": {protocol.MethodIndexSections, section(protocol.IndexedSection{Hash: hash, Line: 1})},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
			var updates []string
			r.indexing(7, &updates)
			r.conn.BeginOperation(operation.Attempt{ID: 9})
			if _, err := r.call(c.method, c.params); err == nil || r.peer.ended == nil || len(r.audited) != 1 {
				t.Errorf("%v, ended for %v, audited %q", err, r.peer.ended, r.audited)
			}
			for _, user := range updates {
				if user != "ann" {
					t.Errorf("an update for %s", user)
				}
			}
		})
	}
}

// TestIndexPut_InvalidSections_EndsWorker commits blobs with invalid sections.
func TestIndexPut_InvalidSections_EndsWorker(t *testing.T) {
	for name, blob := range map[string]string{
		"no JSON":              "x",
		"an unknown key":       `{"sections":[],"user":"bob"}`,
		"a section of 1 MiB":   fmt.Sprintf(`{"sections":[{"text":%q}]}`, strings.Repeat("x", 1<<19)),
		"a blob of over 1 MiB": fmt.Sprintf(`{"sections":[{"text":%q}]}`, strings.Repeat("x", 1<<20)),
		"a long heading": fmt.Sprintf(`{"sections":[{"heading":%q,"text":""}]}`, strings.Repeat("x",
			protocol.MaxIndexHeadingBytes+1)),
		"NUL in a text":           `{"sections":[{"text":"\u0000"}]}`,
		"a section not asked for": `{"sections":[{"text":"x"}]}`,
	} {
		r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
		var updates []string
		r.indexing(7, &updates)
		ref, err := r.put(7, []byte(blob))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.call(protocol.MethodIndexPut, protocol.IndexPutParams{Operation: 7, Blob: ref}); err == nil ||
			r.peer.ended == nil {
			t.Errorf("%s: %v, ended for %v", name, err, r.peer.ended)
		}
	}
}

// TestIndexEnd_CalledTwice_EndsWorker checks that a second index.end ends the worker.
func TestIndexEnd_CalledTwice_EndsWorker(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	var updates []string
	r.indexing(7, &updates)
	if _, err := r.call(protocol.MethodIndexEnd, protocol.IndexEndParams{Operation: 7}); err == nil ||
		r.peer.ended != nil {
		t.Errorf("an index that is not open: %v, ended for %v", err, r.peer.ended)
	}
	if _, err := r.call(protocol.MethodIndexEnd, protocol.IndexEndParams{Operation: 7}); err == nil ||
		r.peer.ended == nil {
		t.Errorf("a second end: %v, ended for %v", err, r.peer.ended)
	}
}
