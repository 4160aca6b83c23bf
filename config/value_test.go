package config

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestSecret_IsNeverPrinted(t *testing.T) {
	type outer struct {
		Key    Secret
		hidden Secret
	}
	const text = "hunter2"
	key := NewSecret(text)
	shown := map[string]string{"String": key.String(), "Sprint": fmt.Sprint(key, &key)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%10s", "%T"} {
		shown[verb] = fmt.Sprintf(verb, key)
		shown[verb+" in a struct"] = fmt.Sprintf(verb, outer{key, key})
		shown[verb+" in a map"] = fmt.Sprintf(verb, map[string]Provider{"p": {APIKey: key}})
	}
	for name, marshal := range map[string]func(any) ([]byte, error){
		"JSON": json.Marshal, "YAML": yaml.Marshal, "XML": xml.Marshal,
	} {
		out, err := marshal(outer{Key: key, hidden: key})
		if err != nil || !strings.Contains(string(out), hidden) {
			t.Errorf("%s: got %s, error %v, want %s in it", name, out, err, hidden)
		}
		shown[name] = string(out)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("", "key", key, "provider", Provider{APIKey: key})
	shown["slog"] = log.String()
	for how, out := range shown {
		for _, leak := range []string{text, fmt.Sprintf("%x", text), fmt.Sprintf("%X", text)} {
			if strings.Contains(out, leak) {
				t.Errorf("%s shows it: %s", how, out)
			}
		}
	}
	if key.Reveal() != text || (Secret{}).Reveal() != "" {
		t.Error("Reveal does not")
	}
}

func TestSize_ParsesAndPrints(t *testing.T) {
	for text, want := range map[string]Size{
		"0B": 0, "1B": 1, "1023B": 1023, "1KiB": 1024, "16KiB": 16384, "3MiB": 3 << 20, "8GiB": 8 << 30,
	} {
		got, err := parseSize(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s: got %d, which prints as %v, error %v", text, got, got, err)
		}
	}
	for _, text := range []string{
		"", "16", "KiB", "-1B", "1.5KiB", "16 KiB", "16kib", "16KB", "+1B", "9999999999GiB", "9223372036854775808B",
	} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q was accepted as %d", text, got)
		}
	}
}

func TestExpandVariables_ReplacesEach(t *testing.T) {
	getenv := func(name string) string { return map[string]string{"A": "1", "B_2": "${A}"}[name] }
	for text, want := range map[string]string{
		"": "", "$": "$", "$A": "$A", "${A}": "1", "x${A}y${A}": "x1y1", "${B_2}": "${A}", "$${A}": "${A}", "$$${A}": "$${A}",
		"a $${ b": "a ${ b", "100$": "100$",
	} {
		if got, err := expand(text, getenv); err != nil || got != want {
			t.Errorf("%q: got %q, error %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"${C}": "variable C ", "${A}${C}": "variable C ",
		"${": "${NAME}", "${}": "${NAME}", "${1}": "${NAME}", "${A B}": "${NAME}",
	} {
		if got, err := expand(text, getenv); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %q, error %v, want an error that names %q", text, got, err, want)
		}
	}
}

func TestOverlap_SimilarNames_AreSeparate(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"/a", "/a", true}, {"/a", "/a/b", true}, {"/a/b", "/a", true}, {"/", "/a", true},
		{"/a", "/ab", false}, {"/a/b", "/a/c", false}, {"", "/a", false},
	} {
		if got := overlap(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: got %v", test.a, test.b, got)
		}
	}
}
