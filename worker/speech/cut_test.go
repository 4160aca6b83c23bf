package speech

import (
	"slices"
	"strings"
	"testing"
)

// sec converts seconds to samples.
func sec(s float64) int64 { return int64(s * rate) }

func TestCutPieces_CutsOnlyInSilences(t *testing.T) {
	never := func(span) int64 { t.Error("the quietest moment was asked for"); return 0 }
	for name, test := range map[string]struct {
		length   int64
		silences []span
		quietest func(span) int64
		at       []int64 // expected positions of the cuts between pieces, in samples
	}{
		"short":                    {length: sec(150), quietest: never},
		"nothing":                  {quietest: never},
		"in the middle":            {sec(200), []span{{sec(110), sec(112)}}, never, []int64{sec(111)}},
		"the nearest of several":   {sec(200), []span{{sec(70), sec(71)}, {sec(118), sec(119)}, {sec(124), sec(126)}}, never, []int64{sec(118.5)}},
		"not too near":             {sec(200), []span{{sec(30), sec(31)}, {sec(149), sec(151)}}, never, []int64{sec(150)}},
		"anywhere in a long one":   {sec(400), []span{{sec(50), sec(390)}}, never, []int64{sec(120), sec(240), sec(360)}},
		"every piece from its own": {sec(400), []span{{sec(100), sec(100)}, {sec(210), sec(212)}, {sec(340), sec(340)}}, never, []int64{sec(100), sec(211), sec(340)}},
		"no silence": {sec(300), nil, func(s span) int64 {
			if s.end-s.begin != sec(60) {
				t.Errorf("looked at %v", s)
			}
			return s.begin + sec(7)
		}, []int64{sec(97), sec(194)}},
	} {
		t.Run(name, func(t *testing.T) {
			got := cutPieces(test.length, test.silences, test.quietest)
			begin := int64(0)
			for i, p := range got {
				want := test.length
				if i < len(test.at) {
					want = test.at[i]
				}
				if p.begin != begin || p.end != want {
					t.Errorf("piece %d is %v, want %v", i, p, span{begin, want})
				}
				begin = p.end
			}
			if len(got) != len(test.at)+1 {
				t.Errorf("%d pieces: %v", len(got), got)
			}
		})
	}
}

func TestSilenceParser_EachLine_FindsSilences(t *testing.T) {
	const tag = "[silencedetect @ 0x55c32fb9ad40] "
	for _, test := range []struct {
		lines string
		want  []span
	}{
		{"", nil},
		{tag + "silence_start: 0.5\n" + tag + "silence_end: 2 | silence_duration: 1.5", []span{{sec(0.5), sec(2)}}},
		{tag + "silence_start: -0.01\n" + tag + "silence_end: 1 | silence_duration: 1", []span{{0, sec(1)}}},
		{tag + "silence_start: 3", []span{{sec(3), sec(10)}}},
		{tag + "silence_start: 3\n" + tag + "silence_end: 99", []span{{sec(3), sec(10)}}},
		{tag + "silence_end: 3", nil},
		{tag + "silence_start: 3\n" + tag + "silence_end: 1\n" + tag + "silence_start: 2\n" + tag + "silence_end: 4", []span{{sec(3), sec(3)}, {sec(3), sec(4)}}},
		{tag + "silence_start: nan\n" + tag + "silence_start: inf\n" + tag + "silence_start: 1e300\n" + tag + "silence_start: x", nil},
		{"  title : " + tag + "silence_start: 1", nil}, // ffmpeg prints a title of the file, which looks like a silence
	} {
		var p silenceParser
		for line := range strings.SplitSeq(test.lines, "\n") {
			p.parseLine(line)
		}
		if got := p.silencesUntil(sec(10)); !slices.Equal(got, test.want) {
			t.Errorf("%q: %v, want %v", test.lines, got, test.want)
		}
	}
}

// FuzzSilenceParser: for any output of ffmpeg, silences and pieces are in order and within the
// recording.
func FuzzSilenceParser(f *testing.F) {
	f.Add("[silencedetect @ 0x5] silence_start: 60.25\n[silencedetect @ 0x5] silence_end: 62.5 | silence_duration: 2.25", int64(400*rate))
	f.Add("[silencedetect @ 0x5] silence_start: -1\n[silencedetect @ 0x5] silence_start: 2", int64(1))
	f.Fuzz(func(t *testing.T, lines string, length int64) {
		if length < 0 || length > 10_000*rate {
			return
		}
		var p silenceParser
		l := &stderrParser{onLine: p.parseLine}
		_, _ = l.Write([]byte(lines))
		l.close()
		silences, before := p.silencesUntil(length), int64(0)
		for _, s := range silences {
			if s.begin < before || s.end < s.begin || s.end > length {
				t.Fatalf("silences %v of %d", silences, length)
			}
			before = s.end
		}
		before = 0
		pieces := cutPieces(length, silences, func(s span) int64 { return s.begin })
		for _, s := range pieces {
			if s.begin != before || s.end-s.begin > longestPiece || s.end <= s.begin && length > 0 {
				t.Fatalf("pieces %v of %d", pieces, length)
			}
			before = s.end
		}
		if before != length {
			t.Fatalf("pieces %v of %d", pieces, length)
		}
	})
}
