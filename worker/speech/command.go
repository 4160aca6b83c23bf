package speech

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/worker/program"
)

// newCommand makes a recogniser of any program that writes words to its standard output. The
// template is the program's command line, which no shell interprets.
func newCommand(programs ProgramRunner, e protocol.SpeechEngine) recogniser {
	return func(ctx context.Context, p piece) ([]string, string, error) {
		if len(e.Command) == 0 {
			return nil, "", &speechError{protocol.SpeechFailureNoProgram, "no command is set"}
		}
		fill := strings.NewReplacer("{wav}", p.wav, "{language}", e.Language, "{threads}", strconv.Itoa(e.Threads), "{model}", e.Model)
		line := make([]string, len(e.Command))
		for i, part := range e.Command {
			line[i] = fill.Replace(part)
		}
		heard, words := &stderrParser{}, &prefixWriter{most: protocol.MaxPieceTextBytes}
		err := programs.Run(ctx, program.Program{
			Name: line[0], Args: line[1:], Nice: nice, Timeout: pieceTimeout(p.length), Stdout: words, Stderr: heard,
		})
		if err != nil {
			return nil, "", heard.failureOf(ctx, err, protocol.SpeechFailureNoProgram)
		}
		var lines []string
		for said := range strings.Lines(words.String()) {
			lines = append(lines, said)
		}
		if e.Language == autoLanguage {
			return lines, "", nil
		}
		return lines, e.Language, nil
	}
}

// prefixWriter keeps the beginning of a program's output.
type prefixWriter struct {
	bytes.Buffer
	most int
}

func (p *prefixWriter) Write(b []byte) (int, error) {
	p.Buffer.Write(b[:min(len(b), p.most-p.Len())])
	return len(b), nil
}
