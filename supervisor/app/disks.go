package app

import (
	"context"
	"fmt"
	"path/filepath"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/disk"
	"mews/supervisor/placement"
)

// openDisks makes the guard that keeps a full disk from harming everybody.
func (s *service) openDisks(context.Context) error {
	s.disks = disk.New(disk.Options{
		Folder: s.private(""), Workers: s.runningWorkers, EndPrograms: s.pool.EndPrograms,
		Tell: s.notices().TellAdminsWithoutStoring,
		Growth: func(ctx context.Context, user string) (growth protocol.DiskGrowth, err error) {
			_, err = s.pool.CallIfRunning(ctx, user, protocol.MethodDiskGrowth, nil, &growth)
			return growth, err
		},
		Thin: func(ctx context.Context, user string) error {
			_, err := s.pool.CallIfRunning(ctx, user, protocol.MethodDiskThin, nil, nil)
			return err
		},
		Hold: func(ctx context.Context, user string) error {
			_, err := s.pool.CallIfRunning(ctx, user, protocol.MethodDiskHold, nil, nil)
			return err
		},
		Limit: int64(s.config.Worker.Disk), FileLimit: s.config.Worker.DiskFiles, Now: s.now, Log: s.log.Named("disk"),
	})
	return nil
}

// runningWorkers lists the running workers of users, with the folders that they can write to.
func (s *service) runningWorkers() (list []disk.Worker) {
	for _, w := range s.pool.List() {
		if u, known := s.people.Find(w.Key); known && w.PID != 0 {
			list = append(list, disk.Worker{User: w.Key, Folders: append([]string{u.Home}, u.Workspaces...),
				History: filepath.Join(historyDir(s.config), w.Key+placement.HistorySuffix)})
		}
	}
	return list
}

// makeRoom frees the ballast if the disk of the state folder is full, so that the service can
// start. It refuses to start if the disk still has no room for new files.
func (s *storage) makeRoom(context.Context) error {
	room, err := disk.FreeBallastForStart(s.private(""))
	if err != nil {
		return err
	}
	if room.IsLow() {
		s.log.Error("the disk of the state folder has little room", "room", room)
	}
	if room.LacksFilesForStart() {
		return &supervisor.Error{Code: supervisor.CodeUnavailable,
			Message: fmt.Sprintf(textNoInodes, s.config.State)}
	}
	return nil
}
