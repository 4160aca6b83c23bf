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
	data, instead := req.ReadPicture(image)
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

// maxPictureless bounds the models that are remembered. Their names come from people.
const maxPictureless = 256

// pictureless are the models that take no pictures, until the program ends: Anthropic's all do, but others speak its API. The
// zero value knows of none.
type pictureless struct {
	mu     sync.Mutex
	models map[string]bool
}

func (b *pictureless) add(model string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.models == nil || len(b.models) >= maxPictureless {
		b.models = map[string]bool{}
	}
	b.models[model] = true
}

func (b *pictureless) has(model string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.models[model]
}

// withoutPictures is the request with no more pictures than its model takes.
func (p *Provider) withoutPictures(req supervisor.ModelRequest) supervisor.ModelRequest {
	if p.blind.has(req.Model) {
		req.Picture = pictureError(remote.ReasonNoPictures)
	}
	return req
}

// retryWithoutPictures is the request to make again after a refusal of its pictures, before anything was said.
func (p *Provider) retryWithoutPictures(req supervisor.ModelRequest, err error) (supervisor.ModelRequest, bool) {
	f := new(failure)
	if !errors.As(err, &f) || f.status == 0 || isTooLong(f) || p.blind.has(req.Model) || !slices.ContainsFunc(req.Messages, pictured) {
		return req, false
	}
	log := p.log.With("provider", p.name, "model", req.Model, "status", f.status)
	switch {
	case remote.RefusesPictures(f.status, f.text):
		p.blind.add(req.Model)
		log.Info("a model takes no pictures; they are left out from now on")
		return p.withoutPictures(req), true
	case remote.RefusesPicture(f.status, f.text):
		log.Warn("a model could not use a picture; it is asked without any, this time")
		req.Picture = pictureError(remote.ReasonUnusable)
		return req, true
	}
	return req, false
}

func pictureError(why string) func(protocol.Image) ([]byte, error) {
	return func(protocol.Image) ([]byte, error) { return nil, supervisor.PictureError(why) }
}

// pictured says whether there is a picture in a message.
func pictured(m protocol.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p protocol.Part) bool {
		return p.Image != nil || p.Result != nil && len(p.Result.Images) > 0
	})
}
