package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strings"

	"mews/protocol"
)

// Shell runs commands.
type Shell interface {
	// RunCheckCommand runs a command in the home and writes its output to out. ok means that the
	// command exited with 0. If a command cannot be started or takes too long, RunCheckCommand
	// returns an error.
	RunCheckCommand(ctx context.Context, command string, out io.Writer) (ok bool, err error)
}

// RunCommand runs a command and reports how it ended.
func RunCommand(ctx context.Context, shell Shell, p protocol.CheckParameters) (r protocol.CheckResult, err error) {
	out := &commandOutput{sum: sha256.New()}
	if r.Met, err = shell.RunCheckCommand(ctx, p.Command, out); err != nil {
		return r, err
	}
	r.Seen = hex.EncodeToString(out.sum.Sum(nil))
	r.Changed = r.Seen != p.Seen
	r.Found = out.end()
	return r, nil
}

// commandOutput keeps the end of a command's output, and a digest of the whole output.
type commandOutput struct {
	sum  hash.Hash
	last []byte
	cut  bool
}

// Write adds p to the output.
func (o *commandOutput) Write(p []byte) (int, error) {
	o.sum.Write(p) // a hash never fails
	o.last = append(o.last, p...)
	if over := len(o.last) - protocol.MaxCheckFoundBytes; over > 0 {
		o.last, o.cut = append(o.last[:0], o.last[over:]...), true
	}
	return len(p), nil
}

// end returns the end of the output, cut to whole lines if it has any.
func (o *commandOutput) end() string {
	text := string(o.last)
	if _, rest, found := strings.Cut(text, "\n"); o.cut && found && rest != "" {
		text = rest
	}
	return strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), ""))
}
