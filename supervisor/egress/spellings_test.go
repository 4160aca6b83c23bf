package egress_test

import (
	"fmt"
	"net/netip"
	"strings"
)

// privateV4 and privateV6 are addresses that no fetch may reach.
var (
	privateV4 = []string{"127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "10.255.255.254", "172.16.0.1",
		"172.31.255.254",
		"192.168.0.1", "192.168.1.254", "100.64.0.1", "100.127.255.254", "198.18.0.1", "192.0.0.1", "192.0.2.1",
		"224.0.0.1",
		"239.255.255.250", "240.0.0.1", "255.255.255.255",
		// metadata of clouds: most of them, Amazon's containers, Alibaba, Oracle, Azure
		"169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16"}
	privateV6 = []string{"::1", "::", "fe80::1", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1", "ff0e::1", "100::1",
		"2001:db8::1", "3fff::1", "2001:10::1", "5f00::1", "fd00:ec2::254", "fd20:ce::254"}
)

// spellingsOfV4 are ways to write an IPv4 address a.b.c.d as a URL's authority.
var spellingsOfV4 = map[string]func(ip netip.Addr) string{
	"dotted":              netip.Addr.String,
	"trailing dot":        func(ip netip.Addr) string { return ip.String() + "." },
	"with a port":         func(ip netip.Addr) string { return ip.String() + ":80" },
	"with the other port": func(ip netip.Addr) string { return ip.String() + ":443" },
	"decimal":             func(ip netip.Addr) string { return fmt.Sprint(number(ip)) },
	"decimal, dot":        func(ip netip.Addr) string { return fmt.Sprint(number(ip)) + "." },
	"hexadecimal":         func(ip netip.Addr) string { return fmt.Sprintf("0x%x", number(ip)) },
	"HEXADECIMAL":         func(ip netip.Addr) string { return fmt.Sprintf("0X%X", number(ip)) },
	"long hexadecimal":    func(ip netip.Addr) string { return fmt.Sprintf("0x%016x", number(ip)) },
	"octal":               func(ip netip.Addr) string { return fmt.Sprintf("0%o", number(ip)) },
	"dotted hexadecimal":  func(ip netip.Addr) string { return octets(ip, "0x%x.0x%x.0x%x.0x%x") },
	"dotted octal":        func(ip netip.Addr) string { return octets(ip, "0%o.0%o.0%o.0%o") },
	"dotted zeros":        func(ip netip.Addr) string { return octets(ip, "%03d.%03d.%03d.%03d") },
	"mixed":               func(ip netip.Addr) string { return octets(ip, "%d.0x%x.0%o.%d") },
	"three parts": func(ip netip.Addr) string {
		return fmt.Sprintf("%d.%d.%d", ip.As4()[0], ip.As4()[1], number(ip)&0xffff)
	},
	"two parts":        func(ip netip.Addr) string { return fmt.Sprintf("%d.%d", ip.As4()[0], number(ip)&0xffffff) },
	"two parts, mixed": func(ip netip.Addr) string { return fmt.Sprintf("0x%x.0%o", ip.As4()[0], number(ip)&0xffffff) },
	"full width":       func(ip netip.Addr) string { return digitsFrom('０', ip.String()) },
	"mathematical":     func(ip netip.Addr) string { return digitsFrom('𝟎', ip.String()) },
	"ideographic dots": func(ip netip.Addr) string { return strings.ReplaceAll(ip.String(), ".", "。") },
	"half width dots":  func(ip netip.Addr) string { return strings.ReplaceAll(ip.String(), ".", "｡") },
	"soft hyphens":     func(ip netip.Addr) string { return strings.ReplaceAll(ip.String(), ".", "\u00ad.\u00ad") },
	"zero width space": func(ip netip.Addr) string { return ip.String()[:1] + "\u200b" + ip.String()[1:] },
	"escaped": func(ip netip.Addr) string {
		return fmt.Sprintf("%%%x", ip.String()[0]) + ip.String()[1:]
	},
	"user":            func(ip netip.Addr) string { return "example.org@" + ip.String() },
	"user and word":   func(ip netip.Addr) string { return "example.org:80@" + ip.String() },
	"backslash":       func(ip netip.Addr) string { return `example.org\@` + ip.String() },
	"fragment":        func(ip netip.Addr) string { return ip.String() + "#@example.org" },
	"fragment, slash": func(ip netip.Addr) string { return ip.String() + "#.example.org/" },
	"query":           func(ip netip.Addr) string { return ip.String() + "?.example.org" },
	"mapped":          func(ip netip.Addr) string { return "[::ffff:" + ip.String() + "]" },
	"mapped, hex":     func(ip netip.Addr) string { return "[0:0:0:0:0:FFFF:" + groups(ip) + "]" },
	"compatible":      func(ip netip.Addr) string { return "[::" + ip.String() + "]" },
	"NAT64":           func(ip netip.Addr) string { return "[64:ff9b::" + ip.String() + "]" },
	"local NAT64":     func(ip netip.Addr) string { return "[64:ff9b:1::" + ip.String() + "]" },
	"6to4":            func(ip netip.Addr) string { return "[2002:" + groups(ip) + "::1]" },
	"Teredo":          func(ip netip.Addr) string { return "[" + teredo(ip).String() + "]" },
	"brackets":        func(ip netip.Addr) string { return "[" + ip.String() + "]" },
	"name":            func(ip netip.Addr) string { return nameOf(ip) },
	"name, dot":       func(ip netip.Addr) string { return nameOf(ip) + "." },
	"NAME":            func(ip netip.Addr) string { return strings.ToUpper(nameOf(ip)) },
	"name of mapped":  func(ip netip.Addr) string { return nameOf(netip.AddrFrom16(ip.As16())) },
	"name of NAT64":   func(ip netip.Addr) string { return nameOf(netip.MustParseAddr("64:ff9b::" + groups(ip))) },
	"name of 6to4":    func(ip netip.Addr) string { return nameOf(netip.MustParseAddr("2002:" + groups(ip) + "::1")) },
	"name of Teredo":  func(ip netip.Addr) string { return nameOf(teredo(ip)) },
}

// spellingsOfV6 are ways to write an IPv6 address as a URL's authority.
var spellingsOfV6 = map[string]func(ip netip.Addr) string{
	"brackets":         func(ip netip.Addr) string { return "[" + ip.String() + "]" },
	"whole":            func(ip netip.Addr) string { return "[" + strings.ToUpper(ip.StringExpanded()) + "]" },
	"with a port":      func(ip netip.Addr) string { return "[" + ip.String() + "]:80" },
	"zone":             func(ip netip.Addr) string { return "[" + ip.String() + "%25lo]" },
	"user":             func(ip netip.Addr) string { return "example.org@[" + ip.String() + "]" },
	"without brackets": netip.Addr.String,
	"name":             nameOf,
	"name, dot":        func(ip netip.Addr) string { return nameOf(ip) + "." },
	"NAME":             func(ip netip.Addr) string { return strings.ToUpper(nameOf(ip)) },
}

// privateSpellings returns addresses that lead to a private IP address, each with a description.
func privateSpellings() map[string]string {
	all := map[string]string{}
	add := func(targets []string, spellings map[string]func(netip.Addr) string) {
		for _, target := range targets {
			for name, spell := range spellings {
				all["http://"+spell(netip.MustParseAddr(target))+"/"] = target + ": " + name
			}
		}
	}
	add(privateV4, spellingsOfV4)
	add(privateV6, spellingsOfV6)
	for _, name := range []string{"localhost", "LocalHost", "localhost.", "a.localhost", "localhost.localdomain",
		"ip6-localhost",
		"printer.local", "nas.lan", "router.home", "intranet.corp", "metadata", "metadata.google.internal",
		"ｌｏｃａｌｈｏｓｔ",
		"ⓛocalhost"} {
		all["http://"+name+"/"] = "name of a local network"
		all["https://"+name+"/"] = "name of a local network"
	}
	return all
}

// publicAddresses are addresses that must pass the check of the name.
var publicAddresses = strings.Fields(`
	https://example.org/ http://example.com https://www.wikipedia.org/wiki/Hawk
	https://de.wikipedia.org/w/index.php?search=Falke
	https://api.open-meteo.com/v1/forecast?latitude=52.5&longitude=13.4
	https://news.ycombinator.com/item?id=1 https://github.com/golang/go/issues/1#issuecomment-2
	https://go.dev/doc/ https://pkg.go.dev/net/http@go1.26.0 https://bücher.example/
	https://xn--bcher-kva.example/ https://例え.テスト/パス https://пример.испытание/
	https://مثال.إختبار/
	https://उदाहरण.परीक्षा/ https://faß.de/ https://r3---sn-4g5e6nl7.googlevideo.com/
	https://my_site.tumblr.com/ https://1.1.1.1.example/ https://127.0.0.1.nip.io/
	https://0x7f.example.org/ https://10.example.org/ https://a.b.c.d.e.f.example.org/
	https://EXAMPLE.ORG./ https://example.org:443/ https://example.org:80/ http://example.org:443/
	https://localhost.example.org/ https://local.example/ https://internal.example.org/
	https://4chan.org/ https://9gag.com/ https://3m.com/ https://t.co/abc https://x.com/
	https://web.archive.org/web/2020/https://example.org/ https://example.org/a;b=c,d?e=f&g[]=h#i
	https://example.org/%E2%9C%93?q=%20 https://s3.eu-central-1.amazonaws.com/b/k?X-Amz-Signature=0
	https://169-254-169-254.example/ https://metadata.example.org/ https://museum.museum/
	https://co.uk/ https://deadbeef.example/ https://0.example.org/ https://xn--p1ai.xn--p1ai/`)

func number(ip netip.Addr) uint32 {
	b := ip.As4()
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

func octets(ip netip.Addr, format string) string {
	b := ip.As4()
	return fmt.Sprintf(format, b[0], b[1], b[2], b[3])
}

// groups returns an IPv4 address as two groups of an IPv6 address.
func groups(ip netip.Addr) string { return fmt.Sprintf("%x:%x", number(ip)>>16, number(ip)&0xffff) }

func teredo(ip netip.Addr) netip.Addr {
	inverse := ^number(ip)
	return netip.MustParseAddr(fmt.Sprintf("2001:0:4136:e378:8000:63bf:%x:%x", inverse>>16, inverse&0xffff))
}

func digitsFrom(zero rune, text string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' {
			return r
		}
		return r - '0' + zero
	}, text)
}

// nameOf returns a name that the fake name server resolves to an IP address.
func nameOf(ip netip.Addr) string {
	return "ip-" + strings.NewReplacer(".", "-", ":", "-").Replace(ip.StringExpanded()) + ".trap.example"
}

// ipsOfNames are the addresses of all names that nameOf makes for spellings.
func ipsOfNames() map[string]netip.Addr {
	names := map[string]netip.Addr{}
	for _, text := range privateV4 {
		ip := netip.MustParseAddr(text)
		for _, form := range []netip.Addr{ip, netip.AddrFrom16(ip.As16()), netip.MustParseAddr("64:ff9b::" +
			groups(ip)),
			netip.MustParseAddr("2002:" + groups(ip) + "::1"), teredo(ip)} {
			names[nameOf(form)] = form
		}
	}
	for _, text := range privateV6 {
		ip := netip.MustParseAddr(text)
		names[nameOf(ip)] = ip
	}
	return names
}
