package files

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/worker"
)

func wantChanges(t *testing.T, r worker.Result, want ...protocol.Change) {
	t.Helper()
	if diff := cmp.Diff(want, r.Changes); diff != "" {
		t.Fatalf("changes (- wanted, + got):\n%s", diff)
	}
}

func TestWriteFile_EachCall_WritesOrFails(t *testing.T) {
	d := newFixture(t, protocol.FilePolicy{}, nil)
	r := d.mustRun("write_file", `{"path":"/notes/a.md","content":"grüße\n"}`, "notes/a.md was created, 8 bytes.")
	wantChanges(t, r, protocol.Change{Kind: "write", Target: "notes/a.md", Detail: "created, 8 bytes"})
	d.put("notes/a.md", "grüße\n")
	const advice = "; change it with edit_file, or replace it with overwrite: true"
	for _, other := range []string{``, `,"overwrite":false`} {
		d.mustFail("write_file", `{"path":"notes/a.md","content":"other"`+other+`}`, "write notes/a.md: there is something with this name "+
			"already: 8 bytes, changed 2026-11-20 13:00, first line \"grüße\""+advice)
	}
	r = d.mustRun("write_file", `{"path":"notes/a.md","content":"new","overwrite":true}`, "notes/a.md was overwritten, 3 bytes.")
	wantChanges(t, r, protocol.Change{Kind: "write", Target: "notes/a.md", Detail: "overwritten, 3 bytes"})
	for content, says := range map[string]string{
		"": `0 bytes, changed 2026-11-20 13:00, first line ""`, "\xff\xfea\x00\r\x00\n\x00": `first line "a"`,
		strings.Repeat("ä", 50) + "\nb": `first line "` + strings.Repeat("ä", 40) + `"`,
		"\x00":                          "1 byte, changed 2026-11-20 13:00; read f: it is not text but binary, 1 byte" + advice,
	} {
		d.put("f", content)
		d.mustFail("write_file", `{"path":"f","content":"other"}`, says)
	}
	d.mustRun("write_file", `{"path":"notes/a.md","content":"new","overwrite":false}`,
		"notes/a.md was found to hold just this already, 3 bytes.")
	d.mustFail("write_file", `{"path":"notes","content":"x"}`, "it is a folder")
	if got := d.content("notes/a.md"); got != "new" {
		t.Fatalf("the file holds %q", got)
	}
}

func TestAppendFile_Text_IsAddedAtEnd(t *testing.T) {
	d := newFixture(t, protocol.FilePolicy{AppendOnly: []string{"logs/**"}}, map[string]string{
		"logs/a.md": "- one", "w.txt": "\xff\xfea\x00", "p.png": "\x89PNG\r\n\x1a\n\x00",
	})
	r := d.mustRun("append_file", `{"path":"logs/a.md","content":"- two"}`, "Added 5 bytes to logs/a.md.")
	wantChanges(t, r, protocol.Change{Kind: "append", Target: "logs/a.md", Detail: "5 bytes"})
	r = d.mustRun("append_file", `{"path":"todos.md","content":"- [ ] milk\n"}`, "todos.md was created, 11 bytes.")
	wantChanges(t, r, protocol.Change{Kind: "append", Target: "todos.md", Detail: "created, 11 bytes"})
	if got := d.content("logs/a.md") + "|" + d.content("todos.md"); got != "- one\n- two|- [ ] milk\n" {
		t.Fatalf("got %q", got)
	}
	d.mustFail("append_file", `{"path":"w.txt","content":"b"}`, "append to w.txt: it is written in UTF-16 LE")
	d.mustFail("append_file", `{"path":"p.png","content":"b"}`, "append to", "a PNG image")
	d.mustFail("append_file", `{"path":"logs/a.md","content":""}`, "content is empty")
	for tool, arguments := range map[string]string{
		"write_file": `{"path":"logs/a.md","content":"","overwrite":true}`, "delete_file": `{"path":"logs/a.md"}`,
		"edit_file": `{"path":"logs/a.md","old_text":"one","new_text":"two"}`, "move_file": `{"from":"logs","to":"old"}`,
	} {
		d.mustFail(tool, arguments, "by the rules of this folder it can only be appended to")
	}
	d.mustFail("write_file", `{"path":"logs/a.md","content":"x"}`, "by the rules of this folder it can only be appended to")
}

func TestEditFile_EachCall_ReplacesOrFails(t *testing.T) {
	latin, _ := encodeAll("größe 1\n", encoding1252)
	wide, _ := encodeAll("größe 1\n", encodingUTF16BE)
	wider, _ := encodeAll("größe 2 €\n", encodingUTF16BE)
	for _, c := range []struct{ name, before, arguments, after, says string }{
		{"once", "a b c\n", `"old_text":"b","new_text":"x"`, "a x c\n", "f was changed in 1 place."},
		{"to nothing", "a b c\n", `"old_text":" b","new_text":""`, "a c\n", "f was changed in 1 place."},
		{"all", "a a\na\n", `"old_text":"a","new_text":"aa","all":true`, "aa aa\naa\n", "f was changed in 3 places."},
		{"lines", "a\nb\nc\n", `"old_text":"a\nb\n","new_text":"x\n"`, "x\nc\n", "f was changed in 1 place."},
		{"lines that end in CRLF", "a\r\nb\r\nc\r\n", `"old_text":"a\nb","new_text":"x\ny"`, "x\r\ny\r\nc\r\n", "f was changed in 1 place."},
		{"a mark at the front stays", "\xef\xbb\xbfa\n", `"old_text":"a","new_text":"b"`, "\xef\xbb\xbfb\n", "f was changed in 1 place."},
		{"Latin-1 stays", string(latin), `"old_text":"größe 1","new_text":"länge 2 €"`, "l\xe4nge 2 \x80\n", "f was changed in 1 place."},
		{"UTF-16 stays", string(wide), `"old_text":"1","new_text":"2 €"`, string(wider), "f was changed in 1 place."},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newFixture(t, protocol.FilePolicy{}, map[string]string{"f": c.before})
			r := d.mustRun("edit_file", `{"path":"f",`+c.arguments+`}`, c.says)
			if got := d.content("f"); got != c.after || len(r.Changes) != 1 || r.Changes[0].Kind != "edit" {
				t.Fatalf("got %q, changes %v", got, r.Changes)
			}
		})
	}
	for _, c := range []struct{ name, before, arguments, says string }{
		{"not there", "a\n", `"old_text":"b","new_text":"x"`, "edit f: old_text is not in it; read the file to see what is"},
		{
			"near", "a\n\tif  x {\n", `"old_text":"if x {\n y","new_text":"x"`,
			`edit f: old_text is not in it; line 2 is near, but differs in white space, in case or in what follows: "\tif  x {\n"`,
		},
		{"several", "a\nb a\n\na", `"old_text":"a","new_text":"x"`, "edit f: old_text is in it 3 times, on lines 1, 2, 4; give more"},
		{"very many", strings.Repeat("a\n", 50), `"old_text":"a","new_text":"x"`, "50 times, on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...;"},
		{"nothing", "a", `"old_text":"","new_text":"x"`, "old_text is empty"},
		{"the same", "a", `"old_text":"a","new_text":"a"`, "are the same"},
		{"binary", "\x00", `"old_text":"a","new_text":"b"`, "edit f: it is not text but binary, 1 byte"},
		{"damaged", "\xff\xfe\x00\xd8a\x00", `"old_text":"a","new_text":"b"`, "edit f: its text is damaged UTF-16 LE"},
		{"no such letter", string(latin), `"old_text":"1","new_text":"一"`, "Windows-1252, which has no '一'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newFixture(t, protocol.FilePolicy{}, map[string]string{"f": c.before})
			d.mustFail("edit_file", `{"path":"f",`+c.arguments+`}`, c.says)
			if got := d.content("f"); got != c.before {
				t.Fatalf("the file now holds %q", got)
			}
		})
	}
}

func TestMoveFile_EachCall_MovesOrFails(t *testing.T) {
	d := newFixture(t, protocol.FilePolicy{}, map[string]string{"a": "a", "b": "b", "box/a": "old", "c": "c", "dir/x": ""})
	r := d.mustRun("move_file", `{"from":"b","to":"new/b2"}`, "b is now new/b2.")
	wantChanges(t, r, protocol.Change{Kind: "move", Target: "b", Detail: "new/b2"})
	d.mustFail("move_file", `{"from":"a","to":"box"}`, "move a to box: there is something with this name already, and overwrite is not set")
	const slot = ".trash/20261120T120000Z-1/box/a"
	r = d.mustRun("move_file", `{"from":"a","to":"box","overwrite":true}`, "a is now box/a. What was there before is "+slot+".")
	wantChanges(t, r, protocol.Change{Kind: "delete", Target: "box/a", Detail: slot},
		protocol.Change{Kind: "move", Target: "a", Detail: "box/a"})
	if got := d.content("a") + d.content("box/a") + d.content(slot); got != "(none)aold" {
		t.Fatalf("got %q", got)
	}
	d.mustFail("move_file", `{"from":"c","to":"c","overwrite":true}`, "move c: it is the same as c")
	d.put("box/dir/y", "")
	d.mustFail("move_file", `{"from":"dir","to":"box","overwrite":true}`, "move to box/dir: there is a folder with this name")
	d.mustFail("move_file", `{"from":"missing","to":"c","overwrite":true}`, "move missing: there is no such file")
	d.mustFail("move_file", `{"from":"dir","to":"../x"}`, "leads out of the folder")
	if got := d.content("c"); got != "c" {
		t.Fatalf("c holds %q", got)
	}
}

func TestDeleteFile_File_GoesToTrash(t *testing.T) {
	d := newFixture(t, protocol.FilePolicy{}, map[string]string{"notes/a.md": "a", "notes/b.md": "b"})
	where := ".trash/20261120T120000Z-1/notes/a.md"
	r := d.mustRun("delete_file", `{"path":"notes/a.md"}`, "notes/a.md is in the trash now, at "+where+"; move_file brings it back.")
	wantChanges(t, r, protocol.Change{Kind: "delete", Target: "notes/a.md", Detail: where})
	d.mustRun("move_file", `{"from":"`+where+`","to":"notes/"}`, where+" is now notes/a.md.")
	d.mustRun("delete_file", `{"path":"notes/"}`, "notes is in the trash now, at .trash/20261120T120000Z-2/notes; move_file brings it back.")
	d.mustFail("delete_file", `{"path":"notes"}`, "delete notes: there is no such file or folder")
	d.mustFail("delete_file", `{"path":"/"}`, "it is the folder itself")
	if _, err := os.Stat(d.path(".trash/20261120T120000Z-2/notes/b.md")); err != nil {
		t.Fatal(err)
	}
}
