package spawnwire

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// every has one message of each kind. Each field has its greatest value.
var every = []Message{
	SpawnRequest{ID: 1<<64 - 1, UID: 1<<32 - 1, GID: 1<<32 - 1, Root: "/" + strings.Repeat("r", MaxPathBytes-1),
		Path: strings.Repeat("p", MaxPathBytes), MakeHome: true, HistoryRoot: "/" + strings.Repeat("h", MaxPathBytes-1),
		HistoryPath: strings.Repeat("y", MaxPathBytes), Profile: strings.Repeat("w", MaxWordBytes), Memory: 1<<64 - 1,
		PIDs: 1<<32 - 1,
		Binds: slices.Repeat([]BindMount{{strings.Repeat("n", MaxWordBytes), strings.Repeat("r", MaxPathBytes),
			strings.Repeat("p", MaxPathBytes),
			true}}, MaxBindMounts)},
	KillRequest{ID: 7, Signal: 9},
	EndProgramsRequest{ID: 7, Kind: "disk", Limit: 10 << 30},
	AliveRequest{State: StateReady, Text: strings.Repeat("s", MaxStatusBytes)},
	ReadyMessage{Version: Version, Tier: "off", Why: strings.Repeat("é", MaxTextBytes/2), Limits: strings.Repeat("l",
		MaxTextBytes)},
	StartedMessage{ID: 7, PID: 4242, HistoryFault: strings.Repeat("f", MaxTextBytes)},
	RefusedMessage{ID: 7, Reason: "the home is not there"},
	ExitedMessage{ID: 7, PID: 4242, Status: 0x8b},
	LimitHitMessage{ID: 7, Kind: "memory", Limit: 1 << 30, Times: 3},
}

func TestEncode_EachMessage_DecodesEqual(t *testing.T) {
	if len(every) != len(messages) {
		t.Fatalf("%d messages are tested, %d exist", len(every), len(messages))
	}
	for _, m := range every {
		packet, err := Encode(m)
		if err != nil {
			t.Fatalf("encode %T: %v", m, err)
		}
		if len(packet) > MaxPacketBytes {
			t.Errorf("%T takes %d bytes, a receiver has room for %d", m, len(packet), MaxPacketBytes)
		}
		got, err := Decode(packet)
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%T came back as %+v, %v", m, got, err)
		}
	}
}

func TestDecode_BadPackets_AreRefused(t *testing.T) {
	good, err := Encode(RefusedMessage{ID: 1, Reason: "no"})
	if err != nil {
		t.Fatal(err)
	}
	// the text is the last field before a bool
	badText := func(s string) []byte { return append(append(bytes.Clone(good[:len(good)-3]), s...), 0) }
	long, err := Encode(SpawnRequest{Root: strings.Repeat("r", MaxTextBytes+1)})
	if err != nil {
		t.Fatal(err)
	}
	for name, packet := range map[string][]byte{
		"nothing":              {},
		"kind zero":            {0},
		"an unknown kind":      append([]byte{200}, good[1:]...),
		"a missing byte":       good[:len(good)-1],
		"extra byte":           append(bytes.Clone(good), 0),
		"a kind and no fields": good[:1],
		"invalid UTF-8":        badText("\xff\xfe"),
		"text with a zero":     badText("a\x00"),
		"text over its limit":  append([]byte{byte(kindRefused)}, append(make([]byte, 8), long[13:]...)...),
	} {
		t.Run(name, func(t *testing.T) {
			if m, err := Decode(packet); !errors.Is(err, ErrMalformed) {
				t.Errorf("decoded as %+v, %v", m, err)
			}
		})
	}
}

// TestDecode_Truncated_IsRefused cuts a short message at each byte. A long message has texts of one
// repeated letter. It is cut at each end of a text, and at every 61st byte between the ends.
func TestDecode_Truncated_IsRefused(t *testing.T) {
	const end, step = 1 << 10, 61
	for _, m := range every {
		packet, err := Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		for n := range packet {
			if n > end && n < len(packet)-end && n%step != 0 {
				continue
			}
			if got, err := Decode(packet[:n]); err == nil {
				t.Fatalf("%T cut to %d of %d bytes was read as %+v", m, n, len(packet), got)
			}
		}
	}
}

func TestEncode_BadMessages_AreRefused(t *testing.T) {
	for name, m := range map[string]Message{
		"a long path":         SpawnRequest{Path: strings.Repeat("p", MaxPathBytes+1)},
		"a path with a zero":  SpawnRequest{Root: "/srv\x00/etc"},
		"a long history root": SpawnRequest{HistoryRoot: strings.Repeat("h", MaxPathBytes+1)},
		"a history not UTF-8": SpawnRequest{HistoryRoot: "/srv", HistoryPath: "\xff.history"},
		"nine folders":        SpawnRequest{Binds: make([]BindMount, MaxBindMounts+1)},
		"a reason not UTF-8":  RefusedMessage{Reason: "\xff"},
		"a long status":       AliveRequest{Text: strings.Repeat("s", MaxStatusBytes+1)},
		"a tier of no bounds": ReadyMessage{Tier: strings.Repeat("t", MaxWordBytes+1)},
	} {
		if _, err := Encode(m); err == nil {
			t.Errorf("%s was encoded", name)
		}
	}
}

func TestClipText_AnyText_BecomesValid(t *testing.T) {
	long, invalid := strings.Repeat("é", MaxTextBytes), strings.Repeat("\xff", MaxTextBytes+9)
	for _, text := range []string{"short", long, "a\x00b\xffc", invalid} {
		got := ClipText(text)
		if _, err := Encode(RefusedMessage{Reason: got}); err != nil {
			t.Errorf("%.20q clipped to %.20q: %v", text, got, err)
		}
		if got == "" {
			t.Errorf("%.20q lost everything", text)
		}
	}
}

// FuzzDecode checks that no input makes Decode panic. Decode accepts only packets of Encode, and a
// ReadyMessage of another version. From such a ReadyMessage it reads only the version.
func FuzzDecode(f *testing.F) {
	for _, m := range every {
		packet, err := Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(packet)
	}
	for _, m := range []SpawnRequest{
		{ID: 1, Root: "/srv/homes", Path: "ann", HistoryRoot: "/srv/histories", HistoryPath: "ann.history"},
		{ID: 2, Root: "/srv/homes", Path: "ann", HistoryPath: "../ann.history", Profile: "worker"},
	} {
		packet, err := Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(packet)
	}
	f.Fuzz(func(t *testing.T, packet []byte) {
		m, err := Decode(packet)
		if err != nil {
			return
		}
		if ready, ok := m.(ReadyMessage); ok && ready.Version != Version &&
			ready == (ReadyMessage{Version: ready.Version}) {
			return
		}
		again, err := Encode(m)
		if err != nil || !bytes.Equal(again, packet) {
			t.Fatalf("%x was read as %+v, which is sent as %x, %v", packet, m, again, err)
		}
	})
}

// FuzzClipText checks that ClipText makes any text valid.
func FuzzClipText(f *testing.F) {
	f.Add("openat2: no such file")
	f.Fuzz(func(t *testing.T, text string) {
		got := ClipText(text)
		if len(got) > MaxTextBytes || !utf8.ValidString(got) || strings.ContainsRune(got, 0) {
			t.Fatalf("%q was clipped to %q", text, got)
		}
	})
}
