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

// costBound bounds the tokens and the cost of one attempt. Rates are the highest price of a token,
// in millionths of a dollar.
type costBound struct {
	inputTokens  int64 // 0, like all other fields, if the call costs nothing
	outputTokens int64 // tokens of the longest answer
	inputRate    float64
	outputRate   float64
	priced       bool // false: the price is not known
}

// cost returns the most that a call with an answer of so many tokens can cost, rounded up.
func (b costBound) cost(output int64) int64 {
	return int64(math.Ceil(float64(b.inputTokens)*b.inputRate + float64(output)*b.outputRate))
}

// maxCost returns the highest cost of a call. minCost is the same with the shortest useful answer.
func (b costBound) maxCost() int64 { return b.cost(b.outputTokens) }
func (b costBound) minCost() int64 { return b.cost(min(leastOutput, b.outputTokens)) }

// outputFor returns how many tokens an answer may have for an amount that covers minCost.
func (b costBound) outputFor(amount int64) int64 {
	if amount >= b.maxCost() {
		return b.outputTokens
	}
	n := int64((float64(amount) - float64(b.inputTokens)*b.inputRate) / b.outputRate)
	for n > 0 && b.cost(n) > amount { // because floating point rounds
		n--
	}
	return n
}

// leastOutput is the length of the shortest useful answer in tokens. It is also Anthropic's lowest
// budget for thinking.
const leastOutput = 1024

// Upper bounds of the tokens that providers add to a request's text. Anthropic's own words about
// tools have 346 tokens (its page on pricing). Our text that tells a model of its tools has fewer
// bytes than perRequest. Templates put a few special tokens around a message. Mews may add a line
// to a part.
const (
	perRequest = 1024
	perTool    = 64
	perMessage = 16
	perPart    = 64
	perPicture = 256 // the line before a picture, or instead of it
)

// defaultOutputs has the default limit of an answer in tokens, by the kind of provider. Thinking
// counts as a part of the answer.
var defaultOutputs = map[string]int64{"anthropic": anthropic.DefaultMaxTokens, "openai": openai.DefaultOutput}

// defaultOutput is the limit for kinds that are missing in defaultOutputs.
const defaultOutput = 32_000

// costBound returns the most that req can cost at a model. It assumes that a token has at least one
// byte, and that a provider keeps to the output limit.
func (c *Catalogue) costBound(m Choice, req modelcall.Request) costBound {
	rows, kind := c.priceRows(m), c.provider(m).kind
	if len(rows) == 0 || rows[0].Price == (Price{}) {
		return costBound{priced: len(rows) > 0}
	}
	b := costBound{inputTokens: inputBound(m, kind, req), priced: true}
	b.outputTokens = cmp.Or(max(req.Output, 0), defaultOutputs[kind], defaultOutput)
	b.inputRate, b.outputRate = highestRates(rows, b.inputTokens)
	return b
}

// aboveRowsFactor multiplies a model's prices for inputs longer than its price rows cover. OpenAI
// takes twice as much for input and half as much again for output.
const aboveRowsFactor = 2

// highestRates returns the highest prices of a token of input and of output. They hold for requests
// of up to upTo tokens of input, with any use of the cache.
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

// inputBound returns the most tokens of input that req can have. If the model counted an earlier
// request, that is its count plus the bytes added since; otherwise all bytes of req.
func inputBound(m Choice, kind string, req modelcall.Request) int64 {
	picture := pictureTokensOf(kind, m.Model)
	before := prefixBound(req)
	bound := perRequest + before + messagesBound(req.Messages, picture)
	if known := req.Measured; known.Spec == m.Spec && known.Tokens > 0 {
		if !known.Other {
			before = 0
		}
		bound = min(bound, perRequest+before+known.Tokens+messagesBound(known.New, picture))
	}
	return bound
}

// prefixBound returns the bound for everything before the messages.
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
		for _, p := range message.StampedParts() {
			sum += perPart + partBound(p, picture)
		}
	}
	return sum
}

func partBound(p protocol.Part, picture func(protocol.Image) int64) (sum int64) {
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

// jsonSize returns the length of a text in JSON, in bytes. A model without native tools reads
// results in that form.
func jsonSize(text string) int64 {
	n := int64(len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			n++
		case c < ' ':
			n += 5 // \u0000
		}
	}
	if !utf8.ValidString(text) {
		n *= 3 // the replacement character has three bytes
	}
	return n
}

// pictureTokensOf returns the function that bounds a picture's tokens for a kind and model.
func pictureTokensOf(kind, model string) func(protocol.Image) int64 {
	switch {
	case kind == "anthropic":
		return claudePictureTokens
	case kind == "openai" && versionSuffix.ReplaceAllString(model, "") == "gpt-4o-mini":
		return tiledPictureTokens
	}
	return patchPictureTokens
}

// claudePictureTokens counts a token for about 750 pixels. Its upper bound is above that of the
// models with the finest resolution (4,784 tokens; Anthropic's page on vision).
func claudePictureTokens(image protocol.Image) int64 {
	return min(tilesPerEdge(image.Width, 27)*tilesPerEdge(image.Height, 27), 5_000)
}

// tiledPictureTokens is OpenAI's formula for gpt-4o-mini, whose tiles have the most tokens (its
// page on vision). The picture is fitted into 2,048 pixels square, and its shorter edge is made
// 768. Then it has 2,833 tokens and 5,667 for each tile of 512.
func tiledPictureTokens(image protocol.Image) int64 {
	short, long := min(image.Width, image.Height), max(image.Width, image.Height)
	if short < 1 {
		return 0
	}
	long = min(long*768/short+1, 2048)
	return 2_833 + 5_667*tilesPerEdge(768, 512)*tilesPerEdge(long, 512)
}

// patchPictureTokens bounds pictures of all other models. It counts a token for a patch of 14
// pixels square, the finest known (Qwen2-VL, before it joins four patches). A lower bound allows
// for small pictures that are enlarged. OpenAI's other models take less: 2.46 tokens for a patch of
// 32 pixels square, or 85 and 170 for each tile.
func patchPictureTokens(image protocol.Image) int64 {
	return min(max(tilesPerEdge(image.Width, 14)*tilesPerEdge(image.Height, 14), 4_096), 32_768)
}

// tilesPerEdge returns how many tiles of a size cover a length.
func tilesPerEdge(length, size int) int64 { return int64((max(length, 0) + size - 1) / size) }
