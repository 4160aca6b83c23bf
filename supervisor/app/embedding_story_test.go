package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mews/supervisor/model/modeltest"
)

// likeMeanings are the words of like meaning that the fake's embedding model knows in these tests.
var likeMeanings = strings.NewReplacer("automobile", "car", "vehicle", "car")

// embeddingService is a service with a model for meanings, which costs a dollar for a million
// tokens.
func embeddingService(t *testing.T, script modeltest.Script, people ...string) *gatedService {
	t.Helper()
	l := newGatedService(t, script, "models: {default: test/test, embed: test/meanings, prices: {test/meanings: {input: 1, output: 0}}, "+
		"providers: {test: {kind: openai, base_url: MODEL_URL}}}\n", people...)
	l.model.Embedding = func(text string) []float32 { return modeltest.Embedding(likeMeanings.Replace(text)) }
	l.open()
	return l
}

// embedded are the texts that the model for meanings has got.
func (l *gatedService) embedded() (texts string) {
	for _, r := range l.model.Requests() {
		var asked struct{ Input []string }
		if r.Model == "meanings" && json.Unmarshal(r.Raw, &asked) == nil {
			texts += strings.Join(asked.Input, "|") + "|"
		}
	}
	return texts
}

// TestWhatMeansTheSameIsFoundByTheModelForMeanings where the words differ, and is
// paid by who has said it.
func TestWhatMeansTheSameIsFoundByTheModelForMeanings(t *testing.T) {
	t.Parallel()
	l := embeddingService(t, func(r modeltest.Request) modeltest.Answer {
		if r.Model == "meanings" {
			return modeltest.Answer{}
		}
		return finder(r)
	}, "alice, role: admin, totp: 'off', budget: {day: 1}", "bob, totp: 'off', budget: {day: 1}")
	l.say("bob", "My automobile is secret")
	l.last("bob", "Noted.")
	l.say("alice", "The automobile is at the garage")
	l.answered("alice", 1, "Noted.")
	l.say("alice", "/new")
	l.answered("alice", 2, "")
	l.found("alice", `search_history {"words":"vehicle"}`, "person: The automobile is at the garage")
	if strings.Contains(last(l.told("alice")), "secret") {
		t.Errorf("alice is told %q", last(l.told("alice")))
	}
	l.say("alice", "/usage")
	l.last("alice", "test/meanings")
	if got := l.embedded(); strings.Count(got, "The automobile is at the garage|") != 1 {
		t.Errorf("embedded were %q", got)
	}
}

// TestWhoHasNoMoneyForMeaningsFindsByWords, and is told so.
func TestWhoHasNoMoneyForMeaningsFindsByWords(t *testing.T) {
	t.Parallel()
	l := embeddingService(t, finder, "alice, role: admin, totp: 'off', budget: {day: 0.000001}")
	l.say("alice", "The automobile is at the garage")
	l.answered("alice", 1, "Noted.")
	l.say("alice", "/new")
	l.answered("alice", 2, "")
	l.found("alice", `search_history {"words":"garage"}`, "person: The automobile is at the garage", "no money is left for the model for meanings")
	if l.embedded() != "" {
		t.Errorf("embedded were %q", l.embedded())
	}
}
