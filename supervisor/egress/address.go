package egress

import (
	"cmp"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxAddress is the maximum length of an address, in bytes.
const maxAddress = 8 << 10

// Address is a normalised http or https address without a fragment. Requests are sent to exactly
// this spelling, so two addresses that are equal by == ask the server for the same thing. The zero
// value is no address.
type Address struct {
	full   string // the whole address
	scheme string // http or https
	host   string // lower-case ASCII name without a trailing dot, or the text of ip
	port   uint16
	ip     netip.Addr // set if the host is an IP address in its usual spelling
}

// ParseAddress normalises an address on the public web. It refuses every other address. It looks up
// no name: the guard of the connection checks where a name leads.
func ParseAddress(text string) (Address, error) {
	a, f := parse(text)
	if f == nil {
		f = a.publicFault()
	}
	if f != nil {
		return Address{}, f.failure("", false)
	}
	return a, nil
}

// Resolve returns the address on the public web that a reference in an answer of a means.
func (a Address) Resolve(reference string) (Address, error) {
	to, f := a.resolve(reference)
	if f == nil {
		f = to.publicFault()
	}
	if f != nil {
		return Address{}, f.failure("", false)
	}
	return to, nil
}

// SameAddress reports whether two texts are the same address on the public web.
func SameAddress(a, b string) bool {
	first, err := ParseAddress(a)
	if err != nil {
		return false
	}
	second, err := ParseAddress(b)
	return err == nil && first == second
}

// Reveal returns the whole address. Its path and query may hold secrets.
func (a Address) Reveal() string { return a.full }

// String returns the address without path and query, which may hold secrets.
func (a Address) String() string {
	u := url.URL{Scheme: a.scheme, Host: a.hostPort()}
	return u.String()
}

// Host returns the name in the address, without the port.
func (a Address) Host() string { return a.host }

// hasOriginOf reports whether two addresses have the same scheme, host and port.
func (a Address) hasOriginOf(b Address) bool {
	return a.scheme == b.scheme && a.host == b.host && a.port == b.port
}

// hostPort returns the host with its port. It omits the usual port of the scheme.
func (a Address) hostPort() string {
	host := a.host
	if a.ip.Is6() {
		host = "[" + host + "]"
	}
	if a.port == usualPorts[a.scheme] {
		return host
	}
	return host + ":" + strconv.Itoa(int(a.port))
}

var usualPorts = map[string]uint16{"http": 80, "https": 443}

// publicFault returns why an address is not on the public web, judged by its spelling; nil means
// that it may be.
func (a Address) publicFault() *fault {
	switch {
	case a.full == "":
		return faultSyntax
	case a.ip.IsValid():
		return faultNumber
	case a.port != usualPorts["http"] && a.port != usualPorts["https"]:
		return faultPort
	case isLocalName(a.host):
		return faultLocalName
	}
	return nil
}

// parse normalises any http or https address.
func parse(text string) (Address, *fault) {
	if text = strings.Trim(text, " "); len(text) > maxAddress || strings.ContainsFunc(text, isControl) {
		return Address{}, faultSyntax
	}
	u, err := url.Parse(escapeReference(text))
	if err != nil {
		return Address{}, faultSyntax
	}
	return fromURL(u)
}

// resolve returns the address that a reference in an answer of a means.
func (a Address) resolve(reference string) (Address, *fault) {
	reference = strings.Trim(reference, " ")
	if len(reference) > maxAddress || strings.ContainsFunc(reference, isControl) {
		return Address{}, faultSyntax
	}
	u, err := a.url().Parse(escapeReference(reference))
	if err != nil {
		return Address{}, faultSyntax
	}
	return fromURL(u)
}

// url returns the address as a new URL.
func (a Address) url() *url.URL {
	u, err := url.Parse(a.full)
	if err != nil {
		return &url.URL{} // impossible, because fromURL has parsed the same text
	}
	return u
}

// fromURL normalises a URL whose path and query escapeReference has normalised.
func fromURL(u *url.URL) (Address, *fault) {
	port, known := usualPorts[u.Scheme]
	switch {
	case !known:
		return Address{}, faultScheme
	case u.User != nil:
		return Address{}, faultUserInfo
	case u.Opaque != "" || u.Host == "":
		return Address{}, faultSyntax
	}
	if text := u.Port(); text != "" {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n == 0 {
			return Address{}, faultSyntax
		}
		port = uint16(n)
	}
	a := Address{scheme: u.Scheme, port: port}
	var f *fault
	if a.host, a.ip, f = normalizeHost(u.Host, u.Hostname()); f != nil {
		return Address{}, f
	}
	// a reference with a host only loses its dot segments
	whole := (&url.URL{}).ResolveReference(&url.URL{Scheme: a.scheme, Host: a.hostPort(), Path: cmp.Or(u.Path, "/"),
		RawPath: u.RawPath, RawQuery: u.RawQuery})
	a.full = whole.String()
	if len(a.full) > maxAddress {
		return Address{}, faultSyntax
	}
	return a, nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// escapeReference removes the fragment of an address or reference, and normalises the escapes of
// its path and query. The scheme and the host stay as they are.
func escapeReference(text string) string {
	text, _, _ = strings.Cut(text, "#")
	start := 0
	if colon := strings.IndexAny(text, ":/?"); colon >= 0 && text[colon] == ':' {
		start = colon + 1
	}
	if strings.HasPrefix(text[start:], "//") {
		start += len("//")
		end := strings.IndexAny(text[start:], "/?")
		if end < 0 {
			return text
		}
		start += end
	}
	path, query, _ := strings.Cut(text[start:], "?")
	escaped := text[:start] + normalizeEscapes(path)
	if query == "" {
		return escaped
	}
	return escaped + "?" + normalizeEscapes(query)
}

// normalizeEscapes writes each byte in one way: letters, digits and -._~ plainly, delimiters as
// they are, and everything else as an escape with capital letters (RFC 3986, 6.2.2).
func normalizeEscapes(text string) string {
	const hex = "0123456789ABCDEF"
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c, escaped := text[i], false
		if c == '%' && i+2 < len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				c, escaped = byte(n), true
				i += 2
			}
		}
		if isUnreserved(c) || !escaped && slices.Contains(delimiters, c) {
			out = append(out, c)
			continue
		}
		out = append(out, '%', hex[c>>4], hex[c&15])
	}
	return string(out)
}

var delimiters = []byte("!$&'()*+,;=:@/?[]")

func isUnreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
