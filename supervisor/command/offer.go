package command

import (
	"fmt"
	"slices"
	"strings"

	"mews/protocol/amount"

	"mews/supervisor/markdown"
)

// ModelOffer is an available model, or a provider without a list of models.
type ModelOffer struct {
	Spec     string // the model's full name, or the provider's name if Err is set
	Default  bool
	Unpriced bool   // the price of the model is unknown
	Err      string // reason why the provider has no list, as a text for the user; "" if it has one
}

// nonChatNames are parts of names of models that can't chat: models that embed, speak, listen,
// draw, rank or moderate. They come from the lists of OpenAI, Mistral and Ollama.
var nonChatNames = []string{"embed", "bge-", "tts", "whisper", "transcribe", "dall-e", "gpt-image", "sora", "rerank", "moderation", "realtime",
	"-audio", "davinci-002", "babbage-002"}

// canChat reports whether a model can chat, judging by its name.
func (o ModelOffer) canChat() bool {
	_, name, _ := strings.Cut(strings.ToLower(o.Spec), "/")
	return !slices.ContainsFunc(nonChatNames, func(use string) bool { return strings.Contains(name, use) })
}

// visionNames are parts of names of models that see pictures (from the providers' pages on vision,
// and Ollama's list).
var visionNames = []string{"claude-", "gpt-4o", "gpt-4.1", "gpt-5", "o3", "o4-mini", "gemini", "gemma3", "gemma-3", "pixtral", "mistral-small3", "llava",
	"vision", "-vl", "qwen2.5vl", "minicpm-v", "moondream", "llama4", "llama-4"}

// SeesPictures reports whether a model chats and sees pictures, judging by its name.
func (o ModelOffer) SeesPictures() bool {
	_, name, _ := strings.Cut(strings.ToLower(o.Spec), "/")
	return o.Err == "" && o.canChat() && slices.ContainsFunc(visionNames, func(part string) bool { return strings.Contains(name, part) })
}

// isOffered reports whether a provider offers a model. A provider without a list may have any
// model. A listed name also covers its shorter forms: qwen3 means qwen3:latest, and
// claude-haiku-4-5 means its newest version. Some providers accept names with more text after a
// colon than in their list.
func isOffered(offers []ModelOffer, full string) bool {
	provider, _, _ := strings.Cut(full, "/")
	own := offersOf(offers, provider)
	return len(own) == 0 || slices.ContainsFunc(own, func(o ModelOffer) bool {
		return o.Err != "" || o.Spec == full || strings.HasPrefix(full, o.Spec+":") ||
			strings.HasPrefix(o.Spec, full+":") || strings.HasPrefix(o.Spec, full+"-")
	})
}

// offersOf returns the offers of one provider.
func offersOf(offers []ModelOffer, provider string) []ModelOffer {
	return slices.DeleteFunc(slices.Clone(offers), func(o ModelOffer) bool { return o.provider() != provider })
}

func (o ModelOffer) provider() string {
	provider, _, _ := strings.Cut(o.Spec, "/")
	return provider
}

// maxSuggestions limits the models that are suggested after a wrong name.
const maxSuggestions = 10

// suggestions lists the models whose names are most similar to a wrong name.
func suggestions(offers []ModelOffer, meant string) string {
	there := slices.DeleteFunc(slices.Clone(offers), func(o ModelOffer) bool { return o.Err != "" })
	if len(there) == 0 {
		return textModelsHint
	}
	bare := meant[strings.Index(meant, "/")+1:]
	slices.SortStableFunc(there, func(a, b ModelOffer) int {
		return similarity(b, meant, bare) - similarity(a, meant,
			bare)
	})
	var b strings.Builder
	b.WriteString(textSuggestions)
	for _, o := range there[:min(maxSuggestions, len(there))] {
		fmt.Fprintf(&b, "\n- %s", markdown.EscapeName(o.Spec))
	}
	if more := len(there) - maxSuggestions; more > 0 {
		fmt.Fprintf(&b, textMoreModels, amount.FormatNumber(int64(more)))
	}
	return b.String()
}

// similarity returns the length of the common beginning of a model's name and a wrong name. The
// wrong name may lack the provider.
func similarity(o ModelOffer, meant, bare string) int {
	_, name, _ := strings.Cut(o.Spec, "/")
	return max(commonPrefix(o.Spec, meant), commonPrefix(name, bare))
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
