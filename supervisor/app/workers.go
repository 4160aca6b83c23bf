package app

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/disk"
	"mews/supervisor/hostcall"
	"mews/supervisor/modelcall"
	"mews/supervisor/operation"
	"mews/supervisor/placement"
	"mews/supervisor/pool"
	"mews/supervisor/runner"
	"mews/supervisor/transcription"
	"mews/supervisor/voice"
)

// PlacementOptions converts the configured options for the locations of workers.
func PlacementOptions(cfg *config.Config, log hclog.Logger) placement.Options {
	w := cfg.Worker
	from, to := w.UIDRange()
	return placement.Options{UIDs: placement.UIDRange{From: from, To: to}, UIDsOptional: w.UIDs == config.AutomaticUIDs,
		History: w.History > 0, HistoryDir: historyDir(cfg),
		State: cfg.State, Account: w.Account, MakeAccount: cfg.Local, Tier: w.Sandbox, LeastTier: w.SandboxMin,
		ReadOnly: w.ReadOnly, Memory: int64(w.Memory), PIDs: int(w.PIDs), Log: log}
}

// workers are the worker processes, and the parts that give them work outside of turns.
type workers struct {
	pool        *runner.Pool
	rootSpawner *pool.Spawner     // the spawner that root started before acting as the folder's owner; otherwise nil
	disks       *disk.Guard       // nil in a process that runs no service
	hostCalls   *hostcall.Options // dependencies of the host calls that workers make
	operations  *operation.Operations[*hostcall.Conn]
	voices      *voice.AnswerSpeaker
	transcriber *transcription.Transcriber
}

// openWorkers starts the spawner and makes the pool. No worker starts before the pool's Run has
// tested the sandbox.
func (s *service) openWorkers(ctx context.Context) error {
	checked := make(chan error, 1)
	go func() { checked <- s.checkVersions(ctx) }() // the line below waits for this goroutine
	err := s.startSpawner(ctx)
	if err := cmp.Or(<-checked, err); err != nil {
		return err
	}
	location, err := placement.SelfTestLocation(s.config.State, s.locations.Workers, s.locations.Spawner.Sandbox().Tier)
	if err != nil {
		return err
	}
	s.pool = pool.New(pool.Options[*hostcall.Conn]{
		Spawner: s.locations.Spawner, SelfTestSpec: placement.SelfTestSpec(location),
		SelfTest: func(ctx context.Context, w *runner.Worker) error { return s.locations.RunSelfTest(ctx, w) },
		OnLimit:  s.locations.NotifyLimitHit, OnStart: s.noteWorkerStart,
		OnHistory: s.locations.NoteHistoryStart, Log: s.log.Named("pool"), Now: time.Now,
		Timings: pool.Timings{
			Idle: s.config.Worker.Idle,
		},
		Host: func(user string, end func(error)) *hostcall.Conn { return hostcall.NewConn(s.hostCalls, user, end) },
	})
	return nil
}

// checkVersions refuses other programs of another version, which could start no worker. A process
// that runs no service, or has no version, does not check that.
func (s *service) checkVersions(ctx context.Context) error {
	if s.idle || s.version == "" {
		return nil
	}
	return placement.CheckVersions(ctx, s.version)
}

// startSpawner starts the spawner, and checks that workers can reach all homes.
func (s *service) startSpawner(ctx context.Context) error {
	if s.rootSpawner != nil {
		s.locations.Spawner = s.rootSpawner
	} else if err := s.locations.Start(ctx); err != nil {
		return err
	} else {
		s.addCloser(s.locations.Spawner.Close)
	}
	var users []supervisor.User
	for _, name := range s.people.Names() {
		u, _ := s.people.Find(name)
		users = append(users, u)
	}
	return s.locations.CheckHomesReachable(users)
}

// hostCallOptions returns the dependencies of the host calls of all workers.
func (s *service) hostCallOptions() *hostcall.Options {
	return &hostcall.Options{
		ModelDependencies: hostcall.ModelDependencies{
			Transcript: s.db.Transcript(), Models: s.models, Usage: s.db.Usage(), Systems: s.db.SystemTexts(), History: s.config.Limits.History,
			Thinking: modelcall.ThinkingLevel(s.config.Models.Thinking), Cache: s.config.Models.CacheDuration(),
			Busy: s.settings.BusyMode, ReportPromptFiles: s.instructions().RecordReportBeforeModelCall,
			Room: s.models.MaxRequestTokens, OnPicturesUnseen: s.tellBlindModel, Windows: s.db.Turns(),
		},
		StepDependencies: hostcall.StepDependencies{Steps: s.db.Turns()},
		BlobDependencies: hostcall.BlobDependencies{Blobs: s.db.Blobs(), Spool: s.spool},
		ChatDependencies: hostcall.ChatDependencies{Approver: newApprover(s),
			Sender: hostcall.TurnSender{Turns: s.db.Turns(), Queued: s.feeds.NotifyDelivery}, Asker: questionAsker{s},
			Groups: s.groupGuard(), PrivateChat: s.storedPrivateChat},
		ActivityDependencies: hostcall.ActivityDependencies{Activity: hostcall.Ledger{Effects: s.db.Effects(),
			Conversations: s.db.Conversations(), Find: s.settings.Find, Now: s.now}},
		IndexDependencies: s.indexDependencies(),
		DiskDependencies: hostcall.DiskDependencies{DiskExceeded: func(user string, size protocol.DiskExceeded) {
			s.locations.Disk.RecordExcess(user, size)
			s.disks.NotifyHomeTooLarge(user, size)
		}},
		ReminderDependencies: hostcall.ReminderDependencies{RemindersReported: s.reminders.Receive},
		ToolDependencies:     hostcall.ToolDependencies{OpenedTools: s.db.OpenedTools()},
		Audit:                s.audit.RecordAction, Log: s.log.Named("hostcall"), Now: s.now,
	}
}

// noteWorkerStart writes the start of a worker to the audit log.
func (s *service) noteWorkerStart(user string, pid int) {
	s.audit.RecordDailyAction(user, "worker.started", fmt.Sprintf("process %d, walls %s", pid,
		s.locations.Spawner.Sandbox().Tier))
	if s.disks != nil {
		s.disks.NotifyWorkerStart()
	}
}

// workerSpec returns what the pool needs to start a user's worker.
func (s *service) workerSpec(name string) (pool.WorkerSpec, error) {
	u, ok := s.settings.Find(name)
	if !ok {
		return pool.WorkerSpec{}, fmt.Errorf("start worker for %s: there is no user %q", name, name)
	}
	location, err := s.locations.LocationOf(u)
	if err != nil {
		return pool.WorkerSpec{}, fmt.Errorf("start worker for %s: %w", name, err)
	}
	var history *protocol.FileHistoryLimits
	if location.HistoryPath != "" && s.config.Worker.History > 0 {
		history = &protocol.FileHistoryLimits{Room: int64(s.config.Worker.History), Exclude: s.config.History.Exclude}
	}
	return pool.WorkerSpec{Key: name, Profile: pool.ProfileUser, Location: location, Hello: &protocol.Hello{
		User: u.Name, Home: s.locations.HomePathInSandbox(u.Home), Timezone: u.Timezone, Files: u.Files,
		Disk: int64(s.config.Worker.Disk), DiskFiles: s.config.Worker.DiskFiles,
		Uploads: s.config.Uploads.Keep, History: history,
	}}, nil
}
