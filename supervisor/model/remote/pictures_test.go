package remote

import "testing"

// TestModelRefusesPictures_KnowsEachServer has texts of real servers, copied from bug reports.
func TestModelRefusesPictures_KnowsEachServer(t *testing.T) {
	for _, c := range []struct {
		status        int
		text          string
		blind, unseen bool
	}{
		{400, "this model does not support image input (ref: 1)", true, false},
		{500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", true, false},
		{500, `Failed to parse messages: Unsupported content part type: "image_url"`, true, false},
		{404, "No endpoints found that support image input", true, false},
		{400, "Model does not support images. Please use a model that does.", true, false},
		{400, "Invalid content type. image_url is only supported by certain models.", true, false},
		{400, "messages[13]: unknown variant image_url, expected text at line 1 column 62", true, false},
		{400, "messages[1]: unknown variant `image_url`, expected `text`", true, false},
		{400, "m is not a multimodal model", true, false},
		{400, "At most 0 image(s) may be provided in one prompt.", true, false},
		{400, "'messages.0' : for 'role:user' the following must be satisfied: content must be a string", true, false},
		{400, "json: cannot unmarshal array into Go struct field Message.messages.content of type string", true, false},
		{422, "Input should be 'text'", true, false},
		{400, "Could not process image", false, true},
		{400, "messages.8.content.0.image.source.base64: image exceeds 5 MB maximum: 17699328 bytes > 5242880 bytes", false, true},
		{400, "You uploaded an unsupported image.", false, true},
		{400, "Provisioned throughput exceeded", false, false},
		{429, "Rate limit of images", false, false},
		{401, "image input needs a key", false, false},
	} {
		if got := ModelRefusesPictures(c.status, c.text); got != c.blind {
			t.Errorf("%d %s: blind %v", c.status, c.text, got)
		}
		if got := RefusesOnePicture(c.status, c.text); got != c.unseen {
			t.Errorf("%d %s: unseen %v", c.status, c.text, got)
		}
	}
}
