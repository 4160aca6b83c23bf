package webtools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/egress"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/internal/redact"
	"mews/supervisor/problem"
	"mews/supervisor/usage"
)

const toolSearch = "web_search"

// searchName is before the names of backends, in usage and in the origins of results.
const searchName = "search/"

func (w *Tools) searchCalls() []feature.HostCall {
	return []feature.HostCall{hostCall(protocol.MethodWebSearch, w.search)}
}

// search answers web_search.
func (w *Tools) search(ctx context.Context, t feature.Turn, p *protocol.WebCallParams) (*protocol.WebResult, error) {
	call, err := t.FindCall(p.Call, toolSearch)
	if err != nil {
		return nil, err
	}
	args, err := parseSearch(call)
	if err != nil {
		return nil, err
	}
	result, err := external.Do(ctx, w.o.Calls, w.newCall(t, call, args.Query, textMaySearch),
		func(ctx context.Context) (external.Answer[protocol.WebResult], error) {
			found, err := w.find(ctx, t, args)
			if err == nil {
				err = w.o.Fetcher.RecordSearch(ctx, t, found.addresses())
			}
			return external.Answer[protocol.WebResult]{Result: protocol.WebResult{Text: found.text(args)},
				Origins: []string{"web:" + searchName + found.backend},
				Effects: []supervisor.Effect{{Kind: supervisor.EffectWebSearched, Target: args.Query,
					Detail: found.backend}}}, err
		})
	return &result, err
}

// parseSearch reads and checks the arguments of a search.
func parseSearch(call protocol.ToolCall) (protocol.WebSearchArguments, error) {
	args, err := decodeArguments[protocol.WebSearchArguments](call)
	if err != nil {
		return args, err
	}
	args.Query = onOneLine(args.Query)
	if args.Count == 0 {
		args.Count = protocol.DefaultWebResults
	}
	switch {
	case args.Query == "":
		return args, feature.NewRefusal(textNoWords)
	case utf8.RuneCountInString(args.Query) > protocol.MaxWebQueryCharacters:
		return args, feature.NewRefusal(textLongQuery, protocol.MaxWebQueryCharacters)
	case args.Count < 1 || args.Count > protocol.MaxWebResults:
		return args, feature.NewRefusal(textWrongCount, protocol.MaxWebResults)
	case args.Fresh != "" && !slices.Contains(protocol.WebSearchAges, args.Fresh):
		return args, feature.NewRefusal(textWrongAge, strings.Join(protocol.WebSearchAges, ", "))
	}
	return args, nil
}

// found are the results of a search.
type found struct {
	backend string // name of the backend that found them
	hits    []hit
	notes   []string // sentences for the model
}

// addresses returns the addresses of the hits.
func (f found) addresses() (all []string) {
	for _, h := range f.hits {
		all = append(all, h.url)
	}
	return all
}

// hit is one result of a search.
type hit struct{ title, url, text string }

// find asks the backends one after the other, until one answers.
func (w *Tools) find(ctx context.Context, t feature.Turn, args protocol.WebSearchArguments) (found, error) {
	backends := w.o.Search
	if len(backends) == 0 {
		backends = []Backend{{Name: textWikipedia, Kind: kindWikipedia,
			URL: "https://" + w.o.Wikipedia + ".wikipedia.org"}}
	}
	var failures []string
	for _, b := range backends {
		result, err := w.ask(ctx, t, b, args)
		if err == nil {
			result.notes = append(result.notes, failures...)
			return result, nil
		}
		if errors.Is(err, supervisor.ErrWaitsForAnswer) || ctx.Err() != nil {
			return found{}, err
		}
		failures = append(failures, fmt.Sprintf(textFailed, b.Name, explain(b, err)))
		if isLimit(err) {
			break // the other backends have the same limit
		}
	}
	return found{}, &supervisor.Error{Code: supervisor.CodeUnavailable,
		Message: textNothingSearched + strings.Join(failures, " ")}
}

// isLimit reports whether the user or the turn may fetch no more.
func isLimit(err error) bool {
	var failure *egress.Failure
	return errors.As(err, &failure) && failure.Kind == egress.KindLimit
}

// ask asks one backend, and charges the user if it answers.
func (w *Tools) ask(ctx context.Context, t feature.Turn, b Backend, args protocol.WebSearchArguments) (result found,
	err error) {
	query := func() (bool, error) {
		result, err = w.query(ctx, t, b, args)
		return isCharged(err), err
	}
	if b.Price == 0 {
		_, err := query()
		return result, err
	}
	err = w.o.Pay(ctx, t, usage.Charge{Name: searchName + b.Name, Price: b.Price}, query)
	return result, err
}

// isCharged reports whether a backend may charge for a search that ended with an error. A backend
// that refuses a search does not charge for it.
func isCharged(err error) bool {
	var failure *egress.Failure
	switch {
	case errors.As(err, new(statusError)):
		return false
	case errors.As(err, &failure):
		return failure.Sent
	}
	return true
}

// query asks one backend.
func (w *Tools) query(ctx context.Context, t feature.Turn, b Backend, args protocol.WebSearchArguments) (found, error) {
	kind := kinds[b.Kind]
	r, text := kind.request(b, args)
	address, err := b.address(text)
	if err != nil {
		return found{}, err
	}
	r.User, r.Turn, r.Address, r.RedirectsAreAnswers = t.User, t.ID, address, true
	var answer any
	if err := w.fetchJSON(b.context(ctx), r, &answer); err != nil {
		return found{}, err
	}
	list, err := kind.read(b, answer)
	if err != nil {
		return found{}, err
	}
	result := found{backend: b.Name, notes: kind.notes(args)}
	key := redact.New(b.key())
	for _, h := range list {
		if len(result.hits) == args.Count {
			break
		}
		h = hit{key.String(h.title), key.String(h.url), key.String(h.text)}
		// a page that can't be fetched is no use to the model
		if a, err := egress.ParseAddress(h.url); err == nil {
			result.hits = append(result.hits, hit{h.title, a.Reveal(), h.text})
		}
	}
	return result, nil
}

// address returns an address of the backend.
func (b Backend) address(text string) (egress.Address, error) {
	if b.Upstream != nil {
		return b.Upstream.Address(text)
	}
	return egress.ParseAddress(text)
}

// context returns the context of a fetch from the backend.
func (b Backend) context(ctx context.Context) context.Context {
	if b.Upstream != nil {
		return egress.WithUpstream(ctx, b.Upstream)
	}
	return ctx
}

// explain returns the reason of a failure, and what to do.
func explain(b Backend, err error) string {
	var status statusError
	if !errors.As(err, &status) {
		return problem.UserText(err)
	}
	if text := kinds[b.Kind].refusals[int(status)]; text != "" {
		return text
	}
	switch {
	case status == 401 || status == 403:
		return textKeyRefused
	case status == 429:
		return textTooMany
	}
	return fmt.Sprintf(textStatus, int(status))
}

// Numbers of characters of a result that the model sees.
const (
	maxTitle = 150
	maxText  = 300
)

// text returns the results for the model.
func (f found) text(args protocol.WebSearchArguments) string {
	var b strings.Builder
	fmt.Fprintf(&b, textFound, args.Query, f.backend)
	if len(f.hits) == 0 {
		b.WriteString(textNoHits)
	}
	for i, h := range f.hits {
		fmt.Fprintf(&b, "\n%d. %s\n   %s", i+1, clip(h.title, maxTitle), h.url)
		if text := clip(h.text, maxText); text != "" {
			b.WriteString("\n   " + text)
		}
	}
	for _, note := range f.notes {
		b.WriteString("\n\n" + note)
	}
	return b.String()
}
