package openai

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

const benchDelta = `data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1763628000,"model":"m",` +
	`"choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}` + "\n\n"
const benchEnd = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"

// benchEach is the number of deltas in one answer.
const benchEach = 1000

// BenchmarkDelta measures the processing of one delta, without a network.
func BenchmarkDelta(b *testing.B) {
	b.ReportAllocs()
	stream := strings.Repeat(benchDelta, benchEach) + benchEnd
	for n := 0; n < b.N; n += benchEach {
		p := open(b, Options{BaseURL: "http://h/v1", HTTPClient: modeltest.ClientWithReply(strings.NewReader(stream))})
		if _, err := p.Stream(b.Context(), hi(), func(modelcall.Delta) {}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDeltaLatency measures the time from the write of a delta until the caller gets it. The
// next delta is written only then.
func BenchmarkDeltaLatency(b *testing.B) {
	said := make(chan struct{})
	p := open(b, Options{BaseURL: serve(b, func(w http.ResponseWriter, r *http.Request) {
		flush := http.NewResponseController(w)
		w.Header().Set("Content-Type", "text/event-stream")
		for range benchEach {
			// if the client has left, the client's error ends the benchmark
			_, _ = io.WriteString(w, benchDelta)
			_ = flush.Flush()
			select {
			case <-said:
			case <-r.Context().Done():
				return
			}
		}
		_, _ = io.WriteString(w, benchEnd)
	})})
	b.ResetTimer()
	for n := 0; n < b.N; n += benchEach {
		if _, err := p.Stream(b.Context(), hi(), func(modelcall.Delta) { said <- struct{}{} }); err != nil {
			b.Fatal(err)
		}
	}
}
