package speech

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"mews/protocol"
	"mews/worker/program"
)

// pieceTimeout returns how long a recogniser may take for a piece of this length.
func pieceTimeout(length time.Duration) time.Duration { return time.Minute + 3*length }

// whisperEnv keeps whisper-cli from starting a debugger when it aborts (ggml.c,
// ggml_print_backtrace).
const whisperEnv = "GGML_NO_BACKTRACE=1"

// autoLanguage lets whisper detect the language.
const autoLanguage = "auto"

// newWhisper makes the recogniser of whisper.cpp's whisper-cli. Its exit status tells little: it is
// 0 even with a model without tensors, an unknown argument, an unknown language, or no result.
func newWhisper(programs ProgramRunner, e protocol.SpeechEngine) recogniser {
	return func(ctx context.Context, p piece) ([]string, string, error) {
		out := strings.TrimSuffix(p.wav, ".wav")
		heard := &stderrParser{onLine: p.progress}
		err := programs.Run(ctx, program.Program{
			Name: cmp.Or(e.Program, "whisper-cli"), Env: []string{whisperEnv}, Nice: nice, Timeout: pieceTimeout(p.length), Stderr: heard,
			Args: []string{"-m", e.Model, "-l", cmp.Or(e.Language, autoLanguage), "-t", strconv.Itoa(e.Threads), "-f", p.wav,
				"-oj", "-of", out, "-pp"},
		})
		if err != nil {
			return nil, "", heard.failureOf(ctx, err, protocol.SpeechFailureNoProgram)
		}
		heard.close()
		if heard.phrase > 0 {
			return nil, "", &speechError{phrases[heard.phrase-1].kind, heard.said}
		}
		lines, language, err := readTranscript(out + ".json")
		if err != nil {
			return nil, "", &speechError{protocol.SpeechFailureProgramFailed, cmp.Or(heard.last, err.Error())}
		}
		return lines, language, nil
	}
}

// progress reads a progress line of whisper-cli's -pp. For a short piece the percentage exceeds
// 100.
func (p piece) progress(line string) {
	_, rest, found := strings.Cut(line, "progress =")
	if percent, err := strconv.Atoi(strings.Trim(rest, " %")); found && err == nil && percent >= 0 {
		p.heard(min(percent, 100))
	}
}

// maxJSON bounds the result file of a piece, in bytes.
const maxJSON = 4 << 20

// readTranscript reads the result file of whisper-cli, and removes it.
func readTranscript(name string) (lines []string, language string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxJSON))
	if err := errors.Join(err, os.Remove(name)); err != nil {
		return nil, "", err
	}
	return parseTranscript(text)
}

// transcript is the used part of whisper-cli's JSON.
type transcript struct {
	Result struct {
		Language string `json:"language"`
	} `json:"result"`
	Transcription []struct {
		Text string `json:"text"`
	} `json:"transcription"`
}

func parseTranscript(text []byte) (lines []string, language string, err error) {
	var t transcript
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, "", err
	}
	for _, segment := range t.Transcription {
		lines = append(lines, segment.Text)
	}
	return lines, cutText(t.Result.Language, maxLanguage), nil
}

// maxLanguage bounds the name of a language, in bytes.
const maxLanguage = 20
