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

// every holds one of each message. Every field has its greatest value.
var every = []Message{
	Spawn{ID: 1<<64 - 1, UID: 1<<32 - 1, GID: 1<<32 - 1, Root: "/" + strings.Repeat("r", MaxPath-1),
		Path: strings.Repeat("p", MaxPath), Profile: strings.Repeat("w", MaxWord), Memory: 1<<64 - 1, PIDs: 1<<32 - 1,
		Binds: slices.Repeat([]Bind{{strings.Repeat("n", MaxWord), strings.Repeat("r", MaxPath), strings.Repeat("p", MaxPath),
			true}}, MaxBinds)},
	Kill{ID: 7, Signal: 9},
	Ready{Version: Version, Tier: "off", Why: strings.Repeat("é", MaxText/2), Limits: strings.Repeat("l", MaxText)},
	Started{ID: 7, PID: 4242},
	Refused{ID: 7, Reason: "the home is not there"},
	Exited{ID: 7, PID: 4242, Status: 0x8b},
	LimitHit{ID: 7, Kind: "memory", Limit: 1 << 30, Times: 3},
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
		if len(packet) > MaxPacket {
			t.Errorf("%T takes %d bytes, a receiver has room for %d", m, len(packet), MaxPacket)
		}
		got, err := Decode(packet)
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%T came back as %+v, %v", m, got, err)
		}
	}
}

func TestDecode_BadPackets_AreRefused(t *testing.T) {
	good, err := Encode(Refused{ID: 1, Reason: "no"})
	if err != nil {
		t.Fatal(err)
	}
	// the text is the last field before a bool
	badText := func(s string) []byte { return append(append(bytes.Clone(good[:len(good)-3]), s...), 0) }
	long, err := Encode(Spawn{Root: strings.Repeat("r", MaxText+1)})
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

// TestDecode_Truncated_IsRefused cuts a short message at each byte. It cuts a long one, whose texts
// are long runs of one letter, at each end of a run and at every 61st byte between.
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
		"a long path":         Spawn{Path: strings.Repeat("p", MaxPath+1)},
		"a path with a zero":  Spawn{Root: "/srv\x00/etc"},
		"nine folders":        Spawn{Binds: make([]Bind, MaxBinds+1)},
		"a reason not UTF-8":  Refused{Reason: "\xff"},
		"a tier of no bounds": Ready{Tier: strings.Repeat("t", MaxWord+1)},
	} {
		if _, err := Encode(m); err == nil {
			t.Errorf("%s was encoded", name)
		}
	}
}

func TestClip_AnyText_IsValid(t *testing.T) {
	long, invalid := strings.Repeat("é", MaxText), strings.Repeat("\xff", MaxText+9)
	for _, text := range []string{"short", long, "a\x00b\xffc", invalid} {
		got := ClipText(text)
		if _, err := Encode(Refused{Reason: got}); err != nil {
			t.Errorf("%.20q clipped to %.20q: %v", text, got, err)
		}
		if got == "" {
			t.Errorf("%.20q lost everything", text)
		}
	}
}

// FuzzDecode: no input makes Decode panic. It accepts only packets of Encode, and a Ready of
// another version. From such a Ready it reads only the version.
func FuzzDecode(f *testing.F) {
	for _, m := range every {
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
		if ready, ok := m.(Ready); ok && ready.Version != Version && ready == (Ready{Version: ready.Version}) {
			return
		}
		again, err := Encode(m)
		if err != nil || !bytes.Equal(again, packet) {
			t.Fatalf("%x was read as %+v, which is sent as %x, %v", packet, m, again, err)
		}
	})
}

// FuzzClip: Clip makes any text valid.
func FuzzClip(f *testing.F) {
	f.Add("openat2: no such file")
	f.Fuzz(func(t *testing.T, text string) {
		got := ClipText(text)
		if len(got) > MaxText || !utf8.ValidString(got) || strings.ContainsRune(got, 0) {
			t.Fatalf("%q was clipped to %q", text, got)
		}
	})
}
