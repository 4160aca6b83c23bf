package anthropic

import (
	"encoding/base64"
	"errors"
	"slices"
	"sync"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/model/remote"
)

// pictureBlock is a picture, or the line that stands for it.
func pictureBlock(req supervisor.ModelRequest, image protocol.Image) sdk.ContentBlockParamUnion {
	data, instead := req.Show(image)
	if instead != "" {
		return sdk.NewTextBlock(instead)
	}
	return sdk.NewImageBlockBase64(image.MediaType, base64.StdEncoding.EncodeToString(data))
}

// resultPictures are a result's pictures as parts of its content.
func resultPictures(req supervisor.ModelRequest, r *protocol.ToolResult) []sdk.ToolResultBlockParamContentUnion {
	var out []sdk.ToolResultBlockParamContentUnion
	for _, image := range r.Images {
		block := pictureBlock(req, image)
		out = append(out, sdk.ToolResultBlockParamContentUnion{OfText: block.OfText, OfImage: block.OfImage})
	}
	return out
}

// maxBlind bounds the models that are remembered. Their names come from people.
const maxBlind = 256

// blind are the models that take no pictures, until the program ends: Anthropic's all do, but others speak its API. The
// zero value knows of none.
type blind struct {
	mu     sync.Mutex
	models map[string]bool
}

func (b *blind) add(model string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.models == nil || len(b.models) >= maxBlind {
		b.models = map[string]bool{}
	}
	b.models[model] = true
}

func (b *blind) has(model string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.models[model]
}

// sighted is the request with no more pictures than its model takes.
func (p *Provider) sighted(req supervisor.ModelRequest) supervisor.ModelRequest {
	if p.blind.has(req.Model) {
		req.Picture = unseen(remote.WhyBlind)
	}
	return req
}

// unsighted is the request to make again after a refusal of its pictures, before anything was said.
func (p *Provider) unsighted(req supervisor.ModelRequest, err error) (supervisor.ModelRequest, bool) {
	f := new(failure)
	if !errors.As(err, &f) || f.status == 0 || isTooLong(f) || p.blind.has(req.Model) || !slices.ContainsFunc(req.Messages, pictured) {
		return req, false
	}
	log := p.log.With("provider", p.name, "model", req.Model, "status", f.status)
	switch {
	case remote.Blind(f.status, f.text):
		p.blind.add(req.Model)
		log.Info("a model takes no pictures; they are left out from now on")
		return p.sighted(req), true
	case remote.Unseen(f.status, f.text):
		log.Warn("a model could not use a picture; it is asked without any, this time")
		req.Picture = unseen(remote.WhyUnseen)
		return req, true
	}
	return req, false
}

func unseen(why string) func(protocol.Image) ([]byte, error) {
	return func(protocol.Image) ([]byte, error) { return nil, supervisor.Unseen(why) }
}

// pictured says whether there is a picture in a message.
func pictured(m protocol.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p protocol.Part) bool {
		return p.Image != nil || p.Result != nil && len(p.Result.Images) > 0
	})
}
