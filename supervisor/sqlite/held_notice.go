package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// SettingQuiet is a person's setting of supervisor.QuietHours.
const SettingQuiet = "quiet"

const (
	holdNotice  = `INSERT INTO held_notice (user, conversation, text, buttons, effects, silent, due_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`
	listHeldDue = `SELECT h.id, h.user, h.conversation, h.text, h.buttons, h.effects, h.silent,
		(SELECT iif(count(*) = 1, min(job || state), '') FROM fire WHERE held = h.id), EXISTS (SELECT 1 FROM question WHERE held = h.id) FROM held_notice h WHERE h.due_at <= ?1
		AND h.user NOT IN (SELECT value FROM json_each(?2)) ORDER BY h.conversation, h.id LIMIT 1000`
	listHeldUsers = `SELECT DISTINCT user FROM held_notice WHERE due_at <= ?`
	deferHeld     = `UPDATE held_notice SET due_at = ? WHERE id = ?`
	dropHeld      = `DELETE FROM held_notice WHERE id = ?`
	leaveHeld     = `UPDATE fire SET held = NULL WHERE held = ?`
	sayHeld       = `UPDATE fire SET delivery = ?, held = NULL WHERE held = ?`
	holdFire      = `UPDATE fire SET held = ? WHERE job = ? AND due = ?`
	askHeld       = `UPDATE question SET delivery = ?, held = NULL WHERE held = ?`
	renewHeld     = `UPDATE held_notice SET due_at = ? WHERE user = ?`
)

// quietUntil is when the quiet hours end in which a person is now; it is not ok where they are in none.
func (t *tx) quietUntil(user string) (end time.Time, ok bool) {
	hours, set := one(t, engine.String, findSetting, user, SettingQuiet)
	if !set {
		return end, false
	}
	q, ok := supervisor.ParseQuietHours(hours)
	if !ok {
		return end, false
	}
	zone := time.UTC
	if t.zone != nil {
		zone = t.zoneOf(user)
	}
	return q.Until(fromMillis(t.Now), zone)
}

// sayOrHold says what begins by itself, or holds it for the end of its person's quiet hours: what is held is no delivery yet. What is
// urgent is not held, nor what comes with files; in groups others read, and nothing is held there.
func (t *tx) sayOrHold(d supervisor.Delivery) (said supervisor.Delivery, held int64) {
	c := d.Conversation
	if c.ID == 0 {
		c = t.conversation(c)
	} else {
		c = t.conversationByID(c.ID)
	}
	end, quiet := t.quietUntil(c.User)
	if !quiet || d.Urgent || c.InGroup() || len(d.Files) > 0 {
		return t.putNotice(d), 0
	}
	t.fail(checkDelivery(d))
	d.Conversation = c
	return supervisor.Delivery{Conversation: c}, t.Insert(holdNotice, c.User, c.ID, d.Text, encodedList(d.Buttons), encodedList(d.Effects),
		d.Silent, end.UnixMilli(), t.Now)
}

// heldNotice is a row.
type heldNotice struct {
	id, conversation int64
	user, text       string
	buttons          [][]supervisor.Button
	effects          []string
	silent           bool
	of               string // a job, and what became of its fire; "" is of none, or of several
	asks             bool   // it puts a question
}

// Release says what was held and is due, all of a conversation in one message, and then asks what was to be asked; for who rests it waits on. So it does for who is in quiet hours now,
// by other ones than then. It returns what is said.
func (s Jobs) Release(ctx context.Context, now time.Time, rests func(user string) bool) (said []supervisor.Delivery, err error) {
	users, err := engine.All(s.db.reader(ctx, "look for what was held"), engine.String, listHeldUsers, now.UnixMilli())
	resting := slices.DeleteFunc(slices.Clone(users), func(user string) bool { return !rests(user) })
	if err != nil || len(resting) == len(users) {
		return nil, err
	}
	return inTransaction(ctx, s.db, func(t *tx) (said []supervisor.Delivery) {
		list := all(t, func(r *engine.Row) (h heldNotice) {
			r.Scan(&h.id, &h.user, &h.conversation, &h.text, decoded{&h.buttons}, decoded{&h.effects}, &h.silent, &h.of, &h.asks)
			return h
		}, listHeldDue, now.UnixMilli(), encoded{append([]string{}, resting...)})
		list = slices.DeleteFunc(list, func(h heldNotice) bool {
			end, quiet := t.quietUntil(h.user)
			if quiet {
				t.Exec(deferHeld, end.UnixMilli(), h.id)
			}
			return quiet
		})
		for len(list) > 0 {
			n := 1
			for n < len(list) && list[n].conversation == list[0].conversation {
				n++
			}
			said = append(said, t.release(list[:n])...)
			list = list[n:]
		}
		return said
	}, "say what was held")
}

// How much is said of what was held, in bytes: of one thing among others, and of all.
const (
	mostOfHeld = 2 << 10
	mostHeld   = 8 << 10
)

// release says what was held for one conversation, and after that puts each question that was.
func (t *tx) release(list []heldNotice) (said []supervisor.Delivery) {
	asks := func(h heldNotice) bool { return h.asks }
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
func (t *tx) putHeld(h heldNotice) supervisor.Delivery {
	d := t.putNotice(supervisor.Delivery{Conversation: supervisor.Conversation{ID: h.conversation}, Text: h.text, Buttons: h.buttons, Silent: h.silent})
	t.Exec(askHeld, d.ID, h.id)
	t.Exec(dropHeld, h.id)
	t.questions = true
	return d
}

// sayTogether says what was held for one conversation: of each job the newest that it has said, and the newest that failed or was missed. Buttons are
// below one thing alone: below several nobody knew which they are of. It is silent where all of it is.
func (t *tx) sayTogether(list []heldNotice) supervisor.Delivery {
	d := supervisor.Delivery{Conversation: supervisor.Conversation{ID: list[0].conversation}, Silent: true}
	newest, earlier := map[string]int64{}, map[string]int64{}
	for _, h := range list {
		if _, more := newest[h.of]; more {
			earlier[h.of]++
		}
		newest[h.of] = h.id
		d.Silent, d.Effects = d.Silent && h.silent, append(d.Effects, h.effects...)
	}
	said := slices.DeleteFunc(slices.Clone(list), func(h heldNotice) bool { return h.of != "" && newest[h.of] != h.id })
	texts := make([]string, len(said))
	for i, h := range said {
		if texts[i] = h.text; len(said) > 1 {
			texts[i] = supervisor.CutNotice(h.text, mostOfHeld)
		}
		if n := earlier[h.of]; n > 0 && h.of != "" {
			texts[i] += fmt.Sprintf(supervisor.TextEarlier, amount.Of(n, "earlier one", "earlier ones"))
		}
	}
	d.Text, d.Effects = texts[0], supervisor.BoundEffects(d.Effects)
	if len(said) == 1 {
		d.Buttons = said[0].buttons
	} else {
		d.Text = supervisor.CutNotice(strings.Join(texts, "\n\n"), mostHeld)
	}
	d = t.putNotice(d)
	for _, h := range said {
		t.Exec(sayHeld, d.ID, h.id)
	}
	for _, h := range list { // what was not said is told to no turn
		t.Exec(leaveHeld, h.id)
		t.Exec(dropHeld, h.id)
	}
	return d
}
