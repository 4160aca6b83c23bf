package restore

import (
	"context"
	"fmt"
	"path/filepath"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/backup"
	"mews/supervisor/operation"
)

// restoreHomes lets the workers of all users write their homes.
func (r *restorer) restoreHomes(ctx context.Context) error {
	return r.WithHomes(ctx, r.unpackHomes)
}

func (r *restorer) unpackHomes(ctx context.Context) error {
	for _, h := range r.manifest.Homes {
		if r.progress.Homes[h.User] == homeDone {
			continue
		}
		if _, known := r.HomeOf(h.User); !known {
			r.notDone(textNoUser, h.User, r.archiveName(h))
			continue
		}
		failure, err := r.restoreHome(ctx, h)
		if err != nil {
			return fmt.Errorf("the home of %s: %w", h.User, err)
		}
		if failure != nil {
			r.notDone(textHomeFailed, h.User, failure, h.User)
		}
		if r.after != nil {
			if err := r.after("home of " + h.User); err != nil {
				return err
			}
		}
	}
	if r.progress.FactorsEnded {
		r.Invite(ctx)
	}
	return nil
}

// notDone adds a line about a home that was not restored.
func (r *restorer) notDone(format string, args ...any) {
	r.report.NotDone = append(r.report.NotDone, fmt.Sprintf(format, args...))
}

// archiveName names the archive of a home, for people.
func (r *restorer) archiveName(h backup.Home) string { return filepath.Join(r.named(), h.File) }

// restoreHome restores one home. A failure is of this home alone, and the other homes follow. If an
// interrupted run has begun the home and it is full now, that run has probably written all of it.
func (r *restorer) restoreHome(ctx context.Context, h backup.Home) (failure, err error) {
	begun := r.progress.Homes[h.User] == homeBegun
	r.progress.Homes[h.User] = homeBegun
	if err := r.progress.save(r.State); err != nil {
		return nil, err
	}
	done, failure := unpack(ctx, r.Options, r.checked, h)
	if failure != nil && ctx.Err() != nil {
		return nil, failure
	}
	if failure == nil && done.NotEmpty && !begun {
		folder, _ := r.HomeOf(h.User)
		failure = supervisor.Errorf(supervisor.CodeInvalid, textHomeNotEmpty, h.User, folder)
	}
	if failure != nil {
		delete(r.progress.Homes, h.User) // a repeat must not take files of others for restored ones
		return failure, r.progress.save(r.State)
	}
	if done.NotEmpty {
		r.notDone(textPerhapsDone, h.User, r.archiveName(h))
	} else {
		r.report.Homes[h.User] = done
	}
	r.progress.Homes[h.User] = homeDone
	return nil, r.progress.save(r.State)
}

// unpack opens the archive of a home and lets the home's worker write it.
func unpack(ctx context.Context, o Options, c checked, h backup.Home) (operation.UnpackReport, error) {
	f, _ := c.manifest.FindFile(h.File)
	a, err := openArchive(ctx, filepath.Join(o.Dir, h.File), f, h.Sealed, o.Identities, workFolder(o.State))
	if err != nil {
		return operation.UnpackReport{}, err
	}
	defer a.Close() // it was only read, so an error of Close loses nothing
	if o.Progress != nil {
		o.Progress(fmt.Sprintf(textRestoresHome, h.User, h.Files))
	}
	return o.Unpack(ctx, h.User, a, deletedSince(c.journal.Acts, h))
}

// deletedSince returns the digests of the files that a user has deleted since the home was read. If there
// are more than a worker takes, it returns the newest.
func deletedSince(acts []backup.Act, h backup.Home) (digests []string) {
	for _, a := range acts {
		if a.Kind == backup.ActForgotten && a.What == "file" && a.User == h.User && !a.At.Before(h.ReadAt) {
			digests = append(digests, a.Digest)
		}
	}
	return digests[max(0, len(digests)-protocol.MaxUnpackWithout):]
}

// User restores the home of one user from a backup. The home must be empty.
func User(ctx context.Context, o Options, user string) (operation.UnpackReport, error) {
	c, err := check(ctx, o)
	if err != nil {
		return operation.UnpackReport{}, err
	}
	h, found := c.manifest.FindHome(user)
	if !found {
		return operation.UnpackReport{}, supervisor.Errorf(supervisor.CodeNotFound, textNoHome, o.Dir, user)
	}
	if err := o.Open(ctx); err != nil {
		return operation.UnpackReport{}, err
	}
	var done operation.UnpackReport
	err = o.WithHomes(ctx, func(ctx context.Context) (err error) {
		done, err = unpack(ctx, o, c, h)
		return err
	})
	if err == nil && done.NotEmpty {
		folder, _ := o.HomeOf(user)
		err = supervisor.Errorf(supervisor.CodeInvalid, textHomeNotEmpty, user, folder)
	}
	return done, err
}
