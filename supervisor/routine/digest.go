package routine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/timezone"
)

// Names of the modes of the digest.
const (
	wordWritten = "written"
	wordPlain   = "plain"
)

// digestModes returns the modes of the digest: worded by a model, or plain.
func digestModes() map[string]mode {
	return map[string]mode{
		wordWritten: func(o *supervisor.JobOptions) { o.ByModel = true },
		wordPlain:   func(o *supervisor.JobOptions) { o.ByModel = false },
	}
}

// digestState is the stored state of a user's last digest.
type digestState struct {
	Until time.Time `json:"until"`           // the end of the time that the last digest covered
	Files pathSet   `json:"files,omitempty"` // the files that the last digest knew
	// FilesAfter is used if the last digest knew no files: files changed after this time are new.
	FilesAfter time.Time `json:"files_after"`
}

// since returns the start of the time that a digest covers. Without an earlier digest, or after the
// clock was set back, it is a day ago.
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

// digest reports due jobs, results of jobs, new files and open questions. Without news it returns
// an empty outcome.
func (r *Routines) digest(ctx context.Context, c supervisor.CheckFire) (out supervisor.CheckOutcome, err error) {
	was, err := state[digestState](c)
	if err != nil {
		return out, err
	}
	after := was.since(c.At)
	jobs, err := r.o.Store.List(ctx, c.Job.User)
	if err != nil {
		return out, err
	}
	rows, err := r.o.Store.ReadDigestRows(ctx, c.Job.User, after, c.At)
	if err != nil {
		return out, err
	}
	files, err := r.filesOf(ctx, c)
	if err != nil {
		return out, err
	}
	agenda, notes, err := r.agendaOf(ctx, c)
	if err != nil {
		return out, err
	}
	seen, err := json.Marshal(digestState{Until: c.At, Files: was.Files.add(files), FilesAfter: was.FilesAfter})
	if err != nil {
		return out, fmt.Errorf("keep what the digest has told: %w", err)
	}
	d := digest{now: c.At.In(timezone.ForUser(c.Owner)), after: after, waitsAfter: was.Until}
	d.addToday(jobs)
	d.addAgenda(agenda, notes)
	d.addJobs(rows.Jobs)
	d.addFiles(was.newFiles(files))
	d.addWaiting(slices.Concat(rows.Waiting, proposed(jobs)))
	out.Seen, out.State = string(seen), supervisor.FireSilent
	switch {
	case !d.news:
	case c.Job.Options.ByModel:
		out.Prompt = &supervisor.CheckPrompt{Text: promptDigest, Material: d.text.String()}
	default:
		out.State, out.Text, out.World = supervisor.FireSentMessage, d.text.String(), d.world
	}
	return out, nil
}

// agendaOf lists the user's events of the day, and the to-dos that are due. A failed listing is
// tried once more; then the digest is sent without them.
func (r *Routines) agendaOf(ctx context.Context, c supervisor.CheckFire) (list []protocol.AgendaEntry,
	notes []string, err error) {
	now := c.At.In(timezone.ForUser(c.Owner))
	midnight := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, now.Location())
	list, notes, err = r.o.Agenda(ctx, c.Job.User, now, midnight)
	switch {
	case err == nil || ctx.Err() != nil:
		return list, notes, err
	case c.Tries == 0:
		return nil, nil, fmt.Errorf("%w: list the agenda of %s: %w", supervisor.ErrCheckAgain, c.Job.User, err)
	}
	r.o.Log.Warn("a digest goes without events and to-dos", "user", c.Job.User, "error", err)
	return nil, nil, nil
}

// filesOf lists the files of a user's home. A failed listing is tried once more; then the digest is
// sent without files.
func (r *Routines) filesOf(ctx context.Context, c supervisor.CheckFire) ([]supervisor.HomeFile, error) {
	files, err := r.o.ListFiles(ctx, c.Job.User)
	switch {
	case err == nil || ctx.Err() != nil:
		return files, err
	case c.Tries == 0:
		return nil, fmt.Errorf("%w: list the files of %s: %w", supervisor.ErrCheckAgain, c.Job.User, err)
	}
	r.o.Log.Warn("a digest goes without files", "user", c.Job.User, "error", err)
	return nil, nil
}
