package schedule_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/schedule"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// BenchmarkLoop_ThousandJobsDue measures the time until 1,000 reminders are in the outbox. The
// reminders belong to fifty users and are due in the same second. The time should be at most a
// second.
func BenchmarkLoop_ThousandJobsDue(b *testing.B) {
	const people, each = 50, 20
	var clock atomic.Int64 // the current time in milliseconds
	now := func() time.Time { return time.UnixMilli(clock.Load()).UTC() }
	clock.Store(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).UnixMilli())
	db := sqlitetest.OpenPath(b, filepath.Join(b.TempDir(), "mews.db"), sqlite.Options{Now: now})
	queued := make(chan struct{}, people*each)
	s := schedule.New(schedule.Options{Store: db.Jobs(), Queue: db.Jobs(), CheckStore: db.Jobs(), Queued: func(int64) { queued <- struct{}{} }, Now: now, Log: hclog.NewNullLogger(),
		Person: func(name string) (supervisor.User, bool) { return inMadrid(name), true }})
	rounds := 0
	for b.Loop() {
		b.StopTimer()
		due := now().Add(time.Minute)
		var setting sync.WaitGroup
		for p := range people {
			setting.Go(func() { // the goroutines share the disk's syncs
				user := inMadrid(fmt.Sprint("p", p))
				c := supervisor.Conversation{User: user.Name, Channel: supervisor.ChannelTelegram, Chat: fmt.Sprint(p)}
				for i := range each {
					n := p*each + i
					at := due.Add(time.Duration(n) * time.Second / (people * each)).Format("2006-01-02T15:04:05.000Z07:00")
					if _, err := s.Chat.AddReminder(b.Context(), user, c, int64(rounds*people*each+n+1),
						at+": call the plumber", now()); err != nil {
						b.Error(err)
					}
				}
			})
		}
		setting.Wait()
		rounds++
		if b.Failed() {
			return
		}
		clock.Store(due.Add(time.Second).UnixMilli())
		ctx, cancel := context.WithCancel(b.Context())
		ended := make(chan error, 1)
		b.StartTimer()
		go func() { ended <- s.Run(ctx) }()
		for range people * each {
			<-queued
		}
		b.StopTimer()
		cancel()
		if err := <-ended; err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	if n := len(sqlitetest.QueryColumn(b, db, "SELECT id FROM outbox")); n != rounds*people*each {
		b.Fatalf("%d are in the outbox, want %d", n, rounds*people*each)
	}
}
