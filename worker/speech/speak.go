package speech

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/opus"
	"mews/worker/program"
)

// speakTimeout bounds the making of a recording. Most of the time is for the engine.
const speakTimeout = 120 * time.Second

// ProgramRunner runs programs behind the walls of the tools.
type ProgramRunner interface {
	Run(ctx context.Context, p program.Program) error
}

// RecordingStore stores a recording.
type RecordingStore interface {
	StoreBlob(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)
}

// Speaker turns texts into recordings.
type Speaker struct {
	Programs ProgramRunner
	Blobs    RecordingStore
	Temp     string // folder for temporary files; "" means /tmp
}

// spokenFiles holds the files of one text that is spoken.
type spokenFiles struct {
	protocol.SpeakParameters
	text, wav, ogg string
}

// voiceEngines has a function for each engine that makes the call of its program. The text is in a
// file, never on a command line. Each program writes a WAV file.
var voiceEngines = map[string]func(s spokenFiles) program.Program{
	// By espeak-ng --help, -b 1 means UTF-8.
	"espeak": func(s spokenFiles) program.Program {
		return program.Program{Name: cmp.Or(s.Engine.Program, "espeak-ng"),
			Args: []string{"-b", "1", "-v", cmp.Or(s.Voice, "en"), "-f", s.text, "-w", s.wav}}
	},
	// Both of Piper's programs know these options (rhasspy/piper, src/cpp/main.cpp;
	// OHF-Voice/piper1-gpl, __main__.py).
	"piper": func(s spokenFiles) program.Program {
		return program.Program{Name: cmp.Or(s.Engine.Program, "piper"), Args: []string{"--model", s.Voice, "--output_file", s.wav}}
	},
	"command": func(s spokenFiles) program.Program {
		fill := strings.NewReplacer("{text}", s.text, "{voice}", s.Voice, "{wav}", s.wav)
		args := slices.Clone(s.Engine.Command)
		for i := range args {
			args[i] = fill.Replace(args[i])
		}
		return program.Program{Name: args[0], Args: args[1:]}
	},
}

// Speak makes a recording of a text. Failures of the programs are in the result; an error is any
// other failure.
func (s Speaker) Speak(ctx context.Context, p protocol.SpeakParameters) (result protocol.SpeakResult, err error) {
	engine, known := voiceEngines[p.Engine.Engine]
	if !known || p.Engine.Engine == "command" && len(p.Engine.Command) == 0 {
		return failed(protocol.SpeechFailureNoProgram, "there is no engine "+p.Engine.Engine), nil
	}
	dir, err := os.MkdirTemp(s.Temp, "mews-speech-")
	if err != nil {
		return result, fmt.Errorf("make a folder for a recording: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := func(name string) string { return filepath.Join(dir, name) }
	files := spokenFiles{p, path("text"), path("voice.wav"), path("voice.ogg")}
	if err := os.WriteFile(files.text, []byte(p.Text+"\n"), 0o600); err != nil {
		return result, fmt.Errorf("write the text that is to be said: %w", err)
	}
	if p.Engine.Engine == "piper" && filepath.IsAbs(p.Voice) {
		if _, err := os.Stat(p.Voice); err != nil {
			return failed(protocol.SpeechFailureNoModel, err.Error()), nil
		}
	}
	within, cancel := context.WithTimeout(ctx, speakTimeout)
	defer cancel()
	if err := s.record(within, engine(files), files.text); err != nil {
		return failure(ctx, err, protocol.SpeechFailureNoProgram, protocol.SpeechFailureProgramFailed)
	}
	if err := s.Programs.Run(within, toOpus(files.wav, files.ogg)); err != nil {
		return failure(ctx, err, protocol.SpeechFailureNoFFmpeg, protocol.SpeechFailureNoSound)
	}
	return s.keep(ctx, files.ogg)
}

// record runs an engine. The text is also its standard input, which some engines read.
func (s Speaker) record(ctx context.Context, p program.Program, text string) error {
	in, err := os.Open(text)
	if err != nil {
		return err
	}
	defer in.Close()
	p.Stdin, p.Timeout = in, speakTimeout
	return s.Programs.Run(ctx, p)
}

// keep asks the supervisor to store the recording at a path.
func (s Speaker) keep(ctx context.Context, path string) (result protocol.SpeakResult, err error) {
	ogg, err := os.Open(path)
	if err != nil {
		return result, fmt.Errorf("open the recording: %w", err)
	}
	defer ogg.Close()
	if result.Seconds, err = opus.LengthInSeconds(ogg); err != nil {
		return failed(protocol.SpeechFailureNoSound, err.Error()), nil
	}
	if _, err := ogg.Seek(0, io.SeekStart); err != nil {
		return result, err
	}
	result.Blob, err = s.Blobs.StoreBlob(ctx, ogg, protocol.MaxVoiceBytes)
	return result, err
}

func failed(why protocol.SpeechFailure, detail string) protocol.SpeakResult {
	return protocol.SpeakResult{Failure: why, Detail: strings.ToValidUTF8(detail[:min(len(detail), 300)], "")}
}

// failure returns the failure of a program: missing if it is not installed, exit if it failed by
// itself. If ctx has ended, failure returns the cause as an error.
func failure(ctx context.Context, err error, missing, exit protocol.SpeechFailure) (protocol.SpeakResult, error) {
	if ctx.Err() != nil {
		return protocol.SpeakResult{}, context.Cause(ctx)
	}
	if kind := kindOf(err, missing, exit); kind != "" {
		return failed(kind, err.Error()), nil
	}
	return protocol.SpeakResult{}, err
}

// toOpus converts a recording to a voice message: Ogg Opus at 48 kHz, mono, 32 kbit/s. (Bot API,
// sendVoice.)
func toOpus(wav, ogg string) program.Program {
	return program.Program{Name: "ffmpeg", Timeout: speakTimeout, Args: []string{"-nostdin", "-v", "error", "-y", "-i", wav,
		"-map_metadata", "-1", "-ac", "1", "-ar", "48000", "-c:a", "libopus", "-b:a", "32k", "-application", "voip", "-f", "ogg", ogg}}
}
