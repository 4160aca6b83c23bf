package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// sketch returns a request's messages, one on each line. {RED} stands for the picture.
func sketch(t *testing.T, p *Provider, req modelcall.Request) string {
	t.Helper()
	r, err := p.newRequest(req)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range r.Messages {
		raw, err := json.Marshal(m.Content)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m.Role+" "+strings.ReplaceAll(string(raw), "data:image/png;base64,"+modeltest.RedPNG, "{RED}"))
	}
	return strings.Join(out, "\n")
}

const seenPictures = `system "Be brief."
user [{"type":"image_url","image_url":{"url":"{RED}"}},{"type":"text","text":"Is it this?"}]
assistant null
tool "a: a PNG image"
tool "a: a PNG image"
user [{"type":"text","text":"[A picture from the result of view_image, call c1:]"},{"type":"image_url","image_url":{"url":"{RED}"}},` +
	`{"type":"text","text":"[A picture from the result of view_image, call c2:]"},{"type":"image_url","image_url":{"url":"{RED}"}}]`

const notSeen = `[A picture was here (png, 8 x 6 pixels), and you do not see it: this model can't see pictures.]`

const unseenPictures = `system "Be brief."
user "` + notSeen + `\nIs it this?"
assistant null
tool "a: a PNG image\n` + notSeen + `"
tool "a: a PNG image\n` + notSeen + `"`

func TestPictures_AreSentAfterTheirToolResults(t *testing.T) {
	p := open(t, Options{BaseURL: "http://127.0.0.1/v1"})
	req := modeltest.PictureRequest(t)
	if diff := cmp.Diff(seenPictures, sketch(t, p, req)); diff != "" {
		t.Error(diff)
	}
	// Later messages come after the pictures. They do not change earlier messages.
	req.Messages = append(req.Messages, protocol.Message{Role: protocol.RoleAssistant,
		Parts: []protocol.ContentPart{{Text: "Yes."}}})
	if diff := cmp.Diff(seenPictures+"\nassistant \"Yes.\"", sketch(t, p, req)); diff != "" {
		t.Error(diff)
	}
}

func TestUnreadablePicture_IsReplacedByText(t *testing.T) {
	req := modeltest.PictureRequest(t)
	req.Messages[2].Parts[0].Result.Images[0].SHA256 = "gone"
	got := sketch(t, open(t, Options{BaseURL: "http://127.0.0.1/v1"}), req)
	if !strings.Contains(got, "call c1:] [A picture was here (png, 8 x 6 pixels), and you do not see it: it can't be read any more.]") ||
		strings.Count(got, "{RED}") != 2 {
		t.Error(got)
	}
	req.Picture = nil
	if got := sketch(t, open(t, Options{BaseURL: "http://127.0.0.1/v1"}), req); strings.Contains(got, "image_url") {
		t.Error(got)
	}
}

// TestModelWithoutVision_IsAskedWithoutPictures checks that the request is repeated at once without
// pictures. Later requests have no pictures either.
func TestModelWithoutVision_IsAskedWithoutPictures(t *testing.T) {
	for _, dialect := range modeltest.Dialects {
		t.Run(string(dialect), func(t *testing.T) {
			server, base := modeltest.NewServer(t, modeltest.AnswerOKScript)
			server.Dialect, server.NoPictures = dialect, true
			p := open(t, Options{BaseURL: base})
			for range 2 {
				if answer, _, err := ask(p, modeltest.PictureRequest(t)); err != nil || answer.Message.Text() != "ok" {
					t.Fatalf("got %+v, %v", answer, err)
				}
			}
			if got := len(server.Requests()); got != 2 {
				t.Errorf("%d requests passed", got)
			}
			if diff := cmp.Diff(unseenPictures, sketch(t, p, modeltest.PictureRequest(t))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRefusedPicture_NextRequest_OmitsIt checks that a refused picture is left out of one request.
// Later requests have pictures again.
func TestRefusedPicture_NextRequest_OmitsIt(t *testing.T) {
	refusals := 0
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > 2000 && refusals == 0 {
			refusals++
			page(400, "application/json", `{"error":{"message":"You uploaded an unsupported image.","code":"invalid_image_format"}}`)(w, r)
			return
		}
		sendStream(`data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}`+"\n\n")(w, r)
	}
	p := open(t, Options{BaseURL: serve(t, handler)})
	req := modeltest.PictureRequest(t)
	req.System = strings.Repeat("Be brief. ", 200)
	if _, _, err := ask(p, req); err != nil || refusals != 1 {
		t.Fatalf("got %v after %d refusals", err, refusals)
	}
	if got := sketch(t, p, modeltest.PictureRequest(t)); got != seenPictures {
		t.Error(cmp.Diff(seenPictures, got))
	}
}

func TestRefusal_NotOfPictures_KeepsPictures(t *testing.T) {
	for _, refusal := range []string{
		`{"error":{"message":"Provisioned throughput exceeded in this revision","type":"invalid_request_error"}}`,
		`{"error":{"message":"This model's maximum context length is 10 tokens, and images count","code":"context_length_exceeded"}}`,
	} {
		asked := 0
		p := open(t, Options{BaseURL: serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked++
			page(400, "application/json", refusal)(w, r)
		})})
		if _, _, err := ask(p, modeltest.PictureRequest(t)); err == nil || asked != 1 {
			t.Errorf("%s: asked %d times, %v", refusal, asked, err)
		}
	}
}

// TestVisionModelWithoutTools_SeesPictures covers models such as Ollama's llava. If tools move into
// the text, pictures must stay.
func TestVisionModelWithoutTools_SeesPictures(t *testing.T) {
	req := modeltest.PictureRequest(t)
	r, err := open(t, Options{BaseURL: "http://127.0.0.1/v1"}).newRequest(req)
	if err != nil || !toolsAsText(r) {
		t.Fatal(err)
	}
	last := r.Messages[len(r.Messages)-1]
	kinds := ""
	for _, p := range last.parts() {
		kinds += fmt.Sprint(p.Type, " ")
	}
	if last.Role != "user" || strings.Count(kinds, "image_url") != 2 || !strings.Contains(last.text(), "tool_result") {
		t.Errorf("%s: %s: %s", last.Role, kinds, last.text())
	}
	if !withoutPictures("it is dark")(r) || r.Messages[len(r.Messages)-1].pictured() {
		t.Error("pictures are left")
	}
	if text := r.Messages[len(r.Messages)-1].text(); strings.Count(text, "it is dark") != 2 {
		t.Errorf("got %s", text)
	}
}

func TestCacheMarks_LeavePicturesAlone(t *testing.T) {
	req := modeltest.PictureRequest(t)
	req.Model, req.Cache = "anthropic/claude", 1
	r, err := open(t, Options{BaseURL: "http://127.0.0.1/v1"}).newRequest(req)
	if err != nil {
		t.Fatal(err)
	}
	cacheByMarks(r, req)
	pictures := func() (n int) {
		for _, m := range r.Messages {
			for _, p := range m.parts() {
				if p.ImageURL != nil {
					n++
				}
			}
		}
		return n
	}
	if pictures() != 3 || !removeMarks(r) || pictures() != 3 || removeMarks(r) {
		t.Errorf("%d pictures are left", pictures())
	}
}
