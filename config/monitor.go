package config

import (
	"net"
	"net/netip"
	"net/url"
)

// Metrics configures the figures for Prometheus, at the path /metrics of Listen.
type Metrics struct {
	// whether some figures name the user that they are about
	People bool `yaml:"people"`
}

// Alarms configures how the service reports problems without Telegram.
type Alarms struct {
	// http or https URL that gets each alarm and its end: the text in the configuration, or the
	// content of URLFile; "" means none. It is a secret, because its readers can often send too.
	URL Secret `yaml:"url" check:"alarm_url" reload:"replaced"`
	// path of the URL's file, as written in the configuration
	URLFile string `yaml:"url_file" holds:"URL" reload:"live"`
	// http or https URL that is called every 5 minutes while the service is healthy: the text in
	// the configuration, or the content of HeartbeatFile; "" means none
	Heartbeat Secret `yaml:"heartbeat" check:"alarm_url" reload:"replaced"`
	// path of the heartbeat URL's file, as written in the configuration
	HeartbeatFile string `yaml:"heartbeat_file" holds:"Heartbeat" reload:"live"`
}

// checkPrivateListen checks the address of the private listener, which may be "". A default that
// webhooks.listen has already is left out.
func (c *checker) checkPrivateListen(path, listen string) {
	switch collides := collide(listen, c.cfg.Webhooks.Listen); {
	case collides && !c.isSet(path):
		c.cfg.Listen = ""
	case collides:
		c.wrong(path, quote(listen), wantOtherListen)
	case listen != "":
		c.checkListen(path, listen)
	}
}

// collide reports whether two programs can't listen at two addresses. localhost is each loopback
// address, and 0.0.0.0 and :: are all addresses.
func collide(a, b string) bool {
	host, port, err := net.SplitHostPort(a)
	other, samePort, bad := net.SplitHostPort(b)
	if err != nil || bad != nil || port != samePort {
		return false
	}
	local := host == "localhost" && loopback(other) || other == "localhost" && loopback(host)
	return host == other || local || isAnyHost(host) || isAnyHost(other)
}

func isAnyHost(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsUnspecified()
}

// checkAlarmURL checks the URL of an alarm. Problems do not show it.
func (c *checker) checkAlarmURL(path string, secret Secret) {
	text := secret.Reveal()
	if text == "" {
		return
	}
	if u, err := url.Parse(text); err != nil || !isWebAddress(u) || u.Hostname() == "" || u.Fragment != "" {
		c.add(path, hidden, wantAlarmURL)
	}
}
