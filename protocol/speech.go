package protocol

import (
	"errors"
	"fmt"
)

const (
	// OperationTranscribe writes down what is said in a recording of the home: TranscribeParameters
	// to TranscribeResult. It works by pieces, each of which is kept when it is done.
	OperationTranscribe OperationKind = "transcribe"
	// OperationSpeak says a text aloud: SpeakParameters to SpeakResult.
	OperationSpeak OperationKind = "speak"
)

// SpeechEngine is how recordings are transcribed.
type SpeechEngine struct {
	Engine   string `json:"engine"`             // whisper or command
	Program  string `json:"program,omitempty"`  // of whisper
	Model    string `json:"model,omitempty"`    // the path of its file behind the walls
	Language string `json:"language,omitempty"` // auto, or ISO 639-1 such as en
	Threads  int    `json:"threads,omitempty"`  // 0: half of the processors
	// of command: program and arguments with {wav}, {language}, {threads} and {model}; words on its
	// standard output
	Command []string `json:"command,omitempty"`
}

// TranscribeParameters name a recording: a file with sound, of which only that is read.
type TranscribeParameters struct {
	Path    string       `json:"path"`    // relative to the home
	Seconds int          `json:"seconds"` // what is longer is SpeechTooLong
	Engine  SpeechEngine `json:"engine"`
	// Heard is what a server has written down of all of it. The worker does not listen then: it
	// leaves out what nobody says.
	Heard *TranscribedPiece `json:"heard,omitempty"`
}

// TranscribedPiece is a part of a recording, between two silences.
type TranscribedPiece struct {
	Text     string `json:"text"` // "" where nothing is said
	Language string `json:"language,omitempty"`
}

// Bounds of what is written down.
const (
	MaxPieceText  = 16 << 10  // bytes of one piece: about 2 minutes
	MaxTranscript = 256 << 10 // bytes of a whole recording: well within MaxLine
	// LongTranscript is from how many characters on a text also lies in a file beside the
	// recording.
	LongTranscript = 3000
)

// MethodOperationPiece commits a piece of a transcription, and asks for leave to begin the next:
// OperationPiece, no result. Where a shorter recording goes first, operation.start is cancelled,
// and started again later with the pieces that are committed.
const MethodOperationPiece = "operation.piece"

// OperationPiece says which piece was done, and which is to be begun. The first of a start has no
// Done, and begins the piece behind OperationStart.Pieces. Each one after it has the Done of the
// piece that the one before has begun.
type OperationPiece struct {
	Operation int64 `json:"operation"`
	// to be begun, counted from 0; Of where all are done
	Piece int `json:"piece"`
	Of    int `json:"of"` // at most MaxPieces; it stays
	// of Piece, 1 to MaxPieceSeconds; 0 where all are done
	Seconds int               `json:"seconds,omitempty"`
	Done    *TranscribedPiece `json:"done,omitempty"` // the piece before Piece
}

// MethodOperationProgress says how far a transcription has come: OperationProgress, a notification.
const MethodOperationProgress = "operation.progress"

// OperationProgress is how much of a recording has been gone through.
type OperationProgress struct {
	Operation int64 `json:"operation"`
	Seconds   int   `json:"seconds"` // from its beginning
}

// MaxPieceSeconds bounds the length of a piece.
const MaxPieceSeconds = 300

// MaxPieces is how many pieces a recording of so many seconds may be cut into.
func MaxPieces(seconds int) int { return 1 + seconds/20 }

// Check refuses a piece that no honest worker sends, of a recording of so many seconds. next is the
// piece that is to be begun, and done says whether the one before it was begun in this start.
func (p OperationPiece) Check(next int, done bool, seconds int) error {
	switch {
	case p.Piece != next:
		return fmt.Errorf("piece %d, want %d", p.Piece, next)
	case p.Of < max(next, 1) || p.Of > MaxPieces(seconds):
		return fmt.Errorf("piece %d of %d, at most %d", p.Piece, p.Of, MaxPieces(seconds))
	case (p.Done != nil) != done:
		return fmt.Errorf("piece %d: the piece before it is done: %t, want %t", p.Piece, p.Done != nil, done)
	case (p.Piece == p.Of) != (p.Seconds == 0) || p.Seconds < 0 || p.Seconds > MaxPieceSeconds:
		return fmt.Errorf("piece %d of %d has %d seconds", p.Piece, p.Of, p.Seconds)
	case done && (len(p.Done.Text) > MaxPieceText || len(p.Done.Language) > maxLanguage):
		return fmt.Errorf("a text of %d bytes in a language of %d", len(p.Done.Text), len(p.Done.Language))
	}
	return nil
}

const maxLanguage = 20 // bytes of the name of a language

// TranscribeResult is what is said in a recording. Failure, where it is not "", is why that is not
// known.
type TranscribeResult struct {
	Text     string `json:"text"` // "" and no Failure: nothing is said in it
	Language string `json:"language,omitempty"`
	Seconds  int    `json:"seconds"`
	// of a file with the text beside the recording, where it is long and there is room
	Path    string        `json:"path,omitempty"`
	Failure SpeechFailure `json:"failure,omitempty"`
	// of the Failure, such as what the program said; one line of at most MaxSpeechDetail
	Detail string `json:"detail,omitempty"`
}

// SpeechFailure is why a recording could not be transcribed, or a text not be said.
type SpeechFailure string

const (
	SpeechNoProgram SpeechFailure = "no_program" // it is not there behind the walls
	SpeechNoModel   SpeechFailure = "no_model"   // its file is missing, is none, or has no tensors
	SpeechExit      SpeechFailure = "exit"       // the program failed
	SpeechMemory    SpeechFailure = "memory"     // it took more than the worker may have
	SpeechTimeout   SpeechFailure = "timeout"
	SpeechBroken    SpeechFailure = "broken"   // ffmpeg finds no sound in the file
	SpeechTooLong   SpeechFailure = "too_long" // longer than the Seconds of the parameters
	SpeechNoFFmpeg  SpeechFailure = "no_ffmpeg"
)

// MaxSpeechDetail is how long the Detail of a failure may be, in bytes.
const MaxSpeechDetail = 1 << 10

// Check refuses a result that no honest worker sends.
func (r TranscribeResult) Check() error {
	switch {
	case r.Seconds < 0 || len(r.Path) > MaxReceivedPath || len(r.Detail) > MaxSpeechDetail || len(r.Failure) > 20 || len(r.Language) > maxLanguage:
		return errors.New("a negative length, or a field that is too long")
	case len(r.Text) > MaxTranscript:
		return fmt.Errorf("text: %d bytes", len(r.Text))
	}
	return nil
}

// SpeakParameters are a text and the voice that says it.
type SpeakParameters struct {
	// words alone, on one line: no Markdown. At most MaxSpokenText bytes
	Text   string      `json:"text"`
	Voice  string      `json:"voice,omitempty"`
	Engine VoiceEngine `json:"engine"`
}

// Bounds of what is said at once, and of its recording, in bytes.
const (
	MaxSpokenText = 6000 // 1,500 characters
	MaxVoice      = 8 << 20
)

// VoiceEngine is how texts are said aloud.
type VoiceEngine struct {
	Engine  string `json:"engine"`            // espeak, piper or command
	Program string `json:"program,omitempty"` // of espeak and piper; "" is their own name
	// of command: program and arguments with {text}, {voice} and {wav}
	Command []string `json:"command,omitempty"`
}

// SpeakResult is a recording in Ogg Opus.
type SpeakResult struct {
	Blob    BlobRef       `json:"blob"`
	Seconds int           `json:"seconds"`
	Failure SpeechFailure `json:"failure,omitempty"` // there is no Blob then
	// of the Failure, such as what the program said last; one line
	Detail string `json:"detail,omitempty"`
}

// Check refuses a result that no honest worker sends.
func (r SpeakResult) Check() error {
	switch {
	case r.Seconds < 0 || len(r.Detail) > 1<<10 || len(r.Failure) > 20:
		return errors.New("a negative length, or a field that is too long")
	case (r.Failure == "") != (r.Blob.Size > 0) || r.Blob.Size > MaxVoice:
		return fmt.Errorf("a recording of %d bytes with the failure %q", r.Blob.Size, r.Failure)
	}
	return nil
}
