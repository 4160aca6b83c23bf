package remote

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"mews/supervisor/modelcall"
)

// The words in which servers say how many tokens a request may have, and how many it had: OpenAI's
// and vLLM's "maximum context length is 8192 tokens ... resulted in 10211 tokens", llama.cpp's
// "request (10000 tokens) exceeds the available context size (8192 tokens)", Anthropic's "prompt is
// too long: 205434 tokens > 200000 maximum", LM Studio's "context length of only 4096 tokens",
// Groq's "Limit 6000, Requested 10432".
var (
	windowWords = regexp.MustCompile(`(?i)(?:context length (?:is|of)(?: only)?|context size(?: is)?|context limit:.*>|tokens >|limit) \(?(\d[\d,]{2,10})`)
	// of a number that has the answer's limit in it
	messageWords = regexp.MustCompile(`\((\d+) in the messages`)
	countWords   = regexp.MustCompile(`(?i)(?:resulted in|request \(|has|too long:|requested(?: about)?) ?(\d[\d,]{2,10})(?: input)?(?: tokens|$|,)`)
)

// windowIn is what a refusal of a request that was too long says of its length.
func windowIn(class modelcall.Class, text string) (window, counted int64) {
	if class != modelcall.TooLong {
		return 0, 0
	}
	return numberIn(windowWords, text), cmp.Or(numberIn(messageWords, text), numberIn(countWords, text))
}

func numberIn(words *regexp.Regexp, text string) int64 {
	found := words.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(found[1], ",", ""), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
