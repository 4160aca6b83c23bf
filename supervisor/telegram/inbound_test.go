package telegram_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mews/supervisor"
	"mews/supervisor/internal/quotes"
	"mews/supervisor/slash"
	"mews/supervisor/telegram"
	"mews/supervisor/telegram/telegramtest"
)

const (
	ann = `"from":{"id":42,"is_bot":false,"first_name":"Ann","last_name":"Lee","username":"annlee","language_code":"en"}`
	bob = `"from":{"id":43,"is_bot":false,"first_name":"Bob"}`
	bot = `"from":{"id":7,"is_bot":true,"first_name":"Mews","username":"mews_bot"}`

	privateChat = `"chat":{"id":42,"first_name":"Ann","last_name":"Lee","username":"annlee","type":"private"}`
	group       = `"chat":{"id":-100777,"title":"The house","type":"supergroup","is_forum":true}`
	smallGroup  = `"chat":{"id":-777,"title":"The flat","type":"group","all_members_are_administrators":true}`
)

// message returns an update with a message of the given fields.
func message(fields ...string) string {
	return `{"update_id":500001,"message":{"message_id":11,"date":1760000000,` + strings.Join(fields, ",") + `}}`
}

func edited(fields ...string) string {
	return `{"update_id":500001,"edited_message":{"message_id":11,"date":1760000000,"edit_date":1760000009,` + strings.Join(fields, ",") + `}}`
}

func text(s string) string { return `"text":` + quote(s) }

func quote(s string) string { return string(mustJSON(s)) }

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// entity returns a text's only entity.
func entity(kind string, offset, length int, more ...string) string {
	fields := append([]string{fmt.Sprintf(`"type":%q,"offset":%d,"length":%d`, kind, offset, length)}, more...)
	return `"entities":[{` + strings.Join(fields, ",") + `}]`
}

var me = telegram.BotIdentity{ID: 7, Name: func() (string, error) { return "mews_bot", nil }}

const (
	photo = `"photo":[{"file_id":"AgAC","file_unique_id":"AQAD","file_size":1234,"width":90,"height":67}]`
	voice = `"voice":{"duration":3,"mime_type":"audio/ogg","file_id":"AwAC","file_unique_id":"AgAD","file_size":9876}`
)

// inboundTests are updates with people's words, and the expected results. Tests below check the
// other fields.
var inboundTests = []struct {
	name, update string
	kind         supervisor.IncomingKind
	text         string
	lacks        string
}{
	{"a text", message(ann, privateChat, text("hello")), "message", "hello", ""},
	{"a command", message(ann, privateChat, text("/stop"), entity("bot_command", 0, 5)), "message", "/stop", ""},
	{"a text with NUL and half a surrogate", message(ann, privateChat, `"text":"a\u0000b\ud83dc"`), "message", "ab\uFFFDc", ""},
	{"nothing but NUL", message(ann, privateChat, `"text":"\u0000"`), "other", "", ""},
	{"a link behind words", message(ann, privateChat, text("🦅 read this now"), entity("text_link", 8, 4,
		`"url":"https://example.org/a"`)),
		"message", "🦅 read this (https://example.org/a) now", ""},
	{"a link behind itself", message(ann, privateChat, text("https://a.org"), entity("text_link", 0, 13,
		`"url":"https://a.org"`)),
		"message", "https://a.org", ""},
	{"a link outside the text", message(ann, privateChat, text("hi"), entity("text_link", 1, 9, `"url":"https://a.org"`)),
		"message", "hi", ""},
	{"two links", message(ann, privateChat, text("ab"),
		`"entities":[{"type":"text_link","offset":1,"length":1,"url":"https://b.org"},`+
			`{"type":"bold","offset":0,"length":2},{"type":"text_link","offset":0,"length":1,"url":"https://a.org"}]`),
		"message", "a (https://a.org)b (https://b.org)", ""},
	{"entities of a kind to come", message(ann, privateChat, text("hi"), `"entities":[{"type":7}]`), "message", "hi", ""},

	{"a photo", message(ann, privateChat, photo), "message", "", ""},
	{"a caption", message(ann, privateChat, photo, `"caption":"what is this?"`), "message", "what is this?", ""},
	{"a caption that is a command", message(ann, privateChat, photo, `"caption":"/new tea"`), "message", "/new tea", ""},
	{"a caption with a link", message(ann, privateChat, photo, `"caption":"here"`,
		`"caption_entities":[{"type":"text_link","offset":0,"length":4,"url":"https://a.org"}]`),
		"message", "here (https://a.org)", ""},
	{"a file without an id", message(ann, privateChat, `"document":{"file_name":"a.pdf","mime_type":"application/pdf"}`), "unreadable",
		"", "a file “a.pdf”"},
	{"a sticker without an id", message(ann, privateChat, `"sticker":{"width":512,"height":512,"emoji":"🦅","type":"regular"}`),
		"message", "[Sticker 🦅]\n[With it came a sticker, which Telegram does not give to a bot.]", "a sticker"},

	{"a location", message(ann, privateChat, `"location":{"latitude":40.4168,"longitude":-3.7038}`), "message",
		"[Location: 40.41680, -3.70380]", ""},
	{"a live location", message(ann, privateChat, `"location":{"latitude":40.4168,"longitude":-3.7038,"live_period":900}`), "message",
		"[Live location, which began at: 40.41680, -3.70380]", ""},
	{"a live location that moved", `{"update_id":500001,"edited_message":{"message_id":11,"date":1760000000,"edit_date":1760000009,` +
		ann + `,` + privateChat + `,"location":{"latitude":40.5,"longitude":-3.7,"live_period":900}}}`, "other", "", ""},
	{"a venue", message(ann, privateChat, `"location":{"latitude":1.5,"longitude":2.5}`,
		`"venue":{"location":{"latitude":1.5,"longitude":2.5},"title":"Cafe","address":"High Street 1"}`), "message",
		"[Place: Cafe, High Street 1 (1.50000, 2.50000)]", ""},
	{"a venue without a place", message(ann, privateChat, `"location":{"latitude":1.5,"longitude":2.5}`, `"venue":{"title":"Cafe"}`),
		"message", "[Location: 1.50000, 2.50000]", ""},
	{"a contact", message(ann, privateChat, `"contact":{"phone_number":"+34 600","first_name":"C","last_name":"D\nE"}`), "message",
		"[Contact: C D E, +34 600]", ""},
	{"a poll", message(ann, privateChat, `"poll":{"id":"1","question":"Tea?","options":[{"text":"yes"},{"text":"no"},{"text":""}]}`),
		"message", "[Poll: Tea? (options: yes; no)]", ""},
	{"a quiz", message(ann, privateChat, `"poll":{"id":"1","type":"quiz","question":"2+2","options":[{"text":"4"},{"text":"5"}]}`),
		"message", "[Quiz: 2+2 (options: 4; 5)]", ""},
	{"a poll with votes", message(ann, privateChat, `"poll":{"id":"1","question":"Tea?","options":[`+
		`{"text":"yes","voter_count":3},`+
		`{"text":"no","voter_count":0}],"total_voter_count":3,"is_closed":true}`), "message",
		"[Poll: Tea? (options: yes (3); no (0); voters: 3; closed)]", ""},
	{"a quiz that was answered", message(ann, privateChat, `"poll":{"id":"1","type":"quiz","question":"2+2",`+
		`"correct_option_id":0,`+
		`"options":[{"text":"4","voter_count":1},{"text":"5","voter_count":0}],"total_voter_count":1}`),
		"message", "[Quiz: 2+2 (options: 4 (1) (correct); 5 (0); voters: 1)]", ""},
	{"a contact with a card", message(ann, privateChat,
		`"contact":{"phone_number":"+34 600","first_name":"Ann","vcard":`+
			`"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nEMAIL;TYPE=WORK:ann@\r\n `+
			`b.example\r\nPHOTO;ENCODING=b:iVBOR\r\n w0K\r\nBDAY:2000-01-02\r\nEND:VCARD"}`),
		"message", "[Contact: Ann, +34 600 (vCard: FN:Ann | EMAIL;TYPE=WORK:ann@b.example | BDAY:2000-01-02)]", ""},
	{"a contact with an empty card", message(ann, privateChat,
		`"contact":{"phone_number":"1","first_name":"A","vcard":"BEGIN:VCARD\nEND:VCARD"}`),
		"message", "[Contact: A, 1]", ""},
	{"a throw of dice", message(ann, privateChat, `"dice":{"emoji":"🎯","value":6}`), "message", "[Dice 🎯: 6]", ""},
	{"a forwarded poll", message(ann, privateChat, `"poll":{"id":"1","question":"Tea?"}`,
		`"forward_origin":{"type":"user","date":1,"sender_user":{"id":9,"first_name":"Eve"}}`), "message",
		"[Forwarded from Eve]\n[Poll: Tea? (options: )]", ""},
	{"a poll that is none", message(ann, privateChat, `"poll":7`), "other", "", ""},

	{"a checklist", message(ann, privateChat, `"checklist":{"title":"Party","tasks":[{"id":1,"text":"cake"}]}`),
		"message",
		"[Checklist “Party”: ☐ cake]", ""},
	{"a ticked checklist", message(ann, privateChat, `"checklist":{"title":"Party","tasks":[`+
		`{"id":1,"text":"cake","completion_date":1760000000},`+
		`{"id":2,"text":"tea\n[x]","completed_by_user":{"id":9,"first_name":"Eve"},"completion_date":1760000000},`+
		`{"id":3,"text":"ice","completion_date":0}]}`),
		"message", "[Checklist “Party”: ☑ cake; ☑ tea (x) (by Eve); ☐ ice]", ""},
	{"a checklist without tasks", message(ann, privateChat, `"checklist":{"title":"Party"}`), "message",
		"[Checklist “Party”]", ""},
	{"a checklist of no kind", message(ann, privateChat, `"checklist":{"title":7,"tasks":{"a":1}}`), "other", "", ""},
	{"an edited checklist", `{"update_id":500001,"edited_message":{"message_id":11,"date":1760000000,` +
		`"edit_date":1760000009,` +
		ann + `,` + privateChat + `,"checklist":{"title":"Party","tasks":[{"id":1,"text":"cake",` +
		`"completion_date":1760000008}]}}}`,
		"message", "[Checklist “Party”: ☑ cake]", ""},
	{"a long checklist", message(ann, privateChat, `"checklist":{"title":"`+strings.Repeat("t", 255)+`","tasks":[`+
		strings.TrimSuffix(strings.Repeat(`{"text":"`+strings.Repeat("x", 100)+`"},`, 30), ",")+`]}`), "message",
		"[Checklist “" + strings.Repeat("t", 255) + "”: " +
			strings.TrimSuffix(strings.Repeat("☐ "+strings.Repeat("x", 100)+"; ", 30), "; ") + "]", ""},
	{"a story", message(ann, privateChat, `"story":{"chat":{"id":-5,"type":"channel","title":"News"},"id":3}`), "unreadable", "", "a story"},
	{"a game", message(ann, privateChat, `"game":{"title":"Chess","photo":[]}`), "unreadable", "", "a game “Chess”"},
	{"an invoice", message(ann, privateChat, `"invoice":{"title":"Shoes\n","currency":"EUR"}`), "unreadable", "", "an invoice “Shoes”"},
	{"a giveaway", message(ann, privateChat, `"giveaway":{"winner_count":1}`), "unreadable", "", "a giveaway"},
	{"paid media with words", message(ann, privateChat, `"paid_media":{"star_count":1}`, `"caption":"worth it?"`), "message",
		"worth it?\n[With it came paid media, which Telegram does not give to a bot.]", "paid media"},
	{"a thing of a kind to come", message(ann, privateChat, `"hologram":{"file_id":"x"}`), "other", "", ""},

	{"a reply", message(ann, privateChat, text("and this?"),
		`"reply_to_message":{"message_id":3,`+bot+`,"text":"It is\nblue."}`),
		"message", "> You: It is\n> blue.\nand this?", ""},
	{"a reply to a part", message(ann, privateChat, text("why?"),
		`"reply_to_message":{"message_id":3,`+bot+`,"text":"It is blue. Or red."}`,
		`"quote":{"text":"Or red.","position":12,"is_manual":true}`), "message", "> You: Or red.\n> (in:)\n> It is blue. Or red.\nwhy?", ""},
	{"a reply to a photo", message(ann, privateChat, text("and this?"),
		`"reply_to_message":{"message_id":3,`+ann+`,`+photo+`}`),
		"message", "> [a photo]\nand this?", ""},
	{"a reply to a file with words", message(ann, privateChat, text("and this?"),
		`"reply_to_message":{"message_id":3,`+ann+`,"document":{"file_name":"a.pdf"},"caption":"the bill"}`),
		"message", "> [a file “a.pdf”] the bill\nand this?", ""},
	{"a reply to a place", message(ann, privateChat, text("how far?"),
		`"reply_to_message":{"message_id":3,`+ann+`,"location":{"latitude":1,"longitude":2}}`),
		"message", "> [Location: 1.00000, 2.00000]\nhow far?", ""},
	{"a voice message as a reply", message(ann, privateChat, voice, replyTo(bot)), "message", "> You: Hm", ""},
	{"a forwarded photo", message(ann, privateChat, photo, `"forward_origin":{"type":"hidden_user","date":1,"sender_user_name":"Eve"}`),
		"message", "[Forwarded from Eve]", ""},
	{"a reply to somebody", message(ann, group, text("/ask why"), `"reply_to_message":{"message_id":3,`+bob+`,"text":"No."}`),
		"message", "/ask why", ""},
	{"a reply to somebody in words", message(ann, group, text("@mews_bot is that so?"), entity("mention", 0, 9),
		`"reply_to_message":{"message_id":3,`+bob+`,"text":"No."}`),
		"message", "> Bob: No.\nis that so?", ""},
	{"a reply to a long one", message(ann, privateChat, text("ok"),
		`"reply_to_message":{"message_id":3,`+bot+`,`+text(strings.Repeat("ü", 1500)+strings.Repeat("a", 1500))+`}`),
		"message", "> You: " + strings.Repeat("ü", 999) + "…" + strings.Repeat("a", 999) + "\nok", ""},
	{"a reply across chats", message(ann, privateChat, text("see"),
		`"external_reply":{"origin":{"type":"user"},"message_id":3}`, `"quote":{"text":"there","position":0}`),
		"message", "> there\nsee", ""},
	{"a code as a reply", message(ann, privateChat, text("123 456"), replyTo(bot)), "message", "123 456", ""},
	{"a recovery code as a reply", message(ann, privateChat, text("abcd-ef01-2345-6789-ghjk-mnpq-rs"), replyTo(bot)), "message",
		"abcd-ef01-2345-6789-ghjk-mnpq-rs", ""},
	{"one in groups of its own", message(ann, privateChat, text("ABCDEF0123456 789GHJKMN—PQRS"), replyTo(bot)), "message",
		"ABCDEF0123456 789GHJKMN—PQRS", ""},
	{"a code as a caption", message(ann, privateChat, photo, `"caption":"123-456"`), "message", "123-456", ""},
	{"a forwarded code", message(ann, privateChat, text("ABCD-EF01-2345-6789-GHJK-MNPQ-RS"),
		`"forward_origin":{"type":"hidden_user","date":1,"sender_user_name":"Eve"}`), "message", "ABCD-EF01-2345-6789-GHJK-MNPQ-RS", ""},
	{"a code as a reply in a group", message(ann, group, text("@mews_bot 123456"), entity("mention", 0, 9), replyTo(bot)),
		"message", "123456", ""},
	{"a code with a label as a reply", message(ann, privateChat, text("Code: \u06f1\u06f2\u06f3\u06f4\u06f5\u06f6."), replyTo(bot)), "message",
		"Code: \u06f1\u06f2\u06f3\u06f4\u06f5\u06f6.", ""},
	{"digits that are no code as a reply", message(ann, privateChat, text("2026-11"), replyTo(bot)), "message", "> You: Hm\n2026-11", ""},
	{"seven digits as a reply", message(ann, privateChat, text("1234567"), replyTo(bot)), "message", "> You: Hm\n1234567", ""},
	{"words of a recovery code's length as a reply", message(ann, privateChat, text("what time does that show open at"), replyTo(bot)),
		"message", "> You: Hm\nwhat time does that show open at", ""},
	{"a recovery code that is too long as a reply", message(ann, privateChat, text("ABCD-EF01-2345-6789-GHJK-MNPQ-RST"), replyTo(bot)),
		"message", "> You: Hm\nABCD-EF01-2345-6789-GHJK-MNPQ-RST", ""},
	{"a command as a reply", message(ann, privateChat, text("/stop"),
		`"reply_to_message":{"message_id":3,`+bot+`,"text":"Hm"}`), "message", "/stop", ""},

	{"a forwarded message", message(ann, privateChat, text("buy milk"),
		`"forward_origin":{"type":"user","date":1,"sender_user":{"id":9,"first_name":"Eve","last_name":"X"}}`),
		"message", "[Forwarded from Eve X]\nbuy milk", ""},
	{"one of a hidden person", message(ann, privateChat, text("hm"),
		`"forward_origin":{"type":"hidden_user","date":1,"sender_user_name":"E\nve"}`),
		"message", "[Forwarded from E ve]\nhm", ""},
	{"one of a channel", message(ann, privateChat, text("news"),
		`"forward_origin":{"type":"channel","date":1,"chat":{"id":-1,"title":"News","type":"channel"},"message_id":2}`),
		"message", "[Forwarded from News]\nnews", ""},
	{"one of a group", message(ann, privateChat, text("x"),
		`"forward_origin":{"type":"chat","date":1,"sender_chat":{"id":-1,"title":"G","type":"group"}}`),
		"message", "[Forwarded from G]\nx", ""},
	{"one of an origin to come", message(ann, privateChat, text("x"), `"forward_origin":{"type":"ghost","date":1}`),
		"message", "[Forwarded]\nx", ""},
	{"what a bot made", message(ann, privateChat, text("x"), `"via_bot":{"id":9,"is_bot":true,"username":"gif"}`),
		"message", "[Made by the bot @gif]\nx", ""},
	{"a command that a bot made is none", message(ann, privateChat, text("/stop"),
		`"via_bot":{"id":9,"is_bot":true,"username":"gif"}`), "message", "[Made by the bot @gif]\n/stop", ""},
	{"a forwarded command is none", message(ann, privateChat, text("/stop"),
		`"forward_origin":{"type":"user","date":1,"sender_user":{"id":9,"first_name":"Eve"}}`),
		"message", "[Forwarded from Eve]\n/stop", ""},

	{"what Telegram has changed of a message",
		`{"update_id":500001,"edited_message":{"message_id":11,"date":1760000000,` + ann + `,` + privateChat + `,"text":"x"}}`,
		"other", "", ""},
	{"an edited message", edited(ann, privateChat, text("hello")), "message", "hello", ""},
	{"an edited caption", edited(ann, privateChat, photo, `"caption":"what is this?"`), "message", "what is this?", ""},
	{"an edit in another's chat", edited(bob, privateChat, text("x")), "other", "", ""},
	{"a channel's post",
		`{"update_id":500001,"channel_post":{"message_id":11,"date":1760000000,"chat":{"id":-5,"type":"channel"},"text":"x"}}`,
		"other", "", ""},
	{"a message in another's chat", message(bob, privateChat, text("x")), "other", "", ""},
	{"a message in a channel", message(`"chat":{"id":-5,"type":"channel"}`, ann, text("x")), "other", "", ""},
	{"a button press", `{"update_id":500001,"callback_query":{"id":"1",` + ann + `,"data":"x"}}`,
		"other", "", ""},
	{"a bot's message", message(`"from":{"id":8,"is_bot":true,"first_name":"B"}`, group, text("/stop")), "other", "", ""},
	{"an anonymous administrator's", message(ann, `"sender_chat":{"id":-100777,"type":"supergroup"}`, group,
		text("/stop")), "other", "", ""},
	{"nobody's", message(privateChat, text("x")), "other", "", ""},
	{"somebody joined", message(ann, group, `"new_chat_members":[{"id":9,"is_bot":false,"first_name":"Eve"}]`), "other",
		"", ""},
	{"something was pinned", message(ann, group, `"pinned_message":{"message_id":2,"date":0,`+group+`}`), "other", "", ""},
	{"a message of no date",
		`{"update_id":500001,"message":{"message_id":11,"date":0,` + ann + `,` + privateChat + `,"text":"x"}}`, "other",
		"", ""},
	{"a message of the far future",
		`{"update_id":500001,"message":{"message_id":11,"date":9000000000000,` + ann + `,` + privateChat + `,"text":"x"}}`,
		"other", "", ""},
	{"no update", `[1]`, "other", "", ""},
	{"nothing", ``, "other", "", ""},
	{"half an update", `{"update_id":500001,"message":{"mess`,
		"other", "", ""},
	{"an update without an id", strings.Replace(message(ann, privateChat, text("x")), "500001", `"x"`, 1), "other", "", ""},
}

// whole returns the text of a message for a model: the quoted message and the words. No text
// precedes a command.
func whole(in supervisor.Incoming) string {
	if name, _ := slash.Parse(in.Text); name != "" {
		return in.Text
	}
	return strings.TrimSpace(quotes.FormatQuote(in.Quote) + "\n" + in.Text)
}

func TestParseUpdate_Text_BecomesModelText(t *testing.T) {
	for _, test := range inboundTests {
		t.Run(test.name, func(t *testing.T) {
			got, err := telegram.ParseUpdate(json.RawMessage(test.update), me)
			if err != nil {
				t.Fatal(err)
			}
			if got.Kind != test.kind || whole(got) != test.text || got.Unreadable != test.lacks {
				t.Errorf("got %s, text %q, lacks %q\nwant %s, text %q, lacks %q",
					got.Kind, whole(got), got.Unreadable, test.kind, test.text, test.lacks)
			}
			if string(got.Raw) != test.update {
				t.Errorf("the update is kept as %s", got.Raw)
			}
		})
	}
}

func TestParseUpdate_KeepsSenderChatAndTime(t *testing.T) {
	at := time.Unix(1760000000, 0).UTC()
	moved := func(title string) supervisor.Incoming {
		l := supervisor.Incoming{Title: title}
		l.Kind, l.Update, l.Message, l.Group, l.SentAt = supervisor.IncomingChatMoved, 500001, "11", true, at
		l.Key, l.Chat, l.MovedTo = "500001.1760000000", "-777", "-100777"
		return l
	}
	for name, test := range map[string]struct {
		update string
		want   supervisor.Incoming
	}{
		"in private": {message(ann, privateChat, text("hello")), supervisor.Incoming{Update: 500001, Kind: "message",
			Sender: "42", Chat: "42",
			Message: "11", Key: "500001.1760000000", Text: "hello", OwnText: true, SentAt: at, Addressed: true}},
		"in a topic": {message(ann, group, text("/help"), `"message_thread_id":5,"is_topic_message":true`),
			supervisor.Incoming{Update: 500001,
				Kind: "message", Sender: "42", Chat: "-100777", Group: true, Title: "The house", Thread: "5", Message: "11", Key: "500001.1760000000",
				Text: "/help", OwnText: true,
				SentAt: at, Addressed: true}},
		"a thread of replies is no topic": {message(ann, group, text("/help"), `"message_thread_id":5`),
			supervisor.Incoming{Update: 500001,
				Kind: "message", Sender: "42", Chat: "-100777", Group: true, Title: "The house", Message: "11", Key: "500001.1760000000",
				Text: "/help", OwnText: true, SentAt: at,
				Addressed: true}},
		"in a group, to nobody": {message(ann, smallGroup, text("hello")), supervisor.Incoming{Update: 500001,
			Kind: "message", Sender: "42",
			Chat: "-777", Group: true, Title: "The flat", Message: "11", Key: "500001.1760000000",
			Text: "hello", OwnText: true, SentAt: at}},
		"of an album": {message(ann, privateChat, photo, `"media_group_id":"13"`), supervisor.Incoming{Update: 500001,
			Kind: "message", OwnText: true,
			Sender: "42", Chat: "42", Message: "11", Album: "13", Key: "500001.1760000000", SentAt: at, Addressed: true,
			Attachments: []supervisor.Attachment{{File: "AgAC", ContentID: "AQAD", Kind: "photo", MediaType: "image/jpeg", Size: 1234}}, Origin: "world"}},
		"moved, said in the old chat": {message(ann, smallGroup, `"migrate_to_chat_id":-100777`), moved("The flat")},
		"moved, said in the new chat": {message(ann, group, `"migrate_from_chat_id":-777`), moved("The house")},
		"an edit": {edited(ann, privateChat, text("hello")), supervisor.Incoming{Update: 500001, Kind: "message", Sender: "42", Chat: "42",
			Message: "11", Key: "500001.1760000000", Text: "hello", OwnText: true, SentAt: at,
			EditedAt: at.Add(9 * time.Second), Addressed: true}},
		"an edit of nothing": {`{"update_id":500001,"edited_message":{}}`, supervisor.Incoming{Update: 500001,
			Kind: "other"}},
		"an id below zero": {`{"update_id":-1}`, supervisor.Incoming{Kind: "other"}},
	} {
		t.Run(name, func(t *testing.T) {
			test.want.Channel = supervisor.ChannelTelegram
			if test.want.Sender == "42" {
				test.want.Language = "en"
			}
			got, err := telegram.ParseUpdate(json.RawMessage(test.update), me)
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreFields(supervisor.Incoming{}, "Raw")); diff != "" || err != nil {
				t.Errorf("error %v; want -, got +:\n%s", err, diff)
			}
		})
	}
}

func replyTo(who string) string { return `"reply_to_message":{"message_id":3,` + who + `,"text":"Hm"}` }

// TestParseUpdate_Group_KeepsMessagesForBot checks which messages are for the bot. The bot's name
// is requested only if the result depends on it.
func TestParseUpdate_Group_KeepsMessagesForBot(t *testing.T) {
	other := `"from":{"id":8,"is_bot":true,"first_name":"Other","username":"other_bot"}`
	for name, test := range map[string]struct {
		fields    []string
		addressed bool
		asked     bool
		text      string
	}{
		"words":     {[]string{text("hello")}, false, false, "hello"},
		"a command": {[]string{text("/stop"), entity("bot_command", 0, 5)}, true, false, "/stop"},
		"a path":    {[]string{text("/usr/bin is full")}, false, false, "/usr/bin is full"},
		"our command": {[]string{text("/stop@Mews_Bot now"), entity("bot_command", 0, 14)}, true, true,
			"/stop@Mews_Bot now"},
		"another's command": {[]string{text("/stop@other_bot"), entity("bot_command", 0, 15)}, false, true,
			"/stop@other_bot"},
		"another's command to us":   {[]string{text("/stop@other_bot"), replyTo(bot)}, false, true, "/stop@other_bot"},
		"our name before":           {[]string{text("@mews_bot, hello"), entity("mention", 0, 9)}, true, true, "hello"},
		"our name in other letters": {[]string{text("@MEWS_BOT hello"), entity("mention", 0, 9)}, true, true, "hello"},
		"our name behind": {[]string{text("hello @mews_bot"), entity("mention", 6, 9)}, true, true,
			"hello @mews_bot"},
		"our name alone":         {[]string{text("@mews_bot"), entity("mention", 0, 9)}, true, true, "@mews_bot"},
		"our name and a comma":   {[]string{text("@mews_bot ,"), entity("mention", 0, 9)}, true, true, "@mews_bot ,"},
		"our name and a command": {[]string{text("@mews_bot /stop"), entity("mention", 0, 9)}, true, true, "/stop"},
		"our name, another's command": {[]string{text("@mews_bot /stop@other_bot"), entity("mention", 0, 9)}, false, true,
			"/stop@other_bot"},
		"another's name": {[]string{text("@annlee hello"), entity("mention", 0, 7)}, false, true, "@annlee hello"},
		"a name that begins as ours": {[]string{text("@mews_bot2 hello"), entity("mention", 0, 10)}, false, true,
			"@mews_bot2 hello"},
		"our name unmarked": {[]string{text("mail a@mews_bot")}, false, false, "mail a@mews_bot"},
		"us by id": {[]string{text("Mews hello"), entity("text_mention", 0, 4,
			`"user":{"id":7,"is_bot":true,"first_name":"Mews"}`)}, true, false,
			"hello"},
		"us by id and a command of ours": {[]string{text("Mews /stop@mews_bot"), entity("text_mention", 0, 4,
			`"user":{"id":7,"is_bot":true,"first_name":"Mews"}`)}, true, true, "/stop@mews_bot"},
		"us by id and another's command": {[]string{text("Mews /stop@other_bot"), entity("text_mention", 0, 4,
			`"user":{"id":7,"is_bot":true,"first_name":"Mews"}`)}, false, true, "/stop@other_bot"},
		"a person by id": {[]string{text("Bob hello"), entity("text_mention", 0, 3,
			`"user":{"id":8,"first_name":"Bob"}`)}, false, false, "Bob hello"},
		"a reply to us":          {[]string{text("why?"), replyTo(bot)}, true, false, "> You: Hm\nwhy?"},
		"a reply to another bot": {[]string{text("why?"), replyTo(other)}, false, false, "> Hm\nwhy?"},
		"a reply to Bob":         {[]string{text("why?"), replyTo(bob)}, false, false, "> Bob: Hm\nwhy?"},
		"in a topic that we opened": {[]string{text("hello"), `"is_topic_message":true,"message_thread_id":3`,
			`"reply_to_message":{"message_id":3,` + bot + `,"forum_topic_created":{"name":"Tea"}}`}, false, false, "hello"},
		"a voice message to us":       {[]string{voice, replyTo(bot)}, true, false, "> You: Hm"},
		"a voice message to nobody":   {[]string{voice}, false, false, ""},
		"a photo as an answer to Bob": {[]string{photo, replyTo(bob)}, false, false, "> Bob: Hm"},
		"a photo with our name": {[]string{photo, `"caption":"@mews_bot look"`,
			`"caption_entities":[{"type":"mention","offset":0,"length":9}]`}, true, true, "look"},
		"a link after our name": {[]string{text("@mews_bot see here"), `"entities":[{"type":"mention","offset":0,"length":9},` +
			`{"type":"text_link","offset":14,"length":4,"url":"https://a.org"}]`}, true, true, "see here (https://a.org)"},
		"another's command, forwarded": {[]string{text("/stop"),
			`"forward_origin":{"type":"hidden_user","sender_user_name":"E"}`}, false, false,
			"[Forwarded from E]\n/stop"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := false
			got, err := telegram.ParseUpdate(json.RawMessage(message(append(test.fields, ann, group)...)),
				telegram.BotIdentity{ID: 7, Name: func() (string, error) {
					asked = true
					return me.Name()
				}})
			if err != nil {
				t.Fatal(err)
			}
			if got.Addressed != test.addressed || asked != test.asked || whole(got) != test.text {
				t.Errorf("addressed %v, asked %v, text %q; want %v, %v, %q",
					got.Addressed, asked, whole(got), test.addressed, test.asked, test.text)
			}
		})
	}
}

// TestParseUpdate_UnknownBotName_FailsIfNeeded also checks messages for which the name does not
// matter.
func TestParseUpdate_UnknownBotName_FailsIfNeeded(t *testing.T) {
	broken := errors.New("no network")
	nobody := telegram.BotIdentity{ID: 7, Name: func() (string, error) { return "", broken }}
	for name, test := range map[string]struct {
		fields    []string
		fails     bool
		addressed bool
	}{
		"a name that may be ours":   {[]string{group, text("@Mews_Bot hi"), entity("mention", 0, 9)}, true, false},
		"a command that may be":     {[]string{group, text("/stop@mews_bot")}, true, false},
		"a person's name":           {[]string{group, text("@annlee hi"), entity("mention", 0, 7)}, false, false},
		"a reply to us":             {[]string{group, text("why?"), replyTo(bot)}, false, true},
		"a reply to us, with names": {[]string{group, text("@annlee why?"), entity("mention", 0, 7), replyTo(bot)}, false, true},
		"a command":                 {[]string{group, text("/stop")}, false, true},
		"in private":                {[]string{privateChat, text("@mews_bot hi"), entity("mention", 0, 9)}, false, true},
	} {
		got, err := telegram.ParseUpdate(json.RawMessage(message(append(test.fields, ann)...)), nobody)
		if errors.Is(err, broken) != test.fails || got.Addressed != test.addressed ||
			test.fails && (got.Kind != supervisor.IncomingOther || got.Update == 0 || got.Chat == "") {
			t.Errorf("%s: error %v and %+v", name, err, got)
		}
	}
}

func TestParseUpdate_LongFields_AreCut(t *testing.T) {
	got, err := telegram.ParseUpdate(json.RawMessage(message(ann, privateChat, text("ab"+strings.Repeat("🦅",
		supervisor.MaxInboundText/4)))), me)
	if err != nil || len(got.Text) != supervisor.MaxInboundText-2 || !utf8.ValidString(got.Text) {
		t.Errorf("error %v, %d bytes", err, len(got.Text))
	}
}

// FuzzParseUpdate checks that any update gives an Incoming that keeps the promises of its type.
func FuzzParseUpdate(f *testing.F) {
	for _, l := range inboundTests {
		f.Add([]byte(l.update))
	}
	f.Add([]byte(message(ann, group, text("@mews_bot hi"), entity("mention", 0, 9),
		`"message_thread_id":5,"is_topic_message":true`)))
	for _, l := range fileTests {
		f.Add([]byte(message(ann, privateChat, l.fields)))
	}
	f.Add([]byte(message(ann, smallGroup, `"migrate_to_chat_id":-100777`)))
	f.Add([]byte(press(privateChat, ann, `"data":"yes"`)))
	for _, kind := range telegramtest.IgnoredUpdateKinds() {
		f.Add([]byte(telegramtest.NewIgnoredUpdate(kind, 42)))
	}
	f.Add([]byte(`{"update_id":1e3,"message":{"message_id":1,"date":1,"chat":{"id":1,"type":"private"},"from":{"id":1},"text":"x",` +
		`"entities":[{"type":"text_link","offset":9223372036854775807,"length":1,"url":"x"}]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := telegram.ParseUpdate(raw, me)
		if err != nil {
			t.Fatal(err)
		}
		if problem := broken(got); problem != "" {
			t.Errorf("%s: %+v", problem, got)
		}
	})
}

// broken returns the promise that an Incoming breaks.
func broken(l supervisor.Incoming) string {
	words, press := l.Kind == supervisor.IncomingMessage, l.Kind == supervisor.IncomingPress
	person := words || press || l.Kind == supervisor.IncomingUnreadable
	for problem, is := range map[string]bool{
		"an id below zero":        l.Update < 0,
		"a text that is none":     !utf8.ValidString(l.Text) || strings.Contains(l.Text, "\x00"),
		"too long":                len(l.Text) > supervisor.MaxInboundText,
		"a blank message":         words && strings.TrimSpace(l.Text) == "" && len(l.Attachments) == 0,
		"a file of no words":      !words && len(l.Attachments) > 0,
		"what can't be kept":      slices.ContainsFunc(l.Attachments, unkept),
		"an origin of no name":    l.Origin != "" && l.Origin != supervisor.OriginWorld,
		"nothing unreadable":      l.Kind == supervisor.IncomingUnreadable && (l.Unreadable == "" || l.Text != ""),
		"a person of no id":       person && (l.Sender == "" || l.Sender[0] == '-' || l.Sender == "0"),
		"no place or name":        person && (l.Chat == "" || l.Message == "" || l.Key == "" || l.Update == 0),
		"private, not addressed":  person && !l.Group && !l.Addressed,
		"another's chat":          person && !l.Group && l.Chat != l.Sender,
		"a long title":            utf8.RuneCountInString(l.Title) > 300,
		"a press of nothing":      press != (l.Query != "") || press && (l.Text == "" || len(l.Text) > 64 || !l.Addressed),
		"a move to nowhere":       l.Kind == supervisor.IncomingChatMoved && (l.Chat == "" || l.MovedTo == ""),
		"a long key":              len(l.Key) > 128,
		"an edit of what is none": (press || l.Kind == supervisor.IncomingChatMoved) && !l.EditedAt.IsZero(),
		"an edit of no time":      !l.EditedAt.IsZero() && l.EditedAt.Unix() <= 0,
	} {
		if is {
			return problem
		}
	}
	return ""
}

func TestParseUpdate_InvalidLanguage_IsDropped(t *testing.T) {
	for code, want := range map[string]string{"en": "en", "en-US": "en-US", "pt_BR": "pt_BR",
		"zh-hans": "zh-hans", "": "", "no tag": "", "de\\nx": "", "x": ""} {
		from := strings.Replace(ann, `"language_code":"en"`, `"language_code":"`+code+`"`, 1)
		got, err := telegram.ParseUpdate(json.RawMessage(message(from, privateChat, text("hello"))), me)
		if err != nil || got.Language != want || got.Sender != "42" {
			t.Errorf("%q is %q, %v, want %q", code, got.Language, err, want)
		}
	}
}
