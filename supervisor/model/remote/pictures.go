package remote

import "net/http"

// noPicturePhrases are parts of the texts with which endpoints refuse pictures for a model without
// vision. A remark names the server.
var noPicturePhrases = []string{
	"image input",                         // the texts of Ollama, llama.cpp, OpenRouter and Mistral
	"does not support image",              // the text of LM Studio
	"image_url is only supported",         // the texts of OpenAI and Azure
	"variant `image_url`",                 // the text of DeepSeek, and of other servers written in Rust
	"variant image_url",                   // DeepSeek's text as a proxy quotes it
	"unsupported content part",            // the text of llama.cpp releases without picture support
	"multimodal model", "at most 0 image", // the texts of vLLM
	"mmproj", "support vision", "vision is not", "images are not supported", "image is not supported",
	// texts of servers that accept only text
	"content must be a string", "content of type string", "input should be 'text'", "should be a valid string",
}

// ModelRefusesPictures reports whether a refusal means that the model can't see pictures.
func ModelRefusesPictures(status int, text string) bool {
	return refusesContent(status) && ContainsAny(text, noPicturePhrases...)
}

// RefusesOnePicture reports whether a refusal is about a picture itself. An example is a damaged
// picture. Other models of the API may refuse the same picture.
func RefusesOnePicture(status int, text string) bool {
	return refusesContent(status) && ContainsAny(text, "image", "picture") && !ModelRefusesPictures(status, text)
}

// refusesContent reports whether an HTTP status can mean refused content. Status 0 means an error
// within a stream.
func refusesContent(status int) bool {
	switch status {
	case 0, http.StatusBadRequest, http.StatusNotFound, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
		http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusNotImplemented:
		return true
	}
	return false
}

// Reasons why a model does not see a picture. A line with the reason replaces the picture.
const (
	ReasonNoPictures      = "this model can't see pictures"
	ReasonUnusablePicture = "the model's endpoint could not use it"
)
