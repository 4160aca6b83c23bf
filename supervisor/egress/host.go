package egress

import (
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const (
	maxHost  = 253 // RFC 1035, 2.3.4, without the length bytes and the root
	maxLabel = 63
)

// names maps international names to ASCII as browsers do (UTS #46, not transitional). Hyphens stay
// unchecked, because names such as r3---a.googlevideo.com are in use.
var names = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckHyphens(false),
	idna.StrictDomainName(false))

// localNames are the endings of names that exist only in local networks (RFC 6761, RFC 6762,
// RFC 8375, and the ICANN's list of names that it never delegates).
var localNames = []string{"localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home",
	"lan", "home.arpa", "onion"}

// isLocalName reports whether a name can only be a name of this machine or its network.
func isLocalName(host string) bool {
	if !strings.Contains(host, ".") {
		return true
	}
	for _, name := range localNames {
		if strings.HasSuffix(host, "."+name) || host == name {
			return true
		}
	}
	return false
}

// normalizeHost returns the host in lower-case ASCII, and its IP address if it is one. withPort is
// the host as the address has it; brackets in it mark an IPv6 address.
func normalizeHost(withPort, host string) (string, netip.Addr, *fault) {
	if strings.ContainsAny(withPort, "[]") {
		ip, err := netip.ParseAddr(host)
		if err != nil || !ip.Is6() || ip.Zone() != "" {
			return "", netip.Addr{}, faultNumber
		}
		ip = ip.Unmap()
		return ip.String(), ip, nil
	}
	if len(host) > maxHost*utf8.UTFMax {
		return "", netip.Addr{}, faultHost // the time of the next step grows with the square of the length
	}
	ascii, err := names.ToASCII(host)
	if err != nil {
		return "", netip.Addr{}, faultHost
	}
	// some letters without a meaning yet are written in a way that cannot be read again
	if again, err := names.ToASCII(ascii); err != nil || again != ascii {
		return "", netip.Addr{}, faultHost
	}
	ascii = strings.TrimSuffix(strings.ToLower(ascii), ".")
	if ip, err := netip.ParseAddr(ascii); err == nil && ip.Is4() {
		return ascii, ip, nil
	}
	if !isName(ascii) {
		return "", netip.Addr{}, faultHost
	}
	if endsInNumber(ascii) {
		return "", netip.Addr{}, faultNumber
	}
	return ascii, netip.Addr{}, nil
}

// isName reports whether a host consists of labels that a name server may know.
func isName(host string) bool {
	if len(host) > maxHost {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > maxLabel || strings.ContainsFunc(label, isNoNameLetter) {
			return false
		}
	}
	return true
}

func isNoNameLetter(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// endsInNumber reports whether some program could read the host as an IPv4 address: its last label
// is a decimal, octal or hexadecimal number. (WHATWG URL, "ends in a number")
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	digits := "0123456789"
	if hex, isHex := strings.CutPrefix(last, "0x"); isHex {
		last, digits = hex, "0123456789abcdef"
	}
	return strings.Trim(last, digits) == ""
}
