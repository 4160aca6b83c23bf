package sqlite

import (
	"context"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// SettingQuietHours is the name of the setting for a user's quiet hours.
const SettingQuietHours = "quiet"

const (
	holdNotice = `INSERT INTO held_notice (user, conversation, job, state, earlier, text, buttons, effects, silent, due_at, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`
	findHeldOf  = `SELECT id, earlier FROM held_notice WHERE job = ? AND state = ? AND conversation = ?`
	listHeldNow = `SELECT DISTINCT user, conversation FROM held_notice WHERE due_at <= ?1
		AND user NOT IN (SELECT value FROM json_each(?2)) ORDER BY conversation`
	listHeldIn = `SELECT id, conversation, earlier, text, buttons, effects, silent, EXISTS (SELECT 1 FROM question WHERE held = h.id) FROM held_notice h
		WHERE conversation = ? ORDER BY id`
	oldestHeld = `SELECT id, earlier FROM held_notice h WHERE conversation = ? AND job IS NULL AND NOT EXISTS (SELECT 1 FROM question WHERE held = h.id)
		ORDER BY id DESC LIMIT 2 OFFSET ?`
	countEarlier  = `UPDATE held_notice SET earlier = earlier + ? WHERE id = ?`
	listHeldUsers = `SELECT DISTINCT user FROM held_notice WHERE due_at <= ?`
	dropHeld      = `DELETE FROM held_notice WHERE id = ?`
	clearHeld     = `UPDATE fire SET held = NULL WHERE held = ?`
	sayHeld       = `UPDATE fire SET delivery = ?, held = NULL WHERE held = ?`
	holdFire      = `UPDATE fire SET held = ? WHERE job = ? AND due = ?`
	askHeld       = `UPDATE question SET delivery = ?, held = NULL WHERE held = ?`
	listHeldOf    = `SELECT id, earlier FROM held_notice h WHERE job = ?
		AND NOT EXISTS (SELECT 1 FROM question WHERE held = h.id)`
	renewHeld = `UPDATE held_notice SET due_at = ? WHERE user = ?`
)

// quietUntil returns when the user's current quiet hours end. ok is false outside quiet hours.
func (t *tx) quietUntil(user string) (end time.Time, ok bool) {
	hours, set := one(t, engine.ScanString, findSetting, user, SettingQuietHours)
	if !set {
		return end, false
	}
	return t.policies.Notices.QuietUntil(hours, fromMillis(t.Now).In(t.zoneOrUTC(user)))
}

// recheckHeld makes a user's held notices due if the changed setting is the quiet hours.
func (t *tx) recheckHeld(user, name string) {
	if name == SettingQuietHours {
		t.Exec(renewHeld, t.Now, user)
	}
}

// holdsUntil returns until when a notice must be held. ok is false if the notice may be sent now.
// The notice's conversation must have an ID.
func (t *tx) holdsUntil(d supervisor.Delivery) (end time.Time, ok bool) {
	end, quiet := t.quietUntil(d.Conversation.User)
	return end, quiet && t.policies.Notices.IsHeld(d)
}

// noticeSubject is the subject of a notice: a job, and the state of its fire. The zero value means
// no job or several jobs.
type noticeSubject struct {
	job   int64
	state supervisor.FireState
}

// subjectOf returns the subject of a notice about some fires.
func subjectOf(fires []supervisor.Fire) (of noticeSubject) {
	if len(fires) == 1 {
		of = noticeSubject{fires[0].Job.ID, fires[0].State}
	}
	return of
}

// sayOrHold sends a proactive message, or holds it until the end of the user's quiet hours. A held
// message becomes a delivery later.
func (t *tx) sayOrHold(d supervisor.Delivery) (said supervisor.Delivery, held int64) {
	return t.sayOrHoldAbout(d, noticeSubject{})
}

// sayOrHoldAbout sends or holds a notice with a subject, as sayOrHold does.
func (t *tx) sayOrHoldAbout(d supervisor.Delivery, of noticeSubject) (said supervisor.Delivery, held int64) {
	c := d.Conversation
	if c.ID == 0 {
		c = t.conversation(c)
	} else {
		c = t.conversationByID(c.ID)
	}
	d.Conversation = c
	end, holds := t.holdsUntil(d)
	if !holds {
		return t.putNotice(d), 0
	}
	t.fail(checkDelivery(d))
	return supervisor.Delivery{Conversation: c}, t.hold(d, of, end)
}

// heldCount has the id of a held notice and the number of earlier notices that it replaced.
type heldCount struct{ id, earlier int64 }

func scanHeldCount(r *engine.Row) (h heldCount) {
	r.Scan(&h.id, &h.earlier)
	return h
}

// maxHeldNotices is the largest number of held notices without a job in a conversation.
const maxHeldNotices = 1000

// hold stores a notice until the end of quiet hours. A notice about a job replaces the earlier
// notice about this job. Of notices without a job only the newest maxHeldNotices stay.
func (t *tx) hold(d supervisor.Delivery, of noticeSubject, end time.Time) (id int64) {
	earlier := int64(0)
	if before, ok := one(t, scanHeldCount, findHeldOf, of.job, of.state, d.Conversation.ID); ok {
		earlier = before.earlier + 1
		t.Exec(clearHeld, before.id)
		t.Exec(dropHeld, before.id)
	}
	id = t.Insert(
		holdNotice,
		d.Conversation.User,
		d.Conversation.ID,
		orNull(of.job),
		of.state,
		earlier,
		d.Text,
		encodedList(d.Buttons),
		encodedList(d.Effects),
		d.Silent,
		end.UnixMilli(),
		t.Now,
	)
	if of.job != 0 {
		return id
	}
	if oldest := all(t, scanHeldCount, oldestHeld, d.Conversation.ID, maxHeldNotices-1); len(oldest) > 1 {
		t.Exec(countEarlier, oldest[1].earlier+1, oldest[0].id)
		t.Exec(clearHeld, oldest[1].id)
		t.Exec(dropHeld, oldest[1].id)
	}
	return id
}

// dropHeldOf drops the held notices of a job that its user has ended. Questions stay.
func (t *tx) dropHeldOf(job int64) {
	for _, h := range all(t, scanHeldCount, listHeldOf, job) {
		t.Exec(clearHeld, h.id)
		t.Exec(dropHeld, h.id)
	}
}

// NoticePolicy decides which notices quiet hours hold. It also makes the message after quiet hours.
type NoticePolicy struct {
	// QuietUntil returns when the current quiet hours end. The argument hours is the user's
	// setting. The argument now is in the user's time zone.
	QuietUntil func(hours string, now time.Time) (end time.Time, quiet bool)
	// IsHeld reports whether a notice is held during quiet hours.
	IsHeld func(supervisor.Delivery) bool
	// Combine returns one message that has all notices that were held for a conversation.
	Combine func([]HeldNotice) supervisor.Delivery
}

// HeldNotice is a notice that waits for the end of quiet hours.
type HeldNotice struct {
	Text    string
	Buttons [][]supervisor.Button
	Effects []string
	Silent  bool
	Earlier int64 // number of earlier notices that this notice replaced

	id, conversation int64
	asks             bool // the notice asks a question
}

// ReleaseHeldNotices sends the due held notices and asks the due held questions. Each conversation
// gets one message for its notices. Notices keep waiting if their users are away or in new quiet
// hours. ReleaseHeldNotices returns the new deliveries.
func (s Jobs) ReleaseHeldNotices(
	ctx context.Context,
	now time.Time,
	rests func(user string) bool,
) (said []supervisor.Delivery, err error) {
	users, err := engine.AllRows(s.db.reader(ctx, "list held notices"), engine.ScanString, listHeldUsers,
		now.UnixMilli())
	resting := slices.DeleteFunc(slices.Clone(users), func(user string) bool { return !rests(user) })
	if err != nil || len(resting) == len(users) {
		return nil, err
	}
	return inTransaction(ctx, s.db, func(t *tx) (said []supervisor.Delivery) {
		for _, c := range all(t, func(r *engine.Row) (c supervisor.Conversation) {
			r.Scan(&c.User, &c.ID)
			return c
		}, listHeldNow, now.UnixMilli(), columnEncoder{append([]string{}, resting...)}) {
			if end, quiet := t.quietUntil(c.User); quiet {
				t.Exec(renewHeld, end.UnixMilli(), c.User)
				continue
			}
			said = append(said, t.releaseHeld(all(t, scanHeldNotice, listHeldIn, c.ID))...)
		}
		return said
	}, "send held notices")
}

func scanHeldNotice(r *engine.Row) (h HeldNotice) {
	r.Scan(&h.id, &h.conversation, &h.Earlier, &h.Text, columnDecoder{&h.Buttons}, columnDecoder{&h.Effects}, &h.Silent,
		&h.asks)
	return h
}

// releaseHeld sends the held notices of one conversation, and then asks its held questions.
func (t *tx) releaseHeld(list []HeldNotice) (said []supervisor.Delivery) {
	asks := func(h HeldNotice) bool { return h.asks }
	if told := slices.DeleteFunc(slices.Clone(list), asks); len(told) > 0 {
		said = append(said, t.sayTogether(told))
	}
	for _, h := range list {
		if asks(h) {
			said = append(said, t.putHeldQuestion(h))
		}
	}
	return said
}

// putHeldQuestion asks a held question. The question gets the same time limit as a question that
// was not held.
func (t *tx) putHeldQuestion(h HeldNotice) supervisor.Delivery {
	d := t.putNotice(
		supervisor.Delivery{
			Conversation: supervisor.Conversation{ID: h.conversation},
			Text:         h.Text,
			Buttons:      h.Buttons,
			Silent:       h.Silent,
		},
	)
	t.Exec(askHeld, d.ID, h.id)
	t.Exec(dropHeld, h.id)
	t.questions = true
	return d
}

// sayTogether sends one message for all held notices of a conversation.
func (t *tx) sayTogether(list []HeldNotice) supervisor.Delivery {
	d := t.policies.Notices.Combine(list)
	d.Conversation = supervisor.Conversation{ID: list[0].conversation}
	d = t.putNotice(d)
	for _, h := range list {
		t.Exec(sayHeld, d.ID, h.id)
		t.Exec(dropHeld, h.id)
	}
	return d
}
