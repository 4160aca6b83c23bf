package app

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/hostcall"
	"mews/supervisor/operation"
	"mews/supervisor/pool"
)

// openOperations makes the runner of operations, the workers' work outside of turns.
func (s *service) openOperations(context.Context) error {
	s.operations = operation.New(operation.Options[*hostcall.Conn]{
		Store: s.db.Operations(), Pool: s.pool, Folder: s.private("operations"), Audit: s.audit.RecordAction,
		Now: s.now, Serves: s.isActive,
		Speech: s.config.Limits.Speech, Log: s.log.Named("operation"),
		Spec: func(user string, profile pool.WorkerProfile) (pool.WorkerSpec, error) {
			if profile == pool.ProfileHome || profile == pool.ProfileExport || profile == pool.ProfileHistory {
				return s.homeSpec(user, profile)
			}
			spec, err := s.workerSpec(user)
			spec.Profile = profile
			return spec, err
		},
	})
	return nil
}

// archive packs a user's home into an archive, in the user's worker. It fails if the disk has no
// room. The archive may have the file history too.
func (s *service) archive(ctx context.Context, user string, history bool) (a operation.Archive, err error) {
	most, err := s.maxArchiveSize(user, history, 1)
	if err != nil {
		return a, err
	}
	return s.operations.ArchiveHome(ctx, user, most, history)
}

// uploads returns the uploaded files of users, which their workers keep.
func (s *service) uploads() operation.Uploads {
	return operation.Uploads{Do: s.operations.ManageUploads, Deleted: s.recordDeletedFile,
		MediaType: func(f supervisor.File) (string, error) { return hostcall.DetectMediaType(s.spool, f) }}
}
