package anthropic

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

const benchDelta = "event: content_block_delta\n" +
	`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" word"}}` + "\n\n"

// benchEach is the number of deltas in one answer.
const benchEach = 1000

func benchBegin() string {
	return okStream[:strings.Index(okStream, `data: {"type":"content_block_delta"`)]
}

func benchEnd() string {
	return okStream[strings.Index(okStream, `data: {"type":"content_block_stop"`):]
}

// BenchmarkDelta measures the processing of one delta, without a network.
func BenchmarkDelta(b *testing.B) {
	b.ReportAllocs()
	stream := benchBegin() + strings.Repeat(benchDelta, benchEach) + benchEnd()
	for n := 0; n < b.N; n += benchEach {
		p := open(b, Options{HTTPClient: modeltest.ClientWithReply(strings.NewReader(stream))})
		if _, err := p.Stream(b.Context(), hi(), func(modelcall.Delta) {}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDeltaLatency measures the time from the write of a delta until the caller gets it. The
// server writes the next delta only after that.
func BenchmarkDeltaLatency(b *testing.B) {
	said := make(chan struct{})
	p := open(b, Options{BaseURL: serve(b, func(w http.ResponseWriter, r *http.Request) {
		flush := http.NewResponseController(w)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, benchBegin())
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
		_, _ = io.WriteString(w, benchEnd())
	})})
	b.ResetTimer()
	for n := 0; n < b.N; n += benchEach {
		if _, err := p.Stream(b.Context(), hi(), func(modelcall.Delta) { said <- struct{}{} }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStreamsMemory measures the memory of 50 half-read answers at once, in bytes for each. It
// includes the server's memory.
func BenchmarkStreamsMemory(b *testing.B) {
	const streams = 50
	for range b.N {
		var before, during runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		on := make(chan struct{})
		var half, done sync.WaitGroup
		half.Add(streams)
		p := open(b, Options{BaseURL: serve(b, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, benchBegin()+strings.Repeat(benchDelta, benchEach/2))
			_ = http.NewResponseController(w).Flush()
			<-on
			_, _ = io.WriteString(w, strings.Repeat(benchDelta, benchEach/2)+benchEnd())
		})})
		for range streams {
			done.Go(func() {
				heard := 0
				_, err := p.Stream(b.Context(), hi(), func(modelcall.Delta) {
					if heard++; heard == benchEach/2 {
						half.Done()
					}
				})
				if err != nil {
					b.Error(err)
				}
			})
		}
		half.Wait()
		runtime.GC()
		runtime.ReadMemStats(&during)
		b.ReportMetric(float64(during.HeapAlloc+during.StackInuse-before.HeapAlloc-before.StackInuse)/streams, "B/stream")
		close(on)
		done.Wait()
	}
}
