package index

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mews/protocol"
	"mews/supervisor/internal/engine"
)

// filesWith lists the files that contain any of the words. It looks at the files of the index, and
// of a copy that was set aside.
func (r *rig) filesWith(words ...string) (files []string) {
	r.Helper()
	all, err := filepath.Glob(r.index.o.Path + "*")
	if err != nil || len(all) == 0 {
		r.Fatal("no files", err)
	}
	for _, name := range all {
		data, err := os.ReadFile(name)
		if err != nil {
			r.Fatal(err)
		}
		for _, w := range words {
			if bytes.Contains(bytes.ToLower(data), []byte(w)) {
				files = append(files, filepath.Base(name)+" has "+w)
			}
		}
	}
	return files
}

// fill adds many messages, so that words are on several pages and in several segments.
func (r *rig) fill() {
	for i := range 300 {
		r.keep(r.people[i%len(r.people)], protocol.RoleUser, string(rune('a'+i%26))+"bc quiet words about zebras, zinc and zucchini")
	}
}

// A message deleted from the transcript is in none of the index's files, nor in a copy that was set
// aside.
func TestRemoveMessages_LeavesNoWordsInFiles(t *testing.T) {
	r := newRig(t, "alice", "bob")
	r.fill()
	r.run()
	secret := r.putMessage("alice", protocol.RoleUser, "zyzzyvaquux and Grünkohlpinkel")
	kept := r.putMessage("alice", protocol.RoleUser, "zyzzyvakept stays")
	r.fill()
	r.index.NotifyMessage("alice", 1)
	r.index.NotifyMessage("bob", 2)
	r.waitUntilRead()
	if err := os.WriteFile(r.index.o.Path+".bad-20261101T000000", []byte("zyzzyvaquux"), 0o600); err != nil {
		t.Fatal(err)
	}
	if len(r.filesWith("zyzzyvaquux")) == 0 {
		t.Fatal("the test looks for what was never there")
	}
	r.change("DELETE FROM message WHERE id = %d", secret)
	if err := r.index.RemoveMessages(t.Context(), "alice", []int64{secret}); err != nil {
		t.Fatal(err)
	}
	if left := r.filesWith("zyzzyvaquux", "grünkohlpinkel", "grunkohlpinkel"); len(left) > 0 {
		t.Error(left)
	}
	if hits := r.search(Query{User: "alice", Text: "zyzzyvakept"}); len(hits) != 1 || hits[0].Message != kept {
		t.Errorf("what stays is found as %+v", hits)
	}
	if left := r.query("PRAGMA quick_check"); !slices.Equal(left, []string{"ok"}) {
		t.Error(left)
	}
}

// An erased user's words are gone, and another user's words are still found.
func TestEraseUser_LeavesNoWordsInFiles(t *testing.T) {
	r := newRig(t, "alice", "bob")
	r.fill()
	r.run()
	r.putMessage("alice", protocol.RoleUser, "zyzzyvaquux")
	r.putMessage("bob", protocol.RoleUser, "bobbish thing")
	r.put("alice", file("a.md", "zyzzyvaheading\nzyzzyvatext"))
	r.waitUntilRead()
	r.change("DELETE FROM message WHERE user = 'alice'")
	if err := r.index.EraseUser(t.Context(), "alice"); err != nil {
		t.Fatal(err)
	}
	if left := r.filesWith("zyzzyva"); len(left) > 0 {
		t.Error(left)
	}
	if found := r.searchTexts("bob", "bobbish"); len(found) != 1 {
		t.Errorf("bob finds %q", found)
	}
	if found := r.searchTexts("alice", "zebras"); len(found) > 0 {
		t.Errorf("alice finds %q", found)
	}
}

// A message that was deleted or blanked while the index was closed is not found after the index
// opens, although the index was not told.
func TestRun_MessageRemovedWhileClosed_IsDropped(t *testing.T) {
	r := newRig(t, "alice", "bob").run()
	gone := r.putMessage("alice", protocol.RoleUser, "zyzzyvaone went")
	blank := r.putMessage("alice", protocol.RoleUser, "zyzzyvatwo was blanked")
	r.putMessage("alice", protocol.RoleUser, "three stays")
	r.putMessage("bob", protocol.RoleUser, "zyzzyvabob leaves")
	r.waitUntilRead()
	r.stop()
	r.change("DELETE FROM message WHERE id = %d; UPDATE message SET parts = '[]' WHERE id = %d; DELETE FROM message WHERE user = 'bob'; DELETE FROM turn WHERE user = 'bob'; DELETE FROM inbox WHERE user = 'bob'; DELETE FROM conversation WHERE user = 'bob'", gone, blank)
	r.people = r.people[:1]
	r.index = New(r.index.o)
	r.run()
	if found := r.searchTexts("alice", "zyzzyvaone zyzzyvatwo stays"); !slices.Equal(found, []string{"three stays"}) {
		t.Errorf("%q", found)
	}
	if left := r.filesWith("zyzzyva"); len(left) > 0 {
		t.Error(left)
	}
}

// query lists the last column of a statement's rows.
func (r *rig) query(query string) (found []string) {
	r.Helper()
	err := r.index.openDB().Write(r.Context(), func(t *engine.Tx) error {
		return t.Query(func(row *engine.Row) bool {
			for name, v := range row.Values() {
				if text, ok := v.(string); ok && (name == "detail" || len(row.Values()) == 1) {
					found = append(found, text)
				}
			}
			return true
		}, query, make([]any, parameters(query))...)
	})
	if err != nil {
		r.Fatal(err)
	}
	return found
}

// parameters returns how many parameters a statement has, as ? or as ?1 and so on.
func parameters(query string) (n int) {
	for i, r := range query {
		if r == '?' && i+1 < len(query) && '1' <= query[i+1] && query[i+1] <= '9' {
			n = max(n, int(query[i+1]-'0'))
		} else if r == '?' {
			n++
		}
	}
	return n
}
