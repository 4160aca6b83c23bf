package ingress

import (
	"slices"
	"strings"
	"testing"

	"mews/supervisor"
)

const (
	aPhoto    = `,"photo":[{"file_id":"p","file_unique_id":"y","width":1,"height":1}]`
	aVoice    = `,"voice":{"file_id":"v","file_unique_id":"y","duration":1}`
	aStory    = `,"story":{"chat":{"id":-5,"type":"channel"},"id":3}`
	aLargeOne = `,"document":{"file_id":"d","file_name":"big\u202e.iso","file_size":26214400}`
	forwarded = `,"forward_origin":{"type":"hidden_user","date":1,"sender_user_name":"Eve"}`
)

const tooLarge = "I could not get a file “big_.iso”: it has 25 MiB, and I can fetch at most 20 MiB from Telegram. Send it in smaller parts, if you " +
	"can. An admin can raise this to 2 GB with their own Bot API server, started with --local (telegram.api_url and " +
	"telegram.files)."

// TestFiles_AreStoredWithTheirMessages checks that every file is stored with its message, and that
// no turn sees an unread file.
func TestFiles_AreStoredWithTheirMessages(t *testing.T) {
	p := newFixture(t)
	p.take(1, p.incoming(101, 101, aPhoto+`,"media_group_id":"g1"`), p.incoming(101, 101, aPhoto+`,"media_group_id":"g1","caption":"look"`),
		p.incoming(101, 101, aVoice), p.incoming(101, 101, `,"text":"hm"`+forwarded), p.incoming(101, 101, aPhoto+forwarded+`,"media_group_id":"g2"`),
		p.incoming(101, 101, `,"dice":{"emoji":"x","value":1}`))
	if want := []string{"alice@101: ", "alice@101: look", "alice@101: ", "alice@101: [Forwarded from Eve]\nhm", "alice@101: [Forwarded from Eve]",
		"alice@101: [Dice x: 1]"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
	var told []string
	for i, in := range p.accepted {
		about := string(in.State) + " " + in.Group + " " + string(in.Origin)
		for _, file := range p.files()[i] {
			about += " " + file.File
		}
		told = append(told, about)
	}
	if want := []string{"arriving g1 world p", "arriving g1 world p", "arriving  own v", "arriving forward world", "arriving forward world p",
		"new  own"}; !slices.Equal(told, want) {
		t.Errorf("kept %q, want %q", told, want)
	}
	if told := p.answers("alice", "101"); len(told) != 0 {
		t.Errorf("told %q", told)
	}
}

// TestAlbum_CaptionNamesBot_AllItemsAreStored puts the caption on any message of the album. In a
// group the caption decides for the whole album whether it is meant for the bot.
func TestAlbum_CaptionNamesBot_AllItemsAreStored(t *testing.T) {
	p := newFixture(t)
	of := func(album, more string) supervisor.Incoming {
		return p.incoming(-7, 101, aPhoto+`,"media_group_id":"`+album+`"`+more)
	}
	named := `,"caption":"@mews_bot which?","caption_entities":[{"type":"mention","offset":0,"length":9}]`
	p.take(1, of("g1", ""), of("g1", named), of("g2", ""))
	p.take(2, of("g1", ""), p.incoming(-7, 102, aPhoto), p.incoming(-1007, 101, aPhoto+`,"media_group_id":"g1"`))
	if want := []string{"alice@-7: ", "alice@-7: which?", "alice@-7: "}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
}

func TestUnsupportedContent_IsNamed(t *testing.T) {
	p := newFixture(t)
	p.take(1, p.incoming(101, 101, `,"game":{"title":"Party"}`))
	want := "That is a game “Party”, and Telegram gives me only its name. Write to me what it says, or send me a picture of it, and I work with that."
	if got := p.answers("alice", "101"); len(got) != 1 || got[0] != want {
		t.Errorf("answered %q", got)
	}
	if len(p.accepted) != 0 {
		t.Errorf("a turn would begin for %q", p.texts())
	}
}

// TestUnreadFile_NextMessage_NamesFile checks that the model learns of the unread file once,
// because the user's next message may be about the file. Commands, codes and answers do not mention
// the file.
func TestUnreadFile_NextMessage_NamesFile(t *testing.T) {
	p := newFixture(t)
	p.take(3, p.incoming(101, 101, aStory), p.incoming(101, 101, aLargeOne), p.incoming(101, 101, aStory))
	p.restart() // the new handler must still know of the unread file
	p.take(2, p.incoming(101, 101, `,"text":"/help"`), p.incoming(101, 101, `,"text":"yes"`), p.incoming(102, 102, `,"text":"hello"`),
		p.incoming(101, 101, aPhoto+`,"caption":"what is in it?"`), p.incoming(101, 101, `,"text":"hello"`))
	want := []string{"alice@101: /help", "alice@101: yes", "bob@102: hello",
		"alice@101: what is in it?\n[Before this came a file “big_.iso”, a story, which could not be looked at.]", "alice@101: hello"}
	if !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
}

// TestFile_TooLarge_IsReportedAtOnce checks that a file that can't be fetched is reported at once.
// The file's caption still gets a turn, which names the file.
func TestFile_TooLarge_IsReportedAtOnce(t *testing.T) {
	p := newFixture(t)
	p.take(1, p.incoming(101, 101, aLargeOne))
	if got := p.answers("alice", "101"); len(got) != 1 || got[0] != tooLarge || len(p.accepted) != 0 {
		t.Errorf("answered %q, accepted %q", got, p.texts())
	}
	words := p.incoming(102, 102, aLargeOne+`,"caption":"what is it?"`)
	for range 2 { // the second time is a repeated batch
		p.take(2, words)
	}
	if got := p.answers("bob", "102"); len(got) != 1 || got[0] != tooLarge {
		t.Errorf("told %q", got)
	}
	if want := []string{"bob@102: what is it?", "bob@102: what is it?"}; !slices.Equal(p.texts(), want) || p.files()[0][0].Failure != "At most 20 MiB can be fetched from Telegram, and the person was told so." {
		t.Errorf("accepted %q with %+v", p.texts(), p.files())
	}
	p.o.LargestFile = 2000 << 20
	p.take(3, p.incoming(101, 101, aLargeOne))
	if got := p.files(); got[2][0].Failure != "" || got[2][0].Size != 25<<20 {
		t.Errorf("of one that is not too large: %+v", got[2])
	}
}

func TestFile_WithCommandOrCode_IsDropped(t *testing.T) {
	p := newFixture(t)
	p.take(1, p.incoming(101, 101, aPhoto+`,"caption":"/new tea"`), p.incoming(101, 101, aPhoto+`,"caption":"123456"`))
	if got := p.files(); len(got) != 2 || len(got[0])+len(got[1]) != 0 || p.accepted[0].Kind != supervisor.KindCommand {
		t.Errorf("accepted %q with %+v", p.texts(), got)
	}
	if got := p.answers("alice", "101"); len(got) != 1 || !strings.HasPrefix(got[0], "I did not take a photo that came with your command: ") {
		t.Errorf("told %q", got)
	}
}

// TestFile_HostileMetadata_IsStorable checks that the store takes any metadata of a file. A refused
// batch would come again and again.
func TestFile_HostileMetadata_IsStorable(t *testing.T) {
	p := newFixture(t)
	long := strings.Repeat("a", 10<<10)
	for i, file := range []string{`{"file_id":""}`, `{"file_id":"` + long + `"}`, `{"file_id":"x","file_size":-1,"duration":-1}`,
		`{"file_id":"x","file_size":9223372036854775807,"duration":9223372036854775807}`, `{"file_id":"x","file_size":1e300}`,
		`{"file_id":"x","file_name":"../../\u202e\u0000` + long + `","mime_type":"\u0000"}`, `{"file_id":"a\u0000"}`, `{"file_id":["x"]}`, `7`, `null`} {
		p.take(int64(i+1), p.incoming(101, 101, `,"document":`+file), p.incoming(101, 101, `,"caption":"look","voice":`+file))
	}
	if next, err := p.NextOffset(t.Context()); err != nil || next != 10 {
		t.Errorf("the next batch begins at %d, %v", next, err)
	}
}
