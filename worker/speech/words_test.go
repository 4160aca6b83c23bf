package speech

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mews/protocol"
)

func TestTranscriptLines_SoundMarks_AreDropped(t *testing.T) {
	again := func(line string, n int) []string { return slices.Repeat([]string{line}, n) }
	for _, test := range []struct{ lines, want []string }{
		{nil, nil},
		{[]string{" Hello.", " World."}, []string{" Hello.", " World."}},
		{[]string{" [BLANK_AUDIO]", "", " "}, nil},
		{[]string{" Hello.", " [BLANK_AUDIO]", " World."}, []string{" Hello.", " World."}},
		{[]string{" I heard [BLANK_AUDIO] there."}, []string{" I heard [BLANK_AUDIO] there."}},
		{again(" Thank you for watching!", 6), nil},
		{again(" No.", 5), again(" No.", 5)},
		{slices.Concat(again(" Yes.", 1), again(" thanks", 3), again(" Thanks.", 3), again(" Bye.", 1)), []string{" Yes.", " Bye."}},
	} {
		if got := spokenLines(test.lines); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.lines, got, test.want)
		}
	}
}

func TestJoinPieces_MainLanguage_Wins(t *testing.T) {
	piece := func(text, language string) protocol.TranscribedPiece {
		return protocol.TranscribedPiece{Text: text, Language: language}
	}
	for _, test := range []struct {
		pieces         []protocol.TranscribedPiece
		text, language string
	}{
		{nil, "", ""},
		{[]protocol.TranscribedPiece{{}, piece("Hello.", "en"), {}, piece("Wie geht es denn so?", "de")}, "Hello. Wie geht es denn so?", "de"},
		{slices.Repeat([]protocol.TranscribedPiece{piece("Thank you.", "en")}, 6), "", ""},
		{slices.Repeat([]protocol.TranscribedPiece{piece(strings.Repeat("ж", 8<<10), "ru")}, 20), "", ""},
	} {
		if text, language := joinPieces(test.pieces); text != test.text || language != test.language {
			t.Errorf("%v: %q in %q, want %q in %q", test.pieces, text, language, test.text, test.language)
		}
	}
	long := []protocol.TranscribedPiece{}
	for i := range 40 {
		long = append(long, piece(strings.Repeat(string(rune('а'+i)), 8<<10), "ru"))
	}
	if text, _ := joinPieces(long); len(text) > protocol.MaxTranscriptBytes ||
		len(text) < protocol.MaxTranscriptBytes-4 || !utf8.ValidString(text) {
		t.Errorf("%d bytes of a long one", len(text))
	}
}

func TestParseTranscript_JSON_GivesLines(t *testing.T) {
	const whole = `{"systeminfo":"x","result":{"language":"de"},"transcription":[{"timestamps":{},"text":" Guten"},{"text":" Tag.` + "\xe6\x97" + `"}]}`
	lines, language, err := parseTranscript([]byte(whole))
	if err != nil || language != "de" || cutText(strings.Join(lines, ""), 100) != "Guten Tag." {
		t.Errorf("%q in %q, %v", lines, language, err)
	}
	for _, bad := range []string{"", "{", "[]", `{"transcription":{}}`, `{"transcription":[{"text":1}]}`, `{"result":7}`} {
		if lines, _, err := parseTranscript([]byte(bad)); err == nil {
			t.Errorf("%s: %q", bad, lines)
		}
	}
}

// FuzzTranscript: any output of a recogniser gives a valid piece.
func FuzzTranscript(f *testing.F) {
	f.Add([]byte(`{"result":{"language":"en"},"transcription":[{"text":" Hello."}]}`))
	f.Add([]byte("{\"transcription\":[{\"text\":\"\xff\\u0000\\ud800 a\"},{\"text\":\"[BLANK_AUDIO]\"}]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, language, err := parseTranscript(data)
		if err != nil {
			return
		}
		text := cutText(strings.Join(spokenLines(lines), ""), protocol.MaxPieceTextBytes)
		if !utf8.ValidString(text) || len(text) > protocol.MaxPieceTextBytes || strings.ContainsAny(text,
			"\x00\n\r\x1b") || len(language) > maxLanguage {
			t.Errorf("%q in %q", text, language)
		}
	})
}
