package modeltest

import (
	"encoding/json"
	"net/http"
	"testing"
)

// FuzzDecode sends any body in both formats. A refusal must have a text. In an accepted request,
// all calls must be answered, and the cache must be able to count the prompt.
func FuzzDecode(f *testing.F) {
	for _, rule := range messagesCases {
		f.Add(rule.body)
	}
	f.Add(chatRequest(user + "," + calls + "," + result))
	f.Add(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":null}]},null]}`)
	f.Add(`{"model":"m","max_tokens":1,"messages":[null]}`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, how := range []codec{openaiCodec(), anthropicCodec()} {
			s := NewUnstartedServer(AnswerOKScript)
			e, refused := how.decode(s, http.Header{}, []byte(body))
			if refused != nil {
				if refused.status < 400 || refused.text == "" || !json.Valid([]byte(refused.messagesBody("1"))) {
					t.Fatalf("%s: %+v", how.format, refused)
				}
				continue
			}
			if e.Model == "" || len(e.Messages) == 0 && e.System == "" || !json.Valid(e.Raw) && e.Raw != nil {
				t.Fatalf("%s: took %q as %+v", how.format, body, e.Request)
			}
			if refused := checkPairs(e.Messages); refused != nil {
				t.Fatalf("%s: took %q: %s", how.format, body, refused.text)
			}
			first, second := how.account(&s.cache, e.prompt, s.now(), 1), how.account(&s.cache, e.prompt, s.now(), 1)
			if first.total() != e.prompt.tokens() || second.total() != first.total() || second.read < first.read || first.input < 0 {
				t.Fatalf("%s: cost %+v, and again %+v, of %d", how.format, first, second, e.prompt.tokens())
			}
		}
	})
}
