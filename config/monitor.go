package config

import "net/url"

// Metrics configures the figures for Prometheus, at the path /metrics of Listen.
type Metrics struct {
	// whether some figures name the user that they are about
	People bool `yaml:"people"`
}

// Alarms configures how the service reports problems without Telegram.
type Alarms struct {
	// http or https URL that gets each alarm and its end: the text in the configuration, or the
	// content of URLFile; "" means none. It is a secret, because its readers can often send too.
	URL Secret `yaml:"url" check:"alarm_url"`
	// path of the URL's file, as written in the configuration
	URLFile string `yaml:"url_file" holds:"URL"`
	// http or https URL that is called every 5 minutes while the service is healthy: the text in the
	// configuration, or the content of HeartbeatFile; "" means none
	Heartbeat Secret `yaml:"heartbeat" check:"alarm_url"`
	// path of the heartbeat URL's file, as written in the configuration
	HeartbeatFile string `yaml:"heartbeat_file" holds:"Heartbeat"`
}

// checkPrivateListen checks the address of the private listener, which may be "".
func (c *checker) checkPrivateListen(path, listen string) {
	switch {
	case listen == "":
	case listen == c.cfg.Webhooks.Listen:
		c.wrong(path, quote(listen), wantOtherListen)
	default:
		c.checkListen(path, listen)
	}
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
