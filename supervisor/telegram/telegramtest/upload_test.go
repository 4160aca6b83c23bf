package telegramtest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"testing"

	"mews/supervisor/telegram/telegramtest"
)

// pngOfSize returns a PNG of the given size.
func pngOfSize(t testing.TB, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// upload calls a method with a file in a multipart form.
func (c *client) upload(method, part, name string, content []byte, params m) reply {
	c.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for field, v := range params {
		text, isText := v.(string)
		if !isText {
			raw, err := json.Marshal(v)
			if err != nil {
				c.t.Fatal(err)
			}
			text = string(raw)
		}
		if err := form.WriteField(field, text); err != nil {
			c.t.Fatal(err)
		}
	}
	file, err := form.CreateFormFile(part, name)
	if err == nil {
		_, err = file.Write(content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	resp, err := c.http.Post(c.s.URL()+"/bot"+c.s.Token()+"/"+method, form.FormDataContentType(), &body)
	if err != nil {
		c.t.Fatal(err)
	}
	r, err := read(resp)
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

func TestSend_Files_AppearInChat(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	s.CreateTopic(forum, 5)
	red := pngOfSize(t, 20, 400)
	r := c.upload("sendPhoto", "photo", "../red.png", red, m{"chat_id": forum.ID, "message_thread_id": 5, "caption": " a red one",
		"caption_entities": []telegramtest.Entity{bold(3, 3)}, "reply_markup": oneRowKeyboard(key("Again", "a")), "disable_notification": true})
	var sent message
	if err := json.Unmarshal(r.Result, &sent); !r.OK || err != nil || sent.Caption != "a red one" || sent.Thread != 5 {
		t.Fatalf("answered %s", r.Raw)
	}
	got := s.BotMessages(forum.ID)[0]
	if got.Media != "photo" || got.File.Name != "red.png" || !bytes.Equal(got.File.Content, red) || got.Text != "a red one" ||
		len(got.Entities) != 1 || got.Entities[0] != bold(2, 3) || len(got.Keyboard) != 1 || !got.Silent {
		t.Errorf("stands %+v", got)
	}
	resp, err := c.http.Get(fmt.Sprintf("%s/file/bot%s/files/%s/red.png", s.URL(), s.Token(), got.File.ID))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if served, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(served, red) {
		t.Errorf("%d bytes are served: %v", len(served), err)
	}
	for name, want := range map[string]struct {
		asIs  bool
		media string
	}{"a.gif": {false, "animation"}, "b.gif": {true, "document"}, "c.txt": {false, "document"}} {
		r := c.upload("sendDocument", "document", name, []byte("x"), m{"chat_id": forum.ID, "disable_content_type_detection": want.asIs})
		stands := s.BotMessages(forum.ID)
		if last := stands[len(stands)-1]; !r.OK || last.Media != want.media || last.File.Name != name {
			t.Errorf("%s: %s; stands %+v", name, r.Raw, last)
		}
	}
}

func TestSend_InvalidFiles_AreRefused(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	s.AddChat(home)
	to := func(more m) m {
		more["chat_id"] = home.ID
		return more
	}
	noise := append(pngOfSize(t, 1, 1), make([]byte, 10<<20)...)
	for name, test := range map[string]struct {
		method, part string
		content      []byte
		params       m
		code         int
		words        string
	}{
		"none":             {"sendPhoto", "document", []byte("x"), m{}, 400, "Bad Request: there is no photo in the request"},
		"by a name":        {"sendDocument", "x", []byte("x"), m{"document": "AgAC"}, 400, "Bad Request: wrong file identifier/HTTP URL specified"},
		"empty":            {"sendDocument", "document", nil, m{}, 400, "Bad Request: file must be non-empty"},
		"no picture":       {"sendPhoto", "photo", []byte("GIF89a"), m{}, 400, "Bad Request: IMAGE_PROCESS_FAILED"},
		"a large one":      {"sendPhoto", "photo", pngOfSize(t, 9000, 1001), m{}, 400, "Bad Request: PHOTO_INVALID_DIMENSIONS"},
		"a long one":       {"sendPhoto", "photo", pngOfSize(t, 21, 1), m{}, 400, "Bad Request: PHOTO_INVALID_DIMENSIONS"},
		"a heavy one":      {"sendPhoto", "photo", noise, m{}, 400, fmt.Sprintf("Bad Request: file of size %d bytes is too big for a photo; the maximum size is 10485760 bytes", len(noise))},
		"beyond 50 MB":     {"sendDocument", "document", make([]byte, 50<<20+1), m{}, 413, "Request Entity Too Large"},
		"beyond any form":  {"sendDocument", "document", make([]byte, 52<<20), m{}, 413, "Request Entity Too Large"},
		"a long caption":   {"sendDocument", "document", []byte("x"), m{"caption": strings.Repeat("😀", 512) + "x"}, 400, "Bad Request: message caption is too long"},
		"an odd mark":      {"sendDocument", "document", []byte("x"), m{"caption": "x", "caption_entities": []m{{"type": "bold"}}}, 400, `Bad Request: can't parse MessageEntity: Can't find field "offset"`},
		"a topic of none":  {"sendDocument", "document", []byte("x"), m{"message_thread_id": 7}, 400, "Bad Request: message thread not found"},
		"an odd keyboard":  {"sendDocument", "document", []byte("x"), m{"reply_markup": m{}}, 400, "Bad Request: object expected as reply markup"},
		"nothing answered": {"sendDocument", "document", []byte("x"), m{"reply_parameters": m{"message_id": 99}}, 400, "Bad Request: message to be replied not found"},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.upload(test.method, test.part, "x", test.content, to(test.params))
			if r.Status != test.code || r.Description != test.words {
				t.Errorf("answered %d %q, want %d %q", r.Status, r.Description, test.code, test.words)
			}
		})
	}
	if stands := s.BotMessages(home.ID); len(stands) != 0 {
		t.Errorf("stands %+v", stands)
	}
	if r := c.upload("sendDocument", "document", "x", []byte("x"), to(m{"caption": strings.Repeat("😀", 512)})); !r.OK {
		t.Errorf("a caption of 1024 units: %s", r.Raw)
	}
	if r := c.upload("sendDocument", "document", "x", []byte("x"), m{"chat_id": 9}); r.Status != http.StatusBadRequest {
		t.Errorf("to nobody: %s", r.Raw)
	}
}

func TestEdit_Caption_IsReplaced(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	s.AddChat(home)
	text := c.send(home.ID, "no file")
	c.upload("sendDocument", "document", "a.txt", []byte("x"), m{"chat_id": home.ID, "caption": "one", "reply_markup": oneRowKeyboard(key("x", "x"))})
	id := s.BotMessages(home.ID)[1].ID
	edit := func(id int64, caption string) m { return m{"chat_id": home.ID, "message_id": id, "caption": caption} }

	c.mustCall("editMessageCaption", edit(id, "two"), nil)
	if got := s.BotMessages(home.ID)[1]; got.Text != "two" || got.Keyboard != nil || got.Edits != 1 || string(got.File.Content) != "x" {
		t.Errorf("stands %+v", got)
	}
	if r := c.call("editMessageCaption", edit(id, "two")); !strings.Contains(r.Description, "message is not modified") {
		t.Errorf("the same again: %s", r.Raw)
	}
	c.mustCall("editMessageCaption", edit(id, ""), nil)
	c.wantRefusal(400, "Bad Request: message caption is too long", "editMessageCaption", edit(id, strings.Repeat("x", 1025)))
	c.wantRefusal(400, "Bad Request: there is no caption in the message to edit", "editMessageCaption", edit(text, "x"))
	c.wantRefusal(400, "Bad Request: there is no text in the message to edit", "editMessageText",
		m{"chat_id": home.ID, "message_id": id, "text": "x"})
	c.wantRefusal(400, "Bad Request: message to edit not found", "editMessageCaption", edit(999, "x"))
}

func TestFloodControl_CountsFilesAndEdits(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Rates: telegramtest.SendRates{Chat: 3}})
	s.AddChat(home)
	file := func() {
		c.upload("sendDocument", "document", "x", []byte("x"), m{"chat_id": home.ID, "reply_markup": oneRowKeyboard(key("x", "x"))})
	}
	file()
	file()
	id := s.BotMessages(home.ID)[0].ID
	c.mustCall("editMessageReplyMarkup", m{"chat_id": home.ID, "message_id": id}, nil)
	wantNoViolation(t, s)
	c.mustCall("editMessageCaption", m{"chat_id": home.ID, "message_id": id, "caption": "x"}, nil)
	wantViolation(t, s, "4 messages or edits to chat 1001")
}

// TestRequest_CutOff_IsNotRecorded checks a request whose client was killed while sending it.
func TestRequest_CutOff_IsNotRecorded(t *testing.T) {
	for kind, begun := range map[string]string{
		"multipart/form-data; boundary=b": "--b\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n1001\r\n--b\r\nContent-Disp",
		"application/json":                `{"chat_id": 1001, "te`,
	} {
		s, c := startServer(t, telegramtest.Options{Strict: true,
			OnRequest: func(call telegramtest.APICall) { t.Errorf("%s was seen", call.Method) }})
		s.AddChat(home)
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.s.URL(), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Fprintf(conn, "POST /bot%s/sendVoice HTTP/1.1\r\nHost: telegram\r\nContent-Type: %s\r\nContent-Length: 5000\r\n\r\n%s", s.Token(), kind, begun)
		if err := errors.Join(err, conn.Close()); err != nil {
			t.Fatal(err)
		}
		s.WaitUntil(t, "the connection's end", func() bool { return s.CountDisconnects() > 0 })
		if calls := s.Calls(); len(calls) > 0 || s.CountCalls("sendVoice") > 0 {
			t.Errorf("%s: %+v", kind, calls)
		}
	}
}
