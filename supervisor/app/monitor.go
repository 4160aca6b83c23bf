package app

import (
	"context"
	"os"
	"runtime"
	"syscall"
	"time"

	"mews/protocol"
	"mews/supervisor/api"
	"mews/supervisor/disk"
	"mews/supervisor/feature"
	"mews/supervisor/monitor"
	"mews/supervisor/pool"
	"mews/supervisor/web"
)

// openPrivate makes the private listener. If it can't listen, the service runs without it, and the
// status says so.
func (s *service) openPrivate(context.Context) (err error) {
	if s.config.Listen == "" {
		return nil
	}
	s.local.listener, err = web.New(web.Options{Name: "this machine", Key: "listen", Listen: s.config.Listen,
		Connections: maxPrivateConnections, Routes: s.privateRoutes(), Log: s.log.Named("listen")})
	if err != nil {
		s.local.fault = err.Error()
		s.log.Warn("the private listener is off", "error", err)
	}
	return nil
}

// maxPrivateConnections is the maximum number of open connections to the private listener.
const maxPrivateConnections = 32

// privateListener is the listener for programs on this machine.
type privateListener struct {
	listener *web.Server // nil means that it is off
	fault    string      // why it can't listen; "" if it can, or if none is configured
}

// privateRoutes is the table of the private listener's routes.
func (s *service) privateRoutes() []feature.Route {
	return monitor.Routes(monitor.Options{Faults: s.listFaults, Figures: s.figures})
}

// listenerStatus describes the private listener for the status; "" means that none is configured.
func (s *service) listenerStatus() string {
	switch {
	case s.local.fault != "":
		return textListenOff + s.local.fault
	case s.local.listener != nil:
		return s.local.listener.Addr().String()
	}
	return ""
}

// recentCalls is the time for which /metrics counts calls of models.
const recentCalls = time.Hour

// figures returns the figures of /metrics.
func (s *service) figures(ctx context.Context) (monitor.Figures, error) {
	counts, err := s.db.MonitorCounts(ctx, s.now().Add(-recentCalls))
	if err != nil {
		s.log.Warn("the figures for /metrics can't be read", "error", err)
		return monitor.Figures{}, err
	}
	f := monitor.Figures{Version: s.version, Walls: s.locations.Spawner.Sandbox().Tier, Started: s.since,
		Ready: len(s.listFaults(ctx)) == 0, Alarms: s.raisedAlarms(), Database: counts.Bytes,
		Process: processFigures(), Users: len(s.people.Names()), Workers: map[string]int{}}
	f.Messages = monitor.Messages{New: counts.New, Held: counts.Held, Running: counts.Running, Asking: counts.Asking,
		Lost: counts.Lost, Calls: counts.Calls, Failed: counts.Failed, Cost: float64(counts.Cost) / 1e6}
	for _, w := range counts.Waiting {
		f.Messages.Waiting = append(f.Messages.Waiting, monitor.Waiting{Channel: string(w.Channel), Count: w.Count,
			Oldest: w.Oldest})
	}
	if room, err := disk.SpaceOf(s.private("")); err == nil { // without it, the figures are 0
		f.Disk = monitor.Disk{Free: room.Free, Total: room.Total, Reserve: protocol.DiskReserve(room.Total)}
	}
	for _, l := range s.health.States() {
		f.Loops = append(f.Loops, monitor.Loop{Name: l.Name, Moved: l.Moved, Stuck: l.Stuck})
	}
	s.addTelegramFigures(&f)
	s.addWorkerFigures(&f)
	return f, nil
}

func (s *service) addTelegramFigures(f *monitor.Figures) {
	if s.channel == nil {
		return
	}
	h, sending := s.channel.health.Status(), s.channel.outbox.Status()
	f.Telegram = &monitor.Telegram{Mode: string(h.Mode), OK: h.State == "ok", Answered: h.Completed,
		Failures: h.Failures, Stalls: h.Stalls, Pending: h.Pending, Troubled: len(sending.Troubles),
		Frozen: len(sending.Frozen)}
	if offset, known := s.channel.client.ClockOffset(); known {
		f.ClockOffset = &offset
	}
}

// addWorkerFigures adds the figures of the workers, and those of each user if the configuration
// wants them.
func (s *service) addWorkerFigures(f *monitor.Figures) {
	memory := map[string]int64{}
	for _, w := range s.pool.List() {
		f.Workers[string(w.State)]++
		f.Deaths, f.Turns = f.Deaths+w.Deaths, f.Turns+w.Turns
		if w.PID != 0 {
			use := pool.QuickUsageOf(w.PID)
			f.Memory, f.Programs, memory[w.Key] = f.Memory+use.Memory, f.Programs+use.Processes, use.Memory
		}
	}
	if !s.config.Metrics.People {
		return
	}
	for _, name := range s.people.Names() {
		size, _ := s.locations.Disk.HomeSize(name)
		f.People = append(f.People, monitor.Person{Name: name, Memory: memory[name], Home: size})
	}
}

// processFigures returns what this process uses. Unknown figures are 0.
func processFigures() monitor.Process {
	p := monitor.Process{Goroutines: runtime.NumGoroutine()}
	p.Private, p.Resident = api.OwnMemory()
	if names, err := os.ReadDir("/proc/self/fd"); err == nil {
		p.OpenFiles = len(names) - 1 // the folder itself is open, too
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil {
		p.FileLimit = int(min(limit.Cur, 1<<30))
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err == nil {
		p.CPU = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	p.Available = monitor.ReadMachineMemory().Available
	return p
}
