package chat

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mews/cmd/mews/chat/chattest"
	_ "mews/internal/fixedseed"
	"mews/supervisor"
	"mews/supervisor/control"
)

// watcher is a screen for a growing answer, and the terminal behind it.
type watcher struct {
	terminal
	emulator *chattest.Screen
	said     string
}

func newWatcher(t testing.TB, cols, rows int) *watcher {
	w := &watcher{terminal: terminal{style: inColour(true)}, emulator: chattest.NewScreen(t, cols, rows)}
	w.line = &lineEditor{keys: bufio.NewReader(strings.NewReader("")), out: w.emulator, history: &lineHistory{},
		style:        w.style,
		onAboveFinal: w.reply.finishShown, width: cols, height: rows}
	return w
}

// say appends text to the answer.
func (w *watcher) say(text string) {
	w.ShowProgress(control.Progress{Turn: 1, Inbound: 1, Offset: len(w.said), Text: text})
	w.said += text
}

// end delivers the answer.
func (w *watcher) end() {
	w.ShowDelivery(control.Delivery{Kind: supervisor.DeliveryAnswer, Inbound: 1, Text: w.said, At: time.Now()})
}

// answers are texts of all kinds. Some are higher than the screen.
var answers = map[string]string{
	"paragraphs":  strings.Repeat("One two **three four** five `six` seven eight nine ten.\n\nAnd *so* on, and so on: see [there](https://a.example/b).\n\n", 6),
	"a paragraph": strings.Repeat("Many words, 漢字漢字漢字 and others, in one paragraph that grows and grows. ", 40),
	"a list":      strings.Repeat("- an item that has **bold** words and is long enough for two rows of a narrow screen\n  - one below it\n", 20),
	"a table":     "|name|what|\n|-|-:|\n" + strings.Repeat("|a|1|\n|a longer one|12|\n|b|3|\n", 15) + "\nThat is all.",
	"wide table":  "# Here\n\n|a|b|\n|-|-|\n|" + strings.Repeat("word ", 30) + "|y|\n\nEnd",
	"code":        "So:\n\n```go\n" + strings.Repeat("func f() { return \"of a line that is longer than most of the screens are\" }\n\n", 15) + "```\n\nDone.",
	"a quote":     strings.Repeat("> quoted words that go on and on, over the end of a row\n> and on\n", 14),
	"headings":    "# One\n## Two\ntext\n\n---\n\n1. first\n2. second\n\n![a picture](https://a.example/p.png)",
	"an address":  "See https://a.example/" + strings.Repeat("long/", 30) + " for more.",
}

// The test draws the pieces of the answer, the screen's size and the typed text at random.
func TestGrowingAnswer_InPieces_EqualsWholeAnswer(t *testing.T) {
	names := slices.Sorted(maps.Keys(answers))
	rapid.Check(t, func(rt *rapid.T) {
		md := answers[rapid.SampledFrom(names).Draw(rt, "answer")]
		size := rapid.SampledFrom([][2]int{{80, 24}, {40, 20}, {20, 8}}).Draw(rt, "size")
		whole, w := newWatcher(t, size[0], size[1]), newWatcher(t, size[0], size[1])
		whole.said = md
		whole.end()
		for rest := md; rest != ""; {
			n := min(len(rest), rapid.IntRange(1, 200).Draw(rt, "n"))
			for n < len(rest) && rest[n]&0xc0 == 0x80 {
				n++
			}
			w.say(rest[:n])
			rest = rest[n:]
			w.line.edit(rapid.SampledFrom([]key{{}, {}, {text: "hello"}, {name: ctrlUKey}}).Draw(rt, "key"))
		}
		w.line.edit(key{name: ctrlUKey})
		w.end()
		if d := cmp.Diff(whole.emulator.AllText(), w.emulator.AllText()); d != "" {
			rt.Fatal(d)
		}
	})
}

// The rows above the line stay when the screen is resized or a line is sent. The answer continues
// below.
func TestGrowingAnswer_Resize_LosesNoText(t *testing.T) {
	for name, between := range map[string]func(*watcher){
		"wider": func(w *watcher) {
			w.emulator.Resize(60, 20)
			w.line.resize(60, 20)
		},
		"a line is sent": func(w *watcher) {
			w.line.edit(key{text: "go on"})
			w.line.accept()
		},
		"a notice": func(w *watcher) {
			w.ShowDelivery(control.Delivery{Kind: supervisor.DeliveryNotice, Text: "By the way.", At: time.Now()})
		},
		"it went away":   func(w *watcher) { w.show(func() { w.print("", textBack) }) },
		"a clear screen": func(w *watcher) { w.line.edit(key{name: "\x0c"}) },
	} {
		for kind, form := range map[string]string{"words": "%s ", "table": "|%s|b|\n", "list": "- %s\n", "code": "%s\n"} {
			w := newWatcher(t, 30, 12)
			w.say(map[string]string{"table": "|a|b|\n|-|-|\n", "code": "```\n"}[kind])
			for i := range 60 {
				w.say(fmt.Sprintf(form, fmt.Sprintf("word%d.", i)))
				if i%20 == 7 {
					between(w)
				}
			}
			w.end()
			all, at := w.emulator.AllText(), 0
			for i := range 60 {
				word := fmt.Sprintf("word%d.", i)
				n := strings.LastIndex(all, word)
				if cleared := name == "a clear screen" && kind != "table"; n < at && !cleared {
					t.Errorf("%s, %s: %s is lost, or not where it should be, in\n%s", name, kind, word, all)
				}
				if once := kind == "list" || kind == "code"; once && strings.Count(all, word) > 1 {
					t.Errorf("%s, %s: %s is there twice in\n%s", name, kind, word, all)
				}
				at = max(at, n)
			}
		}
	}
}
