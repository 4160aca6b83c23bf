package sqlite

import (
	"context"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// SettingQuiet is a person's setting of quiet.Hours.
const SettingQuiet = "quiet"

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
	leaveHeld     = `UPDATE fire SET held = NULL WHERE held = ?`
	sayHeld       = `UPDATE fire SET delivery = ?, held = NULL WHERE held = ?`
	holdFire      = `UPDATE fire SET held = ? WHERE job = ? AND due = ?`
	askHeld       = `UPDATE question SET delivery = ?, held = NULL WHERE held = ?`
	renewHeld     = `UPDATE held_notice SET due_at = ? WHERE user = ?`
)

// quietUntil is when the quiet hours end in which a person is now; it is not ok where they are in
// none.
func (t *tx) quietUntil(user string) (end time.Time, ok bool) {
	hours, set := one(t, engine.String, findSetting, user, SettingQuiet)
	if !set {
		return end, false
	}
	return t.policies.Notices.Quiet(hours, fromMillis(t.Now).In(t.zoneOrUTC(user)))
}

// settingChanged has what was held for other quiet hours be looked at again.
func (t *tx) settingChanged(user, name string) {
	if name == SettingQuiet {
		t.Exec(renewHeld, t.Now, user)
	}
}

// holdsUntil is when a notice may be said whose conversation is known; it is not ok where that is
// now.
func (t *tx) holdsUntil(d supervisor.Delivery) (end time.Time, ok bool) {
	end, quiet := t.quietUntil(d.Conversation.User)
	return end, quiet && t.policies.Notices.Holds(d)
}

// noticeSubject is what a notice that may be held is about: a job, and what became of its fire. The
// zero value is no job's, or that of several.
type noticeSubject struct {
	job   int64
	state supervisor.FireState
}

// ofFires are what a notice is of that tells of some fires.
func ofFires(fires []supervisor.Fire) (of noticeSubject) {
	if len(fires) == 1 {
		of = noticeSubject{fires[0].Job.ID, fires[0].As}
	}
	return of
}

// sayOrHold says what begins by itself, or holds it for the end of its person's quiet hours: what
// is held is no delivery yet.
func (t *tx) sayOrHold(d supervisor.Delivery) (said supervisor.Delivery, held int64) {
	return t.sayOrHoldOf(d, noticeSubject{})
}

// sayOrHoldOf is sayOrHold for what a notice is about.
func (t *tx) sayOrHoldOf(d supervisor.Delivery, of noticeSubject) (said supervisor.Delivery, held int64) {
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

// heldCount is a held notice by its id, and how many earlier ones it stands for.
type heldCount struct{ id, earlier int64 }

func scanHeldCount(r *engine.Row) (h heldCount) {
	r.Scan(&h.id, &h.earlier)
	return h
}

// maxHeldNotices are how many notices of no job are held for a conversation.
const maxHeldNotices = 1000

// hold keeps a notice. Of a job's it takes the place of the one before it, and of what is no job's
// only so many stay.
func (t *tx) hold(d supervisor.Delivery, of noticeSubject, end time.Time) (id int64) {
	earlier := int64(0)
	if before, ok := one(t, scanHeldCount, findHeldOf, of.job, of.state, d.Conversation.ID); ok {
		earlier = before.earlier + 1
		t.Exec(leaveHeld, before.id)
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
		t.Exec(leaveHeld, oldest[1].id)
		t.Exec(dropHeld, oldest[1].id)
	}
	return id
}

// NoticePolicy is what is held in quiet hours, and how that is said after them.
type NoticePolicy struct {
	// Quiet is when the quiet hours of a person end, as they have set them, in which they are at a
	// time in their zone.
	Quiet func(hours string, now time.Time) (end time.Time, quiet bool)
	// Holds says whether a notice is held in them.
	Holds func(supervisor.Delivery) bool
	// Together is what is said of all that was held for one conversation.
	Together func([]HeldNotice) supervisor.Delivery
}

// HeldNotice is what was to be said in quiet hours.
type HeldNotice struct {
	Text    string
	Buttons [][]supervisor.Button
	Effects []string
	Silent  bool
	Earlier int64 // notices that it stands for too

	id, conversation int64
	asks             bool // it puts a question
}

// Release says what was held and is due, all of a conversation in one message, and then asks what
// was to be asked; for who rests it waits on. So it does for who is in quiet hours now, by other
// ones than then. It returns what is said.
func (s Jobs) Release(
	ctx context.Context,
	now time.Time,
	rests func(user string) bool,
) (said []supervisor.Delivery, err error) {
	users, err := engine.All(s.db.reader(ctx, "look for what was held"), engine.String, listHeldUsers, now.UnixMilli())
	resting := slices.DeleteFunc(slices.Clone(users), func(user string) bool { return !rests(user) })
	if err != nil || len(resting) == len(users) {
		return nil, err
	}
	return inTransaction(ctx, s.db, func(t *tx) (said []supervisor.Delivery) {
		for _, c := range all(t, func(r *engine.Row) (c supervisor.Conversation) {
			r.Scan(&c.User, &c.ID)
			return c
		}, listHeldNow, now.UnixMilli(), encoded{append([]string{}, resting...)}) {
			if end, quiet := t.quietUntil(c.User); quiet {
				t.Exec(renewHeld, end.UnixMilli(), c.User)
				continue
			}
			said = append(said, t.release(all(t, scanHeldNotice, listHeldIn, c.ID))...)
		}
		return said
	}, "say what was held")
}

func scanHeldNotice(r *engine.Row) (h HeldNotice) {
	r.Scan(&h.id, &h.conversation, &h.Earlier, &h.Text, decoded{&h.Buttons}, decoded{&h.Effects}, &h.Silent, &h.asks)
	return h
}

// release says what was held for one conversation, and after that puts each question that was.
func (t *tx) release(list []HeldNotice) (said []supervisor.Delivery) {
	asks := func(h HeldNotice) bool { return h.asks }
	if told := slices.DeleteFunc(slices.Clone(list), asks); len(told) > 0 {
		said = append(said, t.sayTogether(told))
	}
	for _, h := range list {
		if asks(h) {
			said = append(said, t.putHeld(h))
		}
	}
	return said
}

// putHeld puts a question that was held. It stands as long as it would have without that.
func (t *tx) putHeld(h HeldNotice) supervisor.Delivery {
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

// sayTogether says what was held for one conversation.
func (t *tx) sayTogether(list []HeldNotice) supervisor.Delivery {
	d := t.policies.Notices.Together(list)
	d.Conversation = supervisor.Conversation{ID: list[0].conversation}
	d = t.putNotice(d)
	for _, h := range list {
		t.Exec(sayHeld, d.ID, h.id)
		t.Exec(dropHeld, h.id)
	}
	return d
}
