package model

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/modelcall"
)

const (
	maxPayload = 64 << 10 // maximum bytes of one request or answer in the log
	maxPlain   = 1000     // a shorter run of base64 is logged in full; regexp allows at most 1000 repetitions
)

// base64Run finds long runs of base64 in JSON: pictures and encrypted thinking.
var base64Run = regexp.MustCompile(fmt.Sprintf(`[A-Za-z0-9+/_-]{%d}[A-Za-z0-9+/_-]*={0,2}`, maxPlain))

// payloads logs requests and answers at level debug. A nil *payloads logs nothing.
type payloads struct {
	log  hclog.Logger
	keys atomic.Pointer[strings.Replacer]
	// each key that a provider has or had, followed by its replacement; only addKey uses pairs
	pairs []string
}

// newPayloads takes the API keys from o, to remove them from logged payloads. A payload contains a
// key only if a user or a provider repeats it.
func newPayloads(o Options) *payloads {
	p := &payloads{log: o.Log}
	p.keys.Store(strings.NewReplacer())
	for _, provider := range o.Providers {
		p.addKey(provider.APIKey)
	}
	return p
}

// addKey removes one more API key from logged payloads. Only one goroutine may call it at a time.
func (p *payloads) addKey(key string) {
	if p == nil || key == "" || slices.Contains(p.pairs, key) {
		return
	}
	quoted, _ := json.Marshal(key) // a string can always be encoded
	p.pairs = append(p.pairs, key, "***", strings.Trim(string(quoted), `"`), "***")
	p.keys.Store(strings.NewReplacer(p.pairs...))
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
		p.log.Debug("model failed", "model", spec, "payload", p.clip(p.keys.Load().Replace(err.Error())))
	default:
		p.log.Debug("model answer", "model", spec, "payload", p.format(answer))
	}
}

// payload is a request without its functions, which JSON cannot encode.
type payload struct {
	modelcall.Request
	Picture   any `json:",omitempty"`
	Reserver  any `json:",omitempty"`
	OnFailure any `json:",omitempty"`
	OnWait    any `json:",omitempty"`
	OnEvent   any `json:",omitempty"`
	Fit       any `json:",omitempty"`
}

// format returns v as JSON without keys and pictures. It cuts a long result.
func (p *payloads) format(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "no JSON: " + p.clip(p.keys.Load().Replace(err.Error()))
	}
	text := p.keys.Load().Replace(string(data))
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
