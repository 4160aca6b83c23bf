package model

import (
	"slices"
	"strings"
	"testing"

	"mews/supervisor/modelcall"
)

func TestLocalityOf_EachURL_IsClassified(t *testing.T) {
	for base, want := range map[string]locality{
		"http://127.0.0.1:11434/v1": localityMachine, "http://localhost:8080": localityMachine, "http://[::1]:1/v1": localityMachine,
		"http://LOCALHOST./v1": localityMachine, "http://ollama.localhost/v1": localityMachine, "http://127.9.9.9/v1": localityMachine,
		"http://[::ffff:127.0.0.1]/v1": localityMachine,

		"http://192.168.1.20:11434/v1": localityNetwork, "http://10.0.0.1/v1": localityNetwork, "http://172.20.0.2/v1": localityNetwork,
		"http://[fd00::1]/v1": localityNetwork, "http://[fe80::1%25eth0]/v1": localityNetwork, "http://169.254.1.1/v1": localityNetwork,
		"http://100.100.1.1/v1": localityNetwork, "http://ollama:11434/v1": localityNetwork, "http://box.local/v1": localityNetwork,
		"http://gpu.home.arpa/v1": localityNetwork,

		"https://api.openai.com/v1": localityInternet, "http://8.8.8.8/v1": localityInternet, "http://100.128.0.1/v1": localityInternet,
		"http://172.32.0.1/v1": localityInternet, "http://localhost.example.com/v1": localityInternet, "http://10.0.0.1.example.com": localityInternet,
		"http://[2001:db8::1]/v1": localityInternet, "": localityInternet, "http://": localityInternet, "::": localityInternet,
	} {
		if got := localityOf(base); got != want {
			t.Errorf("%q: %d, want %d", base, got, want)
		}
	}
}

// TestFallback_LessPrivateModel_IsNotUsed checks that a model chosen by a user falls back only to
// models that are no farther away.
func TestFallback_LessPrivateModel_IsNotUsed(t *testing.T) {
	c, err := NewCatalogue(Options{
		Default: "here/everybodys", Fallback: []string{"far/m", "near/m", "here/m", "offline"},
		Providers: []ProviderOptions{
			{Name: "here", Kind: "openai", BaseURL: "http://127.0.0.1:11434/v1"},
			{Name: "near", Kind: "openai", BaseURL: "http://192.168.1.20:11434/v1"},
			{Name: "far", Kind: "openai", BaseURL: "https://api.example.com/v1"},
			{Name: "claude", Kind: "anthropic", APIKey: "k"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for spec, want := range map[string]string{
		"":                "here/everybodys far/m near/m here/m offline", // the operator's configured order
		"here/everybodys": "here/everybodys far/m near/m here/m offline",
		"here/mine":       "here/mine here/m offline",
		"here/m":          "here/m offline",
		"near/mine":       "near/mine near/m here/m offline",
		"far/mine":        "far/mine far/m near/m here/m offline",
		"claude/mine":     "claude/mine far/m near/m here/m offline",
		"offline":         "offline here/m",
	} {
		first, err := c.Resolve(spec)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, choice := range c.candidates(first) {
			got = append(got, choice.Spec)
		}
		if chain := strings.Join(got, " "); chain != want {
			t.Errorf("%q: %s, want %s", spec, chain, want)
		}
	}
}

// TestFallback_LocalModelFails_StaysLocal makes a call, and checks that a local model falls back
// only to local models.
func TestFallback_LocalModelFails_StaysLocal(t *testing.T) {
	far := answers("I heard it all")
	c := catalogueOf(t, answers("fine"), far) // a/m is the default model, b/m its fallback
	c.providers["mine"] = provider{Provider: failsWith(modelcall.ModelMissing), kind: "scripted",
		locality: localityMachine}
	_, err := c.Stream(t.Context(), "mine/m", modelcall.Request{}, func(modelcall.Delta) {})
	wantClass(t, err, modelcall.ModelMissing)
	if far.count() != 0 {
		t.Error("the words went away")
	}
	near := answers("fine")
	c.providers["other"] = provider{Provider: near, kind: "scripted", locality: localityMachine}
	choice, err := c.Resolve("other/m")
	if err != nil {
		t.Fatal(err)
	}
	c.fallback = slices.Insert(c.fallback, 1, choice)
	answer, err := c.Stream(t.Context(), "mine/m", modelcall.Request{}, func(modelcall.Delta) {})
	if err != nil || answer.Spec != "other/m" || near.count() != 1 || far.count() != 0 {
		t.Errorf("%v, %v", answer, err)
	}
}
