package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/timezone"
)

// Digests gather what the rows say for people's digests.
type Digests interface {
	// Digest is what a person's jobs did after a moment and up to another, and what waits for the
	// person.
	Digest(ctx context.Context, user string, after, until time.Time) (supervisor.DigestRows, error)
}

// ListFiles lists the files of a person's home, as far as they are known.
type ListFiles func(ctx context.Context, user string) ([]supervisor.HomeFile, error)

// The words for how the digest is worded.
const (
	wordWritten = "written"
	wordPlain   = "plain"
)

// digestState is what the last digest has told.
type digestState struct {
	Until time.Time `json:"until"`           // up to when it told
	Files pathSet   `json:"files,omitempty"` // that it knew of
	// while it knows of none, those are new that have changed after this
	FilesAfter time.Time `json:"files_after"`
}

// since is the moment after which all is told: where there was no digest, or the clock was set back
// since, that of a day ago.
func (was *digestState) since(now time.Time) time.Time {
	if was.Until.After(now) {
		was.Until = time.Time{}
	}
	if !was.Until.IsZero() {
		return was.Until
	}
	dayAgo := now.Add(-24 * time.Hour)
	if was.FilesAfter.IsZero() {
		was.FilesAfter = dayAgo
	}
	return dayAgo
}

// digest tells what is due, what jobs did since the last one, which files are new, and what waits.
// Without anything new it is silent.
func (s *Schedule) digest(ctx context.Context, l look) (looked supervisor.Looked, err error) {
	was, err := state[digestState](l)
	if err != nil {
		return looked, err
	}
	after := was.since(l.now)
	jobs, err := s.o.Store.List(ctx, l.Job.User)
	if err != nil {
		return looked, err
	}
	rows, err := s.o.Digests.Digest(ctx, l.Job.User, after, l.now)
	if err != nil {
		return looked, err
	}
	files, err := s.filesOf(ctx, l)
	if err != nil {
		return looked, err
	}
	seen, err := json.Marshal(digestState{Until: l.now, Files: was.Files.with(files), FilesAfter: was.FilesAfter})
	if err != nil {
		return looked, fmt.Errorf("keep what the digest has told: %w", err)
	}
	d := digest{now: l.now.In(timezone.Of(l.user)), after: after, waitsAfter: was.Until}
	d.today(jobs)
	d.did(rows.Did)
	d.files(was.newFiles(files))
	d.waiting(slices.Concat(rows.Waiting, proposed(jobs)))
	looked.Seen, looked.State = string(seen), supervisor.FireSilent
	switch {
	case !d.news:
	case l.Job.Options.Written:
		looked.Turn = s.turnOf(l, promptDigest, d.text.String())
	default:
		looked.State, looked.Text, looked.World = supervisor.FireSaid, d.text.String(), d.world
	}
	return looked, nil
}

// filesOf lists the files of the person's home. Where they can't be listed it is tried once more,
// and then done without.
func (s *Schedule) filesOf(ctx context.Context, l look) ([]supervisor.HomeFile, error) {
	files, err := s.o.ListFiles(ctx, l.Job.User)
	switch {
	case err == nil || ctx.Err() != nil:
		return files, err
	case l.Tries == 0:
		return nil, fmt.Errorf("%w: list the files of %s: %w", supervisor.ErrLookAgain, l.Job.User, err)
	}
	s.o.Log.Warn("a digest goes without files", "user", l.Job.User, "error", err)
	return nil, nil
}
