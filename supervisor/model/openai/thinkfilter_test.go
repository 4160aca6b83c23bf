package openai

import (
	"context"
	"encoding/json"
	"testing"

	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// TestThinking_OfEachTemplate_IsDropped sends each answer whole, and byte by byte. Templates that
// open the thinking in the request leave only the closing tag in the answer.
func TestThinking_OfEachTemplate_IsDropped(t *testing.T) {
	for text, want := range map[string]string{
		"Okay, the user wants X … secret plan.\n</think>\n\nThe answer is 42.": "The answer is 42.",
		"Okay, a plan.</think>\nThe answer is 42.":                             "The answer is 42.",
		"Okay, if a < b, go.\n</thinking> \r\n\nThe answer is 42.":             "The answer is 42.",
		"\n</think>\n\nThe answer is 42.":                                      "The answer is 42.",
		"<thinking>Okay.</thinking>\n\nThe answer is 42.":                      "The answer is 42.",
		"<think>Okay.</think>The answer is 42.":                                "The answer is 42.",
		"<think>a</think>\nA line ends with\n</think>\nso.":                    "A line ends with\n</think>\nso.",
		"A plan.\n</think>\nOne.\n</think>\nTwo.":                              "One.\n</think>\nTwo.",

		"The tag </think> ends it.":                        "The tag </think> ends it.",
		"The tag is `</think>`\nand no other.":             "The tag is `</think>`\nand no other.",
		"```\nplan\n</think>\n```\nThat is it.":            "```\nplan\n</think>\n```\nThat is it.",
		"It begins with <think>\nand ends so: </think>\n.": "It begins with <think>\nand ends so: </think>\n.",
		"</thinker>\n":  "</thinker>\n",
		"</think>":      "</think>",
		"1 < 2 </thin":  "1 < 2 </thin",
		"<b>hi</b> <th": "<b>hi</b> <th",
	} {
		for name, pieces := range map[string][]string{"whole": {text}, "in bytes": splitRunes(text)} {
			var deltas []string
			for _, piece := range pieces {
				quoted, _ := json.Marshal(piece)
				deltas = append(deltas, `"content":`+string(quoted))
			}
			p, shown := open(t, Options{BaseURL: serve(t, sendStream(chunked("stop", deltas...)))}), ""
			answer, err := p.Stream(context.Background(), hi(), func(d modelcall.Delta) {
				if d.Restart {
					shown = ""
				}
				shown += d.Text
			})
			if got := answer.Message.Text(); err != nil || got != want || shown != want {
				t.Errorf("%s, %q: said %q, shown %q, %v; want %q", name, text, got, shown, err, want)
			}
		}
	}
}

func splitRunes(text string) (pieces []string) {
	for _, r := range text {
		pieces = append(pieces, string(r))
	}
	return pieces
}

// TestThinking_WithoutAnswer_IsEmptyAnswer checks an answer that consists only of thinking.
func TestThinking_WithoutAnswer_IsEmptyAnswer(t *testing.T) {
	for _, text := range []string{`Okay, a plan.\n</think>`, `Okay, a plan.\n</think>\n\n`} {
		stream := chunked("stop", `"content":"`+text+`"`)
		answer, _, err := ask(open(t, Options{BaseURL: serve(t, sendStream(stream))}), hi())
		if modeltest.ErrorClassOf(err) != modelcall.EmptyAnswer || answer.Message.Parts != nil {
			t.Errorf("got %v, %v", answer.Message, err)
		}
	}
}
