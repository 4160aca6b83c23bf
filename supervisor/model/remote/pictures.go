package remote

import "net/http"

// noPicturePhrases are the words with which endpoints refuse pictures for a model without vision.
var noPicturePhrases = []string{
	"image input",                         // Ollama, llama.cpp, OpenRouter, Mistral
	"does not support image",              // LM Studio
	"image_url is only supported",         // OpenAI, Azure
	"variant `image_url`",                 // DeepSeek, and others whose server is written in Rust
	"variant image_url",                   // DeepSeek's words, quoted by a proxy
	"unsupported content part",            // llama.cpp before llama.cpp supported pictures
	"multimodal model", "at most 0 image", // vLLM
	"mmproj", "support vision", "vision is not", "images are not supported", "image is not supported",
	// phrases of servers that take only text
	"content must be a string", "content of type string", "input should be 'text'", "should be a valid string",
}

// RefusesPictures reports whether a refusal means that the model takes no pictures.
func RefusesPictures(status int, text string) bool {
	return refusesContent(status) && ContainsAny(text, noPicturePhrases...)
}

// RefusesPicture reports whether a refusal is about one picture, such as a damaged one. Another
// model of the same API may also refuse that picture.
func RefusesPicture(status int, text string) bool {
	return refusesContent(status) && ContainsAny(text, "image", "picture") && !RefusesPictures(status, text)
}

// refusesContent reports whether servers refuse pictures with this status. 0 is an error in a
// stream.
func refusesContent(status int) bool {
	switch status {
	case 0, http.StatusBadRequest, http.StatusNotFound, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
		http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusNotImplemented:
		return true
	}
	return false
}

// Reasons why a model does not see a picture, for the line that replaces it.
const (
	ReasonNoPictures = "this model can't see pictures"
	ReasonUnusable   = "the model's endpoint could not use it"
)
