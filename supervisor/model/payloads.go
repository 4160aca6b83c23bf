package model

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/modelcall"
)

const (
	maxPayload = 64 << 10 // bytes of one request or answer in the log
	maxPlain   = 1000     // shorter runs of base64 are logged whole; regexp counts no further than 1000
)

// base64Run is a long stretch of base64 within JSON: a picture, or encrypted thinking.
var base64Run = regexp.MustCompile(fmt.Sprintf(`[A-Za-z0-9+/_-]{%d}[A-Za-z0-9+/_-]*={0,2}`, maxPlain))

// payloads writes requests and answers to the log, at level debug. A nil *payloads writes nothing.
type payloads struct {
	log  hclog.Logger
	keys *strings.Replacer
}

// newPayloads takes the API keys from o, to remove them from payloads. A payload has a key only if
// a user or a provider repeats the key.
func newPayloads(o Options) *payloads {
	var pairs []string
	for _, p := range o.Providers {
		if p.APIKey == "" {
			continue
		}
		quoted, _ := json.Marshal(p.APIKey) // a string never fails
		pairs = append(pairs, p.APIKey, "***", strings.Trim(string(quoted), `"`), "***")
	}
	return &payloads{log: o.Log, keys: strings.NewReplacer(pairs...)}
}

func (p *payloads) request(spec string, req modelcall.Request) {
	if p == nil || !p.log.IsDebug() {
		return
	}
	p.log.Debug("model request", "model", spec, "payload", p.format(payload{Request: req}))
}

func (p *payloads) answer(spec string, answer modelcall.Answer, err error) {
	switch {
	case p == nil || !p.log.IsDebug():
	case err != nil:
		p.log.Debug("model failed", "model", spec, "payload", p.clip(p.keys.Replace(err.Error())))
	default:
		p.log.Debug("model answer", "model", spec, "payload", p.format(answer))
	}
}

// payload is a request without its functions, which JSON cannot represent.
type payload struct {
	modelcall.Request
	Picture   any `json:",omitempty"`
	Reserver  any `json:",omitempty"`
	OnFailure any `json:",omitempty"`
	OnWait    any `json:",omitempty"`
	Fit       any `json:",omitempty"`
}

// format returns v as JSON without keys and pictures, cut if it is too long.
func (p *payloads) format(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "no JSON: " + p.clip(p.keys.Replace(err.Error()))
	}
	text := p.keys.Replace(string(data))
	text = base64Run.ReplaceAllStringFunc(text, func(s string) string { return fmt.Sprintf("(%d bytes left out)", len(s)) })
	return p.clip(text)
}

func (p *payloads) clip(text string) string {
	if len(text) <= maxPayload {
		return text
	}
	const mark = "... (cut)"
	return strings.ToValidUTF8(text[:maxPayload-len(mark)], "") + mark
}
