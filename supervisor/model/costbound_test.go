package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mews/protocol"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// greedyProvider counts one token for every byte, and answers with the longest allowed answer. It
// counts only a share of the first known messages.
type greedyProvider struct {
	known int
	share int64
	fresh bool // the system text and the tools are not counted yet
	seen  modeltest.Request
}

func (g *greedyProvider) answer(r modeltest.Request) modeltest.Answer {
	g.seen = r
	u := &modeltest.AnswerUsage{Prompt: g.prompt(r), Completion: int64(r.Limit)}
	u.Cached = u.Prompt / 3
	if r.Format == modeltest.FormatAnthropic {
		u.Written = u.Prompt - u.Cached
	}
	return modeltest.Answer{Text: "ok", Usage: u}
}

func (g *greedyProvider) prompt(r modeltest.Request) int64 {
	sum := int64(len(r.System))
	if len(r.Tools) > 0 {
		sum += 346
	}
	for _, t := range r.Tools {
		sum += int64(len(t.Name)+len(t.Description)+len(t.Schema)) + 12
	}
	if !g.fresh {
		sum /= g.share
	}
	for i, m := range r.Messages {
		n := int64(len(m.Content)+len(m.CallID)) + 7
		for _, c := range m.Calls {
			n += int64(len(c.ID) + len(c.Name) + len(c.Args))
		}
		for _, p := range m.Images {
			n += officialPictureTokens(r.Format, p)
		}
		if i < g.known {
			n /= g.share
		}
		sum += n
	}
	return sum
}

// officialPictureTokens returns a picture's tokens by the providers' own formulas, without scaling.
func officialPictureTokens(f modeltest.APIFormat, p modeltest.Picture) int64 {
	if f == modeltest.FormatAnthropic {
		return int64(math.Ceil(float64(p.Width*p.Height) / 750))
	}
	tiles := int64(math.Ceil(float64(p.Width)/512) * math.Ceil(float64(p.Height)/512))
	patches := math.Ceil(float64(p.Width)/32) * math.Ceil(float64(p.Height)/32)
	return max(85+170*tiles, int64(math.Ceil(patches*2.46)))
}

var words = rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z "\\\n\t<>&]{0,300}`),
	rapid.StringMatching(`[字é🦅]{1,40}`))

// longText draws texts that are far longer than the allowance for framing.
var longText = rapid.Custom(func(t *rapid.T) string {
	return strings.Repeat(words.Draw(t, "part"), rapid.IntRange(1, 300).Draw(t, "times"))
})

func drawPicture(t *rapid.T) (protocol.Image, []byte) {
	w, h := rapid.IntRange(1, 900).Draw(t, "width"), rapid.IntRange(1, 900).Draw(t, "height")
	var data bytes.Buffer
	if err := png.Encode(&data, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return protocol.Image{MediaType: "image/png", Width: w, Height: h, BlobRef: protocol.BlobRef{Size: int64(data.Len())}}, data.Bytes()
}

// drawTalk adds exchanges to req like those of a transcript: a user's message, and a step of the
// model with its results.
func drawTalk(t *rapid.T, req *modelcall.Request, exchanges int) {
	pictures := map[protocol.Image][]byte{}
	for n := range exchanges {
		at := len(req.Messages)
		said := protocol.NewUserMessage("q" + longText.Draw(t, "question"))
		if rapid.IntRange(0, 3).Draw(t, "picture") == 0 {
			one, data := drawPicture(t)
			one.SHA256 = fmt.Sprint(at)
			pictures[one] = data
			said.Parts = append(said.Parts, protocol.ContentPart{Image: &one})
		}
		arguments, err := json.Marshal(map[string]string{"path": words.Draw(t, "argument")})
		if err != nil {
			t.Fatal(err)
		}
		call := fmt.Sprintf("t%d-%d", at, n)
		req.Messages = append(req.Messages, said,
			protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: "a" + words.Draw(t,
				"answer")},
				{Call: &protocol.ToolCall{ID: call, Name: "read_file", Arguments: arguments}}}},
			protocol.Message{Role: protocol.RoleTool,
				Parts: []protocol.ContentPart{{Result: &protocol.ToolResult{Call: call,
					Name: "read_file", Text: longText.Draw(t, "result"), Failed: rapid.Bool().Draw(t, "failed")}}}})
	}
	before := req.Picture
	req.Picture = func(i protocol.Image) ([]byte, error) {
		if data, ok := pictures[i]; ok || before == nil {
			return data, nil
		}
		return before(i)
	}
}

// TestCostBound_IsNeverExceeded draws requests, and providers with any token count and any use of
// their cache.
func TestCostBound_IsNeverExceeded(t *testing.T) {
	for _, kind := range []string{"anthropic", "openai"} {
		t.Run(kind, func(t *testing.T) {
			g := &greedyProvider{share: 1}
			_, base := modeltest.NewServer(t, func(r modeltest.Request) modeltest.Answer { return g.answer(r) })
			rapid.Check(t, func(t *rapid.T) {
				dollars := func(name string) float64 { return float64(rapid.IntRange(0, 90_000).Draw(t, name)) / 1000 }
				price := Price{0.001 + dollars("input"), dollars("output"), dollars("read"), dollars("write"), dollars("write1h")}
				c, err := NewCatalogue(Options{Default: "p/m", Prices: map[string]Price{"p/m": price},
					Providers: []ProviderOptions{{Name: "p", Kind: kind, BaseURL: base, APIKey: "k"}}})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				req := modelcall.Request{System: words.Draw(t, "system"), Cache: time.Duration(rapid.IntRange(0, 60).Draw(t, "kept")) * time.Minute,
					Tools:  []protocol.Tool{{Name: "read_file", Description: words.Draw(t, "tool"), Schema: json.RawMessage(`{"type":"object"}`)}},
					Output: rapid.Int64Range(0, 50_000).Draw(t, "most")}
				drawTalk(t, &req, rapid.IntRange(1, 4).Draw(t, "first"))
				*g = greedyProvider{share: 1}
				check := func() modelcall.Answer {
					p := newFakeReserver(math.MaxInt64)
					req.Reserver = p
					answer, err := c.Stream(t.Context(), "", req, func(modelcall.Delta) {})
					if err != nil {
						t.Fatal(err)
					}
					cost, known := c.Cost(answer.Spec, answer.Usage, req.Cache)
					if held := p.open[answer.Lease]; !known || cost > held || g.seen.Limit == 0 {
						t.Fatalf("it cost %d, %v; set aside %d; %+v; limit %d", cost, known, held, answer.Usage, g.seen.Limit)
					}
					return answer
				}
				check()
				*g = greedyProvider{share: rapid.Int64Range(1, 6).Draw(t, "bytes of a token"), known: len(g.seen.Messages)}
				answer := check()
				req.Measured = modelcall.TokenCount{Spec: "p/m", Tokens: answer.Usage.Input}
				talk := len(req.Messages)
				drawTalk(t, &req, rapid.IntRange(1, 3).Draw(t, "more"))
				req.Measured.New = req.Messages[talk:]
				check()
				const exchange = 3 // messages of one exchange of drawTalk; the oldest exchange is forgotten
				req.Messages = req.Messages[exchange:]
				req.System, req.Measured.Other = "s"+longText.Draw(t, "other system"), true
				g.known, g.fresh = g.known-exchange, true
				check()
			})
		})
	}
}

func TestCostBound_AfterTokenCount_IsTight(t *testing.T) {
	c := sellers(t, map[string]Price{"gpt/own": {Input: 1, Output: 2}, "gpt/gift": {}})
	whole := modelcall.Request{Messages: []protocol.Message{protocol.NewUserMessage(strings.Repeat("x", 300_000)), protocol.NewUserMessage("y")}}
	measured := whole
	measured.Measured = modelcall.TokenCount{Spec: "gpt/own", Tokens: 70_000, New: whole.Messages[1:]}
	of := func(spec string, req modelcall.Request) costBound {
		choice, err := c.Resolve(spec)
		if err != nil {
			t.Fatal(err)
		}
		return c.costBound(choice, req)
	}
	const framing = perRequest + perMessage + perPart
	for name, k := range map[string]struct {
		got  costBound
		want int64
	}{
		"by bytes":            {of("gpt/own", whole), framing + perMessage + perPart + 300_001 + 2*16_384},
		"by what was counted": {of("gpt/own", measured), framing + 70_000 + 1 + 2*16_384},
		"which is no measure for another model": {of("claude/claude-haiku-4-5", measured),
			2*(framing+perMessage+perPart+300_001) + 5*32_000},
		"told what it may say": {of("gpt/own", modelcall.Request{Output: 10}), perRequest + 20},
		"beyond the list: twice as much": {of("gpt/gpt-5", modelcall.Request{Messages: whole.Messages, Output: 1}),
			int64(math.Ceil(float64(framing+perMessage+perPart+300_001)*1.25)) + 10},
		"beyond its rows": {of("gpt/gpt-5.4", modelcall.Request{Messages: whole.Messages, Output: 1}),
			(framing+perMessage+perPart+300_001)*5 + 30},
		"a gift":  {of("gpt/gift", whole), 0},
		"offline": {of("offline", whole), 0},
		"local":   {of("local/qwen3", whole), 0},
	} {
		if !k.got.priced || k.got.maxCost() != k.want {
			t.Errorf("%s: %+v, want %d", name, k.got, k.want)
		}
	}
	if got := of("gpt/gpt-99", whole); got != (costBound{}) {
		t.Errorf("without a price: %+v", got)
	}
}

func TestPictureTokens_AreBounded(t *testing.T) {
	size := func(w, h int) protocol.Image { return protocol.Image{Width: w, Height: h} }
	for _, k := range []struct {
		kind, model string
		image       protocol.Image
		want        int64
	}{
		{"anthropic", "claude-x", size(1000, 1000), 38 * 38},
		{"anthropic", "claude-x", size(8000, 8000), 5_000},
		{"openai", "gpt-4o-mini-2024-07-18", size(1024, 1024), 2_833 + 4*5_667},
		{"openai", "gpt-4o-mini", size(100, 8000), 2_833 + 8*5_667},
		{"openai", "gpt-5", size(10, 10), 4_096},
		{"openai", "qwen-vl", size(1400, 1400), 10_000},
		{"openai", "qwen-vl", size(8000, 8000), 32_768},
	} {
		if got := pictureTokensOf(k.kind, k.model)(k.image); got != k.want {
			t.Errorf("%s %s, %d x %d: %d, want %d", k.kind, k.model, k.image.Width, k.image.Height, got, k.want)
		}
	}
}

func BenchmarkCostBound(b *testing.B) {
	c, err := NewCatalogue(Options{Default: "p/m", Prices: map[string]Price{"p/m": {Input: 1}},
		Providers: []ProviderOptions{{Name: "p", Kind: "anthropic"}}})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	req := modelcall.Request{Messages: []protocol.Message{protocol.NewUserMessage(strings.Repeat("a word ", 40_000))}}
	for b.Loop() {
		c.costBound(c.defaultModel, req)
	}
}
