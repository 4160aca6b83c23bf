package api

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/printable"
)

// Text returns the status for people.
func (s Status) Text(now time.Time) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	process := ""
	if s.PID > 0 {
		process = fmt.Sprintf(", process %d", s.PID)
	}
	fmt.Fprintf(t, "mews\t%s%s, up %s\n", s.Version, process, now.Sub(s.Since).Round(time.Second))
	if s.State != "" {
		fmt.Fprintf(t, "state\t%s (database %s, memory %s, %s resident)\n", s.State,
			amount.BinarySize(s.Memory.Database),
			amount.BinarySize(s.Memory.Supervisor), amount.BinarySize(s.Memory.Resident))
	}
	fmt.Fprintf(t, "model\t%s\n", s.Model)
	fmt.Fprintf(t, "walls\t%s\n", s.Walls.Summary())
	if s.State != "" { // only an admin's status has the folder
		if line := s.sharedLine(); line != "" {
			fmt.Fprintf(t, "accounts\t%s\n", line)
		}
		fmt.Fprintf(t, "limits\t%s\n", s.Walls.Limits)
		asking := ""
		if s.Waiting.Asking > 0 {
			asking = fmt.Sprintf(textAsking, amount.Plural(s.Waiting.Asking, "waits", "wait"))
		}
		fmt.Fprintf(t, "waiting\t%d new, %d running%s, %s not delivered yet, %d given up on\n",
			s.Waiting.New, s.Waiting.Running, asking, amount.Plural(s.Waiting.Deliveries, "answer", "answers"),
			s.Waiting.Parked)
	}
	if s.Listen != "" {
		fmt.Fprintf(t, "listen\t%s\n", s.Listen)
	}
	for _, fault := range s.Faults {
		fmt.Fprintf(t, "not ready\t%s\n", fault)
	}
	if len(s.Alarms) > 0 {
		fmt.Fprintf(t, "alarms\t%s\n", strings.Join(s.Alarms, ", "))
	}
	if s.Jobs.Count > 0 {
		fmt.Fprintf(t, textUpcoming, s.Jobs.Count, s.Jobs.Next.Local().Format(upcomingLayout))
	}
	for _, c := range s.Channels {
		fmt.Fprintf(t, "%s\t%s\n", c.Name, channelLine(c, now))
	}
	for _, l := range s.Lost {
		fmt.Fprintf(t, "lost\t%s\n", lostLine(l, now))
	}
	for _, u := range s.Users {
		fmt.Fprintf(t, "user\t%s: %s; %s: %s\n", u.Name, workerLine(u, now), strings.TrimSpace("folder "+u.Home),
			HomeSizeText(u)+indexLine(u.Index)+fileHistoryLine(u.FileHistory))
	}
	t.Flush()
	return b.String()
}

// sharedLine tells that users share a Unix account although each should have one; "" means that
// none do.
func (s Status) sharedLine() string {
	n := 0
	for _, u := range s.Users {
		if u.Shares {
			n++
		}
	}
	if s.Walls.Tier != "accounts" || n < 2 {
		return ""
	}
	return fmt.Sprintf(textSharedAccount, n, cmp.Or(s.Sharing, textWhyShared))
}

// listStatus turns a table into a list, because a phone breaks the lines of a table.
func listStatus(table string) string {
	lines := strings.Split(table, "\n")
	for i, line := range lines {
		name, rest, _ := strings.Cut(line, " ")
		lines[i] = "- " + name + ": " + strings.TrimSpace(rest)
	}
	return strings.Join(lines, "\n")
}

func workerLine(u UserStatus, now time.Time) string {
	line := "worker " + u.Worker
	if u.PID > 0 {
		line += fmt.Sprintf(" (process %d)", u.PID)
	}
	if !u.Since.IsZero() {
		line += " for " + now.Sub(u.Since).Round(time.Second).String()
	}
	if u.Processes > 0 {
		line += fmt.Sprintf(", %s in %s", amount.BinarySize(u.Memory), amount.Plural(u.Processes, "process",
			"processes"))
	}
	if u.Turns > 0 {
		line += fmt.Sprintf(", %s ended", amount.Plural(u.Turns, "turn", "turns"))
	}
	if u.Deaths > 0 {
		line += fmt.Sprintf(", ended unexpectedly %s", amount.Plural(u.Deaths, "time", "times"))
	}
	if u.Refused != "" {
		line += ", can't be started: " + u.Refused
	}
	return line
}

// HomeSizeText describes the size of a home and its limit.
func HomeSizeText(u UserStatus) string {
	if u.Disk == 0 {
		return "not counted yet"
	}
	line := amount.BinarySize(u.Disk)
	if u.DiskMore {
		line = "at least " + line
	}
	if u.DiskLimit > 0 {
		line += " of " + amount.BinarySize(u.DiskLimit)
	}
	return line
}

// fileHistoryLine says how much room earlier versions of files use; nil means that it is not known.
func fileHistoryLine(size *supervisor.FileHistorySize) string {
	if size == nil {
		return ""
	}
	return fmt.Sprintf(textHistory, FileHistoryText(*size))
}

// FileHistoryText says how much room earlier versions of files use, and what is not kept.
func FileHistoryText(size supervisor.FileHistorySize) string {
	if size.Off != "" {
		return fmt.Sprintf(textHistoryOff, printable.DropControls(size.Off))
	}
	text := fmt.Sprintf(textHistorySize, amount.BinarySize(size.Bytes), amount.BinarySize(size.Room),
		amount.Plural(size.Files, "file", "files"))
	if !size.Oldest.IsZero() {
		text += fmt.Sprintf(textHistoryOldest, size.Oldest.Local().Format(time.DateOnly))
	}
	var left []string
	for _, why := range size.Why {
		left = append(left, fmt.Sprintf(textHistoryReason, amount.FormatNumber(why.Count),
			protocol.PlainReason(why.Reason)))
	}
	if len(left) == 0 && size.Left.Count > 0 {
		left = []string{amount.Plural(size.Left.Count, "file", "files")}
	}
	if len(left) > 0 {
		text += fmt.Sprintf(textHistoryLeft, strings.Join(left, ", "))
	}
	return text
}

// indexLine says how many files of a home can be searched, and why the other files can't.
func indexLine(i HomeIndexCounts) string {
	if i == (HomeIndexCounts{}) {
		return ""
	}
	if i.Unread && i.Files == 0 {
		return textIndexNothing
	}
	line := fmt.Sprintf(textIndexed, amount.Plural(i.Files, "file", "files"), amount.BinarySize(i.Bytes),
		amount.Plural(i.Sections, "section", "sections"))
	if i.Unread {
		line += textIndexUnread
	}
	var left []string
	for _, l := range []struct {
		n   int
		why string
	}{
		{i.Large, textIndexLarge}, {i.NotText, textIndexNotText}, {i.Unreadable, textIndexUnreadable},
		{i.Excess, textIndexExcess},
	} {
		if l.n > 0 {
			left = append(left, fmt.Sprintf(l.why, l.n))
		}
	}
	if len(left) > 0 {
		line += fmt.Sprintf(textIndexLeft, strings.Join(left, ", "))
	}
	return line
}

// channelLine describes the state of a channel.
func channelLine(c ChannelStatus, now time.Time) string {
	bot := ""
	if c.Bot != "" {
		bot = "@" + c.Bot + ", "
	}
	line := fmt.Sprintf("%s%s: %s", bot, c.Mode, c.State)
	if !c.Since.IsZero() {
		line += " for " + now.Sub(c.Since).Round(time.Second).String()
	}
	if c.Error != "" {
		line += fmt.Sprintf(" (%s, %s in a row)", c.Error, amount.Plural(c.Failures, "failure", "failures"))
	}
	if !c.Completed.IsZero() {
		line += fmt.Sprintf(", last answered %s ago", now.Sub(c.Completed).Round(time.Second))
	}
	if c.Pending > 0 {
		line += fmt.Sprintf(", %d waiting there", c.Pending)
	}
	for _, f := range c.Frozen {
		where := "nothing can be sent"
		if f.Chat != "" {
			where = "nothing can be sent to chat " + f.Chat
		}
		line += fmt.Sprintf("; %s for another %s", where, f.Until.Sub(now).Round(time.Second))
	}
	for _, s := range c.Stuck {
		line += fmt.Sprintf("; chat %s waits for %s: %s", s.Chat, now.Sub(s.Since).Round(time.Second), s.Error)
	}
	return line
}

// lostLine describes messages that may not have arrived.
func lostLine(l LostDeliveries, now time.Time) string {
	fate := "may not have arrived"
	if l.Outcome == string(supervisor.OutcomeFailed) {
		fate = "could not be delivered"
	}
	line := fmt.Sprintf("%s to %s, %s chat %s, %s", amount.Plural(l.Count, "message", "messages"), l.User, l.Channel,
		l.Chat, fate)
	if l.Why != "" {
		line += ": " + l.Why
	}
	return line + fmt.Sprintf(" (%s ago; /resend there sends again)", now.Sub(l.Last).Round(time.Second))
}
