package modeltest

import (
	"fmt"
	"strings"
	"testing"
)

func imageOf(kind, data string) string {
	return fmt.Sprintf(`{"type":"image","source":{"type":"base64","media_type":%q,"data":%q}}`, kind, data)
}

// resultWithPicture returns a result with a picture.
func resultWithPicture(kind, data string) string {
	return `{"role":"user","content":[{"type":"tool_result","tool_use_id":"u1","content":[{"type":"text","text":"red.png"},` +
		imageOf(kind, data) + `]}]}`
}

func urlOf(url string) string {
	return fmt.Sprintf(`{"role":"user","content":[{"type":"image_url","image_url":{"url":%q}}]}`, url)
}

func TestPictures_AreCheckedAsByRealServers(t *testing.T) {
	for _, c := range []struct{ name, kind, data, anthropic, openai string }{
		{"a picture", "image/png", RedPNG, "", ""},
		{"of another type", "image/jpeg", RedPNG, "appears to be a image/png image", "unsupported image"},
		{"of no type", "image/svg+xml", RedPNG, "media_type: Input should be", "unsupported image"},
		{"no base64", "image/png", "?" + RedPNG, "not valid base64", "Invalid base64 image_url."},
		{"no picture", "image/png", "aGVsbG8=", "Could not process image", "unsupported image"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, base := NewServer(t, AnswerOKScript)
			for where, body := range map[string]string{
				"the person's": messagesRequestOf("", userMessage(imageOf(c.kind, c.data))),
				"a result's":   messagesRequestOf(oneTool, chain(asks, uses, resultWithPicture(c.kind, c.data))),
			} {
				r := postMessages(t, base, body)
				if (r.status == 200) != (c.anthropic == "") || !strings.Contains(r.body, c.anthropic) {
					t.Errorf("%s: HTTP %d: %.300s", where, r.status, r.body)
				}
			}
			status, text := post(t, base, "", chatRequest(urlOf("data:"+c.kind+";base64,"+c.data)))
			if (status == 200) != (c.openai == "") || !strings.Contains(text, c.openai) {
				t.Errorf("chat: HTTP %d: %.300s", status, text)
			}
		})
	}
}

func TestCheckImage_TooLarge_IsRefused(t *testing.T) {
	source := fmt.Sprintf(`{"type":"base64","media_type":"image/png","data":%q}`, strings.Repeat("AAAA", maxAnthropicImage/4+1))
	refused := checkImage(&block{Source: []byte(source)}, "messages.0.content.0")
	if refused == nil || !strings.Contains(refused.text, "image exceeds 5 MB maximum: 5242884 bytes > 5242880 bytes") {
		t.Errorf("got %+v", refused)
	}
}

func TestChat_PictureInResult_IsRefused(t *testing.T) {
	_, base := NewServer(t, AnswerOKScript)
	shown := `{"role":"tool","tool_call_id":"1","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + RedPNG + `"}}]}`
	if status, text := post(t, base, "", chatRequest(calls+","+shown)); status != 400 {
		t.Errorf("HTTP %d: %s", status, text)
	}
}

// TestScript_EachResult_HasItsPictures checks that each picture belongs to the right result, in any
// kind of message.
func TestScript_EachResult_HasItsPictures(t *testing.T) {
	var got Request
	_, base := NewServer(t, func(r Request) Answer { got = r; return Answer{Text: "ok"} })
	check := func(format string) {
		t.Helper()
		if seen := got.NewestPictures(); len(seen) != 1 || seen[0].String() != "image/png 8 x 6" {
			t.Errorf("%s: seen %v", format, seen)
		}
		if asked := got.NewestUserMessage(); !strings.Contains(asked, "hi") || len(got.AnsweredCalls()) != 1 {
			t.Errorf("%s: asked %q, done %v", format, asked, got.AnsweredCalls())
		}
	}
	postMessages(t, base, messagesRequestOf(oneTool, chain(asks, uses, resultWithPicture("image/png", RedPNG))))
	check("messages")
	post(t, base, "", chatRequest(user+","+calls+","+result+","+urlOf("data:image/png;base64,"+RedPNG)))
	check("chat")
}

func TestPicture_TokensGrowWithPixels(t *testing.T) {
	s, base := NewServer(t, AnswerOKScript)
	postMessages(t, base, messagesRequestOf("", userMessage(imageOf("image/png", RedPNG))))
	one := s.TotalUsage()
	// 8 x 6 pixels are one token, but the base64 text would be 26 tokens.
	if want := int64(len(imageOf("image/png", ""))+4+len("user")) / 4; one.Input > want+1 {
		t.Errorf("the prompt has %d tokens, want %d", one.Input, want)
	}
}

func TestNoVision_EachDialect_RefusesPictures(t *testing.T) {
	for dialect, says := range map[Dialect]string{
		DialectOpenAI: "image_url is only supported", DialectOllama: "does not support image input",
		DialectLlamaCpp: "image input is not supported",
		DialectVLLM:     "not a multimodal model", DialectGroq: "must be a string",
		DialectOpenRouter: "support image input", DialectLMStudio: "not support images",
	} {
		s, base := NewServer(t, AnswerOKScript)
		s.Dialect, s.NoPictures = dialect, true
		if status, text := post(t, base, "", chatRequest(urlOf("data:image/png;base64,"+RedPNG))); status < 400 || !strings.Contains(text, says) {
			t.Errorf("%q: HTTP %d: %s", dialect, status, text)
		}
		if status, text := post(t, base, "", chatRequest(user)); status != 200 {
			t.Errorf("%q, without a picture: HTTP %d: %s", dialect, status, text)
		}
	}
	s, base := NewServer(t, AnswerOKScript)
	s.NoPictures = true
	if r := postMessages(t, base, messagesRequestOf("", userMessage(imageOf("image/png", RedPNG)))); r.status != 400 || !strings.Contains(r.body, "image input") {
		t.Errorf("HTTP %d: %s", r.status, r.body)
	}
}
