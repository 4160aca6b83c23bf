package modeltest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/gif"  // decodes GIF
	_ "image/jpeg" // decodes JPEG
	_ "image/png"  // decodes PNG
	"net/http"
	"slices"
	"strings"

	_ "golang.org/x/image/webp" // decodes WebP
)

// Picture is a picture in a request.
type Picture struct {
	MediaType string
	Width     int
	Height    int

	encoded string // the picture in base64, as in the request
}

func (p Picture) String() string { return fmt.Sprintf("%s %d x %d", p.MediaType, p.Width, p.Height) }

const (
	maxAnthropicImage = 5 << 20  // maximum size of a picture in Anthropic's format: bytes of its base64 text
	maxOpenAIImage    = 20 << 20 // maximum size of a picture in OpenAI's format, in bytes
	maxEdge           = 8000     // maximum length of an edge in pixels, for Anthropic
	pixelsPerToken    = 750      // Anthropic's rule, used for both formats
)

// readPicture reads a picture in base64. MediaType is "" if the bytes are no picture.
func readPicture(encoded string) (p Picture, size int, valid bool) {
	data, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return p, 0, false
	}
	p.encoded = encoded
	if config, kind, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		p.MediaType, p.Width, p.Height = "image/"+kind, config.Width, config.Height
	}
	return p, len(data), true
}

// tokens returns the number of tokens of a picture.
func (p Picture) tokens() int { return (p.Width*p.Height + pixelsPerToken - 1) / pixelsPerToken }

// withPictureTokens replaces each picture in a request's JSON by other bytes, tokenBytes for each
// of the picture's tokens. The cache counts tokens by bytes.
func withPictureTokens(raw json.RawMessage, pictures []Picture) json.RawMessage {
	for _, p := range pictures {
		if p.encoded == "" {
			continue // this picture is a URL
		}
		sum := sha256.Sum256([]byte(p.encoded))
		filler := bytes.Repeat([]byte(fmt.Sprintf("%x", sum)), p.tokens()*tokenBytes/(2*len(sum))+1)[:p.tokens()*tokenBytes]
		raw = bytes.ReplaceAll(raw, []byte(p.encoded), filler)
	}
	return raw
}

// imageSource is the source of an image block in Anthropic's format.
type imageSource struct {
	Type      string `json:"type"` // base64, url or file
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
	URL       string `json:"url"`
	FileID    string `json:"file_id"`
}

var imageTypes = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

func checkImage(b *block, at string) *refusal {
	var s imageSource
	if refused := decodeStrict(b.Source, &s, at+".image.source"); refused != nil {
		return refused
	}
	if s.Type != "base64" {
		if s.Type == "url" && s.URL != "" || s.Type == "file" && s.FileID != "" {
			return nil
		}
		return bad("%s.image.source: Input tag '%s' found using 'type' does not match any of the expected tags: 'base64', "+
			"'file', 'url'", at, s.Type)
	}
	at += ".image.source.base64"
	n := len(s.Data)
	p, _, valid := readPicture(s.Data)
	b.pictures = []Picture{p}
	return firstRefusal(
		badIf(!slices.Contains(imageTypes, s.MediaType),
			"%s.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'", at),
		badIf(n > maxAnthropicImage, "%s: image exceeds 5 MB maximum: %d bytes > %d bytes", at, n, maxAnthropicImage),
		badIf(!valid, "%s.data: The image data is not valid base64", at),
		badIf(p.MediaType == "", "Could not process image"),
		badIf(p.MediaType != s.MediaType, "%s.data: The image was specified using the %s media type, but the image appears to be "+
			"a %s image", at, s.MediaType, p.MediaType),
		badIf(max(p.Width, p.Height) > maxEdge,
			"%s.data: At least one of the image dimensions exceed max allowed size: %d pixels", at, maxEdge))
}

// readImageURL reads a picture from a data: URI, as OpenAI does. It does not download pictures.
func readImageURL(url string) (Picture, *refusal) {
	rest, is := strings.CutPrefix(url, "data:")
	if !is && (strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")) {
		return Picture{}, nil
	}
	kind, encoded, found := strings.Cut(rest, ";base64,")
	p, size, valid := readPicture(encoded)
	unsupported := !slices.Contains(imageTypes, kind)
	switch {
	case !is, !found, !valid:
		return p, &refusal{status: http.StatusBadRequest, code: "invalid_base64", text: "Invalid base64 image_url."}
	case unsupported, p.MediaType == "", p.MediaType != kind:
		return p, &refusal{status: http.StatusBadRequest, code: "invalid_image_format", text: "You uploaded an unsupported image. " +
			"Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp']."}
	case size > maxOpenAIImage:
		return p, &refusal{status: http.StatusBadRequest, code: "image_too_large", text: "The image is over 20 MB."}
	}
	return p, nil
}

// checkPictures refuses pictures if the server's models can't see pictures.
func (s *Server) checkPictures(e *exchange) *refusal {
	if !s.NoPictures || !e.pictured() {
		return nil
	}
	if e.Format == FormatAnthropic {
		return Failure{Class: FailurePicturesUnsupported}.messagesOf(e)
	}
	return Failure{Class: FailurePicturesUnsupported}.chatOf(s, e)
}

// pictured reports whether a request has pictures.
func (r Request) pictured() bool {
	return slices.ContainsFunc(r.Messages, func(m Message) bool { return len(m.Images) > 0 })
}
