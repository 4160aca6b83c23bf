package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/supervisor/outbox"
	"mews/supervisor/telegram"
)

// PollLimit is how old the last answer to a poll may be. A poll waits for 50 s, and has 15 s more.
const PollLimit = 3 * time.Minute

// drainLimit is how long a message may wait to be sent, unless its chat is in trouble.
const drainLimit = 10 * time.Minute

// listFaults returns why the service is not ready, in words: its faults, and the safe mode.
func (s *service) listFaults(ctx context.Context) []string {
	faults := s.readyFaults(ctx)
	if safe := s.safeModeFault(); safe != "" {
		faults = append(faults, fmt.Sprintf(textSafeModeOn, safe))
	}
	return faults
}

// readyFaults returns the faults that keep the service from its work, in words.
func (s *service) readyFaults(ctx context.Context) (faults []string) {
	all := []string{s.telegramFault(), s.pollFault(), s.loopFault(), s.databaseFault(), s.drainFault(ctx)}
	for _, fault := range all {
		if fault != "" {
			faults = append(faults, fault)
		}
	}
	return faults
}

// telegramFault returns the problem of the connection from Telegram; "" means none.
func (s *service) telegramFault() string {
	if s.channel == nil {
		return ""
	}
	h := s.channel.health.Status()
	switch {
	case h.State == telegram.HealthStarting:
		return textTelegramStarts
	case h.Error != "":
		return fmt.Sprintf(textTelegramFails, h.Error)
	}
	return ""
}

// pollFault says since when no poll was answered, if that is too long; "" means no problem.
func (s *service) pollFault() string {
	if s.channel == nil {
		return ""
	}
	h := s.channel.health.Status()
	if h.Mode != telegram.ModePolling || h.Completed.IsZero() || time.Since(h.Completed) < PollLimit {
		return ""
	}
	return fmt.Sprintf(textPollOld, clockTime(h.Completed))
}

// databaseFault returns why the database can't be written; "" means that it can.
func (s *service) databaseFault() string {
	if err := s.db.Fault(); err != nil {
		return fmt.Sprintf(textDatabaseFault, err)
	}
	return ""
}

// drainFault says since when a message waits to be sent, if that is too long; "" means no problem.
// Messages wait rightly for chats in trouble, for a pause that Telegram demands, and on other
// channels.
func (s *service) drainFault(ctx context.Context) string {
	if s.channel == nil {
		return ""
	}
	waiting, err := s.db.WaitingChats(ctx, s.channel.outbox.Name)
	if err != nil {
		return fmt.Sprintf(textDatabaseFault, err)
	}
	oldest := oldestWait(waiting, s.channel.outbox.Status())
	if oldest.IsZero() || s.now().Sub(oldest) < drainLimit {
		return ""
	}
	return fmt.Sprintf(textDrainOld, clockTime(oldest))
}

// oldestWait returns the oldest time in waiting, which has a time for each chat. It leaves out chats
// that wait rightly. The zero time means none.
func oldestWait(waiting map[string]time.Time, sending outbox.Status) (oldest time.Time) {
	if _, all := sending.Frozen[""]; all {
		return oldest
	}
	for chat, at := range waiting {
		_, frozen := sending.Frozen[chat]
		troubled := slices.ContainsFunc(sending.Troubles, func(t outbox.ChatTrouble) bool { return t.Chat == chat })
		if !frozen && !troubled && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
	}
	return oldest
}

func clockTime(t time.Time) string { return t.Local().Format("2006-01-02 15:04 MST") }

// loopFault names the loops that stand still; "" means that all move.
func (s *service) loopFault() string {
	var stuck []string
	for _, l := range s.health.States() {
		if l.Stuck {
			stuck = append(stuck, l.Name)
		}
	}
	if len(stuck) == 0 {
		return ""
	}
	return fmt.Sprintf(textLoopStuck, strings.Join(stuck, ", "))
}
