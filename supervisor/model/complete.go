package model

import (
	"context"
	"fmt"

	"mews/supervisor/modelcall"
)

// Complete calls the model spec once: it asks no other model and does not try again. Complete
// overwrites req.Model. The caller pays, and req needs no Reserver. Errors are those of
// modelcall.Provider, or wrap modelcall.ErrNotCalled.
func (c *Catalogue) Complete(ctx context.Context, spec string, req modelcall.Request) (answer modelcall.Answer,
	err error) {
	choice, err := c.Resolve(spec)
	if err != nil {
		return answer, fmt.Errorf("%w: %w", modelcall.ErrModelNotCalled, err)
	}
	slot, err := c.queue.Acquire(ctx, req.User)
	if err != nil {
		return answer, fmt.Errorf("%w: %w", modelcall.ErrModelNotCalled, err)
	}
	defer slot.Release()
	req.Model = choice.Model
	c.payloads.request(choice.Spec, req)
	answer, err = choice.Provider.Stream(ctx, req, func(modelcall.Delta) {})
	c.payloads.answer(choice.Spec, answer, err)
	answer.Spec = choice.Spec
	return answer, err
}

// SmallModelFor returns the small model, for the words of a user whose own model is own. If the
// small model is farther away than own, it may not get these words, and SmallModelFor returns own.
func (c *Catalogue) SmallModelFor(own string) string {
	first, err := c.Resolve(own)
	if err != nil || c.provider(c.small).locality < c.provider(first).locality {
		return own
	}
	return c.small.Spec
}
