package speech

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mews/protocol"
	"mews/worker/workspace"
)

// PieceStore stores the finished pieces of a recording. It also tells when the next piece may begin
// (host.Operation).
type PieceStore interface {
	CommitPiece(ctx context.Context, p protocol.OperationPiece) error
	ReportProgress(ctx context.Context, seconds int) error
}

// Transcriber transcribes recordings of one home.
type Transcriber struct {
	Programs ProgramRunner
	Files    *workspace.Workspace // files of the home, without rules: the recording was sent to be transcribed
	Home     string               // absolute path of the home
	// folder of this operation alone; it is made and removed with its contents
	Temp   string
	Pieces PieceStore
	Done   []protocol.TranscribedPiece // pieces of this recording that earlier attempts stored
}

// piece is the part of a recording that a recogniser gets at once.
type piece struct {
	wav    string
	length time.Duration
	heard  func(percent int) // called with the progress of the piece in percent
}

// recogniser transcribes one piece. A failure is a *speechError.
type recogniser func(ctx context.Context, p piece) (lines []string, language string, err error)

// engines are the recognisers by protocol.SpeechEngine.Engine.
var engines = map[string]func(ProgramRunner, protocol.SpeechEngine) recogniser{
	"whisper": newWhisper,
	"command": newCommand,
}

// Transcribe transcribes a recording piece by piece. If the transcription fails, the result has the
// failure. An error comes from ctx, from Pieces, or from this worker's own files.
func (t *Transcriber) Transcribe(ctx context.Context, p protocol.TranscribeParameters) (r protocol.TranscribeResult,
	err error) {
	makeRecogniser, known := engines[p.Engine.Engine]
	if !known && p.ServerText == nil {
		return r, fmt.Errorf("transcribe: there is no engine %.40q", p.Engine.Engine)
	}
	asked := p.Path
	if p.Path, _ = t.Files.SimilarPath(asked); p.Path != asked {
		defer func() { r.Recording = p.Path }()
	}
	if p.Engine.Threads <= 0 {
		p.Engine.Threads = max(1, runtime.NumCPU()/2)
	}
	if err := os.RemoveAll(t.Temp); err != nil { // removes files of a killed attempt
		return r, fmt.Errorf("transcribe: %w", err)
	}
	if err := os.Mkdir(t.Temp, 0o700); err != nil {
		return r, fmt.Errorf("transcribe: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(t.Temp)) }()

	if p.ServerText != nil {
		r, err = t.checkServerText(ctx, p)
	} else {
		r, err = t.transcribe(ctx, p, makeRecogniser(t.Programs, p.Engine))
	}
	if failed, ok := errors.AsType[*speechError](err); ok {
		r.Failure, r.Detail = failed.kind, oneLine(failed.detail)
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("transcribe: %w", err)
	}
	return r, nil
}

func (t *Transcriber) transcribe(ctx context.Context, p protocol.TranscribeParameters, hear recogniser) (protocol.TranscribeResult, error) {
	var r protocol.TranscribeResult
	sound, silences, err := t.convert(ctx, p)
	if err != nil {
		return r, err
	}
	defer sound.Close()
	r.Seconds = sound.seconds(sound.length)
	parts := cutPieces(sound.length, silences, sound.quietest)
	// an earlier attempt with another version of ffmpeg may have cut more pieces
	done, of := slices.Clone(t.Done), max(len(parts), len(t.Done))
	var last *protocol.TranscribedPiece
	for i := len(done); ; i++ {
		next := protocol.OperationPiece{Piece: i, Total: of, Done: last}
		if i < of {
			next.Seconds = seconds(parts[i].end - parts[i].begin)
		}
		if err := t.Pieces.CommitPiece(ctx, next); err != nil {
			return r, err
		}
		if i == of {
			break
		}
		piece, err := t.hear(ctx, sound, parts[i], silences, hear)
		if err != nil {
			return r, err
		}
		done, last = append(done, piece), &piece
	}
	r.Text, r.Language = joinPieces(done)
	r.Path = t.keepLong(p.Path, r.Text)
	return r, nil
}

// checkServerText returns the transcript of a server without lines that are surely invented:
// servers invent words for silence, and repeat lines. If the recording cannot be read here, the
// transcript stays.
func (t *Transcriber) checkServerText(ctx context.Context, p protocol.TranscribeParameters) (protocol.TranscribeResult, error) {
	r := protocol.TranscribeResult{Seconds: p.Seconds, Language: p.ServerText.Language,
		Text: cutText(strings.Join(spokenLines(aSentence.FindAllString(p.ServerText.Text, -1)), ""),
			protocol.MaxTranscriptBytes)}
	sound, silences, err := t.convert(ctx, p)
	if _, unread := errors.AsType[*speechError](err); err != nil && !unread {
		return r, err
	}
	if err == nil {
		defer sound.Close()
		r.Seconds = sound.seconds(sound.length)
		if isSilent(span{0, sound.length}, silences) {
			r.Text = ""
		}
	}
	if r.Text == "" {
		r.Language = ""
	}
	r.Path = t.keepLong(p.Path, r.Text)
	return r, nil
}

// hear transcribes one piece. It does not call the recogniser for silence, because recognisers
// invent words there.
func (t *Transcriber) hear(ctx context.Context, sound *sampleFile, part span, silences []span,
	hear recogniser) (protocol.TranscribedPiece, error) {
	if isSilent(part, silences) {
		return protocol.TranscribedPiece{}, nil
	}
	wav := filepath.Join(t.Temp, "piece.wav")
	if err := sound.writeWAV(wav, part); err != nil {
		return protocol.TranscribedPiece{}, err
	}
	come := func(percent int) {
		// if this report fails, the next piece's call fails too
		_ = t.Pieces.ReportProgress(ctx, sound.seconds(part.begin+(part.end-part.begin)*int64(percent)/100))
	}
	come(0) // report the piece's beginning, because some recognisers report no progress
	lines, language, err := hear(ctx, piece{wav, duration(part.end - part.begin), come})
	if err != nil {
		return protocol.TranscribedPiece{}, err
	}
	text := cutText(strings.Join(spokenLines(lines), ""), protocol.MaxPieceTextBytes)
	if text == "" {
		language = ""
	}
	return protocol.TranscribedPiece{Text: text, Language: language}, nil
}

// maxNames bounds the file names tried for a text beside a recording.
const maxNames = 9

// keepLong stores a long text in a file, and returns its path.
func (t *Transcriber) keepLong(recording, text string) string {
	if utf8.RuneCountInString(text) <= protocol.LongSpeechTextCharacters {
		return ""
	}
	return t.keep(recording, text)
}

// keep writes the text beside the recording, and returns its path; "" if there is no room. It
// replaces no file.
func (t *Transcriber) keep(recording, text string) string {
	for n := 1; n <= maxNames; n++ {
		name := recording + ".txt"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.txt", recording, n)
		}
		_, err := t.Files.WriteFile(name, []byte(text+"\n"), workspace.ModeCreate)
		if err == nil {
			return name
		}
		if !errors.Is(err, os.ErrExist) {
			return ""
		}
	}
	return ""
}
