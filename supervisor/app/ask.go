package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"mews/config"
	"mews/supervisor/admin"
	"mews/supervisor/api"
	"mews/supervisor/control"
	"mews/supervisor/internal/retry"
	"mews/supervisor/logging"
	"mews/supervisor/sqlite"
	"mews/supervisor/statefolder"
)

// CallAdminService calls a method of admin.Service. If no service runs, this process answers.
// Meanwhile this process holds the lock of the state folder. While a service starts, or another
// command holds the lock, it waits for at most startTimeout. params is a struct; result is a pointer
// to a struct.
func CallAdminService[R any](ctx context.Context, cfg *config.Config, method string, params any) (result R, err error) {
	deletion, deletes := params.(admin.DeleteUserRequest)
	homes := deletes && !deletion.DryRun // a dry run only lists the data, without a worker
	for end := time.Now().Add(startTimeout); ; {
		err = control.CallOnce(ctx, SocketPath(cfg), method, params, &result)
		if gone := new(control.NotRunningError); !errors.As(err, &gone) {
			return result, err
		}
		err = withoutService(ctx, cfg, homes, func(ctx context.Context, o *admin.Service) error {
			table, err := api.New(api.Options{People: o.People}, o.ControlCalls())
			if err != nil {
				return err
			}
			return table.Call(ctx, method, params, &result)
		})
		if used := new(statefolder.InUseError); !errors.As(err, &used) || time.Now().After(end) {
			return result, err
		}
		if !retry.Sleep(ctx, 50*time.Millisecond) {
			return result, context.Cause(ctx)
		}
	}
}

// loadSecrets loads the configuration again with its secrets, which a client may have left out.
func loadSecrets(cfg *config.Config) (*config.Config, error) {
	if !cfg.Client || cfg.File == "" {
		return cfg, nil
	}
	env, err := config.ReadMachineEnv(DefaultEffectRules(), TaintedEffectRules())
	if err != nil {
		return nil, err
	}
	return config.Load(cfg.File, env)
}

// withoutService opens the state folder, runs work, and closes it. No service may be running. Root
// acts as the folder's owner meanwhile. homes says whether work may read or delete homes.
func withoutService(ctx context.Context, cfg *config.Config, homes bool,
	work func(context.Context, *admin.Service) error) (err error) {
	return withStoppedService(ctx, cfg, homes, func(ctx context.Context, s *service) error {
		return work(ctx, admin.New(s.adminOptions()))
	})
}

// withStoppedService is withoutService for work that needs more than the service for admins.
func withStoppedService(ctx context.Context, cfg *config.Config, homes bool,
	work func(context.Context, *service) error) (err error) {
	if cfg, err = loadSecrets(cfg); err != nil {
		return err
	}
	s := &service{storage: storage{config: cfg, log: logging.Discard(), now: time.Now, idle: true}}
	asBefore, err := s.becomeOwner(ctx, homes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(), asBefore()) }()
	if err := statefolder.ProtectProcess(); err != nil {
		return err
	}
	for _, open := range []func(context.Context) error{s.openState, s.openStore} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	writing, stop := context.WithCancel(context.WithoutCancel(ctx))
	written := make(chan error, 1)
	go func() { written <- s.db.Run(writing) }() // the deferred function waits for this goroutine's end
	defer func() {
		stop()
		err = errors.Join(err, <-written)
	}()
	for _, open := range []func(context.Context) error{s.openPeople, s.openSeal} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	s.confirmations = newConfirmations(s)
	newGate(s)
	return work(ctx, s)
}

// ExamineDatabase reads the whole database of a stopped service and changes nothing. used is false
// if the service never ran. The error may be fs.ErrPermission.
func ExamineDatabase(ctx context.Context, cfg *config.Config) (e sqlite.DatabaseExamination, used bool, err error) {
	path := (&storage{config: cfg}).private("mews.db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if used, err = statefolder.HasEarlierFiles(cfg.State); err != nil || !used {
			return e, false, err
		}
	} else if err != nil {
		return e, false, err
	}
	e, err = sqlite.ExamineDatabase(ctx, path)
	return e, true, err
}

// WriteUserExport writes an export of a user. This process makes the export if no service runs. note
// says why the audit log has no entry about it; "" means that it has one.
func WriteUserExport(ctx context.Context, cfg *config.Config, q admin.ExportUserRequest, w io.Writer) (note string,
	err error) {
	p := admin.ExportPiece{}
	for !p.Last {
		q.Token = p.Token
		p = admin.ExportPiece{}
		err := control.CallOnce(ctx, SocketPath(cfg), admin.MethodUserExport, q, &p)
		if gone := new(control.NotRunningError); errors.As(err, &gone) && q.Token == "" {
			err = withoutService(ctx, cfg, true, func(ctx context.Context, o *admin.Service) (err error) {
				note, err = o.WriteExport(ctx, q, w)
				return err
			})
			return note, err
		}
		if err != nil {
			return "", err
		}
		note = cmp.Or(note, p.Note)
		if _, err := w.Write(p.Bytes); err != nil {
			return "", fmt.Errorf("write the export: %w", err)
		}
	}
	return note, nil
}
