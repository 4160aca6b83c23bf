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
	// RunQuietly runs a command in the home and writes its output to out. ok means that it exited
	// with 0. If a command cannot be started or takes too long, RunQuietly returns an error.
	RunQuietly(ctx context.Context, command string, out io.Writer) (ok bool, err error)
}

// Command runs a command and reports how it ended.
func Command(ctx context.Context, shell Shell, p protocol.CheckParameters) (r protocol.CheckResult, err error) {
	out := &output{sum: sha256.New()}
	if r.Met, err = shell.RunQuietly(ctx, p.Command, out); err != nil {
		return r, err
	}
	r.Seen = hex.EncodeToString(out.sum.Sum(nil))
	r.Changed = r.Seen != p.Seen
	r.Found = out.end()
	return r, nil
}

// output keeps the end of a command's output, and a digest of the whole output.
type output struct {
	sum  hash.Hash
	last []byte
	cut  bool
}

// Write adds to the output.
func (o *output) Write(p []byte) (int, error) {
	o.sum.Write(p) // a hash never fails
	o.last = append(o.last, p...)
	if over := len(o.last) - protocol.MaxCheckFound; over > 0 {
		o.last, o.cut = append(o.last[:0], o.last[over:]...), true
	}
	return len(p), nil
}

// end returns the end of the output, cut to whole lines if it has any.
func (o *output) end() string {
	text := string(o.last)
	if _, rest, found := strings.Cut(text, "\n"); o.cut && found && rest != "" {
		text = rest
	}
	return strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), ""))
}
