package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mews/supervisor/model/modeltest"
)

// synonyms replaces words by words of the same meaning, for the fake embedding model.
var synonyms = strings.NewReplacer("automobile", "car", "vehicle", "car")

// newEmbeddingService configures an embedding model that costs a dollar for a million tokens.
func newEmbeddingService(t *testing.T, script modeltest.Script, people ...string) *gatedService {
	t.Helper()
	l := newGatedService(t, script, "models: {default: test/test, embed: test/meanings, prices: {test/meanings: {input: 1, output: 0}}, "+
		"providers: {test: {kind: openai, base_url: MODEL_URL}}}\n", people...)
	l.model.Embedding = func(text string) []float32 { return modeltest.EmbeddingOf(synonyms.Replace(text)) }
	l.open()
	return l
}

// embeddedTexts returns the texts that the embedding model has got.
func (l *gatedService) embeddedTexts() (texts string) {
	for _, r := range l.model.Requests() {
		var asked struct{ Input []string }
		if r.Model == "meanings" && json.Unmarshal(r.Raw, &asked) == nil {
			texts += strings.Join(asked.Input, "|") + "|"
		}
	}
	return texts
}

// A search finds a message by different words of the same meaning. The writer of the message pays
// for the embedding.
func TestSearch_Embeddings_FindSynonyms(t *testing.T) {
	t.Parallel()
	l := newEmbeddingService(t, func(r modeltest.Request) modeltest.Answer {
		if r.Model == "meanings" {
			return modeltest.Answer{}
		}
		return searchModel(r)
	}, "alice, role: admin, totp: 'off', budget: {day: 1}", "bob, totp: 'off', budget: {day: 1}")
	l.say("bob", "My automobile is secret")
	l.awaitNewest("bob", "Noted.")
	l.say("alice", "The automobile is at the garage")
	l.awaitAnswer("alice", 1, "Noted.")
	l.say("alice", "/new")
	l.awaitAnswer("alice", 2, "")
	l.awaitFound("alice", `search_history {"words":"vehicle"}`, "person: The automobile is at the garage")
	if strings.Contains(lastOf(l.told("alice")), "secret") {
		t.Errorf("alice is told %q", lastOf(l.told("alice")))
	}
	l.say("alice", "/usage")
	l.awaitNewest("alice", "test/meanings")
	if got := l.embeddedTexts(); strings.Count(got, "The automobile is at the garage|") != 1 {
		t.Errorf("embedded were %q", got)
	}
}

// Without money for embeddings, a search finds only the same words, and says so.
func TestSearch_NoBudget_FallsBackToWords(t *testing.T) {
	t.Parallel()
	l := newEmbeddingService(t, searchModel, "alice, role: admin, totp: 'off', budget: {day: 0.000001}")
	l.say("alice", "The automobile is at the garage")
	l.awaitAnswer("alice", 1, "Noted.")
	l.say("alice", "/new")
	l.awaitAnswer("alice", 2, "")
	l.awaitFound("alice", `search_history {"words":"garage"}`, "person: The automobile is at the garage",
		"no money is left for the model that searches by meaning")
	if l.embeddedTexts() != "" {
		t.Errorf("embedded were %q", l.embeddedTexts())
	}
}
