package model

import (
	"testing"

	"mews/protocol"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// The small model gets a user's words only if it is no farther away than the user's own model.
func TestSmallModelFor_LessPrivateModel_IsNotUsed(t *testing.T) {
	for small, wants := range map[string]map[string]string{
		"far/small": {"here/default": "here/default", "here/mine": "here/mine", "near/mine": "near/mine",
			"far/mine": "far/small",
			"offline":  "offline", "far/small": "far/small"},
		"here/small": {"here/default": "here/small", "here/mine": "here/small", "near/mine": "here/small",
			"far/mine": "here/small",
			"offline":  "here/small", "gone/mine": "gone/mine"},
	} {
		c, err := NewCatalogue(Options{Default: "here/default", Small: small, Providers: []ProviderOptions{
			{Name: "here", Kind: "openai", BaseURL: "http://127.0.0.1:11434/v1"},
			{Name: "near", Kind: "openai", BaseURL: "http://192.168.1.20:11434/v1"},
			{Name: "far", Kind: "openai", BaseURL: "https://api.example.com/v1"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for own, want := range wants {
			if got := c.SmallModelFor(own); got != want {
				t.Errorf("%s for %s: %s, want %s", small, own, got, want)
			}
		}
	}
}

// Complete asks one model once, whether the model answers or fails.
func TestComplete_AsksOneModelOnce(t *testing.T) {
	for _, test := range []struct {
		kind string
		fail *modeltest.Failure
	}{{"openai", nil}, {"anthropic", nil}, {"openai", &modeltest.Failure{Class: modeltest.FailureOverloaded}},
		{"anthropic", &modeltest.Failure{Class: modeltest.FailureInternalError}}} {
		kind, failure := test.kind, test.fail
		server, base := modeltest.NewServer(t, func(modeltest.Request) modeltest.Answer {
			return modeltest.Answer{Text: "ok", Fail: failure}
		})
		c, err := NewCatalogue(Options{Default: "test/m", Fallback: []string{"test/other"},
			Providers: []ProviderOptions{{Name: "test", Kind: kind, BaseURL: base, APIKey: "k"}}})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		answer, err := c.Complete(t.Context(), "test/m", modelcall.Request{Output: 100,
			Messages: []protocol.Message{protocol.NewUserMessage("hi")}})
		if server.CountRequests() != 1 || (err == nil) != (failure == nil) || err == nil &&
			(answer.Message.Text() != "ok" || answer.Spec != "test/m") {
			t.Errorf("%s, %v: %d requests, %+v, %v", kind, failure, server.CountRequests(), answer, err)
		}
	}
}
