package model

import (
	"cmp"
	"math"
	"unicode/utf8"

	"mews/protocol"
	"mews/supervisor/model/anthropic"
	"mews/supervisor/model/openai"
	"mews/supervisor/modelcall"
)

// costBound has the upper bounds of one attempt's tokens and prices. Prices are for a token, in
// millionths of a dollar.
type costBound struct {
	inputTokens  int64 // maximum tokens of the input; all fields are 0 if the call costs nothing
	outputTokens int64 // maximum tokens of the answer
	inputRate    float64
	outputRate   float64
	priced       bool // false means that the price is unknown
}

// cost returns the most that a call with an answer of the given tokens can cost, rounded up.
func (b costBound) cost(output int64) int64 {
	return int64(math.Ceil(float64(b.inputTokens)*b.inputRate + float64(output)*b.outputRate))
}

// maxCost returns the highest cost of a call. minCost is the highest cost with the shortest useful
// answer.
func (b costBound) maxCost() int64 { return b.cost(b.outputTokens) }
func (b costBound) minCost() int64 { return b.cost(min(leastOutput, b.outputTokens)) }

// outputFor returns the maximum length of an answer in tokens for an amount. The amount must cover
// minCost.
func (b costBound) outputFor(amount int64) int64 {
	if amount >= b.maxCost() {
		return b.outputTokens
	}
	n := int64((float64(amount) - float64(b.inputTokens)*b.inputRate) / b.outputRate)
	for n > 0 && b.cost(n) > amount { // n may be too high, because floating-point numbers were rounded up
		n--
	}
	return n
}

// leastOutput is the length of the shortest useful answer, in tokens. It is also Anthropic's lowest
// budget for thinking.
const leastOutput = 1024

// Upper bounds of the tokens that providers add to a request's text. Anthropic's own text about
// tools has 346 tokens (its page on pricing). Our text about tools, for models that read tools as
// text, has fewer bytes than perRequest. Templates put a few special tokens around a message. Mews
// may add a line to a part.
const (
	perRequest = 1024
	perTool    = 64
	perMessage = 16
	perPart    = 64
	perPicture = 256 // tokens of the line before a picture, or in its place
)

// defaultOutputs has the default output limit in tokens for each kind of provider. Thinking counts
// as output.
var defaultOutputs = map[string]int64{"anthropic": anthropic.DefaultMaxTokens, "openai": openai.DefaultMaxOutput}

// defaultOutput is the limit for kinds that defaultOutputs lacks.
const defaultOutput = 32_000

// costBound returns the upper bounds for a request to a model. It assumes that a token has at least
// one byte, and that a provider obeys the output limit.
func (c *Catalogue) costBound(m ResolvedModel, req modelcall.Request) costBound {
	rows, kind := c.priceRows(m), c.provider(m).kind
	if len(rows) == 0 || rows[0].Price == (Price{}) {
		return costBound{priced: len(rows) > 0}
	}
	b := costBound{inputTokens: inputBound(m, kind, req), priced: true}
	b.outputTokens = cmp.Or(max(req.Output, 0), defaultOutputs[kind], defaultOutput)
	b.inputRate, b.outputRate = highestRates(rows, b.inputTokens)
	return b
}

// aboveRowsFactor multiplies the prices if the input is longer than all price rows allow. OpenAI
// charges twice as much for such input, and 1.5 times as much for output.
const aboveRowsFactor = 2

// highestRates returns the highest price of an input token and of an output token. The prices hold
// for requests of at most upTo input tokens, with any use of the cache.
func highestRates(rows []priceRow, upTo int64) (input, output float64) {
	for _, row := range rows {
		input = max(input, row.Input, row.CacheRead, row.CacheWrite5m, row.CacheWrite1h)
		output = max(output, row.Output)
		if row.upTo == 0 || upTo <= row.upTo {
			return input, output
		}
	}
	return aboveRowsFactor * input, aboveRowsFactor * output
}

// maxTokenBytes is more than the average number of bytes in a token of any text.
const maxTokenBytes = 16

// inputBound returns the maximum number of input tokens of req. If the model has counted an earlier
// request, inputBound adds only the new bytes to that count. Otherwise, or if the count is too low
// for the counted text, it takes all bytes of req.
func inputBound(m ResolvedModel, kind string, req modelcall.Request) int64 {
	picture := pictureTokensOf(kind, m.Model)
	before := prefixBound(req)
	bound := perRequest + before + messagesBound(req.Messages, picture)
	known := req.Measured
	counted := textBytes(req.Messages) - textBytes(known.New)
	if known.Spec == m.Spec && known.Tokens > 0 && known.Tokens*maxTokenBytes >= counted {
		if !known.Other {
			before = 0
		}
		bound = min(bound, perRequest+before+known.Tokens+messagesBound(known.New, picture))
	}
	return bound
}

// prefixBound bounds the tokens of the system text and the tools.
func prefixBound(req modelcall.Request) int64 {
	sum := jsonSize(req.System)
	for _, t := range req.Tools {
		sum += perTool + jsonSize(t.Name) + jsonSize(t.Description) + jsonSize(string(t.Schema))
	}
	return sum
}

func messagesBound(messages []protocol.Message, picture func(protocol.Image) int64) (sum int64) {
	for _, message := range messages {
		sum += perMessage
		for _, p := range message.PartsWithStamp() {
			sum += perPart + partBound(p, picture)
		}
	}
	return sum
}

// textBytes returns the length of the texts in some messages.
func textBytes(messages []protocol.Message) (sum int64) {
	for _, message := range messages {
		for _, p := range message.Parts {
			sum += int64(len(p.Text))
			if p.Result != nil {
				sum += int64(len(p.Result.Text))
			}
		}
	}
	return sum
}

func partBound(p protocol.ContentPart, picture func(protocol.Image) int64) (sum int64) {
	sum = jsonSize(p.Text)
	if p.Image != nil {
		sum += perPicture + picture(*p.Image)
	}
	if c := p.Call; c != nil {
		sum += jsonSize(c.ID) + jsonSize(c.Name) + jsonSize(string(c.Arguments))
	}
	if r := p.Result; r != nil {
		sum += jsonSize(r.Call) + jsonSize(r.Name) + jsonSize(r.Text)
		for _, image := range r.Images {
			sum += perPicture + picture(image)
		}
	}
	if p.Thinking != nil {
		sum += jsonSize(string(p.Thinking.Block))
	}
	return sum
}

// jsonSize returns the length of a text in JSON, in bytes. It also bounds results of tools: models
// that get tools as text get the results as JSON.
func jsonSize(text string) int64 {
	n := int64(len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			n++
		case c < ' ':
			n += 5 // the longest escape, such as \u0000, has six bytes
		}
	}
	if !utf8.ValidString(text) {
		n *= 3 // invalid UTF-8 becomes the replacement character, which has three bytes
	}
	return n
}

// pictureTokensOf returns the function that bounds a picture's tokens for a kind and a model.
func pictureTokensOf(kind, model string) func(protocol.Image) int64 {
	switch {
	case kind == "anthropic":
		return claudePictureTokens
	case kind == "openai" && versionSuffix.ReplaceAllString(model, "") == "gpt-4o-mini":
		return tiledPictureTokens
	}
	return patchPictureTokens
}

// claudePictureTokens counts one token for about 750 pixels. Its upper bound covers the models with
// the finest resolution (4,784 tokens; Anthropic's page on vision).
func claudePictureTokens(image protocol.Image) int64 {
	return min(tilesPerEdge(image.Width, 27)*tilesPerEdge(image.Height, 27), 5_000)
}

// tiledPictureTokens is OpenAI's formula for gpt-4o-mini, whose tiles have the most tokens
// (OpenAI's page on vision). The picture is fitted into a square of 2,048 pixels. Then its shorter
// edge is scaled to 768. It costs 2,833 tokens, and 5,667 for each tile of 512 pixels.
func tiledPictureTokens(image protocol.Image) int64 {
	short, long := min(image.Width, image.Height), max(image.Width, image.Height)
	if short < 1 {
		return 0
	}
	long = min(long*768/short+1, 2048)
	return 2_833 + 5_667*tilesPerEdge(768, 512)*tilesPerEdge(long, 512)
}

// patchPictureTokens bounds the tokens of pictures for all other models. It counts one token for
// each patch of 14 x 14 pixels, which are the smallest known patches (Qwen2-VL, before it joins
// four patches). A minimum covers small pictures that servers enlarge. OpenAI's other models count
// less: 2.46 tokens for a patch of 32 x 32 pixels, or 85 and 170 for each tile.
func patchPictureTokens(image protocol.Image) int64 {
	return min(max(tilesPerEdge(image.Width, 14)*tilesPerEdge(image.Height, 14), 4_096), 32_768)
}

// tilesPerEdge returns how many tiles of the given size cover a length.
func tilesPerEdge(length, size int) int64 { return int64((max(length, 0) + size - 1) / size) }
