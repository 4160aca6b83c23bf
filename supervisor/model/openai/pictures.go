package openai

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

// part is a part of a message with pictures: a text or a picture.
type part struct {
	Type     string        `json:"type"` // kind of the part: text or image_url
	Text     string        `json:"text,omitempty"`
	ImageURL *imageURL     `json:"image_url,omitempty"`
	Cache    *cacheControl `json:"cache_control,omitempty"`

	image protocol.Image // the picture in ImageURL
	call  string         // the id of the call whose result has the picture; "" for a user's picture
}

type imageURL struct {
	URL string `json:"url"` // URL with the picture's bytes: data:MEDIA-TYPE;base64,...
}

// picturePart returns a picture's part, or a line of text if the picture can't be read.
func picturePart(req modelcall.Request, image protocol.Image) part {
	data, instead := req.ReadPicture(image)
	if instead != "" {
		return part{Type: "text", Text: instead}
	}
	url := "data:" + image.MediaType + ";base64," + base64.StdEncoding.EncodeToString(data)
	return part{Type: "image_url", ImageURL: &imageURL{url}, image: image}
}

// resultParts returns a result's pictures, each after a line that names the call. They go into a
// user message, because a tool message can't have pictures.
func resultParts(req modelcall.Request, r *protocol.ToolResult) []part {
	var out []part
	for _, image := range r.Images {
		whose := fmt.Sprintf("[A picture from the result of %s, call %s:]", r.Name, r.Call)
		shown := picturePart(req, image)
		if shown.ImageURL == nil {
			out = append(out, part{Type: "text", Text: whose + " " + shown.Text})
			continue
		}
		shown.call = r.Call
		out = append(out, part{Type: "text", Text: whose, call: r.Call}, shown)
	}
	return out
}

// userContent returns the content of a user's message: a text, or parts if there are pictures.
func userContent(req modelcall.Request, m protocol.Message) any {
	m.Parts = m.PartsWithStamp()
	var out []part
	for _, p := range m.Parts {
		switch {
		case p.Image != nil:
			out = append(out, picturePart(req, *p.Image))
		case p.Text != "":
			out = append(out, part{Type: "text", Text: p.Text})
		}
	}
	if !slices.ContainsFunc(m.Parts, func(p protocol.ContentPart) bool { return p.Image != nil }) {
		return m.Text()
	}
	return simplestContent(out)
}

// simplestContent joins parts into one text, unless there is a picture.
func simplestContent(parts []part) any {
	var lines []string
	for _, p := range parts {
		if p.ImageURL != nil || p.Cache != nil {
			return parts
		}
		lines = append(lines, p.Text)
	}
	return strings.Join(lines, "\n")
}

// parts returns a copy of m's content as parts.
func (m message) parts() []part {
	if parts, is := m.Content.([]part); is {
		return slices.Clone(parts)
	}
	if text := m.text(); text != "" {
		return []part{{Type: "text", Text: text}}
	}
	return nil
}

// pictured reports whether m contains a picture.
func (m message) pictured() bool {
	parts, _ := m.Content.([]part)
	return slices.ContainsFunc(parts, func(p part) bool { return p.ImageURL != nil })
}

// joinContent joins the contents of two messages.
func joinContent(a, b message) any {
	if !a.pictured() && !b.pictured() {
		return joinText(a.text(), b.text())
	}
	return append(a.parts(), b.parts()...)
}

// withoutPictures returns a function that replaces each picture of a request by a line of text. The
// line for a result's picture goes into the result. The function reports whether there were
// pictures.
func withoutPictures(why string) func(*request) bool {
	return func(r *request) bool {
		if !slices.ContainsFunc(r.Messages, message.pictured) {
			return false
		}
		lines := map[string]string{} // lines about pictures, by the id of the call
		var out []message
		for _, m := range slices.Backward(r.Messages) {
			if m.pictured() {
				m.Content = simplestContent(m.describePictures(why, lines, r.textTools))
				if m.Content == "" {
					continue // all lines of this message went into results
				}
			}
			if line := lines[m.ToolCallID]; m.Role == "tool" && line != "" {
				m.Content = m.text() + line
			}
			out = append(out, m)
		}
		slices.Reverse(out)
		r.Messages = out
		return true
	}
}

// describePictures returns m's parts with a line in place of each picture. Lines about pictures of
// results go into the map lines, by the id of the call. If tools are described in text (told),
// these lines stay in m's parts.
func (m message) describePictures(why string, lines map[string]string, told bool) []part {
	var out []part
	for _, p := range m.parts() {
		switch {
		case p.call != "" && !told && p.ImageURL != nil:
			lines[p.call] += "\n" + modelcall.PictureNote(p.image, why)
		// the result is in this message, so the line need not name its call
		case p.call != "" && !told:
		case p.ImageURL != nil:
			out = append(out, part{Type: "text", Text: modelcall.PictureNote(p.image, why), Cache: p.Cache})
		default:
			out = append(out, p)
		}
	}
	return out
}

// currentPictures names the optional part for pictures that are left out of the current request
// only.
const currentPictures = "these pictures"

func refusesPictures(r *remote.Refusal) bool {
	return !isTooLong(r) && remote.ModelRefusesPictures(r.Status, r.Text)
}

func refusesPicture(r *remote.Refusal) bool {
	return !isTooLong(r) && remote.RefusesOnePicture(r.Status, r.Text)
}
