package api

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/feature"
	"mews/supervisor/index"
	"mews/supervisor/model"
	"mews/supervisor/placement"
	"mews/supervisor/pool"
	"mews/supervisor/sqlite"
)

// StatusReporter reports the state of the service.
type StatusReporter struct {
	Version string
	State   string // the state folder
	Since   time.Time
	DB      *sqlite.DB
	Models  *model.Catalogue
	// Chosen returns the model that answers a user now, by users.ModelChoice
	Chosen    func(ctx context.Context, user string) (spec string, own bool, err error)
	People    *access.People
	Locations *placement.WorkerLocations
	Workers   func() []pool.WorkerStatus
	Channel   func() ChannelStatus // returns the channel's state; nil means that the terminal is the only channel
	Index     *index.Index
	Memory    fmt.Stringer                       // the memory limit of each worker
	PIDs      int                                // the process limit of each worker
	Disk      int64                              // the limit of a home in bytes
	Listen    func() string                      // describes the private listener; "" means that there is none
	Alarms    func() map[string]bool             // returns whether each alarm is raised, by name
	Faults    func(ctx context.Context) []string // returns why the service is not ready, in words
	// FileHistory returns the last known size of a user's file history; nil means not known
	FileHistory func(ctx context.Context, user string) *supervisor.FileHistorySize
}

// answer returns the status of all users to an admin, and a user's own status to other users.
func (r StatusReporter) answer(ctx context.Context, by feature.Caller) (Status, error) {
	if by.Admin {
		return r.statusOf(ctx, r.People.Names(), true)
	}
	u, err := by.UserFor("", "")
	if err != nil {
		return Status{}, err
	}
	return r.statusOf(ctx, []string{u.Name}, false)
}

// Text returns the answer to /status. In a group it has no facts about the machine or other users.
func (r StatusReporter) Text(ctx context.Context, c supervisor.Conversation) (string, error) {
	u, _ := r.People.Find(c.User)
	status, err := r.statusOf(ctx, []string{c.User}, u.Role == supervisor.RoleAdmin && !c.IsInGroup())
	if err != nil {
		return "", err
	}
	if u.Role != supervisor.RoleAdmin || c.IsInGroup() {
		hideMachine(&status)
	}
	if c.IsInGroup() {
		return fmt.Sprintf(textStatusInGroup, status.Version,
			r.UserModel(ctx, u), workerLine(status.Users[0], time.Now())), nil
	}
	return strings.TrimRight(status.Text(time.Now()), "\n"), nil
}

// hideMachine removes processes and paths from a status.
func hideMachine(s *Status) {
	s.PID = 0
	for i := range s.Users {
		u := &s.Users[i]
		u.PID, u.Home = 0, ""
	}
}

// statusOf returns the status of users. If service is true, it includes the whole service.
func (r StatusReporter) statusOf(ctx context.Context, names []string, service bool) (Status, error) {
	status := Status{Version: r.Version, PID: os.Getpid(), Since: r.Since, Model: r.Models.DefaultModel(),
		Walls: r.Sandbox()}
	if service {
		counts, err := r.DB.StatusCounts(ctx)
		if err != nil {
			return Status{}, err
		}
		status.State, status.Sharing, status.Listen = r.State, r.Locations.Sharing, r.Listen()
		status.Faults, status.Alarms = r.Faults(ctx), raisedNames(r.Alarms())
		own, resident := OwnMemory()
		status.Memory = MemoryUse{Supervisor: own, Resident: resident, Database: counts.Bytes}
		status.Waiting = UnfinishedWork{
			New:     int(counts.Inbounds[supervisor.InboundNew]),
			Running: int(counts.Inbounds[supervisor.InboundRunning]),
			Parked:  int(counts.Inbounds[supervisor.InboundParked]),
			Asking:  int(counts.Asking), Deliveries: int(counts.Waiting),
		}
		if counts.Jobs > 0 {
			status.Jobs = UpcomingJobs{int(counts.Jobs), time.UnixMilli(counts.NextJob)}
		}
		if err := r.statusOfChannels(ctx, &status); err != nil {
			return Status{}, err
		}
	}
	workers, pids := map[string]pool.WorkerStatus{}, []int{}
	for _, w := range r.Workers() {
		workers[w.Key] = w
		pids = append(pids, w.PID)
	}
	uses := pool.ProcessUsageOf(pids...)
	for _, name := range names {
		u, _ := r.People.Find(name)
		line := UserStatus{Name: name, Home: u.Home, Worker: string(pool.StateAbsent), DiskLimit: r.Disk}
		line.Disk, line.DiskMore = r.Locations.Disk.HomeSize(name)
		if report, err := r.Index.HomeCoverage(ctx, name); err == nil { // on an error the index is not known
			line.Index = HomeIndexCounts{
				Files: report.Files, Sections: report.Sections, Bytes: report.Bytes, Unread: report.At.IsZero(),
				Large: report.Large, NotText: report.NotText, Unreadable: report.Unreadable, Excess: report.Excess,
			}
		}
		if r.FileHistory != nil {
			line.FileHistory = r.FileHistory(ctx, name)
		}
		if w, ok := workers[name]; ok {
			line.Worker, line.PID, line.Since = string(w.State), w.PID, w.Since
			line.Turns, line.Deaths, line.Refused = w.Turns, w.Deaths, w.Refused
			line.Memory, line.Processes = uses[w.PID].Memory, uses[w.PID].Processes
		}
		line.Refused = cmp.Or(line.Refused, r.Locations.StartFault(u))
		line.Shares = r.Locations.SharesAccount(u, line.PID)
		switch {
		case line.Refused == "":
			line.HandOver = r.Locations.HandOverCommand(u, line.PID)
		case !service:
			line.Refused = textNoFolder
		}
		status.Users = append(status.Users, line)
	}
	return status, nil
}

// raisedNames returns the names of the raised alarms, sorted.
func raisedNames(alarms map[string]bool) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(alarms)) {
		if alarms[name] {
			names = append(names, name)
		}
	}
	return names
}

func (r StatusReporter) statusOfChannels(ctx context.Context, status *Status) error {
	if r.Channel != nil {
		status.Channels = append(status.Channels, r.Channel())
	}
	lost, err := r.DB.Outbox().ListUndelivered(ctx)
	for _, l := range lost {
		status.Lost = append(status.Lost, LostDeliveries{
			User: l.Conversation.User, Channel: string(l.Conversation.Channel), Chat: l.Conversation.Chat,
			Outcome: string(l.Outcome), Why: l.Why, Count: l.Count, Last: l.Last,
		})
	}
	return err
}

// Sandbox returns the sandbox that the spawner has reported.
func (r StatusReporter) Sandbox() pool.Sandbox {
	w := r.Locations.Spawner.Sandbox()
	w.Limits = fmt.Sprintf("%s of memory and %d processes for each worker. %s", r.Memory, r.PIDs, w.Limits)
	return w
}

// OwnMemory returns this process's private and resident memory in bytes. Resident memory includes
// the pages of the program. Both are 0 if the system does not report them (proc_pid_statm(5)).
func OwnMemory() (own, resident int64) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, 0
	}
	var size, all, files int64
	if _, err := fmt.Sscan(string(text), &size, &all, &files); err != nil {
		return 0, 0
	}
	page := int64(os.Getpagesize())
	return (all - files) * page, all * page
}
