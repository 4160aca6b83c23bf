package telegramtest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor/telegram/telegramtest"
)

func TestFindEntities_CommandsAndMentions(t *testing.T) {
	command := func(offset, length int) telegramtest.Entity { return mark("bot_command", offset, length) }
	mention := func(offset, length int) telegramtest.Entity { return mark("mention", offset, length) }
	for text, want := range map[string][]telegramtest.Entity{
		"hello":                    nil,
		"/stop":                    {command(0, 5)},
		"/stop@mews_bot now":       {command(0, 14)},
		"/stop@me":                 {command(0, 5)}, // no command: the bot's name "me" is too short
		"please /stop, /help":      {command(7, 5), command(14, 5)},
		"a/b /etc/passwd </b> x/y": nil,
		"😀 /stop":                  {command(3, 5)},
		"@mews_bot hi @al":         {mention(0, 9)},
		"mail alice@example.org":   nil,
		"/":                        nil,
		"/stop/":                   nil,
		"été/stop":                 nil,
		"@mews_bot /stop":          {mention(0, 9), command(10, 5)},
	} {
		s, c := startServer(t, telegramtest.Options{})
		s.Say(home, alice, text)
		got := c.poll(nil)[0].Message.Marks
		if len(want)+len(got) > 0 && !cmp.Equal(want, got) {
			t.Errorf("%q: %s", text, cmp.Diff(want, got))
		}
	}
}

func TestMessageThread_IsTopicOrRepliedMessage(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	s.Say(forum, alice, "in a topic", telegramtest.WithThread(5))
	s.Say(forum, alice, "in General")
	_, first := s.Say(hall, alice, "first")
	_, second := s.Say(hall, alice, "second", telegramtest.WithReplyTo(first))
	s.Say(hall, alice, "third", telegramtest.WithReplyTo(second))

	got := c.poll(nil)
	topic, general, third := got[0].Message, got[1].Message, got[4].Message
	if !topic.Topic || topic.Thread != 5 || topic.Answers == nil || topic.Answers.ID != 5 ||
		topic.Answers.Created == nil {
		t.Errorf("in a topic: %+v", topic)
	}
	if general.Topic || general.Thread != 0 || general.Answers != nil {
		t.Errorf("in General: %+v", general)
	}
	if third.Topic || third.Thread != first || third.Answers.ID != second || third.Answers.Answers != nil {
		t.Errorf("in a chain of replies: %+v", third)
	}
}

func TestSay_Files_AppearInUpdate(t *testing.T) {
	content := []byte("OggS and more")
	s, c := startServer(t, telegramtest.Options{})
	s.Say(home, alice, "/look at this", telegramtest.WithPhoto(telegramtest.File{Name: "cat.jpg", Content: content}),
		telegramtest.WithAlbum("album"))
	s.Say(home, alice, "", telegramtest.WithVoice(telegramtest.File{Name: "v.oga", Content: content}, 3*time.Second))
	s.Say(home, alice, "", telegramtest.WithDocument(telegramtest.File{ID: "big", Name: "big.iso", Size: 21 << 20}))
	s.Say(home, alice, "", telegramtest.WithSticker("🦅"))
	s.Say(home, alice, "", telegramtest.WithVideo(telegramtest.File{Name: "film.mp4"}, time.Minute))
	got := c.poll(nil)
	if p := got[0].Message; p.Text != "" || p.Caption != "/look at this" || p.Marks != nil {
		t.Errorf("a photo: %+v", p)
	}
	var f struct {
		Path string `json:"file_path"`
		Size int    `json:"file_size"`
	}
	c.mustCall("getFile", m{"file_id": "file-voice-v.oga"}, &f)
	resp, err := c.http.Get(s.URL() + "/file/bot" + s.Token() + "/" + f.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(body, content) || f.Size != len(content) {
		t.Errorf("downloaded %q of %d bytes, %v", body, f.Size, err)
	}
	c.wantRefusal(400, "Bad Request: file is too big", "getFile", m{"file_id": "big"})
	c.wantRefusal(400, "Bad Request: invalid file_id", "getFile", m{"file_id": "other"})
	resp, err = c.http.Get(s.URL() + "/file/bot" + s.Token() + "/files/other/x")
	if err != nil {
		t.Fatal(err)
	}
	if resp.Body.Close(); resp.StatusCode != http.StatusNotFound {
		t.Errorf("a file that is not there: %d", resp.StatusCode)
	}
	if msg := s.Messages(home.ID)[1]; msg.Media != "voice" {
		t.Errorf("in chat: %+v", msg)
	}
}

func TestSay_EditOrPost_BecomesItsUpdateKind(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	_, id := s.Say(home, alice, "teh")
	s.Say(home, alice, "the", telegramtest.AsEditOf(id))
	s.Say(telegramtest.Chat{ID: -1000000000099, Type: "channel"}, alice, "post")
	got := c.poll(nil)
	if got[1].Edited == nil || got[1].Edited.ID != id || got[1].Edited.Text != "the" {
		t.Errorf("an edited message: %+v", got[1])
	}
	if got[2].Post == nil || got[2].Post.From.ID != 0 {
		t.Errorf("a channel's post: %+v", got[2])
	}
	if all := s.Messages(home.ID); len(all) != 1 || all[0].Text != "the" || all[0].Edits != 1 {
		t.Errorf("in chat: %+v", all)
	}
}

// TestEdit_UpdateHasFullMessage checks the update of an edit. It has the whole message, with its
// own date and the date of the edit. The file stays unless the edit has a new file.
func TestEdit_UpdateHasFullMessage(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{})
	changed := time.Now().Truncate(time.Second)
	sent := changed.Add(-time.Minute)
	cat, dog := telegramtest.File{Name: "cat.jpg"}, telegramtest.File{Name: "dog.jpg"}
	_, first := s.Say(home, alice, "hello", telegramtest.WithDate(time.Now()))
	_, id := s.Say(home, alice, "teh cat", telegramtest.WithPhoto(cat), telegramtest.WithReplyTo(first),
		telegramtest.WithDate(sent))
	s.Say(home, alice, "the cat", telegramtest.AsEditOf(id), telegramtest.WithDate(changed))
	s.Say(home, alice, "the dog", telegramtest.AsEditOf(id), telegramtest.WithPhoto(dog),
		telegramtest.WithDate(changed))
	var raw []map[string]json.RawMessage
	c.mustCall("getUpdates", m{}, &raw)
	for i, want := range []string{"file-photo-cat.jpg", "file-photo-dog.jpg"} {
		m := map[string]any{}
		if err := json.Unmarshal(raw[2+i]["edited_message"], &m); err != nil {
			t.Fatal(err)
		}
		photo := m["photo"].([]any)[1].(map[string]any)["file_id"]
		if photo != want || m["date"] != float64(sent.Unix()) || m["edit_date"] != float64(changed.Unix()) || m["reply_to_message"] == nil {
			t.Errorf("edit %d: %v", i, m)
		}
	}
}

func TestPushUpdate_AnyKind_ReachesBot(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	id := s.PushUpdate(m{"update_id": 1, "message": m{
		"message_id": 50, "date": time.Now().Unix(), "text": "hi", "location": m{"latitude": 1.5},
		"chat": m{"id": home.ID, "type": "private"}, "from": m{"id": alice.ID, "first_name": "Alice"},
	}})
	got := c.poll(nil)
	if len(got) != 1 || got[0].ID != id || got[0].Message.ID != 50 {
		t.Errorf("got %+v, want %d", got, id)
	}
	if next := c.send(home.ID, "hello"); next != 51 {
		t.Errorf("the next message is %d, want 51", next)
	}
}

func TestMenu_IsStoredByScopeAndLanguage(t *testing.T) {
	s, c := startServer(t, telegramtest.Options{Strict: true})
	s.AddChat(home)
	english := []telegramtest.MenuCommand{{Command: "help", Description: "what I can do"}}
	spanish := []telegramtest.MenuCommand{{Command: "help", Description: "lo que puedo hacer"}}
	chat := m{"type": "chat", "chat_id": home.ID}
	c.mustCall("setMyCommands", m{"commands": english}, nil)
	c.mustCall("setMyCommands", m{"commands": spanish, "language_code": "es", "scope": chat}, nil)
	var menu []telegramtest.MenuCommand
	c.mustCall("getMyCommands", m{"language_code": "es", "scope": chat}, &menu)
	if !cmp.Equal(menu, spanish) || !cmp.Equal(s.Menu("", ""), english) || !cmp.Equal(s.Menu("chat:1001", "es"), spanish) {
		t.Errorf("answered %v; kept %v and %v", menu, s.Menu("", ""), s.Menu("chat:1001", "es"))
	}
	c.mustCall("deleteMyCommands", m{"language_code": "es", "scope": chat}, nil)
	c.mustCall("getMyCommands", m{"language_code": "es", "scope": chat}, &menu)
	if len(menu) != 0 || s.Menu("chat:1001", "es") != nil {
		t.Errorf("after it was deleted: %v", menu)
	}
	set := func(command, description string) m {
		return m{"commands": []telegramtest.MenuCommand{{Command: command, Description: description}}}
	}
	c.wantRefusal(400, "Bad Request: BOT_COMMAND_INVALID", "setMyCommands", set("Help", "x"))
	c.wantRefusal(400, "Bad Request: BOT_COMMAND_INVALID", "setMyCommands", set("a234567890123456789012345678901234", "x"))
	c.wantRefusal(400, "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID", "setMyCommands", set("help", ""))
	c.wantRefusal(400, "Bad Request: BOT_COMMANDS_TOO_MUCH", "setMyCommands",
		m{"commands": make([]telegramtest.MenuCommand, 101)})
	c.wantRefusal(400, "Bad Request: invalid language code specified", "setMyCommands", m{"commands": english, "language_code": "english"})
	c.wantRefusal(400, "Bad Request: can't parse BotCommandScope: Unsupported type specified", "setMyCommands", m{"scope": m{"type": "moon"}})
}
