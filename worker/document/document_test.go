package document

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/worker/parse"
)

// answered is the answer of a parser: its header and its body.
type answered struct {
	parse.Header
	body string
}

// parseBytes runs the parser of a kind over a file with these bytes.
func parseBytes(t testing.TB, kind parse.Kind, data []byte) (a answered, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var out bytes.Buffer
	if err := runParser(parsers[kind], in, &out); err != nil {
		return a, err
	}
	head, body, _ := strings.Cut(out.String(), "\n")
	if err := json.Unmarshal([]byte(head), &a.Header); err != nil {
		t.Fatalf("the header %.200q: %v", head, err)
	}
	if err := a.Validate(kind); err != nil {
		t.Fatalf("the header %.200q: %v", head, err)
	}
	a.body = body
	return a, nil
}

// makeZip makes a ZIP archive of these files.
func makeZip(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range sortedKeys(files) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(files[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sortedKeys(files map[string]string) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestRunParser_Failure_HasReason: each failure is a reason of package parse, and no words of the
// file.
func TestRunParser_Failure_HasReason(t *testing.T) {
	deep := ""
	for i := range 30 {
		deep += fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%[1]d.\n\n--b%[1]d.\n", i)
	}
	for name, c := range map[string]struct {
		kind parse.Kind
		data string
		want parse.Reason
	}{
		"no archive":        {parse.KindZip, "hello", parse.ReasonDamaged},
		"no tar":            {parse.KindTar, strings.Repeat("x", 600), parse.ReasonDamaged},
		"no gzip":           {parse.KindGzip, "hello", parse.ReasonDamaged},
		"no notebook":       {parse.KindNotebook, `{"cells": 7}`, parse.ReasonDamaged},
		"half a notebook":   {parse.KindNotebook, `{"cells": [`, parse.ReasonDamaged},
		"no mail":           {parse.KindMail, "\nhello", parse.ReasonDamaged},
		"parts in parts":    {parse.KindMail, deep, parse.ReasonTooMuchContent},
		"no picture":        {parse.KindPicture, "hello", parse.ReasonNoPicture},
		"half a picture":    {parse.KindPicture, "\x89PNG\r\n\x1a\n", parse.ReasonDamagedPicture},
		"half a bitmap":     {parse.KindPicture, "BM", parse.ReasonDamagedPicture},
		"groups in groups":  {parse.KindRTF, `{\rtf1 ` + strings.Repeat("{", 20_000), parse.ReasonDamaged},
		"a tag without end": {parse.KindHTML, "<a " + strings.Repeat("x", 2<<20), parse.ReasonDamaged},
		"a damaged document": {parse.KindZip, string(makeZip(t, map[string]string{"word/document.xml": "<w:t>a</w:t"})),
			parse.ReasonDamaged},
	} {
		_, err := parseBytes(t, c.kind, []byte(c.data))
		if failed := failureOf(err); err == nil || failed.Reason != c.want {
			t.Errorf("%s: got %v, want the reason %s", name, err, c.want)
		}
	}
}

// TestRunParser_Panic_ReportsDamagedFile: a file that makes a parser panic is damaged.
func TestRunParser_Panic_ReportsDamagedFile(t *testing.T) {
	in, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	err = runParser(func(source, *output) error { panic("words of the file") }, in, &bytes.Buffer{})
	if failed := new(parse.Failure); !errors.As(err, &failed) || failed.Reason != parse.ReasonDamaged {
		t.Errorf("got %v", err)
	}
}

// TestOutput_TooLong_EndsAtTheLimit: a body of more than MaxOutput bytes is cut, and the parser
// ends.
func TestOutput_TooLong_EndsAtTheLimit(t *testing.T) {
	var b bytes.Buffer
	out := &output{to: bufio.NewWriter(&b)}
	piece := bytes.Repeat([]byte("x"), 3<<20)
	writes := 0
	for ; writes < 100; writes++ {
		if _, err := out.Write(piece); errors.Is(err, errFull) {
			break
		}
	}
	if err := out.to.Flush(); err != nil || b.Len() != parse.MaxOutput || writes != 6 {
		t.Errorf("%d bytes after %d writes: %v", b.Len(), writes, err)
	}
}

// TestParser_FileThroughPipe_IsRead: a file may come through a pipe, as a film's frame does.
func TestParser_FileThroughPipe_IsRead(t *testing.T) {
	in, end, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	go func() {
		_, _ = end.WriteString("<p>hello</p>")
		_ = end.Close()
	}()
	var out bytes.Buffer
	if err := runParser(parseHTML, in, &out); err != nil || !strings.HasSuffix(out.String(), "\nhello") {
		t.Errorf("got %q, %v", out.String(), err)
	}
}
