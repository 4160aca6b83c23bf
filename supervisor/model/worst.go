package model

import (
	"math"
	"unicode/utf8"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/model/anthropic"
	"mews/supervisor/model/openai"
)

// bound is the most that one attempt can count and cost.
type bound struct {
	input  int64 // tokens, as is output, which the provider is held to; both are 0 where the call costs nothing
	output int64
	worst  int64 // millionths of a dollar, of which a part is a whole one
	priced bool  // false: what it costs is not known
}

// What providers add to a request's words, in tokens: far more than any is known to. A model that is told of its tools in
// text is told it in fewer bytes than perRequest, and Anthropic's own words about tools have 346 tokens (its page on
// pricing). Templates put a few special tokens around a message, and a part may get a line of ours.
const (
	perRequest = 1024
	perTool    = 64
	perMessage = 16
	perPart    = 64
	perPicture = 256 // the line before it, or in its place
)

// outputs is what a model may say at once where nobody says otherwise, by the kind of provider. Thinking is a part of it.
var outputs = map[string]int64{"anthropic": anthropic.DefaultMaxTokens, "openai": openai.DefaultOutput}

// mostOutput is for kinds that outputs does not have.
const mostOutput = 32_000

// bound reckons what req comes to at a model, at most. It holds as long as a provider's tokens are a byte long at least,
// and as providers hold to the limit that they are given.
func (c *Catalogue) bound(m Choice, req supervisor.ModelRequest) bound {
	p := c.provider(m)
	if free, known := c.free(m); free || !known {
		return bound{priced: known}
	}
	b := bound{input: measure(m, p.kind, req), output: req.Output, priced: true}
	if b.output <= 0 {
		b.output = mostOutput
		if n, known := outputs[p.kind]; known {
			b.output = n
		}
	}
	input, output := c.dearest(m, b.input)
	b.worst = int64(math.Ceil(float64(b.input)*input + float64(b.output)*output))
	return b
}

// free says whether a model costs nothing, and whether it is known what it costs.
func (c *Catalogue) free(m Choice) (free, known bool) {
	p := c.provider(m)
	if price, own := set(c, m.Spec); own {
		return price == Price{}, true
	}
	if p.near == nearHere {
		return true, true
	}
	return false, len(rowsOf(pricelist[p.kind], m.Model)) > 0
}

// beyond is by how much more a model may cost for more input than its rows hold: OpenAI's take twice as much for input and
// half as much again for output.
const beyond = 2

// dearest is the most that a token of a model can cost, of input or output, in a request of up to so many tokens of input.
func (c *Catalogue) dearest(m Choice, upTo int64) (input, output float64) {
	if price, own := set(c, m.Spec); own {
		return price.dearest()
	}
	for _, row := range rowsOf(pricelist[c.provider(m).kind], m.Model) {
		in, out := row.dearest()
		input, output = max(input, in), max(output, out)
		if row.upTo == 0 || upTo <= row.upTo {
			return input, output
		}
	}
	return beyond * input, beyond * output
}

// dearest is the price of a token of input that is read, from the cache or not, and written to it, whichever is the most.
func (p Price) dearest() (input, output float64) {
	return max(p.Input, p.CacheRead, p.CacheWrite5m, p.CacheWrite1h), p.Output
}

// measure is how many tokens req has as input, at most: what the model itself has counted of an earlier request and the
// bytes of what came after it, or the bytes of all of it.
func measure(m Choice, kind string, req supervisor.ModelRequest) int64 {
	sum, rest := int64(perRequest), req.Messages
	if known := req.Measured; known.Spec == m.Spec && known.Tokens > 0 && known.Messages <= len(rest) {
		sum, rest = sum+known.Tokens, rest[known.Messages:]
	} else {
		sum += written(req.System)
		for _, t := range req.Tools {
			sum += perTool + written(t.Name) + written(t.Description) + written(string(t.Schema))
		}
	}
	picture := picturesOf(kind, m.Model)
	for _, message := range rest {
		sum += perMessage
		for _, p := range message.Parts {
			sum += perPart + measurePart(p, picture)
		}
	}
	return sum
}

func measurePart(p protocol.Part, picture func(protocol.Image) int64) (sum int64) {
	sum = written(p.Text)
	if p.Image != nil {
		sum += perPicture + picture(*p.Image)
	}
	if c := p.Call; c != nil {
		sum += written(c.ID) + written(c.Name) + written(string(c.Arguments))
	}
	if r := p.Result; r != nil {
		sum += written(r.Call) + written(r.Name) + written(r.Text)
		for _, image := range r.Images {
			sum += perPicture + picture(image)
		}
	}
	if p.Thinking != nil {
		sum += written(string(p.Thinking.Block))
	}
	return sum
}

// written is how many bytes a text has in JSON: a model that is told of its tools in text reads results so.
func written(text string) int64 {
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
		n *= 3 // as many as the character has that stands for what is none
	}
	return n
}

// picturesOf is how many tokens a picture has at most, by who counts them.
func picturesOf(kind, model string) func(protocol.Image) int64 {
	switch {
	case kind == "anthropic":
		return claudePicture
	case kind == "openai" && dated.ReplaceAllString(model, "") == "gpt-4o-mini":
		return tiledPicture
	}
	return patchedPicture
}

// claudePicture: a token for about 750 pixels, and not more than the models with the sharpest sight have for one picture
// (Anthropic's page on vision: 4,784).
func claudePicture(image protocol.Image) int64 {
	return min(pieces(image.Width, 27)*pieces(image.Height, 27), 5_000)
}

// tiledPicture is OpenAI's formula of tiles at the model where they have the most tokens: the picture is fitted into 2,048
// pixels square, its shorter edge is made 768, and then 2,833 and 5,667 for each tile of 512 (its page on vision).
func tiledPicture(image protocol.Image) int64 {
	short, long := min(image.Width, image.Height), max(image.Width, image.Height)
	if short < 1 {
		return 0
	}
	long = min(long*768/short+1, 2048)
	return 2_833 + 5_667*pieces(768, 512)*pieces(long, 512)
}

// patchedPicture is for all others: a token for a patch of 14 pixels square, which is the finest that is known (Qwen2-VL,
// before it joins four of them, to 16,384 at most); small pictures may be made larger. It is more than OpenAI's other
// models take: 2.46 tokens for a patch of 32 pixels square, or 85 and 170 for each tile.
func patchedPicture(image protocol.Image) int64 {
	return min(max(pieces(image.Width, 14)*pieces(image.Height, 14), 4_096), 32_768)
}

// pieces is how many of a size cover a length.
func pieces(length, size int) int64 { return int64((max(length, 0) + size - 1) / size) }
