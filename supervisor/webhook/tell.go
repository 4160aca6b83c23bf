package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/job"
	"mews/supervisor/problem"
)

const (
	burstWindow = 5 * time.Second // calls of one hook within this time become one message
	cleanEvery  = time.Minute
	maxShown    = 16 << 10 // most bytes of a message; the rest of the text is sent as a file
	maxRendered = 1 << 20  // most bytes of a rendered template
	maxBatch    = 100      // most calls in one message
)

// Run sends the messages of hooks, runs their tasks and cleans up, until ctx ends.
func (r *Receiver) Run(ctx context.Context) error {
	tick := time.NewTicker(cleanEvery)
	defer tick.Stop()
	for {
		for _, h := range r.o.Hooks {
			r.report(ctx, r.deliver(ctx, h))
		}
		r.report(ctx, r.clean(ctx))
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-r.arrived:
			select { // wait for more calls of the burst
			case <-ctx.Done():
				return nil
			case <-time.After(burstWindow):
			}
		}
	}
}

func (r *Receiver) report(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		r.o.Log.Warn("webhooks", "error", err)
	}
}

// clean deletes the bodies that no delivery needs.
func (r *Receiver) clean(ctx context.Context) error {
	bodies, err := r.o.Deliveries.ListUnneededBodies(ctx)
	for _, body := range bodies {
		err = errors.Join(err, r.o.Spool.RemoveBlob(body), r.o.Deliveries.MarkBodyDeleted(ctx, body))
	}
	return err
}

// deliver handles all new calls of a hook: it sends one message about them, or runs the hook's
// task.
func (r *Receiver) deliver(ctx context.Context, h Hook) error {
	list, err := r.o.Deliveries.ListNew(ctx, supervisor.WebhookSourceHookPrefix+h.Name, maxBatch)
	if err != nil || len(list) == 0 {
		return err
	}
	if h.Run != nil {
		return r.runTasks(ctx, h, list)
	}
	to, served := h.Destination()
	var ids []int64
	var texts []string
	for _, d := range list {
		text, err := r.render(h, d, indented)
		why := textNobody
		if served && err != nil {
			why = err.Error()
		}
		if !served || err != nil {
			if err := r.o.Deliveries.EndDelivery(ctx, d.ID, supervisor.WebhookFailed, why); err != nil {
				return err
			}
			continue
		}
		ids, texts = append(ids, d.ID), append(texts, text)
	}
	if len(ids) == 0 {
		return nil
	}
	said, err := r.say(ctx, ids, to, h, strings.Join(texts, "\n\n"))
	if err == nil {
		r.o.Queued(said.Conversation.ID)
	}
	return err
}

// maxTaskText is the maximum size of a task's text in bytes: a whole call in a code block.
const maxTaskText = MaxTaskBodyBytes + len("```json\n\n```")

// runTasks runs a task for each call of a hook. After a crash it runs again, but starts no task a
// second time.
func (r *Receiver) runTasks(ctx context.Context, h Hook, list []supervisor.WebhookDelivery) error {
	for _, d := range list {
		text, err := r.render(h, d, compact)
		if err == nil {
			err = h.Run(ctx, d.At, job.ShortenText(text, maxTaskText))
		}
		state, why := supervisor.WebhookDone, ""
		if err != nil {
			if ctx.Err() != nil || supervisor.ErrorCodeOf(err) == supervisor.CodeUnavailable {
				return err
			}
			state, why = supervisor.WebhookFailed, problem.UserText(err)
			r.o.Log.Warn("a hook runs no task", "hook", h.Name, "error", err)
		}
		if err := r.o.Deliveries.EndDelivery(ctx, d.ID, state, why); err != nil {
			return err
		}
	}
	return nil
}

func (r *Receiver) say(ctx context.Context, ids []int64, to supervisor.Conversation, h Hook, text string) (supervisor.Delivery, error) {
	d := supervisor.Delivery{Conversation: to, Text: fmt.Sprintf(textMessage, h.Name, text), Urgent: h.Urgent}
	if len(d.Text) > maxShown {
		file, err := r.o.KeepText(h.Name+".md", d.Text)
		if err != nil {
			return d, err
		}
		d.Files = []supervisor.File{file}
		d.Text = strings.ToValidUTF8(d.Text[:maxShown], "")
	}
	return r.o.Deliveries.PutNotice(ctx, ids, d)
}

// render returns the text of a call: the field message, or the output of the template. If the call
// has neither, the text is the JSON in the given layout.
func (r *Receiver) render(h Hook, d supervisor.WebhookDelivery, layout func(raw []byte) []byte) (string, error) {
	f, _, err := r.o.Spool.OpenBlob(d.Body)
	if err != nil {
		return "", err
	}
	defer f.Close()
	raw, err := io.ReadAll(f)
	if err != nil {
		return "", err
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber() // keeps numbers as they were written, for the template
	if err := decoder.Decode(&value); err != nil {
		return "", err
	}
	fields, _ := value.(map[string]any)
	if message, ok := fields["message"].(string); ok && message != "" {
		return message, nil
	}
	if h.Template != nil {
		if made, err := h.Template.Execute(value, maxRendered); err == nil {
			return made, nil
		}
		// If the template fails, the JSON is shown, so that the call is not lost.
	}
	return codeBlock(layout(raw)), nil
}

// codeBlock returns JSON in a code block whose fence is longer than any in the JSON.
func codeBlock(raw []byte) string {
	ticks, run := 0, 0
	for _, b := range raw {
		if run++; b != '`' {
			run = 0
		}
		ticks = max(ticks, run)
	}
	fence := strings.Repeat("`", max(3, ticks+1))
	return fence + "json\n" + string(raw) + "\n" + fence
}

// compact removes white space from valid JSON.
func compact(raw []byte) []byte {
	var b bytes.Buffer
	_ = json.Compact(&b, raw) // the JSON was checked before
	return b.Bytes()
}

const indent = "  "

// indented indents valid JSON. It returns the JSON unchanged if indenting would make it too long.
func indented(raw []byte) []byte {
	if indentedSize(raw) > maxRendered {
		return raw
	}
	var b bytes.Buffer
	_ = json.Indent(&b, raw, "", indent) // the JSON was checked before
	return b.Bytes()
}

// indentedSize estimates the size of valid JSON after indenting, in bytes.
func indentedSize(raw []byte) (size int) {
	depth, quoted, escaped := 0, false, false
	for _, b := range raw {
		size++
		switch {
		case quoted:
			quoted, escaped = escaped || b != '"', !escaped && b == '\\'
			continue
		case b == '"':
			quoted = true
			continue
		case b == '{', b == '[':
			depth++
		case b == '}', b == ']':
			depth--
		case b != ',':
			continue
		}
		size += 1 + depth*len(indent)
	}
	return size
}
