package webtools

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host/hosttest"
	"mews/worker/parse"
	"mews/worker/program"
	"mews/worker/tool/images"
	"mews/worker/workspace"
)

// fakeSupervisor answers web.fetch with a body.
type fakeSupervisor struct {
	result protocol.WebFetchResult
	body   string
	err    error
	calls  []string
}

func (s *fakeSupervisor) Call(_ context.Context, method string, params, result any) error {
	p := params.(*protocol.WebFetchParams)
	s.calls = append(s.calls, method+" "+p.Call)
	if s.err != nil {
		return s.err
	}
	got := s.result
	got.Body = protocol.BlobRef{SHA256: strings.Repeat("a", 64), Size: int64(len(s.body))}
	*result.(*protocol.WebFetchResult) = got
	return nil
}

func (s *fakeSupervisor) ReadBlob(_ context.Context, _ string, offset int64, length int) (protocol.BlobReadResult,
	error) {
	rest := s.body[min(int(offset), len(s.body)):]
	return protocol.BlobReadResult{Data: []byte(rest[:min(length, len(rest), 1000)]), Size: int64(len(s.body))}, nil
}

// rig is web_fetch over a folder and a fake supervisor.
type rig struct {
	*testing.T
	supervisor fakeSupervisor
	dir        string
	run        func(arguments string) (worker.Result, error)
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, dir: t.TempDir()}
	ws, err := workspace.Open(r.dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	programs := &program.Runner{Children: program.NewChildren((*exec.Cmd).Start),
		Environment: program.Environment{Home: r.dir}}
	convert := func(ctx context.Context, file io.Reader) (parse.Picture, []byte, error) {
		return parse.ConvertPicture(ctx, programs, file)
	}
	tool := FetchTools(FetchOptions{Files: ws, Turn: &r.supervisor, Programs: programs, Pictures: images.New(ws,
		convert)})[0]
	r.run = func(arguments string) (worker.Result, error) {
		return tool.Run(t.Context(), worker.Call{ID: "c1", Arguments: json.RawMessage(arguments),
			KeepBefore: new(hosttest.Host).StoreUndoBlob})
	}
	return r
}

const page = `<!doctype html><title>All about tea</title><nav><a href=/>home</a></nav>` +
	`<main><p>Tea is <a href=/l>leaves</a>.</main>`

const pngOfOnePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// onePagePDF returns a PDF with a line of text.
func onePagePDF(text string) string {
	content := "BT /F1 24 Tf 20 100 Td (" + text + ") Tj ET"
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"}
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	table := fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, object := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", table, len(objects)+1, start)
	return b.String()
}

func TestFetch_Bodies_BecomeText(t *testing.T) {
	const address = "https://example.org/tea"
	html := protocol.WebFetchResult{Address: address, Status: 200, MediaType: "text/html"}
	as := func(mediaType string) protocol.WebFetchResult {
		r := html
		r.MediaType = mediaType
		return r
	}
	missing, old, latin := html, html, as("text/plain")
	missing.Status, old.Age, latin.Charset = 404, 200, "iso-8859-1"
	png, err := base64.StdEncoding.DecodeString(pngOfOnePixel)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		result protocol.WebFetchResult
		body   string
		want   string
	}{
		"a page": {html, page, "All about tea\n" + address + "\n" + textMaterial +
			"\n\nTea is [leaves](https://example.org/l)."},
		"a page without a type": {as(""), page, "All about tea\n" + address + "\n" + textMaterial +
			"\n\nTea is [leaves](https://example.org/l)."},
		"a missing page": {missing, "<p>no tea", address + "\n[HTTP status 404]\n" + textMaterial + "\n\nno tea"},
		"an old copy":    {old, "<p>tea", address + "\n[This copy is 3 minutes old.]\n" + textMaterial + "\n\ntea"},
		"a table":        {as("text/csv"), "a,b\n1,2\n", address + "\n" + textMaterial + "\n\na,b\n1,2"},
		"an object": {as("application/ld+json"), `{"a":"<b>"}`, address + "\n" + textMaterial + "\n\n" +
			`{"a":"<b>"}`},
		"Latin letters": {latin, "caf\xe9", address + "\n" + textMaterial + "\n\ncafé"},
		"a script page": {html, "<script>x</script>", address + "\n" + textNoText + "\n"},
		"nothing":       {html, "", address + "\n" + textEmpty + "\n"},
		"a picture":     {as("image/png"), string(png), address + "\n[a PNG image, 1 x 1 pixels]\n"},
		"a bad picture": {as("image/png"), string(png[:20]), address +
			"\n[It could not be read: it looks like a PNG image, but it is damaged or " +
			"of a kind that can't be opened.]\n"},
		"a PDF": {as("application/pdf"), onePagePDF("green tea"), address + "\n" + textMaterial +
			"\n\ngreen tea"},
		"a bad PDF": {as("application/pdf"), "%PDF-1.4\nx", address +
			"\n[It could not be read: pdftotext could not open it (exit 1).]\n"},
		"an archive": {as("application/zip"), "PK\x03\x04\x00\x00", address +
			"\n[It is a ZIP archive (or an office document), 6 bytes. It can't be shown. Use save to keep it.]\n"},
		"a program": {as("application/octet-stream"), "\x00\x01\x02", address +
			"\n[It is application/octet-stream, 3 bytes. It can't be shown. Use save to keep it.]\n"},
	} {
		r := newRig(t)
		r.supervisor.result, r.supervisor.body = c.result, c.body
		got, err := r.run(`{"url":"https://example.org/tea"}`)
		if err != nil || got.Text != c.want || !got.World || len(got.Changes) != 0 ||
			(len(got.Images) == 1) != (name == "a picture") {
			t.Errorf("%s: got %+v and error %v, want %q", name, got, err, c.want)
		}
	}
}

func TestFetch_LongText_IsCut(t *testing.T) {
	r := newRig(t)
	r.supervisor.result = protocol.WebFetchResult{Address: "https://example.org/", Status: 200, MediaType: "text/plain"}
	r.supervisor.body = strings.Repeat("é", maxText)
	got, err := r.run(`{"url":"https://example.org/"}`)
	if err != nil || len(got.Text) > maxText+300 || !strings.HasSuffix(got.Text, "é\n"+textCut) {
		t.Errorf("%d bytes, error %v", len(got.Text), err)
	}
}

// TestFetch_Save_WritesToDownloads: a page is saved as Markdown, another file as it is. A second call
// changes nothing, and other contents get another name.
func TestFetch_Save_WritesToDownloads(t *testing.T) {
	for name, c := range map[string]struct {
		address, mediaType, body, path, content string
	}{
		"a page": {"https://example.org/x.html", "text/html", page, "downloads/all-about-tea.md",
			"# All about tea\n\n<https://example.org/x.html>\n\nTea is [leaves](https://example.org/l).\n"},
		"a page without a title": {"https://example.org/x.html", "text/html", "<p>tea", "downloads/x.md",
			"<https://example.org/x.html>\n\ntea\n"},
		"a page of a site": {"https://example.org/", "text/html", "<p>tea", "downloads/example-org.md",
			"<https://example.org/>\n\ntea\n"},
		"a table": {"https://example.org/data?x=1", "text/csv", "a,b\n", "downloads/data.csv", "a,b\n"},
		"an archive": {"https://example.org/a/b.zip", "application/zip", "PK\x03\x04\x00", "downloads/b.zip",
			"PK\x03\x04\x00"},
		"a hidden file": {"https://example.org/.bashrc", "", "x", "downloads/bashrc", "x"},
		"dots":          {"https://example.org/..%2F..%2F.profile", "text/plain", "x", "downloads/profile.txt", "x"},
	} {
		r := newRig(t)
		r.supervisor.result = protocol.WebFetchResult{Address: c.address, Status: 200, MediaType: c.mediaType}
		r.supervisor.body = c.body
		for range 2 {
			got, err := r.run(`{"url":"https://example.org/","save":true}`)
			data, fault := os.ReadFile(filepath.Join(r.dir, c.path))
			if err != nil || fault != nil || string(data) != c.content || !strings.Contains(got.Text, c.path) ||
				len(got.Changes) != 1 || got.Changes[0].Target != c.path {
				t.Errorf("%s: got %+v, %q, %v and %v", name, got, data, err, fault)
			}
		}
		if err := os.WriteFile(filepath.Join(r.dir, c.path), []byte("other"), 0o600); err != nil {
			t.Fatal(err)
		}
		extension := filepath.Ext(c.path)
		second := strings.TrimSuffix(c.path, extension) + "-2" + extension
		if got, err := r.run(`{"url":"https://example.org/","save":true}`); err != nil || !strings.Contains(got.Text,
			second) {
			t.Errorf("%s: got %q and error %v, want %s", name, got.Text, err, second)
		}
	}
}

func TestFetch_Refusal_ReachesModel(t *testing.T) {
	r := newRig(t)
	r.supervisor.err = &protocol.Error{Code: protocol.CodeFailed, Message: "no site has this name"}
	if _, err := r.run(`{"url":"https://example.org/"}`); err == nil || err.Error() != "no site has this name" {
		t.Errorf("got %v", err)
	}
	r.supervisor.err = &protocol.Error{Code: protocol.CodeWaitsForUser}
	var waits *protocol.Error
	if _, err := r.run(`{"url":"https://example.org/"}`); !errors.As(err, &waits) ||
		waits.Code != protocol.CodeWaitsForUser {
		t.Errorf("got %v", err)
	}
	r.supervisor.err = nil
	r.supervisor.result = protocol.WebFetchResult{Address: "https://example.org/", Status: 200, MediaType: "text/plain"}
	for range maxFetches {
		_, _ = r.run(`{"url":"https://example.org/"}`) // only the number of calls matters
	}
	if len(r.supervisor.calls) != maxFetches {
		t.Errorf("%d calls, want %d", len(r.supervisor.calls), maxFetches)
	}
}
