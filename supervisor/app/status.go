package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/control"
	"mews/supervisor/index"
	"mews/supervisor/model"
	"mews/supervisor/placement"
	"mews/supervisor/pool"
	"mews/supervisor/sqlite"
)

// statusReporter tells how the service is.
type statusReporter struct {
	config  *config.Config
	version string
	since   time.Time
	db      *sqlite.DB
	models  *model.Catalogue
	people  *access.People
	places  *placement.Places
	pool    *workerPool
	held    *placement.DiskUsage
	channel *telegramChannel // nil where there is none
	index   *index.Index
}

// status is what the control socket answers to `mews status`: for an admin all, for everybody else
// their own.
func (r statusReporter) status(ctx context.Context, uid uint32) (control.Status, error) {
	if r.people.Admin(uid) {
		return r.statusOf(ctx, r.people.Names(), true)
	}
	u, err := r.people.Speaker(uid, "")
	if err != nil {
		return control.Status{}, err
	}
	return r.statusOf(ctx, []string{u.Name}, false)
}

// statusText is what /status answers. A group hears nothing of the machine, nor of anybody else.
func (r statusReporter) statusText(ctx context.Context, c supervisor.Conversation) (string, error) {
	u, _ := r.people.Find(c.User)
	status, err := r.statusOf(ctx, []string{c.User}, u.Role == supervisor.RoleAdmin && !c.InGroup())
	if err != nil {
		return "", err
	}
	if u.Role != supervisor.RoleAdmin || c.InGroup() {
		hideMachine(&status)
	}
	if c.InGroup() {
		return fmt.Sprintf(textStatusInGroup, status.Version,
			r.greet(u).Model, workerLine(status.Users[0], time.Now())), nil
	}
	return strings.TrimRight(StatusText(status, time.Now()), "\n"), nil
}

// hideMachine takes out of a status what is the machine's: processes and paths.
func hideMachine(s *control.Status) {
	s.PID = 0
	for i := range s.Users {
		u := &s.Users[i]
		u.PID, u.Home = 0, ""
	}
}

// statusOf tells of people, and with service of the service as a whole.
func (r statusReporter) statusOf(ctx context.Context, names []string, service bool) (control.Status, error) {
	status := control.Status{Version: r.version, PID: os.Getpid(), Since: r.since, Model: r.models.Default(), Walls: r.walls()}
	if service {
		counts, err := r.db.Counts(ctx)
		if err != nil {
			return control.Status{}, err
		}
		status.State, status.Sharing = r.config.State, r.places.Sharing
		own, resident := ownMemory()
		status.Memory = control.Memory{Supervisor: own, Resident: resident, Database: counts.Bytes}
		status.Waiting = control.Waiting{
			New: int(counts.Inbounds[supervisor.InboundNew]), Running: int(counts.Inbounds[supervisor.InboundRunning]), Asking: int(counts.Asking),
			Parked: int(counts.Inbounds[supervisor.InboundParked]), Deliveries: int(counts.Waiting),
		}
		if err := r.statusOfChannels(ctx, &status); err != nil {
			return control.Status{}, err
		}
	}
	workers, pids := map[string]pool.Status{}, []int{}
	for _, w := range r.pool.List() {
		workers[w.Key] = w
		pids = append(pids, w.PID)
	}
	uses := pool.ProcessUsageOf(pids...)
	for _, name := range names {
		u, _ := r.people.Find(name)
		line := control.UserStatus{Name: name, Home: u.Home, Worker: string(pool.StateAbsent), DiskLimit: int64(r.config.Worker.Disk)}
		line.Disk, line.DiskMore = r.held.Of(name)
		if report, err := r.index.HomeReport(ctx, name); err == nil { // else it is not known
			line.Index = control.HomeIndex{Files: report.Files, Sections: report.Sections, Bytes: report.Bytes, Unread: report.At.IsZero(), Large: report.Large, NotText: report.NotText,
				Unreadable: report.Unreadable, Excess: report.Excess}
		}
		if w, ok := workers[name]; ok {
			line.Worker, line.PID, line.Since = string(w.State), w.PID, w.Since
			line.Turns, line.Deaths, line.Refused = w.Turns, w.Deaths, w.Refused
			line.Memory, line.Processes = uses[w.PID].Memory, uses[w.PID].Processes
		}
		line.Refused = cmp.Or(line.Refused, r.places.Fault(u))
		line.Shares = r.places.Shares(u, line.PID)
		switch {
		case line.Refused == "":
			line.HandOver = r.places.HandOver(u, line.PID)
		case !service:
			line.Refused = textNoFolder
		}
		status.Users = append(status.Users, line)
	}
	return status, nil
}

func (r statusReporter) statusOfChannels(ctx context.Context, status *control.Status) error {
	if r.channel != nil {
		status.Channels = append(status.Channels, r.channel.status())
	}
	lost, err := r.db.Outbox().Undelivered(ctx)
	for _, l := range lost {
		status.Lost = append(status.Lost, control.LostDeliveries{
			User: l.Conversation.User, Channel: string(l.Conversation.Channel), Chat: l.Conversation.Chat,
			Outcome: string(l.Outcome), Why: l.Why, Count: l.Count, Last: l.Last,
		})
	}
	return err
}

// walls are what the spawner has said of them.
func (r statusReporter) walls() control.Walls {
	w := r.places.Spawner.Sandbox()
	return control.Walls{Tier: w.Tier, Why: w.Why, Limits: fmt.Sprintf("%s of memory and %d processes for each worker. %s",
		r.config.Worker.Memory, r.config.Worker.PIDs, w.Limits)}
}

// greet is what a chat client is told of the service.
func (r statusReporter) greet(u supervisor.User) control.Attached {
	a := control.Attached{Version: r.version, Walls: r.walls(), Model: r.models.Default()}
	if u.Model != "" {
		a.Model = u.Model
	}
	return a
}

// welcome is what /start says of this service.
func (r statusReporter) welcome(c supervisor.Conversation) string {
	u, _ := r.people.Find(c.User)
	g := r.greet(u)
	if c.InGroup() {
		return fmt.Sprintf(textWelcomeInGroup, g.Model)
	}
	return fmt.Sprintf(textWelcome, g.Model)
}

// hints say how to go on, where Mews runs with nothing configured.
func (r statusReporter) hints() string {
	var b strings.Builder
	b.WriteString(textReady)
	for _, u := range r.people.Names() {
		person, _ := r.people.Find(u)
		fmt.Fprintf(&b, "  folder  %s\n", person.Home)
	}
	fmt.Fprintf(&b, "  model   %s\n  walls   %s\n", r.models.Default(), r.walls().Line())
	if r.channel != nil {
		fmt.Fprintf(&b, "  also    on Telegram, for the ids of the configuration; `mews status` tells how that goes\n")
	}
	b.WriteByte('\n')
	b.WriteString(textReadyChat)
	if r.channel == nil {
		b.WriteString(textReadyTelegram)
	}
	b.WriteString(
		textReadyMore)
	return b.String()
}

// ownMemory is what this process has for itself alone, and all that is resident with the pages of
// its program, in bytes; 0 where the system does not tell (proc_pid_statm(5)).
func ownMemory() (own, resident int64) {
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

// newStatusReporter tells how the service is, once the parts are there that it tells of.
func newStatusReporter(s *service) statusReporter {
	return statusReporter{config: s.config, version: s.version, since: s.since, db: s.db, models: s.models, people: s.people, places: s.places,
		pool: s.pool, held: &s.places.Disk, channel: s.channel, index: s.index}
}
