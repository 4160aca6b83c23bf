package remote

import "net/http"

// noPicturePhrases are the words of endpoints for a model that takes no pictures.
var noPicturePhrases = []string{
	"image input",                         // Ollama, llama.cpp, OpenRouter, Mistral
	"does not support image",              // LM Studio
	"image_url is only supported",         // OpenAI, Azure
	"variant `image_url`",                 // DeepSeek, and others whose server is written in Rust
	"variant image_url",                   // the same, quoted by a proxy
	"unsupported content part",            // llama.cpp before it could see
	"multimodal model", "at most 0 image", // vLLM
	"mmproj", "support vision", "vision is not", "images are not supported", "image is not supported",
	// text alone
	"content must be a string", "content of type string", "input should be 'text'", "should be a valid string",
}

// RefusesPictures says whether a refusal of a request with pictures means that the model takes
// none.
func RefusesPictures(status int, text string) bool {
	return refusesContent(status) && ContainsAny(text, noPicturePhrases...)
}

// RefusesPicture says whether it means one of the pictures, such as a damaged or a too large one.
// Another model of the same API may refuse that as well.
func RefusesPicture(status int, text string) bool {
	return refusesContent(status) && ContainsAny(text, "image", "picture") && !RefusesPictures(status, text)
}

// refusesContent says whether a server that is not made for pictures may answer with a status. 0 is
// an error in a stream.
func refusesContent(status int) bool {
	switch status {
	case 0, http.StatusBadRequest, http.StatusNotFound, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
		http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusNotImplemented:
		return true
	}
	return false
}

// Why a model does not see a picture, for the line in its place.
const (
	ReasonNoPictures = "this model can't see pictures"
	ReasonUnusable   = "the model's endpoint could not use it"
)
