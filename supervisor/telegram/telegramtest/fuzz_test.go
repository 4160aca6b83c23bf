package telegramtest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf16"

	"mews/supervisor/telegram/telegramtest"
)

// FuzzRequest sends any request. The answer must be JSON with "ok" and a matching status.
func FuzzRequest(f *testing.F) {
	for _, method := range []string{"getUpdates", "sendMessage", "editMessageText", "editMessageCaption",
		"editMessageReplyMarkup", "answerCallbackQuery", "sendPhoto", "sendDocument", "setMyCommands", "setWebhook", "getFile", "close"} {
		f.Add(method, "application/json", `{"chat_id":1001,"text":"x","message_id":1,"offset":-1,"limit":5}`)
		f.Add(method, "application/x-www-form-urlencoded", `chat_id=1001&text=x&url=http://127.0.0.1:1&scope={"type":"chat"}`)
	}
	f.Add("sendMessage", "application/json", `{"chat_id":"1001","text":"a","entities":[{"type":"pre","offset":0,"length":1}],"reply_parameters":{"message_id":1}}`)
	f.Add("sendMessage", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nhi\r\n--x--\r\n")
	f.Add("sendMessage", "application/json", `{"chat_id":1001,"text":"a","reply_markup":{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]}}`)
	for _, method := range []string{"sendPhoto", "sendDocument"} {
		f.Add(method, "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n1001\r\n--x\r\n"+
			"Content-Disposition: form-data; name=\"document\"; filename=\"a\"\r\n\r\nhi\r\n--x--\r\n")
	}
	f.Add("setMyCommands", "application/json", `{"commands":[{"command":"a","description":"b"}],"language_code":"es","scope":{"type":"default"}}`)
	s := telegramtest.New(f, telegramtest.Options{Speed: 1e9, Now: nil})
	s.AddChat(home)
	f.Fuzz(func(t *testing.T, method, kind, body string) {
		if strings.Trim(method, letters) != "" || strings.EqualFold(method, "getUpdates") && mayWait(body) {
			t.Skip("it is no method, or would wait")
		}
		r := httptest.NewRequest(http.MethodPost, "/bot"+s.Token()+"/"+method, strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, r)
		var got reply
		if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v: %s", method, err, rec.Body)
		}
		if got.OK != (rec.Code == 200) || !got.OK && (got.Code != rec.Code || got.Description == "") {
			t.Errorf("%s: %d %s", method, rec.Code, rec.Body)
		}
	})
}

// mayWait reports whether a getUpdates with that body could wait: it names a timeout, or may hide
// the name in escapes.
func mayWait(body string) bool {
	return strings.Contains(body, "timeout") || strings.ContainsAny(body, `\%*`)
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// FuzzSendText sends any text with an entity. The message must be trimmed and not too long. Its
// entities must cover whole characters.
func FuzzSendText(f *testing.F) {
	f.Add("  hello 😀 \n", 2, 5)
	f.Add("a\r\n\u2028b", 1, 3)
	f.Add("😀", 1, 1)
	f.Add("\t\t", 0, 2)
	s := telegramtest.New(f, telegramtest.Options{})
	s.AddChat(home)
	f.Fuzz(func(t *testing.T, text string, offset, length int) {
		body, err := json.Marshal(m{"chat_id": home.ID, "text": text, "entities": []telegramtest.Entity{bold(offset, length)}})
		if err != nil {
			t.Skip(err)
		}
		r := httptest.NewRequest(http.MethodPost, "/bot"+s.Token()+"/sendMessage", strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, r)
		if rec.Code != 200 {
			return
		}
		var sent struct{ Result message }
		if err := json.Unmarshal(rec.Body.Bytes(), &sent); err != nil {
			t.Fatal(err)
		}
		units := utf16.Encode([]rune(sent.Result.Text))
		if len(units) == 0 || len(units) > 4096 || strings.TrimRight(sent.Result.Text, " \n") != sent.Result.Text {
			t.Errorf("in chat %q", sent.Result.Text)
		}
		for _, e := range sent.Result.Marks {
			low := func(i int) bool { return i < len(units) && units[i] >= 0xdc00 && units[i] < 0xe000 }
			if e.Offset < 0 || e.Length <= 0 || e.Offset+e.Length > len(units) || low(e.Offset) || low(e.Offset+e.Length) {
				t.Errorf("%q of %d units has %+v", sent.Result.Text, len(units), e)
			}
		}
	})
}
