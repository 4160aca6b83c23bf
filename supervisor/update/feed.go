package update

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// feed is where releases come from: an https address, or an absolute path of a folder.
type feed struct {
	location string
	client   *http.Client
}

// fetchTimeout limits the fetch of an index or an archive.
const fetchTimeout = 15 * time.Minute

// maxRedirects limits the redirects of one fetch. All of them must use https.
const maxRedirects = 5

func newFeed(location string, transport http.RoundTripper) feed {
	return feed{location: location, client: &http.Client{Timeout: fetchTimeout, Transport: transport,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if r.URL.Scheme != "https" || len(via) > maxRedirects {
				return fmt.Errorf(textBadRedirect, r.URL.Redacted())
			}
			return nil
		}}}
}

// open opens a file of the feed. It never has more bytes than limit.
func (f feed) open(ctx context.Context, name string, limit int64) (io.ReadCloser, error) {
	if filepath.IsAbs(f.location) {
		file, err := os.Open(filepath.Join(f.location, name))
		if err != nil {
			return nil, fmt.Errorf(textNoFeed, f.location, err)
		}
		return bounded{io.LimitReader(file, limit), file}, nil
	}
	address, err := url.Parse(strings.TrimSuffix(f.location, "/") + "/" + name)
	if err != nil {
		return nil, fmt.Errorf(textNoFeed, f.location, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, err
	}
	response, err := f.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf(textNoFeed, f.location, err)
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, fmt.Errorf(textFeedStatus, address.Redacted(), response.Status)
	}
	return bounded{io.LimitReader(response.Body, limit), response.Body}, nil
}

// bounded is a reader with a limit, and the closer of its source.
type bounded struct {
	io.Reader
	io.Closer
}
