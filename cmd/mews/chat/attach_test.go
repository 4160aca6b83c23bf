package chat

import (
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// folder makes a folder with files to send: a picture of 40 x 30 pixels, a text, and a folder.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"a picture.png": picture.String(), "it's.txt": "hello", "notes.txt": "some notes", "sub/x": ""} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// names returns the base names of files.
func names(files []localFile) (list []string) {
	for _, f := range files {
		list = append(list, filepath.Base(f.path))
	}
	return list
}

func TestDroppedFiles_PathsAndURLs_AreFound(t *testing.T) {
	dir := folder(t)
	spaced := (&url.URL{Scheme: "file", Path: dir + "/a picture.png"}).String()
	for text, want := range map[string][]string{
		dir + "/notes.txt":                                 {"notes.txt"},
		dir + "/notes.txt ":                                {"notes.txt"},
		dir + `/a\ picture.png`:                            {"a picture.png"},
		"'" + dir + "/a picture.png' ":                     {"a picture.png"},
		`"` + dir + `/a picture.png"`:                      {"a picture.png"},
		"'" + dir + `/it'\''s.txt'`:                        {"it's.txt"},
		spaced:                                             {"a picture.png"},
		strings.Replace(spaced, "//", "//localhost", 1):    {"a picture.png"},
		dir + "/notes.txt\n" + dir + "/it\\'s.txt":         {"notes.txt", "it's.txt"},
		dir + "/notes.txt '" + dir + "/a picture.png'":     {"notes.txt", "a picture.png"},
		dir + "/notes.txt and words":                       nil,
		dir + "/sub":                                       nil,
		dir + "/none":                                      nil,
		"'" + dir + "/notes.txt":                           nil,
		strings.Replace(spaced, "//", "//elsewhere.it", 1): nil,
		"notes.txt":                                        nil, "": nil, "/help": nil,
	} {
		if d := cmp.Diff(want, names(droppedFiles(text))); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

func TestFindFile_Unsendable_IsExplained(t *testing.T) {
	dir := folder(t)
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 2_000<<20+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir + "/none":       "There is no file " + dir + "/none.",
		dir + "/sub":        dir + "/sub is a folder, and only files can be sent. Pack it first, for example with `zip -r sub.zip sub`.",
		dir + "/notes.txt/": "",
		"/dev/null":         "/dev/null is not a regular file, and only regular files can be sent.",
		large:               large + " has 2.1 GB, and at most 2000 MiB can be sent. Put the file into your folder and mention its name.",
	} {
		if _, err := findFile(path); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

// nextArrived returns the words and files of the next accepted message, with the files' contents.
func (p *rig) nextArrived() (words string, files []string) {
	p.Helper()
	in := p.nextInbound()
	list, err := p.db.Attachments().ListFiles(p.Context(), in.ID)
	p.must(err)
	for _, a := range list {
		file, _, err := p.spool.OpenBlob(a.SHA256)
		p.must(err)
		data, err := io.ReadAll(file)
		file.Close()
		p.must(err)
		if len(data) > 20 {
			data = []byte(a.MediaType)
		}
		files = append(files, a.Name+": "+string(data))
	}
	if len(files) > 0 && in.State != supervisor.InboundArriving {
		p.Errorf("what came with files is %s", in.State)
	}
	return in.Text, files
}

func (p *rig) arrives(words string, files ...string) {
	p.Helper()
	gotWords, gotFiles := p.nextArrived()
	if d := cmp.Diff(files, gotFiles); d != "" || gotWords != words {
		p.Errorf("accepted was %q with %s", gotWords, d)
	}
}

func TestAttachCommand_Files_AreSent(t *testing.T) {
	dir := folder(t)
	d := startAtPrompt(t)
	d.press("/attach " + dir + "/notes.txt  what is this?\r")
	d.expect("(Attached: notes.txt, 10 bytes.)\r\n")
	d.arrives("what is this?", "notes.txt: some notes")

	d.press("/attach " + dir + "/a picture.png\r") // no words follow the file's name, so the name needs no quotes
	d.expect("(Attached: a picture.png, ")
	d.expect(", 40 x 30 pixels.)\r\n(Enter sends the attached files with your line; Ctrl-C drops them.)\r\n> ")
	d.press(beginPaste + dir + `/it\'s.txt ` + endPaste)
	d.expect("(Attached: it's.txt, 5 bytes.")
	d.expectScreen("> |")
	d.press("/status\r") // the attached file is not sent with a command
	d.arrives("/status")
	d.press("both of them\r")
	d.arrives("both of them", "a picture.png: image/png", "it's.txt: hello")

	// input of a terminal without paste marks; only Enter sends the file
	d.press(dir + "/notes.txt\r\r")
	d.arrives("", "notes.txt: some notes")

	d.press("/attach " + dir + "/notes.txt\r" + ctrlCKey)
	d.expect("(The attached files are dropped.)")
	d.press("alone\r")
	d.arrives("alone")
	d.press("/attach " + dir + "/none\r/attach\r")
	d.expect("There is no file")
	d.expect("/attach, Tab completes a path.")
	d.expect("/attach FILE sends a file")
	d.press("so: " + beginPaste + dir + "/notes.txt" + endPaste + "\r") // after other words a path is text
	d.arrives("so: " + dir + "/notes.txt")
}

func TestAttachCommand_DeletedFile_IsReported(t *testing.T) {
	dir := folder(t)
	d := startAtPrompt(t)
	d.press("/attach " + dir + "/notes.txt\r")
	d.expect("(Attached: notes.txt")
	d.must(os.Remove(dir + "/notes.txt"))
	d.press("look\r")
	d.expect("Not sent: I can't read")
	d.expect(dir + "/notes.txt")
}

func TestLeaveCommand_UnsentFile_IsReported(t *testing.T) {
	dir := folder(t)
	p, _ := sitting(t)
	end := p.live()
	d := p.startTerminal(Options{Attach: []string{dir + "/notes.txt"}})
	d.expect("(Attached: notes.txt, 10 bytes.)")
	end()
	d.expect("(Mews does not answer.")
	d.press("look\r" + ctrlDKey)
	if err := d.waitEnd(); err == nil || err.Error() != fmt.Sprintf(textUnsent, "1 line was", "look") {
		t.Errorf("the chat ended with %v", err)
	}
	d.expect("Not sent: You left before the file had arrived.")
}

func TestPipe_Files_GoWithFirstLine(t *testing.T) {
	dir := folder(t)
	for lines, want := range map[string]string{"look\nand\n": "look", "": "", "\n": "", "/help\nlook\n": "look"} {
		p := newRig(t)
		p.live()
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			for range max(1, strings.Count(strings.TrimSpace(lines), "\n")+1) {
				in := p.nextInbound()
				files, err := p.db.Attachments().ListFiles(t.Context(), in.ID)
				if want := map[bool]int{true: 2}[in.Text == want]; err != nil || len(files) != want {
					t.Errorf("with %q came %d files, %v", in.Text, len(files), err)
				}
				if len(files) > 0 {
					_, err := p.db.Inbox().CompleteArrivals(t.Context(), []sqlite.ArrivalResult{{Inbound: in.ID,
						Origin: supervisor.OriginOwn}})
					p.must(err)
				}
				p.accepted <- in
				p.answer("re: " + in.Text)
			}
		}()
		var out bytes.Buffer
		err := runPipe(t.Context(), Console{Out: &out, Err: io.Discard}, strings.NewReader(lines), p.socket,
			Options{Attach: []string{dir + "/notes.txt", dir + "/it's.txt"}})
		<-answered
		if err != nil || !strings.Contains(out.String(), "re: "+want+"\n") {
			t.Errorf("%q: printed was %q, %v", lines, out.String(), err)
		}
	}
}

func TestPipe_AttachLine_IsRefused(t *testing.T) {
	dir := folder(t)
	p := newRig(t)
	p.live()
	var out, told bytes.Buffer
	err := runPipe(t.Context(), Console{Out: &out, Err: &told}, strings.NewReader("/attach "+dir+"/notes.txt look\n"), p.socket, Options{})
	if err == nil || !strings.Contains(told.String(),
		"not sent: /attach does not work in piped input. Name the files with --attach") || len(p.accepted) > 0 {
		t.Errorf("told was %q, %v", told.String(), err)
	}
	err = runPipe(t.Context(), Console{Out: &out, Err: &told}, strings.NewReader("look\n"), p.socket, Options{Attach: []string{dir + "/none"}})
	if err == nil || !strings.HasPrefix(err.Error(), "There is no file "+dir+"/none") || len(p.accepted) > 0 {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestTabKey_CompletesPath(t *testing.T) {
	dir := folder(t)
	t.Setenv("HOME", dir)
	for typed, want := range map[string]string{
		"/attach " + dir + "/n":     "/attach " + dir + "/notes.txt",
		"/attach " + dir + "/a":     "/attach " + dir + `/a\ picture.png`,
		"/attach '" + dir + "/a":    "/attach '" + dir + "/a picture.png",
		"/attach " + dir + "/s":     "/attach " + dir + "/sub/",
		"/attach ~/it":              `/attach ~/it\'s.txt`,
		"/attach " + dir + "/":      "/attach " + dir + "/",
		"/attach " + dir + "/none":  "/attach " + dir + "/none",
		"/attach " + dir + "/n see": "/attach " + dir + "/n see",
		"see " + dir + "/n":         "see " + dir + "/n",
	} {
		e := &lineEditor{keys: bufio.NewReader(strings.NewReader(typed + "\t\r")), out: io.Discard,
			history: &lineHistory{}, width: 80, height: 24}
		if text, err := e.ReadLine(); text != want || err != nil {
			t.Errorf("%q becomes %q, %v", typed, text, err)
		}
	}
}
