package telegram

import (
	"context"

	"github.com/hashicorp/go-hclog"
)

// maxPressAcks is how many presses wait to be acknowledged. That those beyond are not is seen by
// whoever pressed, for a moment.
const maxPressAcks = 100

// PressAcks acknowledge the presses of buttons, one after the other.
type PressAcks struct {
	client *Client
	log    hclog.Logger
	queue  chan pressAck
}

// NewPressAcks makes the acknowledger of a client. Its Run does the work.
func NewPressAcks(client *Client, log hclog.Logger) *PressAcks {
	return &PressAcks{client: client, log: log, queue: make(chan pressAck, maxPressAcks)}
}

// pressAck is what ends the wait of whoever pressed a button.
type pressAck struct {
	query string
	text  string // shown to them alone, for a moment; "" is none
}

// Put has a press acknowledged. It never blocks.
func (p *PressAcks) Put(query, text string) {
	select {
	case p.queue <- pressAck{query, text}:
	default:
	}
}

// Run ends the wait of whoever pressed a button, until ctx ends.
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
