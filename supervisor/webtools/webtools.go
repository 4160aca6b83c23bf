// Package webtools is the feature that gives assistants the web: searches and the weather. A worker
// has no network. It names a call of the model, and this package takes the call's arguments from
// the model's committed message. All fetches go through the guarded client of package egress.
package webtools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/egress"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/printable"
	"mews/supervisor/usage"
)

// EffectSearch is the name of searches in approvals. Questions for the weather are searches too.
const EffectSearch = "web_search"

// Approver asks for permission for an effect.
type Approver interface {
	Allow(ctx context.Context, r approval.Request) error
}

// Options are the dependencies of Tools.
type Options struct {
	Client   *egress.Client
	Calls    *external.Calls
	Approver Approver
	// Pay sets a charge aside, and runs do. It charges the turn's user if do says so.
	Pay func(ctx context.Context, t feature.Turn, c usage.Charge, do func() (charged bool, err error)) error
	// Search lists the search backends in the order of their use. Without any, Wikipedia is
	// searched.
	Search    []Backend
	Wikipedia string // language of that Wikipedia, such as en
	Weather   OpenMeteo
	Fetcher   *Fetcher // answers the calls of web_fetch, and knows which addresses searches have named
}

// Tools answers the calls of the web's tools. Its methods may be called from any goroutine.
type Tools struct{ o Options }

// New makes Tools.
func New(o Options) *Tools { return &Tools{o} }

// Feature returns the host calls and effects of the web's tools.
func (w *Tools) Feature() feature.Feature {
	return feature.Feature{Name: "webtools",
		HostCalls: slices.Concat(w.searchCalls(), w.weatherCalls(), w.o.Fetcher.HostCalls()),
		Effects:   append(w.o.Fetcher.Effects(), feature.Effect{Name: EffectSearch, Rule: string(approval.RuleAllow)})}
}

// hostCall returns the row of a call of the web.
func hostCall(method string, answer func(context.Context, feature.Turn, *protocol.WebCallParams) (*protocol.WebResult,
	error)) feature.HostCall {
	return feature.HostCall{Method: method, Kinds: feature.OwnWorkerTurnKinds(), Bytes: feature.MaxShortParamsBytes,
		Limit: protocol.MaxWebCalls, HostCallHandler: feature.NewHostCallHandler(answer)}
}

// decodeArguments reads the arguments that the model gave a call.
func decodeArguments[A any](call protocol.ToolCall) (args A, err error) {
	if err := protocol.DecodeStrict(call.Arguments, &args); err != nil {
		return args, feature.NewRefusal(textArguments, err)
	}
	return args, nil
}

// newCall returns a call that sends words to a server, if that is allowed.
func (w *Tools) newCall(t feature.Turn, call protocol.ToolCall, words, question string) external.Call {
	return external.Call{Turn: t, Call: call, Repeatable: true, Allow: func(ctx context.Context) error {
		return w.o.Approver.Allow(ctx, approval.Request{User: t.User, Turn: t.ID, Call: call.ID, Effect: EffectSearch,
			Conversation: supervisor.Conversation{ID: t.Destination, User: t.User},
			Arguments:    []string{call.Name, words}, Text: fmt.Sprintf(question, quoteWords(words))})
	}}
}

// quoteWords writes words of a model so that they can't change the Markdown around them.
func quoteWords(words string) string {
	return "`" + strings.ReplaceAll(onOneLine(words), "`", "'") + "`"
}

// onOneLine returns a text on one line, without control characters.
func onOneLine(text string) string {
	return printable.DropControls(strings.Join(strings.Fields(text), " "))
}

// clip returns the first characters of a text, on one line.
func clip(text string, most int) string {
	runes := []rune(onOneLine(text))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}

// maxJSON is the maximum size of an answer in JSON, in bytes.
const maxJSON = 2 << 20

// statusError is an answer with a status that means failure.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("HTTP status %d", int(s)) }

// fetchJSON fetches a JSON value. An error is one of package egress, a statusError, or
// errNotReadable.
func (w *Tools) fetchJSON(ctx context.Context, r egress.Request, into any) error {
	r.Accept = "application/json"
	resp, err := w.o.Client.Fetch(ctx, r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.Status != 200 {
		return statusError(resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxJSON+1))
	if err != nil {
		return err
	}
	if len(body) > maxJSON || json.Unmarshal(body, into) != nil {
		return errNotReadable
	}
	return nil
}
