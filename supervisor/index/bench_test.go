package index

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
)

// benchSections is the number of sections in the benchmarks.
const benchSections = 100_000

// manyMessages makes a transcript with many messages. The messages have the length and the words of
// the corpus's texts. A quarter of the words are made rare.
func manyMessages(b *testing.B) *rig {
	b.Helper()
	r := newRig(b, "alice")
	var words []string
	for _, language := range languages {
		for _, c := range lines[corpusText](b, language+".notes.jsonl") {
			words = append(words, strings.Fields(c.Title+" "+c.Text)...)
		}
	}
	r.putMessage("alice", protocol.RoleUser, "the first of them")
	random := rand.New(rand.NewSource(1))
	for range benchSections / 1000 {
		var batch [][]protocol.ContentPart
		for range 1000 {
			var text []string
			for range 25 + random.Intn(30) {
				w := words[random.Intn(len(words))]
				if random.Intn(4) == 0 {
					w = fmt.Sprintf("%s%c%c", strings.Trim(w, ".,!?"), 'a'+random.Intn(26), 'a'+random.Intn(26))
				}
				text = append(text, w)
			}
			batch = append(batch, []protocol.ContentPart{{Text: strings.Join(text, " ")}})
		}
		list, err := json.Marshal(batch)
		if err != nil {
			b.Fatal(err)
		}
		r.change(`INSERT INTO message (user, conversation, turn, role, parts, created_at)
			SELECT 'alice', 1, 1, 'user', value, 1700000000000 + 1000 * key FROM json_each('%s')`, strings.ReplaceAll(string(list), "'", "''"))
	}
	r.last += benchSections
	return r
}

// The benchmarks build the index of 100,000 messages, search it with the corpus's questions, and
// add a new message while nothing else runs. The build may use half of the processor's time at
// most.
func BenchmarkIndex(b *testing.B) {
	r := manyMessages(b)
	for range b.N {
		before, began := heap(), time.Now()
		r.run().waitUntilRead()
		b.ReportMetric(time.Since(began).Seconds(), "s-to-rebuild")
		var took []time.Duration
		for _, language := range languages {
			for _, q := range lines[question](b, language+".questions.jsonl") {
				began := time.Now()
				if _, err := r.index.Search(b.Context(), Query{User: "alice", Text: q.Text}); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
		}
		slices.Sort(took)
		b.ReportMetric(took[len(took)/2].Seconds()*1000, "ms-query-p50")
		b.ReportMetric(took[len(took)*95/100].Seconds()*1000, "ms-query-p95")
		began = time.Now()
		r.putMessage("alice", protocol.RoleUser, "a zyzzyva")
		for len(r.searchTexts("alice", "zyzzyva")) == 0 {
		}
		b.ReportMetric(time.Since(began).Seconds()*1000, "ms-to-first-hit")
		b.ReportMetric(float64(heap()-before)/1024, "KB-heap")
		r.stop()
		began = time.Now()
		r.index = New(r.index.o)
		r.run()
		r.await("the index to be ready", r.ready)
		b.ReportMetric(time.Since(began).Seconds()*1000, "ms-to-reopen")
		r.stop()
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
