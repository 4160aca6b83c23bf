package telegram

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/telegram/telegramtest"
)

// fileStore has files, and can wait until all its files are closed.
type fileStore struct {
	files map[string][]byte
	taken sync.WaitGroup
}

func (s *fileStore) open(sha string) (io.ReadCloser, int64, error) {
	content, ok := s.files[sha]
	if !ok {
		return nil, 0, errors.New("it is gone")
	}
	s.taken.Add(1)
	return &storedFile{Reader: bytes.NewReader(content), from: s}, int64(len(content)), nil
}

// storedFile is an open file of a fileStore.
type storedFile struct {
	io.Reader
	from *fileStore
	done atomic.Bool
}

func (f *storedFile) Close() error {
	if f.done.Swap(true) {
		return errors.New("it was closed before")
	}
	f.from.taken.Done()
	return nil
}

// stocked returns a strict server with a client that has files to send. At the end, all files must
// be closed.
func stocked(t *testing.T, files map[string][]byte) (*telegramtest.Server, *Client) {
	t.Helper()
	s, c := at(t)
	from := &fileStore{files: files}
	c.open = from.open
	t.Cleanup(func() {
		c.Close()
		from.taken.Wait() // a file that is never closed ends the test by its timeout
	})
	return s, c
}

func TestSend_File_ChoosesKindByMediaType(t *testing.T) {
	small, wide := drawnPNG(t, 40, 30), drawnPNG(t, 9000, 1001)
	heavy := append(drawnPNG(t, 40, 30), make([]byte, maxPhoto)...)
	s, c := stocked(t, map[string][]byte{"small": small, "photo": drawnJPEG(t, 40, 30), "wide": wide, "long": drawnPNG(t, 41, 2),
		"heavy": heavy, "text": []byte("a text"), "opus": []byte(oggOpus), "mp3": []byte("ID3\x04"), "m4a": []byte("\x00\x00\x00\x1cftypM4A "),
		"mp4": []byte("\x00\x00\x00\x1cftypisom"), "gif": []byte("GIF89a"), "webp": []byte("RIFF\x04\x00\x00\x00WEBPVP8 ")})
	s.AddChat(telegramtest.PrivateChat(telegramtest.User{ID: 7}))
	for _, test := range []struct {
		sha, mediaType, name string
		want                 string
	}{
		{"small", "image/png", "chart.png", "photo"},
		{"photo", "image/jpeg", "hawk.jpg", "photo"},
		{"opus", "audio/ogg", "note.ogg", "voice"},
		{"opus", "application/ogg", "song.ogg", "document"},
		{"mp3", "audio/mpeg", "song.mp3", "audio"},
		{"m4a", "audio/mp4", "song.m4a", "audio"},
		{"mp4", "video/mp4", "film.mp4", "video"},
		{"gif", "image/gif", "cat.gif", "animation"},
		{"webp", "image/webp", "cat.webp", "document"}, // this server cannot decode WebP, and says so
		{"small", "application/octet-stream", "small.bin", "document"},
		{"wide", "image/png", "wide.png", "document"},
		{"long", "image/png", "long.png", "document"},
		{"heavy", "image/png", "heavy.png", "document"},
		{"text", "image/png", "text.png", "document"},
		{"text", "text/plain", "täglich \"1\".txt", "document"},
		{"text", "text/plain", " \n", "document"},
	} {
		name, err := c.Send(t.Context(), supervisor.PostAddress{Chat: "7"}, supervisor.RichText{
			File: &supervisor.File{SHA256: test.sha, Name: test.name, MediaType: test.mediaType,
				Media: protocol.MediaSize{Seconds: 83, Width: 640, Height: 480}}})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		stands := s.BotMessages(7)
		last := stands[len(stands)-1]
		if fmt.Sprint(last.ID) != name || last.Media != test.want || last.Text != "" {
			t.Errorf("%s as %s: stands %+v, want a %s", test.name, test.mediaType, last, test.want)
		}
		calls := s.Calls()
		length := calls[len(calls)-1].Params["duration"]
		if timed := test.want == "voice" || test.want == "audio" || test.want == "video"; timed != (length == "83") || !timed && length != nil {
			t.Errorf("%s: its length is %v", test.name, length)
		}
	}
	if n := s.CountCalls("sendPhoto"); n != 3 {
		t.Errorf("%d photos were tried", n)
	}
	names := map[string]bool{}
	for _, m := range s.BotMessages(7) {
		names[m.File.Name] = true
	}
	if !names["file"] || !names["täglich  1 .txt"] {
		t.Errorf("the names are %v", names)
	}
}

// oggOpus is the beginning of Ogg Opus.
const oggOpus = "OggS\x00\x02" + "granule_" + "strm" + "sequ" + "crc_" + "\x01\x13" + "OpusHead"

// TestSend_Pictures_BecomeAlbum checks that an album is one call and several messages. The messages
// are deleted together.
func TestSend_Pictures_BecomeAlbum(t *testing.T) {
	s, c := stocked(t, map[string][]byte{"small": drawnPNG(t, 40, 30), "photo": drawnJPEG(t, 40, 30), "wide": drawnPNG(t, 9000, 1001)})
	group := telegramtest.Chat{ID: -1001234567890, Type: "supergroup"}
	_, asked := s.Say(group, telegramtest.User{ID: 7}, "@mews_bot the pictures!")
	to := supervisor.PostAddress{Chat: "-1001234567890", Silent: true, ReplyTo: fmt.Sprint(asked)}
	for name, test := range map[string]struct {
		second string
		want   string
		calls  int
		fault  string
	}{
		"photos":          {"photo", "photo", 1, ""},
		"one is too wide": {"wide", "document", 1, ""},
		"one is refused":  {"photo", "document", 2, "Bad Request: PHOTO_INVALID_DIMENSIONS"},
	} {
		t.Run(name, func(t *testing.T) {
			before, calls := len(s.BotMessages(group.ID)), s.CountCalls("sendMediaGroup")
			if test.fault != "" {
				s.InjectFault(telegramtest.Fault{Kind: telegramtest.ErrorFault, Method: "sendMediaGroup", Code: 400,
					Text: test.fault})
			}
			sent, err := c.Send(t.Context(), to, supervisor.RichText{Text: "first",
				Entities: []supervisor.RichTextEntity{{Type: supervisor.EntityBold, Length: 5}},
				File:     &supervisor.File{SHA256: "small", Name: "1.png", MediaType: "image/png"},
				Album:    []supervisor.File{{SHA256: test.second, Name: "2.jpg", MediaType: "image/png", Caption: "second"}}})
			if err != nil {
				t.Fatal(err)
			}
			album := s.BotMessages(group.ID)[before:]
			if n := s.CountCalls("sendMediaGroup") - calls; len(album) != 2 || n != test.calls || sent != fmt.Sprintf("%d,%d", album[0].ID, album[1].ID) {
				t.Fatalf("%d calls sent %s: %+v", n, sent, album)
			}
			for i, m := range album {
				if m.Media != test.want || m.Text != []string{"first", "second"}[i] || m.Album == "" || m.Album != album[0].Album || !m.Silent ||
					m.ReplyTo != asked || len(m.Entities) != 1-i {
					t.Errorf("stands %+v, want a %s", m, test.want)
				}
			}
			for range 2 { // deleting a missing message is no error
				if err := c.DeleteMessage(t.Context(), to, sent); err != nil {
					t.Fatal(err)
				}
			}
			if left := s.BotMessages(group.ID)[before:]; len(left) != 0 {
				t.Errorf("stands %+v", left)
			}
		})
	}
}

func TestSend_VoiceForbidden_SendsNoDocument(t *testing.T) {
	s, c := stocked(t, map[string][]byte{"opus": []byte(oggOpus)})
	s.AddChat(telegramtest.PrivateChat(telegramtest.User{ID: 7}))
	s.ForbidVoiceMessages(7)
	_, err := c.Send(t.Context(), supervisor.PostAddress{Chat: "7"}, supervisor.RichText{
		File: &supervisor.File{SHA256: "opus", Name: "a.ogg", MediaType: supervisor.MediaTypeVoice}})
	if e := failureOf(t, err); e.Reason != supervisor.SendReasonNoVoice || s.CountCalls("sendDocument") != 0 {
		t.Errorf("got %+v: %v", outcomeOf(e), e)
	}
}

func drawnPNG(t testing.TB, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func drawnJPEG(t testing.TB, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestSend_File_HasCaptionTopicAndButtons also edits the caption and removes the buttons.
func TestSend_File_HasCaptionTopicAndButtons(t *testing.T) {
	content := bytes.Repeat([]byte("a large file\n"), 300_000)
	s, c := stocked(t, map[string][]byte{"sha": content})
	forum := telegramtest.Chat{ID: -1001234567890, Type: "supergroup", Forum: true}
	s.CreateTopic(forum, 12)
	_, asked := s.Say(forum, telegramtest.User{ID: 7}, "@mews_bot the file!", telegramtest.WithThread(12))
	to := supervisor.PostAddress{Chat: "-1001234567890", Thread: "12", ReplyTo: fmt.Sprint(asked), Silent: true}
	with := supervisor.RichText{Text: "🦅 here", Entities: []supervisor.RichTextEntity{{Type: supervisor.EntityBold,
		Offset: 3, Length: 4}},
		Buttons: [][]supervisor.Button{{{Text: "Thanks", Press: "t"}}}, File: &supervisor.File{SHA256: "sha", Name: "a.log"}}
	name, err := c.Send(t.Context(), to, with)
	if err != nil {
		t.Fatal(err)
	}
	want := telegramtest.Message{Text: "🦅 here", Media: "document", Silent: true, ReplyTo: asked, Thread: 12,
		Entities: []telegramtest.Entity{{Type: "bold", Offset: 3, Length: 4}},
		Keyboard: [][]telegramtest.Button{{{Text: "Thanks", Data: "t"}}}}
	stands := func() {
		t.Helper()
		m := s.BotMessages(forum.ID)[0]
		if !bytes.Equal(m.File.Content, content) || m.File.Name != "a.log" {
			t.Errorf("the file is %q of %d bytes", m.File.Name, len(m.File.Content))
		}
		got := telegramtest.Message{Text: m.Text, Media: m.Media, Silent: m.Silent, ReplyTo: m.ReplyTo, Thread: m.Thread,
			Entities: m.Entities, Keyboard: m.Keyboard}
		if diff := cmp.Diff(want.Keyboard, got.Keyboard); diff != "" || got.Text != want.Text || got.Media != want.Media ||
			got.Silent != want.Silent || got.ReplyTo != want.ReplyTo || got.Thread != want.Thread || !cmp.Equal(got.Entities, want.Entities) {
			t.Errorf("stands %+v, want %+v", got, want)
		}
	}
	stands()
	for range 2 { // an edit without a change is no error
		if err := c.RemoveButtons(t.Context(), to, name); err != nil {
			t.Fatal(err)
		}
	}
	want.Keyboard = nil
	stands()
	with.Text, with.Entities = "there", nil
	if err := c.EditMessage(t.Context(), to, name, with); err != nil {
		t.Fatal(err)
	}
	want.Text, want.Entities, want.Keyboard = "there", nil, [][]telegramtest.Button{{{Text: "Thanks", Data: "t"}}}
	stands()
	with.Buttons = nil
	for range 2 {
		if err := c.EditMessage(t.Context(), to, name, with); err != nil {
			t.Fatal(err)
		}
	}
	want.Keyboard = nil
	stands()
}

func TestAckPress_ExpiredQuery_IsNoError(t *testing.T) {
	s, c := at(t)
	alice := telegramtest.User{ID: 7}
	s.AddChat(telegramtest.PrivateChat(alice))
	if _, err := c.Send(t.Context(), supervisor.PostAddress{Chat: "7"}, supervisor.RichText{Text: "sure?",
		Buttons: [][]supervisor.Button{{{Text: "Yes", Press: "y"}}}}); err != nil {
		t.Fatal(err)
	}
	_, query, err := s.PressButton(telegramtest.PrivateChat(alice), alice, s.BotMessages(7)[0].ID, "y")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second query is too old
		if err := c.AckPress(t.Context(), query, "Done.", true); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]telegramtest.PressAck{{Query: query, Text: "Done.", Alert: true}},
		s.PressAcks()); diff != "" {
		t.Error(diff)
	}
}

// TestSend_RefusedPicture_BecomesDocument covers refusals for an unknown reason. After other
// failures, the picture is not sent again.
func TestSend_RefusedPicture_BecomesDocument(t *testing.T) {
	for says, want := range map[string]struct {
		code      int
		documents int
	}{
		"Bad Request: PHOTO_INVALID_DIMENSIONS":               {400, 1},
		"Bad Request: IMAGE_PROCESS_FAILED":                   {400, 1},
		"Bad Request: PHOTO_SAVE_FILE_INVALID":                {400, 1},
		"Request Entity Too Large":                            {413, 1},
		"Bad Request: chat not found":                         {400, 0},
		"Forbidden: bot was blocked by the user, of no photo": {403, 0},
		"Internal Server Error":                               {500, 0},
	} {
		t.Run(says, func(t *testing.T) {
			s, c := stocked(t, map[string][]byte{"sha": drawnPNG(t, 40, 30)})
			s.AddChat(telegramtest.PrivateChat(telegramtest.User{ID: 7}))
			s.InjectFault(telegramtest.Fault{Kind: telegramtest.ErrorFault, Method: "sendPhoto", Code: want.code,
				Text: says})
			_, err := c.Send(t.Context(), supervisor.PostAddress{Chat: "7"}, supervisor.RichText{Text: canaryWords,
				File: &supervisor.File{SHA256: "sha", Name: "a.png", MediaType: "image/png"}})
			if (err == nil) != (want.documents == 1) || s.CountCalls("sendDocument") != want.documents {
				t.Errorf("error %v, %d documents", err, s.CountCalls("sendDocument"))
			}
		})
	}
}

// short returns a file with fewer bytes than announced. After these bytes, the file fails or ends.
func short(err error) func(string) (io.ReadCloser, int64, error) {
	return func(string) (io.ReadCloser, int64, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader(canaryWords), failingReader{err})), 1000, nil
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

func TestSend_UnreadableFile_IsRefused(t *testing.T) {
	gone := errors.New("it is gone")
	again := 0
	for name, test := range map[string]struct {
		open func(string) (io.ReadCloser, int64, error)
		says string
	}{
		"no store": {nil, `sendDocument to 7: open the file "a.png": there is no place that files are in`},
		"gone": {func(string) (io.ReadCloser, int64, error) { return nil, 0, gone },
			`sendDocument to 7: open the file "a.png": it is gone`},
		"too large": {func(string) (io.ReadCloser, int64, error) {
			return io.NopCloser(failingReader{io.EOF}), maxDocument + 1, nil
		}, `sendDocument to 7: the file "a.png" has 50000001 bytes, and a bot can send at most 50000000`},
		"too short": {short(io.EOF), "sendDocument to 7: read what is to be sent: unexpected EOF"},
		"broken":    {short(gone), "sendDocument to 7: read what is to be sent: it is gone"},
		"gone meanwhile": {func(string) (io.ReadCloser, int64, error) {
			if again++; again > 1 {
				return nil, 0, gone
			}
			return io.NopCloser(failingReader{io.EOF}), 10, nil
		}, `sendDocument to 7: open the file "a.png": it is gone`},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := at(t)
			s.AddChat(telegramtest.PrivateChat(telegramtest.User{ID: 7}))
			c, err := New(Options{Token: canaryToken, APIURL: s.URL(), Open: test.open})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, err = c.Send(t.Context(), supervisor.PostAddress{Chat: "7"}, supervisor.RichText{
				File: &supervisor.File{SHA256: "sha", Name: "a.png", MediaType: "image/png"}})
			if e := failureOf(t, err); outcomeOf(e) != rejected || e.Error() != test.says {
				t.Errorf("got %+v: %v", outcomeOf(e), e)
			}
			if len(s.BotMessages(7)) > 0 {
				t.Errorf("stands %+v", s.BotMessages(7))
			}
		})
	}
}

func TestSend_GrownFile_SendsAnnouncedBytes(t *testing.T) {
	s, c := at(t)
	s.AddChat(telegramtest.PrivateChat(telegramtest.User{ID: 7}))
	c.open = func(string) (io.ReadCloser, int64, error) {
		return io.NopCloser(strings.NewReader("as it was, and more")), 9, nil
	}
	if _, err := c.Send(t.Context(), supervisor.PostAddress{Chat: "7"},
		supervisor.RichText{File: &supervisor.File{SHA256: "sha"}}); err != nil {
		t.Fatal(err)
	}
	if got := string(s.BotMessages(7)[0].File.Content); got != "as it was" {
		t.Errorf("came as %q", got)
	}
}

// TestSend_File_OutcomeMatchesChat checks that a file's outcome is reported like a text's.
func TestSend_File_OutcomeMatchesChat(t *testing.T) {
	for name, test := range map[string]struct {
		fault  telegramtest.Fault
		want   outcome
		stands bool
	}{
		"a flood": {telegramtest.Fault{Kind: telegramtest.FloodFault, RetryAfter: 30},
			flood(30 * time.Second), false},
		"reset before it was taken": {telegramtest.Fault{Kind: telegramtest.ResetFault}, unknown, false},
		"reset after it was taken": {telegramtest.Fault{Kind: telegramtest.ResetFault, After: true}, unknown,
			true},
		"half an answer":     {telegramtest.Fault{Kind: telegramtest.TruncatedFault}, unknown, true},
		"the server's fault": {telegramtest.Fault{Kind: telegramtest.ErrorFault, Code: 500}, unsent, false},
		"a proxy that takes so much not": {telegramtest.Fault{Kind: telegramtest.HTMLFault, Code: 413}, rejected,
			false},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := stocked(t, map[string][]byte{"sha": []byte(canaryWords)})
			s.AddChat(telegramtest.PrivateChat(telegramtest.User{ID: 7}))
			s.InjectFault(test.fault)
			_, err := c.Send(t.Context(), supervisor.PostAddress{Chat: "7"},
				supervisor.RichText{File: &supervisor.File{SHA256: "sha"}})
			if e := failureOf(t, err); outcomeOf(e) != test.want {
				t.Errorf("got %+v, want %+v: %v", outcomeOf(e), test.want, e)
			}
			if stands := len(s.BotMessages(7)) > 0; stands != test.stands {
				t.Errorf("it stands there: %v", stands)
			}
		})
	}
}

// fakeTransport is a connection in memory.
type fakeTransport func(*http.Request) (*http.Response, error)

func (f fakeTransport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// endlessReader is a file without end that counts the bytes that were read.
type endlessReader struct{ read atomic.Int64 }

func (e *endlessReader) Read(buf []byte) (int, error) {
	e.read.Add(int64(len(buf)))
	return len(buf), nil
}

func (e *endlessReader) Close() error { return nil }

// TestSend_File_IsStreamed checks that only the requested bytes are in memory while a file is sent.
func TestSend_File_IsStreamed(t *testing.T) {
	const size = 40 << 20
	from := &endlessReader{}
	wire := fakeTransport(func(r *http.Request) (*http.Response, error) {
		defer r.Body.Close()
		var sent int64
		piece := make([]byte, 32<<10)
		for {
			n, err := r.Body.Read(piece)
			sent += int64(n)
			if ahead := from.read.Load() - sent; ahead > int64(len(piece)) {
				return nil, fmt.Errorf("%d bytes are read ahead", ahead)
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, err
			}
		}
		if sent != r.ContentLength || sent < size {
			return nil, fmt.Errorf("%d bytes came, of %d", sent, r.ContentLength)
		}
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(`{"ok":true,"result":{"message_id":7}}`))}, nil
	})
	c, err := New(Options{Token: canaryToken, Transport: wire, Open: func(string) (io.ReadCloser, int64, error) { return from, size, nil }})
	if err != nil {
		t.Fatal(err)
	}
	name, err := c.Send(t.Context(), supervisor.PostAddress{Chat: "7"},
		supervisor.RichText{File: &supervisor.File{SHA256: "sha"}})
	if err != nil || name != "7" {
		t.Errorf("got %q, %v", name, err)
	}
}

// TestUploadForm_AnyContents_ParseBackUnchanged checks that the form has exactly the fields and the
// file, with any contents.
func TestUploadForm_AnyContents_ParseBackUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		caption := rapid.String().Draw(t, "caption")
		content := rapid.SliceOf(rapid.Byte()).Draw(t, "content")
		u := upload{part: "document", name: "x" + line(rapid.String().Draw(t, "name"), maxFileName), size: int64(len(content)),
			open: func() (io.ReadCloser, int64, error) {
				return io.NopCloser(bytes.NewReader(content)), int64(len(content)), nil
			}}
		second := u
		second.part = "file1"
		k := apiCall{params: &sendParams{Chat: 5, Caption: caption, AsIs: true}, files: uploads{u, second}}
		out, kind, err := k.body()
		if err != nil {
			t.Fatal(err)
		}
		body, err := out.reader()
		if err != nil {
			t.Fatal(err)
		}
		boundary := strings.TrimPrefix(kind, "multipart/form-data; boundary=")
		form, err := multipart.NewReader(body, boundary).ReadForm(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		for _, part := range []string{"document", "file1"} {
			f, err := form.File[part][0].Open()
			if err != nil {
				t.Fatal(err)
			}
			if got, err = io.ReadAll(f); err != nil || !bytes.Equal(got, content) {
				t.Fatalf("%s: %v: %d bytes", part, err, len(got))
			}
		}
		if want := strings.ToValidUTF8(caption, "\uFFFD"); form.Value["chat_id"][0] != "5" ||
			strings.Join(form.Value["caption"], "") != want || form.Value["disable_content_type_detection"][0] != "true" {
			t.Fatalf("%v: %d bytes with %q", err, len(got), form.Value)
		}
		if whole, broken := out.stop(); !whole || broken != nil {
			t.Fatalf("it is whole: %v, %v", whole, broken)
		}
	})
}

func TestCaption_IsCutBetweenCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("a🦅é"))).Draw(t, "text")
		units := len(utf16.Encode([]rune(text)))
		most := rapid.IntRange(2, 12).Draw(t, "most")
		mark := supervisor.RichTextEntity{Type: supervisor.EntityBold, Offset: rapid.IntRange(0, 12).Draw(t, "offset"),
			Length: rapid.IntRange(1, 12).Draw(t, "length")}
		got := supervisor.RichText{Text: text, Entities: []supervisor.RichTextEntity{mark}}.Truncate(most)
		n := len(utf16.Encode([]rune(got.Text)))
		if units <= most {
			if got.Text != text || got.Entities[0] != mark {
				t.Fatalf("%q became %+v", text, got)
			}
			return
		}
		cut, ok := strings.CutSuffix(got.Text, "…")
		if !ok || n > most || n < most-1 || !strings.HasPrefix(text, cut) {
			t.Fatalf("%q became %q, of %d units", text, got.Text, n)
		}
		for _, e := range got.Entities {
			if e.Offset != mark.Offset || e.Length <= 0 || e.Offset+e.Length > n-1 {
				t.Fatalf("%q has %+v of %+v", got.Text, e, mark)
			}
		}
		if len(got.Entities) == 0 && mark.Offset < n-1 {
			t.Fatalf("%q has lost %+v", got.Text, mark)
		}
	})
}

// TestCalls_Timeout_GrowsWithFiles checks that a press is answered within 10 s, in one try. A call
// with a file may take as long as a slow line needs.
func TestCalls_Timeout_GrowsWithFiles(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(context.Context, *Client) error
		want time.Duration
	}{
		"an answer to a press": {func(ctx context.Context, c *Client) error { return c.AckPress(ctx, "1", "", false) }, 10 * time.Second},
		"a text":               {send(supervisor.PostAddress{Chat: "7"}, supervisor.RichText{Text: "hi"}), callTimeout},
		"a file of 10 MiB": {send(supervisor.PostAddress{Chat: "7"},
			supervisor.RichText{File: &supervisor.File{SHA256: "x"}}),
			callTimeout + 80*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				c, err := New(Options{Token: canaryToken,
					Transport: fakeTransport(func(r *http.Request) (*http.Response, error) {
						calls++
						<-r.Context().Done()
						return nil, errors.Join(r.Context().Err(), r.Body.Close())
					}),
					Open: func(string) (io.ReadCloser, int64, error) { return new(endlessReader), 10 << 20, nil }})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				e := failureOf(t, test.do(t.Context(), c))
				if took := time.Since(began); took != test.want || calls != 1 || outcomeOf(e) != unsent {
					t.Errorf("%d calls took %v, want one of %v: %v", calls, took, test.want, e)
				}
			})
		})
	}
}
