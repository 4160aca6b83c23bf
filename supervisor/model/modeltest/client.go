package modeltest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// Helpers that the tests of several providers use.

// FakeTransport is an http.RoundTripper without a network.
type FakeTransport func(*http.Request) (*http.Response, error)

// RoundTrip returns the response to a request.
func (t FakeTransport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// ClientWithReply returns a client that gets body as a stream of events for every request.
func ClientWithReply(body io.Reader) *http.Client {
	return &http.Client{Transport: FakeTransport(func(r *http.Request) (*http.Response, error) {
		head := http.Header{"Content-Type": {"text/event-stream"}}
		return &http.Response{StatusCode: http.StatusOK, Header: head, Body: io.NopCloser(body), Request: r}, nil
	})}
}

// ClientWithPipe returns a client that gets the bytes which the test writes. If mute is true, not
// even the headers of the response come. The response ends with the request.
func ClientWithPipe(mute bool) (*http.Client, *io.PipeWriter) {
	r, w := io.Pipe()
	return &http.Client{Transport: FakeTransport(func(req *http.Request) (*http.Response, error) {
		if mute {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}
		context.AfterFunc(req.Context(), func() { r.CloseWithError(req.Context().Err()) })
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: r, Request: req}, nil
	})}, w
}

// RepeatingReader is an io.Reader that repeats its text forever.
type RepeatingReader string

// Read fills buf with whole copies of the text.
func (e RepeatingReader) Read(buf []byte) (int, error) {
	n := 0
	for n+len(e) <= len(buf) {
		n += copy(buf[n:], e)
	}
	if n == 0 {
		return 0, errors.New("the buffer is smaller than a piece")
	}
	return n, nil
}

// ErrorClassOf returns the class of a provider's error; "" if err has no class.
func ErrorClassOf(err error) modelcall.ErrorClass {
	failed := new(modelcall.Error)
	errors.As(err, &failed)
	return failed.Class
}

// RedPNG is a picture of 8 x 6 pixels, in base64.
const RedPNG = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAAEUlEQVR42mP4z8CAFTEMpAQAMygv0TfMha4AAAAASUVORK5CYII="

func red() protocol.Image {
	return protocol.Image{BlobRef: protocol.BlobRef{SHA256: "red", Size: 74}, MediaType: "image/png", Width: 8, Height: 6}
}

// PictureRequest returns a conversation in which the user has sent RedPNG. The results of two calls
// also have RedPNG. Reading any other picture fails.
func PictureRequest(t testing.TB) modelcall.Request {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(RedPNG)
	if err != nil {
		t.Fatal(err)
	}
	image := red()
	call := func(id string) protocol.ContentPart {
		return protocol.ContentPart{Call: &protocol.ToolCall{ID: id, Name: "view_image",
			Arguments: json.RawMessage(`{"path":"a"}`)}}
	}
	result := func(id string) protocol.Message {
		return protocol.Message{Role: protocol.RoleTool, Parts: []protocol.ContentPart{{Result: &protocol.ToolResult{
			Call: id, Name: "view_image", Text: "a: a PNG image", Images: []protocol.Image{red()}}}}}
	}
	return modelcall.Request{
		Model: "m", System: "Be brief.",
		Tools: []protocol.Tool{{Name: "view_image", Description: "Look.", Schema: json.RawMessage(`{"type":"object"}`)}},
		Messages: []protocol.Message{
			{Role: protocol.RoleUser, Parts: []protocol.ContentPart{{Image: &image}, {Text: "Is it this?"}}},
			{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{call("c1"), call("c2")}},
			result("c1"), result("c2"),
		},
		Picture: func(i protocol.Image) ([]byte, error) {
			if i.SHA256 != "red" {
				return nil, errors.New("gone")
			}
			return data, nil
		},
	}
}
