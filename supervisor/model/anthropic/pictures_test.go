package anthropic

import (
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// body returns the JSON of a request. {RED} stands for the picture.
func body(t *testing.T, req modelcall.Request) string {
	t.Helper()
	raw, err := encode(req, thinkingForm{}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(raw), modeltest.RedPNG, "{RED}")
}

func TestPictures_AreSentInTheirToolResults(t *testing.T) {
	const image = `{"source":{"data":"{RED}","media_type":"image/png","type":"base64"},"type":"image"}`
	got := body(t, modeltest.PictureRequest(t))
	for _, want := range []string{
		`{"content":[` + image + `,{"text":"Is it this?","type":"text"}],"role":"user"}`,
		`"content":[{"text":"a: a PNG image","type":"text"},` + image + `],`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "{RED}"); n != 3 {
		t.Errorf("%d pictures", n)
	}
}

func TestUnreadablePicture_IsReplacedByText(t *testing.T) {
	req := modeltest.PictureRequest(t)
	req.Messages[2].Parts[0].Result.Images[0].SHA256 = "gone"
	got := body(t, req)
	if strings.Count(got, "{RED}") != 2 || !strings.Contains(got, "and you do not see it: it can't be read any more.]") {
		t.Error(got)
	}
}

// TestStrictServer_AcceptsPictures uses the server's cache, so that the pictures' tokens are
// counted.
func TestStrictServer_AcceptsPictures(t *testing.T) {
	var seen []modeltest.Picture
	server, base := modeltest.NewServer(t, func(r modeltest.Request) modeltest.Answer {
		seen = r.NewestPictures()
		return modeltest.Answer{Text: "red"}
	})
	p := open(t, Options{BaseURL: base, APIKey: "k"})
	req := modeltest.PictureRequest(t)
	req.Cache = time.Hour
	if answer, _, err := ask(p, req); err != nil || answer.Message.Text() != "red" {
		t.Fatal(answer, err)
	}
	if len(seen) != 3 || seen[0].String() != "image/png 8 x 6" || len(server.Requests()) != 1 {
		t.Errorf("seen: %v in %d requests", seen, len(server.Requests()))
	}
}

func TestModelWithoutVision_IsAskedWithoutPictures(t *testing.T) {
	server, base := modeltest.NewServer(t, modeltest.AnswerOKScript)
	server.NoPictures = true
	p := open(t, Options{BaseURL: base, APIKey: "k"})
	for range 2 {
		if answer, _, err := ask(p, modeltest.PictureRequest(t)); err != nil || answer.Message.Text() != "ok" || !answer.Blind {
			t.Fatal(answer, err)
		}
	}
	for _, r := range server.Requests() {
		if !strings.Contains(string(r.Raw), "you do not see it: this model can't see pictures.") {
			t.Errorf("got %s", r.Raw)
		}
	}
	if !p.noPictures.Get("m") || p.noPictures.Get("other") {
		t.Error("who is blind is not remembered")
	}
}

// TestRefusedPicture_NextRequest_OmitsIt checks that a refused picture is left out of one request.
// Later requests have pictures again.
func TestRefusedPicture_NextRequest_OmitsIt(t *testing.T) {
	server, base := modeltest.NewServer(t, modeltest.AnswerOKScript)
	p := open(t, Options{BaseURL: base, APIKey: "k"})
	bad := modeltest.PictureRequest(t)
	bad.Picture = func(protocol.Image) ([]byte, error) { return []byte("no picture"), nil }
	for _, req := range []modelcall.Request{bad, modeltest.PictureRequest(t)} {
		if _, _, err := ask(p, req); err != nil {
			t.Fatal(err)
		}
	}
	requests := server.Requests()
	if len(requests) != 2 || len(requests[0].NewestPictures()) != 0 || len(requests[1].NewestPictures()) != 3 {
		t.Errorf("%d requests, with %d and %d pictures", len(requests), len(requests[0].NewestPictures()),
			len(requests[1].NewestPictures()))
	}
}
