package monitor

import (
	"slices"
	"strings"
	"time"
)

// The tables of figures, by subject. The manual's page about figures has the same names.
var serviceMetrics = []Metric{
	{"mews_info", "gauge", "version", "Always 1. The label has the version.",
		func(f Figures) []sample { return []sample{{f.Version, 1}} }},
	{"mews_walls", "gauge", "tier", "Always 1. The label has the tier of the walls around workers.",
		func(f Figures) []sample { return []sample{{f.Walls, 1}} }},
	{"mews_start_time_seconds", "gauge", "", "When the service started.",
		func(f Figures) []sample { return seconds(f.Started) }},
	{"mews_ready", "gauge", "", "1 if /readyz says that the service is ready.",
		func(f Figures) []sample { return one(truth(f.Ready)) }},
	{"mews_loop_answer_time_seconds", "gauge", "loop", "When a loop of the service last answered a ping.",
		func(f Figures) []sample {
			return each(f.Loops, func(l Loop) (string, []sample) { return l.Name, seconds(l.Moved) })
		}},
	{"mews_loop_stuck", "gauge", "loop", "1 if a loop has not answered the last ping within 45 seconds.",
		func(f Figures) []sample {
			return each(f.Loops, func(l Loop) (string, []sample) { return l.Name, one(truth(l.Stuck)) })
		}},
	{"mews_alarm", "gauge", "alarm", "1 while the alarm is raised.",
		func(f Figures) []sample { return counts(f.Alarms, truth) }},
}

// telegramMetrics are missing if Telegram is not configured.
var telegramMetrics = []Metric{
	{"mews_telegram_up", "gauge", "mode", "1 if Telegram's last answer was fine. The label is polling or webhook.",
		ofTelegram(func(t Telegram) []sample { return []sample{{t.Mode, truth(t.OK)}} })},
	{"mews_telegram_answer_time_seconds", "gauge", "", "When Telegram last answered a poll, or called the webhook.",
		ofTelegram(func(t Telegram) []sample { return seconds(t.Answered) })},
	{"mews_telegram_failures", "gauge", "", "Failures in a row.",
		ofTelegram(func(t Telegram) []sample { return one(t.Failures) })},
	{"mews_telegram_stalled_polls_total", "counter", "", "Polls that ended by their deadline.",
		ofTelegram(func(t Telegram) []sample { return one(t.Stalls) })},
	{"mews_telegram_pending_updates", "gauge", "", "Updates that wait at Telegram. Only known with a webhook.",
		ofTelegram(func(t Telegram) []sample { return one(t.Pending) })},
	{"mews_telegram_troubled_chats", "gauge", "", "Chats to which sending fails.",
		ofTelegram(func(t Telegram) []sample { return one(t.Troubled) })},
	{"mews_telegram_frozen_chats", "gauge", "", "Chats for which Telegram demands a pause.",
		ofTelegram(func(t Telegram) []sample { return one(t.Frozen) })},
	{"mews_clock_offset_seconds", "gauge", "", "How much this machine's clock is ahead of Telegram's.",
		func(f Figures) []sample {
			if f.ClockOffset == nil {
				return nil
			}
			return one(f.ClockOffset.Seconds())
		}},
}

func ofTelegram(samples func(Telegram) []sample) func(Figures) []sample {
	return func(f Figures) []sample {
		if f.Telegram == nil {
			return nil
		}
		return samples(*f.Telegram)
	}
}

var messageMetrics = []Metric{
	{"mews_messages", "gauge", "state", "Messages that wait: new for their turn, held for a code.",
		func(f Figures) []sample {
			return []sample{{"held", float64(f.Messages.Held)}, {"new", float64(f.Messages.New)}}
		}},
	{"mews_turns", "gauge", "state", "Turns: all that run, and those of them that wait for their user's answer.",
		func(f Figures) []sample {
			return []sample{{"asking", float64(f.Messages.Asking)}, {"running", float64(f.Messages.Running)}}
		}},
	{"mews_outbox_messages", "gauge", "channel", "Answers and notices that wait on a channel.",
		func(f Figures) []sample {
			return each(f.Messages.Waiting, func(w Waiting) (string, []sample) { return w.Channel, one(w.Count) })
		}},
	{"mews_outbox_oldest_time_seconds", "gauge", "channel", "When the oldest of them was written.",
		func(f Figures) []sample {
			return each(f.Messages.Waiting, func(w Waiting) (string, []sample) { return w.Channel, seconds(w.Oldest) })
		}},
	{"mews_outbox_lost", "gauge", "", "Messages that may not have arrived. /resend sends them again.",
		func(f Figures) []sample { return one(f.Messages.Lost) }},
	{"mews_model_calls_last_hour", "gauge", "outcome", "Calls of models in the last hour.",
		func(f Figures) []sample {
			m := f.Messages
			return []sample{{"failed", float64(m.Failed)}, {"ok", float64(m.Calls - m.Failed)}}
		}},
	{"mews_model_cost_dollars_last_hour", "gauge", "", "Cost of the calls of models in the last hour.",
		func(f Figures) []sample { return one(f.Messages.Cost) }},
}

var workerMetrics = []Metric{
	{"mews_workers", "gauge", "state", "Workers by state. A user without a running worker has none.",
		func(f Figures) []sample { return counts(f.Workers, func(n int) float64 { return float64(n) }) }},
	{"mews_worker_deaths_total", "counter", "", "Workers that ended unexpectedly.",
		func(f Figures) []sample { return one(f.Deaths) }},
	{"mews_worker_turns_total", "counter", "", "Turns that workers have ended.",
		func(f Figures) []sample { return one(f.Turns) }},
	{"mews_worker_memory_bytes", "gauge", "", "Memory of all workers with their programs.",
		func(f Figures) []sample { return one(f.Memory) }},
	{"mews_worker_processes", "gauge", "", "Processes of all workers.",
		func(f Figures) []sample { return one(f.Programs) }},
}

var machineMetrics = []Metric{
	{"mews_disk_free_bytes", "gauge", "", "Free room on the disk of the state folder.",
		func(f Figures) []sample { return one(f.Disk.Free) }},
	{"mews_disk_size_bytes", "gauge", "", "Size of that disk.",
		func(f Figures) []sample { return one(f.Disk.Total) }},
	{"mews_disk_reserve_bytes", "gauge", "", "Room below which the disk counts as nearly full.",
		func(f Figures) []sample { return one(f.Disk.Reserve) }},
	{"mews_database_bytes", "gauge", "", "Size of the database.",
		func(f Figures) []sample { return one(f.Database) }},
	{"mews_memory_private_bytes", "gauge", "", "Memory of the service that is its own: heap, stacks, changed pages.",
		func(f Figures) []sample { return one(f.Process.Private) }},
	{"mews_machine_memory_available_bytes", "gauge", "", "Memory that the machine has left.",
		func(f Figures) []sample { return one(f.Process.Available) }},
	{"process_resident_memory_bytes", "gauge", "", "Memory of the service, with its program.",
		func(f Figures) []sample { return one(f.Process.Resident) }},
	{"process_cpu_seconds_total", "counter", "", "Processor time of the service.",
		func(f Figures) []sample { return one(f.Process.CPU.Seconds()) }},
	{"process_open_fds", "gauge", "", "Open files of the service.",
		func(f Figures) []sample { return one(f.Process.OpenFiles) }},
	{"process_max_fds", "gauge", "", "Limit of open files of the service.",
		func(f Figures) []sample { return one(f.Process.FileLimit) }},
	{"process_start_time_seconds", "gauge", "", "When the service started.",
		func(f Figures) []sample { return seconds(f.Started.Truncate(time.Second)) }},
	{"go_goroutines", "gauge", "", "Goroutines of the service.",
		func(f Figures) []sample { return one(f.Process.Goroutines) }},
	{"mews_people", "gauge", "", "Users of Mews.",
		func(f Figures) []sample { return one(f.Users) }},
}

// maxPeople is the most users with figures of their own, so that an answer has at most maxSeries
// values.
const maxPeople = 55

// peopleMetrics have values only if the configuration's metrics.people is true.
var peopleMetrics = []Metric{
	{"mews_person_memory_bytes", "gauge", "person", "Memory of a person's worker with its programs.",
		ofPeople(func(p Person) int64 { return p.Memory })},
	{"mews_person_home_bytes", "gauge", "person", "Size of a person's folder.",
		ofPeople(func(p Person) int64 { return p.Home })},
}

func ofPeople(value func(Person) int64) func(Figures) []sample {
	return func(f Figures) []sample {
		byName := func(a, b Person) int { return strings.Compare(a.Name, b.Name) }
		list := slices.SortedFunc(slices.Values(f.People), byName)
		list = list[:min(len(list), maxPeople)]
		return each(list, func(p Person) (string, []sample) { return p.Name, one(value(p)) })
	}
}
