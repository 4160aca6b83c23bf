package modeltest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"path"
	"slices"
	"strings"
)

// Known parameters. (OpenAI's API reference, Create transcription, and the guide Speech to text.)
var (
	hearKeys    = []string{"model", "language", "prompt", "response_format", "temperature", "stream", "chunking_strategy", "include[]", "timestamp_granularities[]"}
	hearFormats = []string{".flac", ".m4a", ".mp3", ".mp4", ".mpeg", ".mpga", ".oga", ".ogg", ".wav", ".webm"}
)

const (
	maxRecording = 25 << 20
	opusRate     = 48_000 // samples per second in Ogg Opus (RFC 7845)
	oggMark      = "OggS"
)

// transcribe responds to POST /v1/audio/transcriptions with the script's text. The script gets the
// recording as Raw, and an empty Conversation.
func (s *Server) transcribe(w http.ResponseWriter, r *http.Request, id string) {
	e, verbose, refused := s.readRecording(r)
	if refused != nil {
		s.refuseChat(w, refused, id)
		return
	}
	e.ID = id
	s.record.keep(e.Request)
	answer := s.script(e.Request)
	if answer.Hang {
		<-r.Context().Done()
		return
	}
	if refused := answer.refusal(e); refused != nil {
		s.refuseChat(w, refused, id)
		return
	}
	body := map[string]any{"text": answer.Text}
	seconds := recordingSeconds(e.Raw)
	if verbose {
		body["task"], body["language"], body["duration"], body["segments"] = "transcribe", "english", seconds, []any{}
		body["usage"] = map[string]any{"type": "duration", "seconds": math.Ceil(seconds)}
	} else {
		body["usage"] = map[string]any{"type": "tokens", "input_tokens": 14, "output_tokens": 45, "total_tokens": 59}
	}
	w.Header().Set("X-Request-Id", id)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // an error means that the client has left
}

func (s *Server) readRecording(r *http.Request) (e *exchange, verbose bool, refused *refusal) {
	if refused := s.checkKey(FormatOpenAI, r.Header); refused != nil {
		return nil, false, refused
	}
	r.Body = http.MaxBytesReader(nil, r.Body, maxRecording+1<<16)
	err := r.ParseMultipartForm(maxRecording)
	if tooLong := new(http.MaxBytesError); errors.As(err, &tooLong) {
		return nil, false, &refusal{status: http.StatusRequestEntityTooLarge, text: "Maximum content size limit (26214400) exceeded"}
	}
	file, header, missing := r.FormFile("file")
	if err != nil || missing != nil {
		return nil, false, bad("[{'type': 'missing', 'loc': ('body', 'file'), 'msg': 'Field required', 'input': None}]")
	}
	defer file.Close()
	raw, _ := io.ReadAll(file) // a file in memory; reading can't fail
	for key := range r.MultipartForm.Value {
		if !slices.Contains(hearKeys, key) {
			return nil, false, bad("Unknown parameter: '%s'.", key)
		}
	}
	model, format, language := r.FormValue("model"), r.FormValue("response_format"), r.FormValue("language")
	formats := []string{"", "json", "text", "srt", "verbose_json", "vtt"}
	if strings.Contains(model, "-transcribe") {
		formats = []string{"", "json"}
	}
	if !s.has(model) {
		return nil, false, &refusal{status: http.StatusNotFound, code: "model_not_found", text: "The model `" + model + "` does not exist or you do not have access to it."}
	}
	e = &exchange{Request: Request{Format: FormatOpenAI, Header: r.Header.Clone(), Raw: raw, Model: model}, server: s}
	return e, format == "verbose_json", firstRefusal(
		badIf(model == "", "you must provide a model parameter"),
		badIf(!slices.Contains(formats, format), "response_format '%s' is not compatible with model '%s'. Use 'json' or 'text' instead.", format, model),
		badIf(language != "" && len(language) != 2, "Invalid language '%s'. Language parameter must be specified in ISO-639-1 format.", language),
		badIf(!slices.Contains(hearFormats, path.Ext(header.Filename)), "Invalid file format. Supported formats: %v", hearFormats),
		badIf(len(raw) == 0, "Audio file is too short. Minimum audio length is 0.1 seconds."))
}

// recordingSeconds returns the length of a recording in seconds. For Ogg Opus it is the last page's
// granule position minus the pre-skip of the head. (RFC 3533, 6; RFC 7845, 4.3 and 5.1)
func recordingSeconds(raw []byte) float64 {
	last, head := bytes.LastIndex(raw, []byte(oggMark)), bytes.Index(raw, []byte("OpusHead"))
	if last < 0 || head < 0 || len(raw) < last+14 || len(raw) < head+12 {
		return 1
	}
	skipped := uint64(binary.LittleEndian.Uint16(raw[head+10:]))
	return float64(binary.LittleEndian.Uint64(raw[last+6:])-skipped) / opusRate
}
