package telegram

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/telegram/telegramtest"
)

var sender = telegramtest.User{ID: 101, First: "Ann"}

// filed starts a server to which a user has sent a file. It returns the server with a client.
func filed(t *testing.T, o telegramtest.Options, file telegramtest.File) (*telegramtest.Server, *Client) {
	t.Helper()
	o.Token = canaryToken
	s := telegramtest.New(t, o)
	s.Say(telegramtest.PrivateChat(sender), sender, "", telegramtest.WithDocument(file))
	return s, open(t, s.URL())
}

// message returns the text for users of a permanent error; "" if the error is temporary.
func message(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		t.Fatal("it was fetched")
	}
	hidden(t, err)
	if final, ok := errors.AsType[*supervisor.Error](err); ok {
		return final.Message
	}
	return ""
}

func TestFetchFile_WritesContent(t *testing.T) {
	for _, file := range []telegramtest.File{
		{ID: "plain", Name: "a.txt", Content: []byte("hello")},
		{ID: "empty", Name: "b.txt"},
		{ID: "odd", Name: `ü ?#%2F&+"<>.txt`, Content: []byte("x")},
		{ID: "large", Name: "c.bin", Content: []byte("begin"), Size: 20 << 20},
	} {
		_, c := filed(t, telegramtest.Options{Strict: true}, file)
		var got bytes.Buffer
		if err := c.FetchFile(t.Context(), file.ID, &got); err != nil {
			t.Errorf("%s: %v", file.ID, err)
		}
		if want := max(file.Size, int64(len(file.Content))); int64(got.Len()) != want ||
			!bytes.HasPrefix(got.Bytes(), file.Content) {
			t.Errorf("%s: %d bytes, want %d", file.ID, got.Len(), want)
		}
	}
}

func TestFetchFile_Failure_IsPermanentOrTemporary(t *testing.T) {
	const gone, large = "Telegram does not have this file any more. Send it again.", "Telegram gives me files of up to 20 MiB, and this one is larger."
	fails := func(kind telegramtest.FaultKind, method string, code int, words string) telegramtest.Fault {
		return telegramtest.Fault{Kind: kind, Method: method, Code: code, Text: words}
	}
	for name, test := range map[string]struct {
		fault   telegramtest.Fault
		message string
	}{
		"of an odd id": {fails(telegramtest.ErrorFault, "getFile", 400,
			"Bad Request: wrong remote file identifier specified: wrong padding in the string"), gone},
		"too large": {fails(telegramtest.ErrorFault, "getFile", 400, "Bad Request: file is too big"), large},
		"not there just now": {fails(telegramtest.ErrorFault, "getFile", 400,
			"Bad Request: wrong file_id or the file is temporarily unavailable"), ""},
		"at another server":   {fails(telegramtest.ErrorFault, "getFile", 400, "Logged out"), ""},
		"of another token":    {fails(telegramtest.ErrorFault, "getFile", 401, "Unauthorized"), ""},
		"of a server in need": {fails(telegramtest.ErrorFault, "getFile", 500, ""), ""},
		"of no path": {fails(telegramtest.BadJSONFault, "getFile", 0, `{"ok":true,"result":{"file_id":"f"}}`),
			""},
		"no answer":      {fails(telegramtest.ResetFault, "getFile", 0, ""), ""},
		"gone":           {fails(telegramtest.ErrorFault, "file", 404, ""), gone},
		"refused":        {fails(telegramtest.ErrorFault, "file", 400, ""), gone},
		"behind a proxy": {fails(telegramtest.HTMLFault, "file", 502, ""), ""},
		// the connection is reset before any byte, twice, because the client tries once more on a
		// new connection
		"nothing of it":     {telegramtest.Fault{Kind: telegramtest.ResetFault, Method: "file", Times: 2}, ""},
		"cut in its middle": {fails(telegramtest.TruncatedFault, "file", 0, ""), ""},
		"half of it":        {fails(telegramtest.ShortBodyFault, "file", 0, ""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := filed(t, telegramtest.Options{}, telegramtest.File{ID: "f", Name: "a.bin", Size: 1000})
			s.InjectFault(test.fault)
			if got := message(t, c.FetchFile(t.Context(), "f", io.Discard)); got != test.message {
				t.Errorf("told %q, want %q", got, test.message)
			}
			var whole bytes.Buffer
			if err := c.FetchFile(t.Context(), "f", &whole); err != nil || whole.Len() != 1000 {
				t.Errorf("again: %d bytes, %v", whole.Len(), err)
			}
		})
	}
	s, c := filed(t, telegramtest.Options{}, telegramtest.File{ID: "f", Name: "a.bin", Size: 20<<20 + 1})
	if got := message(t, c.FetchFile(t.Context(), "f", io.Discard)); got != large || c.MaxDownloadSize() != 20<<20 {
		t.Errorf("of a file that is too large: %q", got)
	}
	if got := message(t, c.FetchFile(t.Context(), "unknown", io.Discard)); got != gone {
		t.Errorf("of a file that nobody has sent: %q", got)
	}
	if n := s.CountCalls("file"); n != 0 {
		t.Errorf("%d files were asked for", n)
	}
}

func TestFetchFile_Flood_ErrorHasRetryTime(t *testing.T) {
	for _, method := range []string{"getFile", telegramtest.DownloadMethod} {
		s, c := filed(t, telegramtest.Options{}, telegramtest.File{ID: "f", Name: "a.bin", Size: 1000})
		s.InjectFault(telegramtest.Fault{Kind: telegramtest.ErrorFault, Method: method, Code: 429,
			Text:       "Too Many Requests",
			RetryAfter: 7})
		if e := failureOf(t, c.FetchFile(t.Context(), "f", io.Discard)); e.RetryAfter != 7*time.Second {
			t.Errorf("%s: wait %s", method, e.RetryAfter)
		}
	}
}

// TestFetchFile_ContextEnd_StopsDownload ends the context in either of the two requests of a fetch,
// and while bytes come. Sends must continue meanwhile.
func TestFetchFile_ContextEnd_StopsDownload(t *testing.T) {
	for _, method := range []string{"getFile", telegramtest.DownloadMethod} {
		s, c := filed(t, telegramtest.Options{}, telegramtest.File{ID: "f", Name: "a.bin", Size: 1000})
		s.InjectFault(telegramtest.Fault{Kind: telegramtest.HangFault, Method: method})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.FetchFile(ctx, "f", io.Discard) }()
		s.WaitUntil(t, "the request", func() bool { return s.CountCalls(method) == 1 })
		if _, err := c.Send(t.Context(), supervisor.PostAddress{Chat: "101"},
			supervisor.RichText{Text: "hi"}); err != nil {
			t.Errorf("a send meanwhile: %v", err)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) || message(t, err) != "" {
			t.Errorf("%s: %v", method, err)
		}
	}
	_, c := filed(t, telegramtest.Options{}, telegramtest.File{ID: "f", Name: "a.bin", Size: 10 << 20})
	ctx, cancel := context.WithCancel(t.Context())
	stops := writeFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	if err := c.FetchFile(ctx, "f", stops); !errors.Is(err, context.Canceled) {
		t.Errorf("in its middle: %v", err)
	}
}

type writeFunc func(p []byte) (int, error)

func (f writeFunc) Write(p []byte) (int, error) { return f(p) }

// TestFetchFile_WriterError_IsReturned checks that the writer's error is returned unchanged.
func TestFetchFile_WriterError_IsReturned(t *testing.T) {
	_, c := filed(t, telegramtest.Options{}, telegramtest.File{ID: "f", Name: "a.bin", Size: 1000})
	full := writeFunc(func([]byte) (int, error) { return 0, syscall.ENOSPC })
	if err := c.FetchFile(t.Context(), "f", full); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
}

// serving returns a client of a test server. The server's getFile returns path; file answers
// downloads.
func serving(t *testing.T, path string, file http.HandlerFunc) *Client {
	t.Helper()
	return open(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/getFile") {
			fmt.Fprintf(w, `{"ok":true,"result":{"file_id":"f","file_unique_id":"u","file_path":%q}}`, path)
			return
		}
		file(w, r)
	}))
}

func TestFetchFile_Redirect_IsNotFollowed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked for %s", r.URL) }))
	defer other.Close()
	c := serving(t, "a", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) })
	if got := message(t, c.FetchFile(t.Context(), "f", io.Discard)); got != "" {
		t.Errorf("told %q", got)
	}
}

// TestFetchFile_FilePath_IsEscaped checks that a path with special characters stays below the
// token.
func TestFetchFile_FilePath_IsEscaped(t *testing.T) {
	asked := make(chan string, 1)
	c := serving(t, `a/b?c#d%2e\ü`, func(_ http.ResponseWriter, r *http.Request) { asked <- r.RequestURI })
	if err := c.FetchFile(t.Context(), "f", io.Discard); err != nil {
		t.Error(err)
	}
	if got, want := <-asked, "/file/bot"+canaryToken+"/a/b%3Fc%23d%252e%5C%C3%BC"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
}

// TestFetchFile_EndlessFile_IsAborted also checks that the file's bytes do not stay in memory.
func TestFetchFile_EndlessFile_IsAborted(t *testing.T) {
	piece := make([]byte, 64<<10)
	c := serving(t, "a", func(w http.ResponseWriter, _ *http.Request) {
		for err := error(nil); err == nil; {
			_, err = w.Write(piece)
		}
	})
	var n int64
	count := writeFunc(func(p []byte) (int, error) { n += int64(len(p)); return len(p), nil })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := message(t, c.FetchFile(t.Context(), "f", count))
	runtime.ReadMemStats(&after)
	if got != "Telegram gives me files of up to 20 MiB, and this one is larger." || n != 20<<20+1 {
		t.Errorf("told %q after %d bytes", got, n)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 {
		t.Errorf("%d bytes were allocated for it", grown)
	}
}

func TestFetchFile_LocalServer_ReadsFileFromDisk(t *testing.T) {
	dir := t.TempDir()
	s, c := filed(t, telegramtest.Options{Files: dir}, telegramtest.File{ID: "f", Name: "film.mp4", Content: []byte("begin"), Size: 25 << 20})
	const outOfReach = "The Bot API server keeps this file where I can't read it."
	if got := message(t, c.FetchFile(t.Context(), "f", io.Discard)); !strings.HasPrefix(got, outOfReach) {
		t.Errorf("without telegram.files: %q", got)
	}
	c.files = dir
	var got bytes.Buffer
	if err := c.FetchFile(t.Context(), "f", &got); err != nil || got.Len() != 25<<20 || !bytes.HasPrefix(got.Bytes(),
		[]byte("begin")) {
		t.Errorf("%d bytes, %v", got.Len(), err)
	}
	if c.MaxDownloadSize() != 2000<<20 || s.CountCalls(telegramtest.DownloadMethod) != 0 {
		t.Errorf("files of up to %d bytes, %d of them over HTTP", c.MaxDownloadSize(),
			s.CountCalls(telegramtest.DownloadMethod))
	}
}

func TestLocalFile_OutsideFolder_IsRefused(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	folder := filepath.Join(dir, canaryToken)
	err := errors.Join(os.Mkdir(folder, 0o700), os.Symlink(outside, filepath.Join(folder, "link")),
		syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{outside, dir, dir + "/../" + filepath.Base(filepath.Dir(outside)) + "/secret", folder, folder + "/link",
		folder + "/pipe", folder + "/none", "/", "/proc/self/environ"} {
		c := serving(t, path, http.NotFound)
		c.files = dir
		var got bytes.Buffer
		err := c.FetchFile(t.Context(), "f", &got)
		if told := message(t, err); !strings.HasPrefix(told, "The Bot API server keeps this file where") || got.Len() != 0 {
			t.Errorf("%s: told %q, %d bytes", path, told, got.Len())
		}
		if shown := strings.ReplaceAll(path, canarySecret, "***"); !strings.Contains(err.Error(), "read the file "+shown+" of the Bot API server: ") {
			t.Errorf("the log has %v", err)
		}
	}
}
