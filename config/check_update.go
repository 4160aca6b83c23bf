package config

import (
	"net/url"
	"path/filepath"
)

// checkFeed checks the address or folder of the releases. A daily update needs one.
func (c *checker) checkFeed(path, feed string) {
	if feed == "" {
		if c.cfg.Update.Daily {
			c.wrong(path, quote(feed), wantFeedForDaily)
		}
		return
	}
	u, err := url.Parse(feed)
	isAddress := err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil && u.RawQuery == ""
	if !filepath.IsAbs(feed) && !isAddress {
		c.wrong(path, quote(feed), wantFeed)
	}
}
