package archive

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

// packed compresses what is written, and seals it. Close ends both, but not the writer below.
type packed struct {
	io.Writer
	ends []io.Closer // in the order in which they must be closed
}

// NewPacked returns a writer that compresses by zstd. If recipient is not "", it also seals the
// result with age for this recipient. The caller closes it after the last byte.
func NewPacked(w io.Writer, recipient string) (io.WriteCloser, error) {
	p := &packed{Writer: w}
	if recipient != "" {
		to, err := age.ParseRecipients(strings.NewReader(recipient))
		if err != nil {
			return nil, fmt.Errorf("the recipient of backups: %w", err)
		}
		sealed, err := age.Encrypt(w, to...)
		if err != nil {
			return nil, err
		}
		p.Writer, p.ends = sealed, []io.Closer{sealed}
	}
	z, err := zstd.NewWriter(p.Writer, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, err
	}
	p.Writer, p.ends = z, append([]io.Closer{z}, p.ends...)
	return p, nil
}

// Close writes the rest.
func (p *packed) Close() error {
	var errs []error
	for _, c := range p.ends {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
