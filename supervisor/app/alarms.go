package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mews/config"
	"mews/protocol/amount"
	"mews/supervisor/alarm"
	"mews/supervisor/disk"
	"mews/supervisor/model"
	"mews/supervisor/monitor"
	"mews/supervisor/pool"
	"mews/supervisor/telegram"
)

// openAlarms makes the alarms, which tell admins of problems of the service.
func (s *service) openAlarms(context.Context) (err error) {
	o, err := s.alarmOptions(func() *config.Config { return s.configuration.Current() })
	if err != nil {
		return err
	}
	o.Checks = map[alarm.Name]func(context.Context) string{
		alarm.Telegram: func(context.Context) string { return s.failingTelegram() },
		alarm.Poll:     func(context.Context) string { return s.pollFault() },
		alarm.Outbox:   func(context.Context) string { return s.failingSends() },
		alarm.Drain:    s.drainFault,
		alarm.Loop:     func(context.Context) string { return s.loopFault() },
		alarm.Disk:     func(context.Context) string { return s.diskFault() },
		alarm.Database: func(context.Context) string { return s.databaseFault() },
		alarm.Memory:   func(context.Context) string { return memoryFault() },
		alarm.Walls:    func(context.Context) string { return s.workerFault() },
		alarm.Model:    func(context.Context) string { return s.modelFault() },
		alarm.Clock:    func(context.Context) string { return s.clockFault() },
		alarm.Backup:   func(context.Context) string { return s.backupFault() },
		alarm.Copy:     func(context.Context) string { return s.copyFault() },
		alarm.Drill:    func(context.Context) string { return s.drillFault() },
		alarm.Update:   func(context.Context) string { return s.updateFault() },
		alarm.SafeMode: func(context.Context) string { return s.safeModeFault() },
	}
	o.Tell = func(text string, directly bool) {
		if directly {
			s.notices().TellAdminsWithoutStoring(text)
			return
		}
		s.tellAdmins(text)
	}
	o.Ready = func(ctx context.Context) bool { return len(s.listFaults(ctx)) == 0 }
	s.alarms = alarm.New(o)
	return nil
}

// alarmOptions returns the options for the alarms that the configuration has. The function current
// returns the configuration that is in force, whose URLs a reload replaces.
func (s *storage) alarmOptions(current func() *config.Config) (o alarm.Options, err error) {
	o = alarm.Options{File: s.private("alarms.json"), Now: s.now, Log: s.log.Named("alarm")}
	url := func() string { return current().Alarms.URL.Reveal() }
	heartbeat := func() string { return current().Alarms.Heartbeat.Reveal() }
	if start := s.config.Alarms.URL.Reveal(); start != "" {
		o.Send = func(ctx context.Context, m alarm.Message) error {
			remote, err := alarm.NewRemote(url())
			if err == nil {
				err = remote.Send(ctx, m)
			}
			return err
		}
		_, err = alarm.NewRemote(start)
	}
	if start := s.config.Alarms.Heartbeat.Reveal(); start != "" && err == nil {
		o.Beat = func(ctx context.Context) error {
			remote, err := alarm.NewRemote(heartbeat())
			if err == nil {
				err = remote.Beat(ctx)
			}
			return err
		}
		_, err = alarm.NewRemote(start)
	}
	return o, err
}

// tellAlarm returns the functions with which a part tells an alarm and its end, with its own texts.
func (s *service) tellAlarm(name alarm.Name) (raise, end func(text string)) {
	return func(text string) { s.alarms.Report(name, text) }, func(text string) { s.alarms.End(name, text) }
}

// raisedAlarms returns whether each alarm is raised, by name.
func (s *service) raisedAlarms() map[string]bool {
	all := map[string]bool{}
	for name, raised := range s.alarms.Raised() {
		all[string(name)] = raised
	}
	return all
}

// failingTelegram returns the problem of the connection from Telegram, unless it has just started.
func (s *service) failingTelegram() string {
	if s.channel == nil {
		return ""
	}
	if h := s.channel.health.Status(); h.State == telegram.HealthFailing {
		return h.Error
	}
	return ""
}

// failingSends returns why nothing can be sent; "" means that something can.
func (s *service) failingSends() string {
	if s.channel == nil {
		return ""
	}
	return s.channel.outbox.Status().Failing
}

// diskFault describes the room on the disk of the state folder, if it is nearly full.
func (s *service) diskFault() string {
	room, err := disk.SpaceOf(s.private(""))
	if err != nil || !room.IsLow() {
		return ""
	}
	return room.String()
}

// memoryFault describes the memory that the machine has left, if it is little.
func memoryFault() string {
	m := monitor.ReadMachineMemory()
	if !m.IsLow() {
		return ""
	}
	return fmt.Sprintf(textMemoryLeft, amount.BinarySize(m.Available), amount.BinarySize(m.Total))
}

// workerFault says how many workers can't be started. Other parts tell admins of whom, and why.
func (s *service) workerFault() string { return refusedWorkers(s.pool.List()) }

// refusedWorkers counts the workers that can't be started; "" means none.
func refusedWorkers(list []pool.WorkerStatus) string {
	n := 0
	for _, w := range list {
		if w.Refused != "" {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return amount.Plural(n, "assistant", "assistants")
}

// refusalAge is how long a refusal of a model counts, if nobody asks the model again.
const refusalAge = 24 * time.Hour

// modelFault names the models that refuse the key or the account. Other parts tell admins why.
func (s *service) modelFault() string { return refusingModels(s.models.Refusals(), time.Now()) }

// refusingModels names the models of refusals that still count.
func refusingModels(list []model.Refusal, now time.Time) string {
	var all []string
	for _, r := range list {
		if now.Sub(r.At) < refusalAge {
			all = append(all, r.Model)
		}
	}
	return strings.Join(all, ", ")
}

// clockTolerance is how wrong this machine's clock may be. Second factors accept a code for 30 s.
const clockTolerance = 30 * time.Second

// clockFault says how wrong this machine's clock is, if it is more than clockTolerance.
func (s *service) clockFault() string {
	if s.channel == nil {
		return ""
	}
	offset, known := s.channel.client.ClockOffset()
	if !known {
		return ""
	}
	return ClockFault(offset)
}

// ClockFault says how wrong a clock is; "" means that it is right enough. offset is how much it is
// ahead.
func ClockFault(offset time.Duration) string {
	switch {
	case offset > clockTolerance:
		return fmt.Sprintf(textClockAhead, amount.FormatDuration(offset))
	case offset < -clockTolerance:
		return fmt.Sprintf(textClockBehind, amount.FormatDuration(-offset))
	}
	return ""
}

// AlarmTarget describes where alarms go besides the admins' chats; "" means nowhere.
func AlarmTarget(cfg *config.Config) string { return alarm.DescribeURL(cfg.Alarms.URL.Reveal()) }
