package openai

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// embeddingServer returns a fake server whose embedding model always gives the same answer.
func embeddingServer(answer modeltest.Answer) *modeltest.Server {
	fake := modeltest.NewUnstartedServer(func(modeltest.Request) modeltest.Answer { return answer })
	fake.Key, fake.Models = "sk-secret", []string{"embed"}
	return fake
}

func TestEmbed_KeepsOrderOfTexts(t *testing.T) {
	fake := embeddingServer(modeltest.Answer{})
	texts := []string{"red wine", "a <train>", "…"}
	got, err := speakerAt(t, fake).Embed(t.Context(), "embed", texts)
	if err != nil || len(got.Vectors) != len(texts) || got.Usage.Input != 6 {
		t.Fatalf("%d vectors, %+v, %v", len(got.Vectors), got.Usage, err)
	}
	for i, text := range texts {
		if !slices.Equal(got.Vectors[i], modeltest.EmbeddingOf(text)) {
			t.Errorf("%s has the vector of another text", text)
		}
	}
	if raw := string(fake.Requests()[0].Raw); raw != `{"model":"embed","input":["red wine","a <train>","…"]}`+"\n" {
		t.Errorf("sent was %s", raw)
	}
}

func TestEmbed_InvalidVectors_AreRefused(t *testing.T) {
	const kind = "application/json"
	for name, c := range map[string]struct {
		at    http.Handler
		class modelcall.ErrorClass
		after time.Duration
		free  bool
	}{
		"too many": {embeddingServer(modeltest.Answer{Status: 429, Error: "slow down", Retry: 7}),
			modelcall.RateLimited, 7 * time.Second, true},
		"its own trouble": {embeddingServer(modeltest.Answer{Status: 500, Error: "sk-secret"}), modelcall.ServerError,
			0, true},
		"wrong key": {embeddingServer(modeltest.Answer{Fail: &modeltest.Failure{Class: modeltest.FailureWrongKey}}),
			modelcall.AuthFailed, 0, true},
		"llama.cpp's word for a text that is too long": {embeddingServer(modeltest.Answer{Status: 500, Error: "input is too large to process. increase the physical batch size"}),
			modelcall.RequestTooLong, 0, true},
		"no such call": {http.NotFoundHandler(), modelcall.ModelMissing, 0, true},
		"a page":       {answersWith("text/html", "<p>sk-secret</p>"), modelcall.ModelMissing, 0, false},
		"no JSON":      {answersWith(kind, `{"data": [sk-secret`), modelcall.MalformedAnswer, 0, false},
		"one of two": {answersWith(kind, `{"data": [{"index": 0, "embedding": [1]}]}`), modelcall.MalformedAnswer,
			0, false},
		"one twice":        {answersWith(kind, `{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}`), modelcall.MalformedAnswer, 0, false},
		"beyond them":      {answersWith(kind, `{"data": [{"index": 0, "embedding": [1]}, {"index": 2, "embedding": [1]}]}`), modelcall.MalformedAnswer, 0, false},
		"before them":      {answersWith(kind, `{"data": [{"index": 0, "embedding": [1]}, {"index": -1, "embedding": [1]}]}`), modelcall.MalformedAnswer, 0, false},
		"of two lengths":   {answersWith(kind, `{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}`), modelcall.MalformedAnswer, 0, false},
		"no direction":     {answersWith(kind, `{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [0]}]}`), modelcall.MalformedAnswer, 0, false},
		"beyond a float32": {answersWith(kind, `{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1e39]}]}`), modelcall.MalformedAnswer, 0, false},
		"too long a vector": {answersWith(kind, `{"data": [{"index": 0, "embedding": [1`+strings.Repeat(",1", maxDimensions)+`]}]}`),
			modelcall.MalformedAnswer, 0, false},
		"more than is read": {answersWith(kind, strings.Repeat(" ", maxEmbedding+1)), modelcall.MalformedAnswer, 0,
			false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := speakerAt(t, c.at).Embed(t.Context(), "embed", []string{"one", "two"})
			failed := new(modelcall.Error)
			if got.Vectors != nil || !errors.As(err, &failed) || failed.Class != c.class || failed.RetryAfter != c.after {
				t.Fatalf("%+v, %#v, %v", got, failed, err)
			}
			if c.free && !failed.Free || failed.Err.Message == "" || strings.Contains(err.Error()+failed.Err.Message, "sk-secret") {
				t.Errorf("%+v, %v", failed, err)
			}
		})
	}
	fake := embeddingServer(modeltest.Answer{})
	for text, class := range map[string]modelcall.ErrorClass{strings.Repeat("word ", 8000): modelcall.RequestTooLong,
		"": modelcall.RequestRefused} {
		_, err := speakerAt(t, fake).Embed(t.Context(), "embed", []string{"one", text})
		if failed := new(modelcall.Error); !errors.As(err, &failed) || failed.Class != class || !failed.Free {
			t.Errorf("a text of %d bytes: %v", len(text), err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if _, err := speakerAt(t, fake).Embed(ctx, "embed", []string{"one"}); !errors.Is(err, stopped) {
		t.Errorf("stopped: %v", err)
	}
}
