package protocol

import (
	"errors"
	"fmt"
)

const (
	// OperationKindTranscribe transcribes a recording of the home. It takes TranscribeParameters
	// and returns TranscribeResult. It works in pieces, and commits each when it is done.
	OperationKindTranscribe OperationKind = "transcribe"
	// OperationKindSpeak makes a recording of a text. It takes SpeakParameters and returns
	// SpeakResult.
	OperationKindSpeak OperationKind = "speak"
)

// SpeechEngine configures how recordings are transcribed.
type SpeechEngine struct {
	Engine   string `json:"engine"`             // kind of engine: whisper or command
	Program  string `json:"program,omitempty"`  // path of the engine's program, for whisper
	Model    string `json:"model,omitempty"`    // path of the model's file behind the walls
	Language string `json:"language,omitempty"` // auto, or a language of ISO 639-1 such as en
	Threads  int    `json:"threads,omitempty"`  // threads of the program; 0 means half of the processors
	// command line for engine command, with {wav}, {language}, {threads} and {model}; the program
	// writes words to standard output
	Command []string `json:"command,omitempty"`
}

// TranscribeParameters name a recording: any file with sound.
type TranscribeParameters struct {
	Path string `json:"path"` // path relative to the home
	// longest accepted recording; a longer recording fails with SpeechFailureTooLong
	Seconds int          `json:"seconds"`
	Engine  SpeechEngine `json:"engine"`
	// ServerText is a server's transcript of the whole recording. The worker then does not
	// transcribe: it only removes invented words.
	ServerText *TranscribedPiece `json:"heard,omitempty"`
}

// TranscribedPiece is the transcript of a part of a recording, between two silences.
type TranscribedPiece struct {
	Text     string `json:"text"` // words of the piece; "" means none
	Language string `json:"language,omitempty"`
}

// Bounds of transcripts.
const (
	MaxPieceTextBytes  = 16 << 10  // bytes of the text of one piece, which lasts about 2 minutes
	MaxTranscriptBytes = 256 << 10 // bytes of a whole recording's text, well within MaxLine
	// LongSpeechTextCharacters is the length from which a text is also kept in a file. The file is
	// beside the recording.
	LongSpeechTextCharacters = 3000
)

// MethodOperationPiece commits a piece of a transcription, and asks to begin the next. It takes
// OperationPiece and has no result. If a shorter recording goes first, the supervisor cancels
// operation.start. It starts the operation again later with the committed pieces.
const MethodOperationPiece = "operation.piece"

// OperationPiece names the finished piece and the next piece. The first call after operation.start
// has no Done, and begins the piece after OperationStart.Pieces. Each later call has the Done of
// the piece that the call before began.
type OperationPiece struct {
	Operation int64 `json:"operation"`
	// number of the next piece, from 0; equal to Total if all pieces are done
	Piece int `json:"piece"`
	Total int `json:"of"` // number of pieces, at most MaxPieces; it never changes
	// length of Piece, 1 to MaxPieceSeconds; 0 if all pieces are done
	Seconds int               `json:"seconds,omitempty"`
	Done    *TranscribedPiece `json:"done,omitempty"` // transcript of the piece before Piece
}

// MethodOperationProgress reports the progress of a transcription. It is a notification with
// OperationProgress.
const MethodOperationProgress = "operation.progress"

// OperationProgress tells how many seconds of a recording are done.
type OperationProgress struct {
	Operation int64 `json:"operation"`
	Seconds   int   `json:"seconds"` // seconds done, from the beginning of the recording
}

// MaxPieceSeconds bounds the length of a piece.
const MaxPieceSeconds = 300

// MaxPieces returns the maximum of pieces for a recording of that length.
func MaxPieces(seconds int) int { return 1 + seconds/20 }

// Validate refuses a piece that no honest worker sends. seconds is the length of the recording, and
// next the expected piece. done tells whether the piece must carry Done.
func (p OperationPiece) Validate(next int, done bool, seconds int) error {
	switch {
	case p.Piece != next:
		return fmt.Errorf("piece %d, want %d", p.Piece, next)
	case p.Total < max(next, 1) || p.Total > MaxPieces(seconds):
		return fmt.Errorf("piece %d of %d, at most %d", p.Piece, p.Total, MaxPieces(seconds))
	case (p.Done != nil) != done:
		return fmt.Errorf("piece %d: the piece before it is done: %t, want %t", p.Piece, p.Done != nil, done)
	case (p.Piece == p.Total) != (p.Seconds == 0) || p.Seconds < 0 || p.Seconds > MaxPieceSeconds:
		return fmt.Errorf("piece %d of %d has %d seconds", p.Piece, p.Total, p.Seconds)
	case done && (len(p.Done.Text) > MaxPieceTextBytes || len(p.Done.Language) > maxLanguage):
		return fmt.Errorf("a text of %d bytes in a language of %d", len(p.Done.Text), len(p.Done.Language))
	}
	return nil
}

const maxLanguage = 20 // bytes of the name of a language

// TranscribeResult is the transcript of a recording. If there is none, Failure gives the reason.
type TranscribeResult struct {
	Text     string `json:"text"` // "" without Failure means that the recording has no words
	Language string `json:"language,omitempty"`
	Seconds  int    `json:"seconds"`
	// path of a file with the text beside the recording, if the text is long and there is room
	Path string `json:"path,omitempty"`
	// the recording's real path, if the path in the parameters only looks the same
	Recording string        `json:"recording,omitempty"`
	Failure   SpeechFailure `json:"failure,omitempty"`
	// detail of the Failure, such as the program's words; one line of at most MaxSpeechDetailBytes
	Detail string `json:"detail,omitempty"`
}

// SpeechFailure is the reason why a recording could not be transcribed, or a text not spoken.
type SpeechFailure string

const (
	SpeechFailureNoProgram SpeechFailure = "no_program" // the program does not exist behind the walls
	// the model's file is missing, is no model, or has no tensors
	SpeechFailureNoModel       SpeechFailure = "no_model"
	SpeechFailureProgramFailed SpeechFailure = "exit"   // the program failed
	SpeechFailureOutOfMemory   SpeechFailure = "memory" // the program took more memory than the worker may have
	SpeechFailureTimeout       SpeechFailure = "timeout"
	SpeechFailureNoSound       SpeechFailure = "broken"   // ffmpeg finds no sound in the file
	SpeechFailureTooLong       SpeechFailure = "too_long" // the recording is longer than Seconds in the parameters
	SpeechFailureNoFFmpeg      SpeechFailure = "no_ffmpeg"
	SpeechFailureNoFile        SpeechFailure = "no_file" // there is no file at the path
)

// MaxSpeechDetailBytes bounds the Detail of a failure, in bytes.
const MaxSpeechDetailBytes = 1 << 10

// Validate refuses a result that no honest worker sends.
func (r TranscribeResult) Validate() error {
	switch {
	case r.Seconds < 0 || len(r.Path) > MaxReceivedPathBytes ||
		len(r.Recording) > MaxReceivedPathBytes || len(r.Detail) > MaxSpeechDetailBytes ||
		len(r.Failure) > 20 || len(r.Language) > maxLanguage:
		return errors.New("a negative length, or a field that is too long")
	case len(r.Text) > MaxTranscriptBytes:
		return fmt.Errorf("text: %d bytes", len(r.Text))
	}
	return nil
}

// SpeakParameters hold a text and the voice for it.
type SpeakParameters struct {
	// text to speak on one line, without Markdown, at most MaxSpokenTextBytes bytes
	Text   string      `json:"text"`
	Voice  string      `json:"voice,omitempty"`
	Engine VoiceEngine `json:"engine"`
}

// Bounds of a spoken text and its recording, in bytes.
const (
	MaxSpokenTextBytes = 6000 // bytes of a spoken text; room for 1,500 characters
	MaxVoiceBytes      = 8 << 20
)

// VoiceEngine configures how texts are spoken.
type VoiceEngine struct {
	Engine  string `json:"engine"`            // kind of engine: espeak, piper or command
	Program string `json:"program,omitempty"` // program of espeak or piper; "" means the usual name
	// command line for engine command, with {text}, {voice} and {wav}
	Command []string `json:"command,omitempty"`
}

// SpeakResult is a recording in Ogg Opus.
type SpeakResult struct {
	Blob    BlobRef       `json:"blob"`
	Seconds int           `json:"seconds"`
	Failure SpeechFailure `json:"failure,omitempty"` // reason for having no Blob; "" means success
	// detail of the Failure, such as the program's last words; one line
	Detail string `json:"detail,omitempty"`
}

// Validate refuses a result that no honest worker sends.
func (r SpeakResult) Validate() error {
	switch {
	case r.Seconds < 0 || len(r.Detail) > 1<<10 || len(r.Failure) > 20:
		return errors.New("a negative length, or a field that is too long")
	case (r.Failure == "") != (r.Blob.Size > 0) || r.Blob.Size > MaxVoiceBytes:
		return fmt.Errorf("a recording of %d bytes with the failure %q", r.Blob.Size, r.Failure)
	}
	return nil
}
