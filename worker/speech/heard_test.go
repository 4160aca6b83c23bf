package speech

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mews/protocol"
)

// orders has the parts of the sentences that the tests speak, such as "remind me to buy". A
// sentence has one part of each row.
var orders = [][]string{
	{"remind me to buy", "please order", "do not forget", "write down", "we need", "bring home"},
	{"milk", "fresh bread", "two apples", "the red book", "seven tickets", "coffee and sugar", "a new camera", "winter shoes"},
	{"today", "tomorrow morning", "on monday", "before friday evening", "next week", "in september"},
}

// sentence returns the sentence with the number i, made of parts in orders. All sentences differ.
func sentence(i int) string {
	var words []string
	i = i * 31 % 288 // 31 and 6 * 8 * 6 have no common divisor, so neighbours differ much
	for _, row := range orders {
		words = append(words, row[i%len(row)])
		i /= len(row)
	}
	return strings.Join(words, " ")
}

// grammarOfOrders writes a JSGF grammar of these sentences.
func grammarOfOrders(t *testing.T) string {
	t.Helper()
	b := "#JSGF V1.0;\ngrammar orders;\npublic <order> ="
	for _, row := range orders {
		b += " (" + strings.Join(row, " | ") + ")"
	}
	name := filepath.Join(t.TempDir(), "orders.jsgf")
	if err := os.WriteFile(name, []byte(b+";\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// sentences returns the number of sentences to speak: MEWS_SENTENCES, or 20.
func sentences(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv("MEWS_SENTENCES"), "20"))
	if err != nil || n > 288 {
		t.Fatalf("MEWS_SENTENCES: %d, %v", n, err)
	}
	return n
}

// TestTranscribe_VoiceMessage_KeepsMostWords: espeak-ng speaks the sentences, and pocketsphinx
// writes down at least four words of five. Pocketsphinx runs by a configured command line.
func TestTranscribe_VoiceMessage_KeepsMostWords(t *testing.T) {
	requirePrograms(t, "espeak-ng", "ffmpeg", "pocketsphinx_continuous")
	const model = "/usr/share/pocketsphinx/model/en-us/"
	hearOrders(t, protocol.SpeechEngine{Engine: "command", Language: "en", Command: []string{
		"pocketsphinx_continuous", "-infile", "{wav}", "-jsgf", grammarOfOrders(t), "-hmm", model + "en-us",
		"-dict", model + "cmudict-en-us.dict", "-logfn", os.DevNull}})
}

// hearOrders transcribes sentences, and prints the word error rate and the speed.
func hearOrders(t *testing.T, e protocol.SpeechEngine) {
	t.Helper()
	f := newFixture(t)
	said, wrong, sound, took := 0, 0, 0, time.Duration(0)
	for i := range sentences(t) {
		_, ogg := say(t, sentence(i))
		if err := os.Rename(ogg, filepath.Join(f.home, "order.ogg")); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		f.Done = nil
		r := f.mustTranscribe("order.ogg", e)
		took += time.Since(began)
		if r.Failure != "" {
			t.Fatalf("%+v", r)
		}
		want, got := words(sentence(i)), words(r.Text)
		errors := wordErrors(want, got)
		if errors > 0 {
			t.Logf("said %q, heard %q", want, got)
		}
		said, wrong, sound = said+len(want), wrong+errors, sound+r.Seconds
	}
	t.Logf("%d words, word error rate %.1f %%, %d s of sound in %.1f s", said, 100*float64(wrong)/float64(said), sound, took.Seconds())
	if wrong*5 > said {
		t.Errorf("%d of %d words are wrong", wrong, said)
	}
}

// words returns the words of a text in the form for comparison.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || strings.ContainsRune(".,!?;:\"", r) })
}

// wordErrors returns how many words must be inserted, removed or replaced to turn a into b.
func wordErrors(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		corner := row[0]
		row[0] = i + 1
		for j := range b {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
