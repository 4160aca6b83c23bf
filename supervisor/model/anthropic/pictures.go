package anthropic

import (
	"slices"

	"mews/protocol"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

// pictureBlock returns a picture's block, or a line of text if the picture can't be read.
func pictureBlock(req modelcall.Request, image protocol.Image) *block {
	data, instead := req.ReadPicture(image)
	if instead != "" {
		return textBlock(instead)
	}
	return &block{Type: "image", Source: &source{Type: "base64", MediaType: image.MediaType, Data: data}}
}

// withoutPictures returns the request, without its pictures if the model is known to see none.
func (p *Provider) withoutPictures(req modelcall.Request) modelcall.Request {
	if p.noPictures.Get(req.Model) {
		req.Picture = pictureError(remote.ReasonNoPictures)
	}
	return req
}

// retryWithoutPictures returns a request to try if pictures were refused. ok is false for any other
// error.
func (p *Provider) retryWithoutPictures(req modelcall.Request, err error) (modelcall.Request, bool) {
	r := remote.FindRefusal(err)
	if r == nil || r.Begun || isTooLong(r) || p.noPictures.Get(req.Model) || !slices.ContainsFunc(req.Messages, protocol.Message.HasImage) {
		return req, false
	}
	log := p.Log.With("provider", p.Name, "model", req.Model, "status", r.Status)
	switch {
	case remote.ModelRefusesPictures(r.Status, r.Text):
		p.noPictures.Update(req.Model, func(bool) bool { return true })
		log.Info("a model takes no pictures; they are left out from now on")
		return p.withoutPictures(req), true
	case remote.RefusesOnePicture(r.Status, r.Text):
		log.Warn("a model could not use a picture; it is asked without any, this time")
		req.Picture = pictureError(remote.ReasonUnusablePicture)
		return req, true
	}
	return req, false
}

func pictureError(why string) func(protocol.Image) ([]byte, error) {
	return func(protocol.Image) ([]byte, error) { return nil, modelcall.PictureError(why) }
}
