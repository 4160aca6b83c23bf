package approval

import (
	"context"
	"time"

	"mews/supervisor"
)

// Confirmations finds the effect that a code confirms. It is safe for concurrent use.
type Confirmations struct {
	Conversations Conversations
	Factors       FactorFinder
	Codes         CodeQuestions
}

// Conversations finds a conversation by its id.
type Conversations interface {
	FindConversation(ctx context.Context, id int64) (c supervisor.Conversation, found bool, err error)
}

// FactorFinder finds a user's second factor.
type FactorFinder interface {
	Find(ctx context.Context, user string) (f supervisor.SecondFactor, known bool, err error)
}

// CodeQuestions finds the question that a code answers.
type CodeQuestions interface {
	// FindQuestionForCode finds the question that a code from the user's chat answers. The question
	// is open, or it ended without a code a moment ago.
	FindQuestionForCode(ctx context.Context, c supervisor.Conversation) (q supervisor.Question, ok bool, err error)
}

// RefuseSecondQuestion implements Confirmer. A code answers only one question. RefuseSecondQuestion
// returns an error if another question in the chat waits for a code, or waited a moment ago.
func (c *Confirmations) RefuseSecondQuestion(ctx context.Context, q supervisor.Question) error {
	conversation, found, err := c.Conversations.FindConversation(ctx, q.Conversation.ID)
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
	case conversation.IsInGroup():
		return supervisor.Errorf(supervisor.CodeForbidden, textCodeInGroup, user)
	}
	other, found, err := c.Codes.FindQuestionForCode(ctx, conversation)
	if err == nil && found && (other.Subject != q.Subject || other.Turn != q.Turn || other.Inbound != q.Inbound) {
		return supervisor.Errorf(supervisor.CodeForbidden, textCodeBusy, user)
	}
	return err
}

// checkCode returns the decision on a code that a user has sent. Without a waiting effect the
// decision has no CheckCode. decide checks the code against the user's factor.
func (c *Confirmations) checkCode(ctx context.Context, in supervisor.Inbound,
	decide supervisor.LoginCodeChecker) (d supervisor.GateDecision, err error) {
	q, found, err := c.Codes.FindQuestionForCode(ctx, in.Conversation)
	switch {
	case err != nil || !found:
		return d, err
	case q.Conversation.Thread != in.Conversation.Thread:
		return supervisor.GateDecision{CheckCode: rejectOtherTopic}, nil
	}
	return supervisor.GateDecision{CheckCode: requireFresh(decide, q.CreatedAt), Question: q.ID}, nil
}

// rejectOtherTopic refuses a code that was sent in another topic than the question. The code may be
// meant for another purpose, so it is neither checked nor used up.
func rejectOtherTopic(f supervisor.SecondFactor, _ time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
	return f, supervisor.LoginCodeResult{Action: "stepup.elsewhere", Text: textCodeElsewhere}
}

// codePeriod is how long an authenticator app shows a code (RFC 6238, section 5.2).
const codePeriod = 30 * time.Second

// requireFresh wraps decide. It refuses codes that apps no longer showed when the question was
// asked. A bystander may have read such a code.
func requireFresh(decide supervisor.LoginCodeChecker, askedAt time.Time) supervisor.LoginCodeChecker {
	stale := askedAt.Unix()/int64(codePeriod.Seconds()) - 1
	return func(f supervisor.SecondFactor, now time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
		least := f
		least.LastPeriod = max(f.LastPeriod, stale)
		after, v := decide(least, now)
		if after.LastPeriod == least.LastPeriod {
			after.LastPeriod = f.LastPeriod // no code of an app was accepted
		}
		if !v.Right {
			if _, usual := decide(f, now); usual.Right {
				v.Text = textCodeStale
			}
		}
		return after, v
	}
}
