package remote

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"mews/supervisor/modelcall"
)

// Patterns that find a model's window and a request's tokens in refusals. OpenAI and vLLM: "maximum
// context length is 8192 tokens ... resulted in 10211 tokens". llama.cpp: "request (10000 tokens)
// exceeds the available context size (8192 tokens)". Anthropic: "prompt is too long: 205434 tokens
// > 200000 maximum". LM Studio: "context length of only 4096 tokens". Groq: "Limit 6000, Requested
// 10432".
var (
	windowPattern = regexp.MustCompile(`(?i)(?:context length (?:is|of)(?: only)?|context size(?: is)?|context limit:.*>|tokens >|limit) \(?(\d[\d,]{2,10})`)
	// number of tokens of the messages, without the output limit
	messageTokensPattern = regexp.MustCompile(`\((\d+) in the messages`)
	requestTokensPattern = regexp.MustCompile(`(?i)(?:resulted in|request \(|has|too long:|requested(?: about)?) ?(\d[\d,]{2,10})(?: input)?(?: tokens|$|,)`)
)

// windowIn returns the window and the request's tokens from a refusal's text; 0 means unknown.
func windowIn(class modelcall.ErrorClass, text string) (window, counted int64) {
	if class != modelcall.RequestTooLong {
		return 0, 0
	}
	return numberIn(windowPattern, text),
		cmp.Or(numberIn(messageTokensPattern, text), numberIn(requestTokensPattern, text))
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
