package services

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/markdown"
	"mews/supervisor/printable"
)

// request is a checked call of a service, without the secret.
type request struct {
	*entry
	access    Access
	method    string
	suffix    string // path below the base URL, as the model wrote it
	url       string // without the query
	query     string
	body      []byte
	mediaType string // media type of the body; "" means no body
}

// Limits of a call's arguments.
const (
	maxParams     = 100
	maxQueryBytes = 4 << 10
)

// newRequest checks the arguments of a call. Its errors are for the model.
func (e *entry) newRequest(args protocol.ServiceArguments, defaultMethod string) (r request, err error) {
	r = request{entry: e, method: strings.ToUpper(args.Method), suffix: args.PathSuffix}
	if r.method == "" {
		r.method = defaultMethod
	}
	if r.suffix != "" && !e.AllowPathSuffix {
		return r, supervisor.Errorf(supervisor.CodeForbidden, textNoSuffix, e.Name)
	}
	if r.access, err = e.access(r.method, r.suffix); err != nil {
		return r, err
	}
	if r.url, err = e.join(r.suffix); err != nil {
		return r, supervisor.Errorf(supervisor.CodeInvalid, textSuffix, err)
	}
	if r.query, err = e.joinParams(args.Params); err != nil {
		return r, err
	}
	r.body, r.mediaType, err = readBody(args.Body)
	if err == nil && len(r.body) > 0 && (r.method == "GET" || r.method == "HEAD") {
		err = supervisor.Errorf(supervisor.CodeInvalid, textNoBody, r.method)
	}
	return r, err
}

// join returns the URL of a path suffix. The URL is the base URL, or lies below it.
func (e *entry) join(suffix string) (string, error) {
	if suffix == "" {
		return e.BaseURL, nil
	}
	escaped, err := escapeSuffix(suffix)
	if err != nil {
		return "", err
	}
	address, err := e.upstream.Address(e.base + "/" + escaped)
	if err != nil || !strings.HasPrefix(address.Reveal(), e.base+"/") {
		return "", errSuffixDots // it can't happen, because escapeSuffix has refused what could leave
	}
	return address.Reveal(), nil
}

// joinParams returns the query of a call: the model's parameters, without those that are
// configured, and then the configured ones. The name of the secret's parameter is refused.
func (e *entry) joinParams(given map[string]json.RawMessage) (string, error) {
	if len(given) > maxParams {
		return "", supervisor.Errorf(supervisor.CodeInvalid, textManyParams, maxParams)
	}
	values := url.Values{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if e.Auth.Type == AuthQuery && strings.EqualFold(name, e.Auth.Name) {
			return "", supervisor.Errorf(supervisor.CodeForbidden, textSecretParam, name)
		}
		if e.isConfiguredParam(name) {
			continue
		}
		list, ok := readParam(given[name])
		if !ok {
			return "", supervisor.Errorf(supervisor.CodeInvalid, textParam, name)
		}
		values[name] = list
	}
	for name, value := range e.Params {
		values[name] = []string{value}
	}
	query := values.Encode()
	if len(query) > maxQueryBytes {
		return "", supervisor.Errorf(supervisor.CodeInvalid, textLongQuery, maxQueryBytes)
	}
	return query, nil
}

// isConfiguredParam reports whether a parameter is configured. Case does not count, because some
// servers ignore it.
func (e *entry) isConfiguredParam(name string) bool {
	for configured := range e.Params {
		if strings.EqualFold(configured, name) {
			return true
		}
	}
	return false
}

// readParam reads the values of a parameter: a text, number, true or false, or a list of those.
func readParam(raw json.RawMessage) (values []string, ok bool) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || list == nil {
		list = []json.RawMessage{raw}
	}
	for _, one := range list {
		var text string
		switch one = bytes.TrimSpace(one); {
		case json.Unmarshal(one, &text) == nil && string(one) != "null":
		case len(one) == 0 || strings.ContainsRune("{[n", rune(one[0])):
			return nil, false
		default:
			text = string(one)
		}
		values = append(values, text)
	}
	return values, true
}

// readBody returns the body of a call and its media type. A text that is a JSON object or list is
// sent as JSON, and so is any other JSON value.
func readBody(raw json.RawMessage) (body []byte, mediaType string, err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, "", nil
	}
	var text string
	switch {
	case json.Unmarshal(raw, &text) != nil:
		body, mediaType = raw, typeJSON
	case isJSONContainer(text):
		body, mediaType = []byte(text), typeJSON
	case text != "":
		body, mediaType = []byte(text), typeText
	}
	if len(body) > protocol.MaxServiceBodyBytes {
		return nil, "", supervisor.Errorf(supervisor.CodeInvalid, textLongBody, protocol.MaxServiceBodyBytes>>20)
	}
	return body, mediaType, nil
}

// Media types of bodies.
const (
	typeJSON = "application/json"
	typeText = "text/plain; charset=utf-8"
)

func isJSONContainer(text string) bool {
	text = strings.TrimSpace(text)
	return (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && json.Valid([]byte(text))
}

// path returns the method and the path, as people read them: POST /services/light/turn_on.
func (r request) path() string { return r.method + " /" + strings.TrimPrefix(r.suffix, "/") }

// Maximum bytes that a question shows of the path, of the query and of the body.
const (
	maxShownPath  = 600
	maxShownQuery = 600
	maxShownBody  = 1500
)

// question returns the question to the user whether the call may be made.
func (r request) question() string {
	format := textMayCall
	if r.access == AccessRead {
		format = textMayRead
	}
	text := fmt.Sprintf(format, r.Name, r.host(), shorten(r.path(), maxShownPath, quoteLine))
	if r.query != "" {
		text += fmt.Sprintf(textWithParams, shorten(r.readableQuery(), maxShownQuery, quoteLine))
	}
	if len(r.body) > 0 {
		text += fmt.Sprintf(textWithBody, shorten(strings.ToValidUTF8(string(r.body), "?"), maxShownBody, quoteLines))
	}
	return text
}

// host returns the host of the service, with a port unless it is the usual one.
func (r request) host() string {
	address, err := url.Parse(r.base)
	if err != nil {
		return r.base // it can't happen, because open has read it
	}
	return address.Host
}

// readableQuery returns the query with its values decoded and quoted, so that no value looks like a
// further parameter.
func (r request) readableQuery() string {
	values, err := url.ParseQuery(r.query)
	if err != nil {
		return r.query // it can't happen, because joinParams encoded it
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, value := range values[name] {
			all = append(all, quoteName(name)+"="+strconv.Quote(value))
		}
	}
	return strings.Join(all, ", ")
}

// quoteName quotes a parameter's name if it has unusual characters.
func quoteName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.[]", r)
	}) {
		return strconv.Quote(name)
	}
	return name
}

// shorten quotes the beginning of a text, and says how much of it is not shown.
func shorten(text string, most int, quote func(string) string) string {
	if len(text) <= most {
		return quote(text)
	}
	shown := cut(text, most)
	return quote(shown) + fmt.Sprintf(textNotShown, amount.FormatBytes(int64(len(text)-len(shown))))
}

// quoteLine returns a text as code on one line, which no character of the text can end.
func quoteLine(text string) string {
	return "`" + printable.EscapeControls(strings.ReplaceAll(text, "`", "'")) + "`"
}

// quoteLines returns a text as a block of code.
func quoteLines(text string) string {
	var b strings.Builder
	_, _ = printable.NewWriter(&b).Write([]byte(text)) // writing to a Builder can't fail
	return "\n" + markdown.FenceText(b.String())
}

// arguments returns what a permission covers.
func (r request) arguments() []string {
	return []string{r.Name, r.BaseURL, r.method, r.url, r.query, r.mediaType}
}

// content returns the digest of the body; "" without a body.
func (r request) content() string {
	if len(r.body) == 0 {
		return ""
	}
	sum := sha256.Sum256(r.body)
	return hex.EncodeToString(sum[:])
}
