package telegram

import (
	"context"

	"github.com/hashicorp/go-hclog"
)

// maxPressAcks is the most presses that wait to be acknowledged. Telegram shows a waiting sign
// below the button of any further press for a moment.
const maxPressAcks = 100

// PressAcks acknowledges the presses of buttons, one after the other.
type PressAcks struct {
	client *Client
	log    hclog.Logger
	queue  chan pressAck
}

// NewPressAcks returns the acknowledger of a client; call Run to start it.
func NewPressAcks(client *Client, log hclog.Logger) *PressAcks {
	return &PressAcks{client: client, log: log, queue: make(chan pressAck, maxPressAcks)}
}

// pressAck is the answer to one press, which ends Telegram's waiting sign.
type pressAck struct {
	query string
	text  string // text shown for a moment to the user alone; "" shows no text
}

// QueueAck queues the acknowledgement of a press. It never blocks.
func (p *PressAcks) QueueAck(query, text string) {
	select {
	case p.queue <- pressAck{query, text}:
	default:
	}
}

// Run acknowledges queued presses until ctx ends.
func (p *PressAcks) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case a := <-p.queue:
			if err := p.client.AckPress(ctx, a.query, a.text, false); err != nil && ctx.Err() == nil {
				p.log.Warn("acknowledge that a button was pressed", "error", err)
			}
		}
	}
}
