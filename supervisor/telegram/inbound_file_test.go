package telegram_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
	"mews/supervisor/telegram"
)

// fileTests are files in messages, with the expected results. If the expected File is "", there is
// no file.
var fileTests = []struct {
	name, fields string
	want         supervisor.Attachment
}{
	{"a photo in its sizes", `"photo":[{"file_id":"s","file_size":9000,"width":90,"height":67},` +
		`{"file_id":"l","file_size":80000,"width":1280,"height":960},{"file_id":"m","width":320,"height":240}]`,
		supervisor.Attachment{File: "l", Kind: "photo", MediaType: "image/jpeg", Size: 80000}},
	{"a voice message", voice, supervisor.Attachment{File: "AwAC", ContentID: "AgAD", Kind: "voice", MediaType: "audio/ogg", Size: 9876, Seconds: 3}},
	{"a document", `"document":{"file_id":"d","file_name":"a.pdf","mime_type":"application/pdf","file_size":7}`,
		supervisor.Attachment{File: "d", Kind: "document", Name: "a.pdf", MediaType: "application/pdf", Size: 7}},
	{"music", `"audio":{"file_id":"a","file_name":"b.mp3","title":"T","duration":60,"mime_type":"audio/mpeg"}`,
		supervisor.Attachment{File: "a", Kind: "audio", Name: "b.mp3", MediaType: "audio/mpeg", Seconds: 60}},
	{"a video", `"video":{"file_id":"v","duration":5,"width":1,"height":1,"file_name":"v.mp4","mime_type":"video/mp4"}`,
		supervisor.Attachment{File: "v", Kind: "video", Name: "v.mp4", MediaType: "video/mp4", Seconds: 5}},
	{"a round video", `"video_note":{"file_id":"n","duration":5,"length":240}`,
		supervisor.Attachment{File: "n", Kind: "video_note", MediaType: "video/mp4", Seconds: 5}},
	{"an animation", `"document":{"file_id":"g","mime_type":"video/mp4"},"animation":{"file_id":"g","mime_type":"video/mp4","duration":2}`,
		supervisor.Attachment{File: "g", Kind: "animation", MediaType: "video/mp4", Seconds: 2}},
	{"a sticker", `"sticker":{"file_id":"k","type":"regular","emoji":"x"}`,
		supervisor.Attachment{File: "k", Kind: "sticker", MediaType: "image/webp"}},
	{"an animated sticker", `"sticker":{"file_id":"k","is_animated":true}`,
		supervisor.Attachment{File: "k", Kind: "sticker", MediaType: "application/x-tgsticker"}},
	{"a video sticker", `"sticker":{"file_id":"k","is_video":true}`,
		supervisor.Attachment{File: "k", Kind: "sticker", MediaType: "video/webm"}},

	{"no id", `"document":{"file_id":""}`, supervisor.Attachment{}},
	{"an id of 10 KB", `"document":{"file_id":"` + strings.Repeat("a", 10<<10) + `"}`, supervisor.Attachment{}},
	{"an id with a line's end", `"document":{"file_id":"a\nb"}`, supervisor.Attachment{}},
	{"an id that is a number", `"document":{"file_id":7}`, supervisor.Attachment{}},
	{"no sizes", `"photo":[]`, supervisor.Attachment{}},
	{"sizes that are none", `"photo":[7,{"file_id":"a"}]`, supervisor.Attachment{}},
	{"numbers below 0", `"voice":{"file_id":"v","file_size":-1,"duration":-7}`,
		supervisor.Attachment{File: "v", Kind: "voice", MediaType: "audio/ogg"}},
	{"numbers beyond all", `"voice":{"file_id":"v","file_size":9223372036854775807,"duration":9223372036854775807}`,
		supervisor.Attachment{File: "v", Kind: "voice", MediaType: "audio/ogg", Size: 1<<63 - 1, Seconds: 1 << 30}},
	{"fields of other types", `"document":{"file_id":"d","file_name":{},"mime_type":[],"file_size":"7","duration":"x"}`,
		supervisor.Attachment{File: "d", Kind: "document"}},
	{"an odd media type", `"document":{"file_id":"d","mime_type":"text/\u0000plain"}`, supervisor.Attachment{File: "d", Kind: "document"}},
	{"a name of a path", `"document":{"file_id":"d","file_name":"../../etc/passwd"}`,
		supervisor.Attachment{File: "d", Kind: "document", Name: "../../etc/passwd"}},
	{"a name written backwards", `"document":{"file_id":"d","file_name":"a\u202efdp.exe"}`,
		supervisor.Attachment{File: "d", Kind: "document", Name: "a\u202efdp.exe"}},
	{"a name with NUL and half a surrogate", `"document":{"file_id":"d","file_name":"a\u0000b\ud83d.txt"}`,
		supervisor.Attachment{File: "d", Kind: "document", Name: "ab\uFFFD.txt"}},
	{"a name of 300 bytes", `"document":{"file_id":"d","file_name":"` + strings.Repeat("ü", 148) + `.txt"}`,
		supervisor.Attachment{File: "d", Kind: "document", Name: strings.Repeat("ü", 148) + ".txt"}},
	{"a name of 10 KB", `"document":{"file_id":"d","file_name":"` + strings.Repeat("ü", 5<<10) + `.txt"}`,
		supervisor.Attachment{File: "d", Kind: "document", Name: strings.Repeat("ü", 512)}},
}

func TestParseUpdate_File_BecomesAttachment(t *testing.T) {
	for _, test := range fileTests {
		t.Run(test.name, func(t *testing.T) {
			got, err := telegram.ParseUpdate(json.RawMessage(message(ann, privateChat, test.fields)), me)
			if err != nil {
				t.Fatal(err)
			}
			if test.want.File == "" {
				if got.Kind != supervisor.IncomingUnreadable || got.Unreadable == "" || len(got.Attachments) != 0 {
					t.Errorf("got %+v", got)
				}
				return
			}
			if diff := cmp.Diff([]supervisor.Attachment{test.want}, got.Attachments); diff != "" || got.Kind != supervisor.IncomingMessage {
				t.Errorf("a %s; want -, got +:\n%s", got.Kind, diff)
			}
		})
	}
}

// unkept reports whether the store would refuse a file.
func unkept(a supervisor.Attachment) bool {
	text := a.File + a.Name + a.MediaType
	return a.File == "" || len(a.File) > 1<<10 || a.Kind == "" || a.Size < 0 || a.Seconds < 0 || len(a.Name) > 1<<10 ||
		!utf8.ValidString(text) || strings.Contains(text, "\x00") || a.SHA256 != "" || a.Failure != ""
}

// TestParseUpdate_ForeignWords_HaveOriginWorld checks whether a message has only the sender's
// words, or also words of others.
func TestParseUpdate_ForeignWords_HaveOriginWorld(t *testing.T) {
	forwarded := `"forward_origin":{"type":"hidden_user","date":1,"sender_user_name":"Eve"}`
	across := func(by string) string {
		return `"external_reply":{"message_id":3,"origin":{"type":"user","sender_user":{"id":` + by + `}}},"quote":{"text":"there"}`
	}
	for name, test := range map[string]struct {
		fields []string
		want   supervisor.Origin
	}{
		"words":                             {[]string{text("x")}, ""},
		"a voice message":                   {[]string{voice}, ""},
		"a round video":                     {[]string{`"video_note":{"file_id":"n"}`}, ""},
		"a location":                        {[]string{`"location":{"latitude":1,"longitude":2}`}, ""},
		"dice":                              {[]string{`"dice":{"emoji":"x","value":1}`}, ""},
		"an answer to the bot":              {[]string{text("x"), replyTo(bot)}, ""},
		"an answer to oneself":              {[]string{text("x"), replyTo(ann)}, ""},
		"an answer to one's own elsewhere":  {[]string{text("x"), across("42")}, ""},
		"a command as an answer to another": {[]string{text("/ask x"), replyTo(bob)}, supervisor.OriginWorld},
		"an answer to another":              {[]string{text("x"), replyTo(bob)}, supervisor.OriginWorld},
		"an answer to another's elsewhere":  {[]string{text("x"), across("9")}, supervisor.OriginWorld},
		"an answer to a forwarded one": {[]string{text("x"), `"reply_to_message":{"message_id":3,` + ann + `,"text":"Hm",` + forwarded + `}`},
			supervisor.OriginWorld},
		"forwarded words":           {[]string{text("x"), forwarded}, supervisor.OriginWorld},
		"a forwarded voice message": {[]string{voice, forwarded}, supervisor.OriginWorld},
		"a voice message of a bot":  {[]string{voice, `"via_bot":{"id":9,"is_bot":true,"username":"gif"}`}, supervisor.OriginWorld},
		"a photo":                   {[]string{photo, `"caption":"x"`}, supervisor.OriginWorld},
		"a sticker":                 {[]string{`"sticker":{"file_id":"k"}`}, supervisor.OriginWorld},
		"music":                     {[]string{`"audio":{"file_id":"k"}`}, supervisor.OriginWorld},
		"a contact":                 {[]string{`"contact":{"phone_number":"1"}`}, supervisor.OriginWorld},
		"a poll":                    {[]string{`"poll":{"question":"?"}`}, supervisor.OriginWorld},
		"a checklist":               {[]string{`"checklist":{"title":"A"}`}, ""},
		"a checklist of several": {[]string{`"checklist":{"title":"A","others_can_add_tasks":true}`},
			supervisor.OriginWorld},
		"a venue": {[]string{`"venue":{"title":"C","location":{"latitude":1,"longitude":2}}`, `"location":{"latitude":1,"longitude":2}`},
			supervisor.OriginWorld},
	} {
		got, err := telegram.ParseUpdate(json.RawMessage(message(append(test.fields, ann, privateChat)...)), me)
		if err != nil || got.Kind != supervisor.IncomingMessage || got.Origin != test.want {
			t.Errorf("%s: error %v, kind %s, origin %q, want %q", name, err, got.Kind, got.Origin, test.want)
		}
		if want := strings.Contains(name, "forwarded") && !strings.Contains(name, "answer"); got.Forwarded != want {
			t.Errorf("%s: forwarded: %v", name, got.Forwarded)
		}
	}
}
