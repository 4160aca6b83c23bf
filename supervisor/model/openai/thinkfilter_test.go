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

		"The tag </think> ends it.":                                  "The tag </think> ends it.",
		"The tag is `</think>`\nand no other.":                       "The tag is `</think>`\nand no other.",
		"```\nsecret\n</think>\n```\nThat is how it looks.":          "```\nsecret\n</think>\n```\nThat is how it looks.",
		"It begins with <think>\nand ends with </think>\nas a rule.": "It begins with <think>\nand ends with </think>\nas a rule.",
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
		answer, _, err := ask(open(t, Options{BaseURL: serve(t, sendStream(chunked("stop", `"content":"`+text+`"`)))}), hi())
		if modeltest.ErrorClassOf(err) != modelcall.EmptyAnswer || answer.Message.Parts != nil {
			t.Errorf("got %v, %v", answer.Message, err)
		}
	}
}

// TestAnswer_OddFields_IsKept sends values of a wrong type in fields that the answer does not need.
func TestAnswer_OddFields_IsKept(t *testing.T) {
	for name, chunk := range map[string]string{
		"number as id":              `"id":12`,
		"number as model":           `"model":3`,
		"object as id":              `"id":{}`,
		"null as id":                `"id":null`,
		"empty error":               `"error":""`,
		"error null":                `"error":null`,
		"error false":               `"error":false`,
		"text as count":             `"usage":{"prompt_tokens":"12","completion_tokens":"3"}`,
		"fraction":                  `"usage":{"prompt_tokens":12.5,"completion_tokens":3.0}`,
		"exponent":                  `"usage":{"prompt_tokens":1.2e1,"completion_tokens":3}`,
		"details that are a text":   `"usage":{"prompt_tokens":12,"prompt_tokens_details":"none","completion_tokens":3}`,
		"details that are a list":   `"usage":{"prompt_tokens":12,"completion_tokens_details":[1],"completion_tokens":3}`,
		"count that is a list":      `"usage":{"prompt_tokens":[12],"completion_tokens":3}`,
		"count that is an object":   `"usage":{"prompt_tokens":{},"completion_tokens":3}`,
		"count that is true":        `"usage":{"prompt_tokens":true,"completion_tokens":3}`,
		"huge count":                `"usage":{"prompt_tokens":10000000000000000000000000,"completion_tokens":3}`,
		"usage that is a text":      `"usage":"many"`,
		"usage that is a list":      `"usage":[]`,
		"usage that is false":       `"usage":false`,
		"usage null":                `"usage":null`,
		"number as a finish reason": `"choices":[{"delta":{},"finish_reason":1}]`,
		"finish reason true":        `"choices":[{"delta":{},"finish_reason":true}]`,
	} {
		stream := "data: " + `{"choices":[{"delta":{"content":"hi"}}]}` + "\n\ndata: {" + chunk + "}\n\n" +
			`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
		answer, said, err := ask(open(t, Options{BaseURL: serve(t, sendStream(stream))}), hi())
		if err != nil || said != "hi" || answer.Message.Text() != "hi" {
			t.Errorf("%s: %q, %v, %v", name, said, answer, err)
		}
		switch u := answer.Usage; name {
		case "text as count", "fraction", "exponent", "details that are a text", "details that are a list":
			if u.Input != 12 || u.Output != 3 {
				t.Errorf("%s: counted %+v", name, u)
			}
		}
	}
}
