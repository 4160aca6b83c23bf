package webtools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/egress"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/sqlite"
)

// toolFetch is the tool whose calls a Fetcher answers.
const toolFetch = "web_fetch"

// Effects of fetches in approvals.
const (
	EffectWebKnown = "web_known" // fetching an address that the user, a search or a page has named
	EffectWebNew   = "web_new"   // fetching any other address, which may say what the model has read
)

// maxPageFetches is how many addresses of a domain count as known in a turn if only a page has
// named them. A page could otherwise make a model spell words by its choice of links.
const maxPageFetches = 3

// accept are the media types that web_fetch can show.
const accept = "text/html,application/xhtml+xml,text/plain,application/pdf,application/json,text/csv,image/*;" +
	"q=0.9,*/*;q=0.5"

// FetcherOptions are the dependencies of a Fetcher.
type FetcherOptions struct {
	Client    *egress.Client
	Calls     *external.Calls
	Addresses Addresses
	Spool     Spool
	Approver  Approver
	Now       func() time.Time
}

// Addresses stores which addresses were named. sqlite.WebAddresses implements it.
type Addresses interface {
	PutWebAddresses(ctx context.Context, turn int64, source sqlite.WebAddressSource, digests []string) error
	ListWebSources(ctx context.Context, turn int64, digest string) ([]sqlite.WebAddressSource, error)
	ListOwnWords(ctx context.Context, turn int64) (words []string, err error)
	CountWebFetch(ctx context.Context, turn int64, call, domain string) (calls int64, err error)
}

// Spool reads the bodies of answers.
type Spool interface {
	OpenBlob(sha256 string) (file io.ReadCloser, size int64, err error)
}

// Fetcher fetches the addresses of calls of web_fetch. Its methods may be called from any
// goroutine.
type Fetcher struct {
	o     FetcherOptions
	cache *cache
}

// NewFetcher makes a Fetcher.
func NewFetcher(o FetcherOptions) *Fetcher { return &Fetcher{o: o, cache: newCache(o.Now)} }

// HostCalls returns the host call of web_fetch.
func (f *Fetcher) HostCalls() []feature.HostCall {
	return []feature.HostCall{{Method: protocol.MethodWebFetch, Kinds: feature.OwnWorkerTurnKinds(),
		Bytes: feature.MaxShortParamsBytes, Limit: protocol.MaxWebFetches,
		HostCallHandler: feature.NewHostCallHandler(f.answer)}}
}

// Effects returns the effects of fetches. An address that nobody has named may carry what the model
// has read, so in a tainted turn the user is asked.
func (f *Fetcher) Effects() []feature.Effect {
	allow, ask := string(approval.RuleAllow), string(approval.RuleAsk)
	return []feature.Effect{{Name: EffectWebKnown, Rule: allow},
		{Name: EffectWebNew, Rule: allow, Tainted: ask}}
}

// answer answers the host call. It asks for permission before the name of the site is looked up.
func (f *Fetcher) answer(ctx context.Context, t feature.Turn, p *protocol.WebFetchParams) (*protocol.WebFetchResult,
	error) {
	call, err := t.FindCall(p.Call, toolFetch)
	if err != nil {
		return nil, err
	}
	var args protocol.WebFetchArguments
	if err := protocol.DecodeStrict(call.Arguments, &args); err != nil {
		return nil, feature.NewRefusal(textFetchArguments, toolFetch)
	}
	address, err := egress.ParseAddress(args.URL)
	if err != nil {
		return nil, err
	}
	result, err := external.Do(ctx, f.o.Calls, external.Call{Turn: t, Call: call, Repeatable: true,
		Allow: func(ctx context.Context) error { return f.allow(ctx, t, call.ID, address) }},
		func(ctx context.Context) (external.Answer[protocol.WebFetchResult], error) {
			return f.fetch(ctx, t, address)
		})
	if err != nil {
		return nil, err
	}
	return &result, nil
}

// allow asks for permission to fetch an address.
func (f *Fetcher) allow(ctx context.Context, t feature.Turn, call string, address egress.Address) error {
	effect, err := f.classify(ctx, t, call, address)
	if err != nil {
		return err
	}
	return f.o.Approver.Allow(ctx, approval.Request{User: t.User,
		Conversation: supervisor.Conversation{ID: t.Destination, User: t.User}, Turn: t.ID, Call: call,
		Effect: effect, Arguments: []string{address.Reveal()},
		Text: fmt.Sprintf(textMayFetch, address.Host(), address.Reveal())})
}

// classify returns the effect of fetching an address.
func (f *Fetcher) classify(ctx context.Context, t feature.Turn, call string, address egress.Address) (effect string,
	err error) {
	words, err := f.o.Addresses.ListOwnWords(ctx, t.ID)
	if err != nil {
		return "", err
	}
	for _, text := range words {
		if namesAddress(text, address) {
			return EffectWebKnown, nil
		}
	}
	sources, err := f.o.Addresses.ListWebSources(ctx, t.ID, digestOf(address))
	if err != nil {
		return "", err
	}
	onlyPage := false
	for _, source := range sources {
		if source == sqlite.WebAddressFromSearch {
			return EffectWebKnown, nil
		}
		onlyPage = true
	}
	if !onlyPage {
		return EffectWebNew, nil
	}
	n, err := f.o.Addresses.CountWebFetch(ctx, t.ID, call, domainOf(address))
	if err != nil || n > maxPageFetches {
		return EffectWebNew, err
	}
	return EffectWebKnown, nil
}

// RecordSearch stores that a search has named addresses. Call it before the worker gets the
// search's answer.
func (f *Fetcher) RecordSearch(ctx context.Context, t feature.Turn, addresses []string) error {
	var digests []string
	for _, text := range addresses {
		if address, err := egress.ParseAddress(text); err == nil {
			digests = append(digests, digestOf(address))
		}
	}
	return t.Commit(ctx, func() error {
		return f.o.Addresses.PutWebAddresses(ctx, t.ID, sqlite.WebAddressFromSearch, digests)
	})
}

// digestOf returns the digest by which an address is known.
func digestOf(address egress.Address) string {
	sum := sha256.Sum256([]byte(address.Reveal()))
	return hex.EncodeToString(sum[:])
}

// domainOf returns the domain that somebody has registered, such as example.co.uk.
func domainOf(address egress.Address) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(address.Host())
	if err != nil {
		return address.Host() // the host is itself such a suffix
	}
	return domain
}

// fetch returns an answer that is kept, or fetches an address.
func (f *Fetcher) fetch(ctx context.Context, t feature.Turn, address egress.Address) (
	answer external.Answer[protocol.WebFetchResult], err error) {
	if kept, found := f.cache.find(t.User, address); found {
		answer.Result = kept.result
		answer.Result.Age = max(1, int(f.o.Now().Sub(kept.at)/time.Second))
		answer.Result.Body, err = f.o.Calls.Keep(ctx, t, strings.NewReader(kept.body))
		if err == nil {
			answer, err = f.complete(ctx, t, address, kept.final, answer)
		}
		return answer, err
	}
	response, err := f.o.Client.Fetch(ctx, egress.Request{User: t.User, Turn: t.ID, Address: address, Accept: accept})
	if err != nil {
		return answer, err
	}
	body := &bodyCopy{from: response.Body}
	answer.Result.Body, err = f.o.Calls.Keep(ctx, t, body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return answer, body.cause(err)
	}
	answer.Result.Address, answer.Result.Status = response.Address.Reveal(), response.Status
	answer.Result.MediaType, answer.Result.Charset = mediaTypeOf(response.Header.Get("Content-Type"))
	if response.Status == http.StatusOK && !body.large {
		f.cache.put(t.User, address, keptAnswer{result: answer.Result, final: response.Address,
			body: body.kept.String(),
			at:   f.o.Now()})
	}
	return f.complete(ctx, t, address, response.Address, answer)
}

// complete adds the blob and the origins to an answer, and stores the addresses that it names.
func (f *Fetcher) complete(ctx context.Context, t feature.Turn, asked, final egress.Address,
	answer external.Answer[protocol.WebFetchResult]) (external.Answer[protocol.WebFetchResult], error) {
	answer.Blobs = []protocol.BlobRef{answer.Result.Body}
	answer.Origins = []string{"web:" + asked.Host()}
	if final.Host() != asked.Host() {
		answer.Origins = append(answer.Origins, "web:"+final.Host())
	}
	body, _, err := f.o.Spool.OpenBlob(answer.Result.Body.SHA256)
	if err != nil {
		return answer, err
	}
	links, err := listLinks(final, body)
	if err = errors.Join(err, body.Close()); err != nil {
		return answer, err
	}
	digests := []string{digestOf(final)}
	for _, link := range links {
		digests = append(digests, digestOf(link))
	}
	err = t.Commit(ctx, func() error {
		return f.o.Addresses.PutWebAddresses(ctx, t.ID, sqlite.WebAddressFromPage, digests)
	})
	return answer, err
}

// mediaTypeOf splits the header Content-Type. Values that are no tokens are dropped.
func mediaTypeOf(header string) (mediaType, charset string) {
	mediaType, parameters, err := mime.ParseMediaType(header)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return "", ""
	}
	if charset = parameters["charset"]; len(charset) > 40 || strings.ContainsFunc(charset, isNoToken) {
		charset = ""
	}
	if len(mediaType) > 100 || strings.ContainsFunc(mediaType, isNoToken) {
		mediaType = ""
	}
	return mediaType, charset
}

func isNoToken(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),:;<=>?@[\]{}`, r)
}
