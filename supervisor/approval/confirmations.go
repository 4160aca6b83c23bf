package approval

import (
	"context"
	"time"

	"mews/supervisor"
)

// Confirmations know which codes are for an effect that waits for one. They may be used from
// several goroutines.
type Confirmations struct {
	Conversations Conversations
	Factors       Factors
	Codes         Codes
}

// Conversations finds a conversation by its id.
type Conversations interface {
	FindByID(ctx context.Context, id int64) (c supervisor.Conversation, found bool, err error)
}

// Factors finds a person's second factor.
type Factors interface {
	Find(ctx context.Context, user string) (f supervisor.Factor, known bool, err error)
}

// Codes finds what a code is for.
type Codes interface {
	// FindCode is the question that a code from a person's chat is meant for, if there is one: an
	// open one, or one that has ended without a code a moment ago.
	FindCode(ctx context.Context, c supervisor.Conversation) (q supervisor.Question, ok bool, err error)
}

// CheckAskable is Confirmer's. A code is for one question: where another waits for one in the chat,
// or did a moment ago, nobody is asked for a second.
func (c *Confirmations) CheckAskable(ctx context.Context, q supervisor.Question) error {
	conversation, found, err := c.Conversations.FindByID(ctx, q.Conversation.ID)
	if err != nil || !found {
		return err
	}
	user := conversation.User
	f, known, err := c.Factors.Find(ctx, user)
	switch {
	case err != nil:
		return err
	case !known || !f.Confirmed:
		return supervisor.Errorf(supervisor.CodeForbidden, textCodeNoFactor, user, user)
	case conversation.InGroup():
		return supervisor.Errorf(supervisor.CodeForbidden, textCodeInGroup, user)
	}
	other, found, err := c.Codes.FindCode(ctx, conversation)
	if err == nil && found && (other.Subject != q.Subject || other.Turn != q.Turn || other.Inbound != q.Inbound) {
		return supervisor.Errorf(supervisor.CodeForbidden, textCodeBusy, user)
	}
	return err
}

// checkCode is what becomes of a code that a person has sent, where it is for an effect; decide
// holds it against their factor. Without a Decide it is for none.
func (c *Confirmations) checkCode(ctx context.Context, in supervisor.Inbound, decide supervisor.CheckCode) (d supervisor.GateDecision, err error) {
	q, found, err := c.Codes.FindCode(ctx, in.Conversation)
	switch {
	case err != nil || !found:
		return d, err
	case q.Conversation.Thread != in.Conversation.Thread:
		return supervisor.GateDecision{CheckCode: rejectOtherTopic}, nil
	}
	return supervisor.GateDecision{CheckCode: requireFresh(decide, q.CreatedAt), Question: q.ID}, nil
}

// rejectOtherTopic answers a code that was sent in another topic of the chat than the one in which
// it was asked for. It may be meant for something else, so it is not held against anything and is
// not used up.
func rejectOtherTopic(f supervisor.Factor, _ time.Time) (supervisor.Factor, supervisor.CodeResult) {
	return f, supervisor.CodeResult{Action: "stepup.elsewhere", Text: textCodeElsewhere}
}

// codePeriod is how long an app shows a code (RFC 6238, section 5.2).
const codePeriod = 30 * time.Second

// requireFresh holds a code against a factor as decide does, but takes none that apps had ceased to
// show when it was asked for: who saw an older one over somebody's shoulder may still have it.
func requireFresh(decide supervisor.CheckCode, askedAt time.Time) supervisor.CheckCode {
	stale := askedAt.Unix()/int64(codePeriod.Seconds()) - 1
	return func(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.CodeResult) {
		least := f
		least.LastPeriod = max(f.LastPeriod, stale)
		after, v := decide(least, now)
		if after.LastPeriod == least.LastPeriod {
			after.LastPeriod = f.LastPeriod // no code of an app was taken
		}
		if !v.Right {
			if _, usual := decide(f, now); usual.Right {
				v.Text = textCodeStale
			}
		}
		return after, v
	}
}
