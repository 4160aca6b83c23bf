package remote

import (
	"testing"

	"mews/supervisor/modelcall"
)

func TestWindowIn_RefusalText_GivesContextWindow(t *testing.T) {
	for text, want := range map[string][2]int64{
		"This model's maximum context length is 8192 tokens. However, your messages resulted in 10211 tokens. Please reduce":                     {8192, 10211},
		"This model's maximum context length is 8192 tokens. However, you requested 10400 tokens (8400 in the messages, 2000 in the completion)": {8192, 8400},
		"This endpoint's maximum context length is 131,072 tokens. However, you requested about 140,000 tokens":                                  {131072, 140000},
		"the request (10000 tokens) exceeds the available context size (8192 tokens), try increasing it":                                         {8192, 10000},
		"prompt is too long: 205434 tokens > 200000 maximum":                                                                                     {200000, 205434},
		"the model is loaded with context length of only 4096 tokens, which is not enough":                                                       {4096, 0},
		"Request too large for model: Limit 6000, Requested 10432, please reduce your message size":                                              {6000, 10432},
		"Please reduce the length of the messages or completion.":                                                                                {0, 0},
	} {
		if window, counted := windowIn(modelcall.RequestTooLong, text); window != want[0] || counted != want[1] {
			t.Errorf("%q: %d and %d, want %v", text, window, counted, want)
		}
		if window, counted := windowIn(modelcall.ServerError, text); window != 0 || counted != 0 {
			t.Errorf("%q tells of windows in a refusal that is about something else", text)
		}
	}
}
