package config

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	// serviceHeader is the name of an HTTP header.
	serviceHeader = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+.^_|~-]{1,80}$`)
	// serviceParam is the name of a query parameter.
	serviceParam = regexp.MustCompile(`^[!-~]{1,80}$`)
	// servicePath is a path below a base URL, in the list of reads.
	servicePath = regexp.MustCompile(`^/[!-~]*$`)
)

// ServiceMethods lists the HTTP methods that a service may allow.
var ServiceMethods = []string{"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"}

// transportHeaders are the headers that the HTTP client sets.
var transportHeaders = []string{"Accept-Encoding", "Connection", "Content-Length", "Cookie", "Host",
	"Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// minServiceSecret is the minimum length of a secret, in bytes. A shorter one might be an ordinary
// word of an answer, which Mews would take out.
const minServiceSecret, maxServiceSecret = 8, 4096

// checkServices notes problems of the services.
func (c *checker) checkServices(path string, services map[string]Service) {
	for _, name := range slices.Sorted(maps.Keys(services)) {
		at, s := join(path, name), services[name]
		if !IsValidUserName(name) {
			c.add(at, quote(name)+gotAsName, wantName)
		}
		c.checkURL(at+".base_url", s.BaseURL, wantServiceURL, isWebAddress)
		c.checkServiceMethods(at, s)
		c.checkServiceAuth(at+".auth", s.Auth)
		c.checkServiceHeaders(at, s)
		if s.CAFile != "" && !filepath.IsAbs(s.CAFile) {
			c.wrong(at+".ca_file", quote(s.CAFile), wantAbsolute)
		}
		taken := map[string]string{}
		for i, user := range s.Users {
			c.checkUserName(elementPath(at+".users", i), user)
			c.checkUnique(elementPath(at+".users", i), user, quote(user), wantUnique, taken)
		}
	}
}

// checkServiceMethods notes unknown methods, and reads that match no call.
func (c *checker) checkServiceMethods(path string, s Service) {
	for _, method := range slices.Sorted(maps.Keys(s.Methods)) {
		at := join(path+".methods", method)
		if !slices.Contains(ServiceMethods, method) {
			c.add(at, gotUnknownKey, knownKeys(method, ServiceMethods))
		}
		c.checkOneOf(at, s.Methods[method], []string{ServiceRead, ServiceWrite})
	}
	for i, text := range s.Reads {
		at := elementPath(path+".reads", i)
		method, below, ok := strings.Cut(text, " ")
		if _, allowed := s.Methods[method]; !ok || !allowed || !servicePath.MatchString(below) {
			c.wrong(at, quote(text), wantServiceRead)
		}
	}
}

// checkServiceAuth notes a name that the type of auth lacks or does not use, and a secret that
// nothing uses.
func (c *checker) checkServiceAuth(path string, a ServiceAuth) {
	switch a.Type {
	case AuthHeader:
		c.checkServiceHeader(path+".name", a.Name)
	case AuthQuery:
		if !serviceParam.MatchString(a.Name) {
			c.wrong(path+".name", quote(a.Name), wantParamName)
		}
	case AuthBasic:
		if a.Name == "" || strings.Contains(a.Name, ":") {
			c.wrong(path+".name", quote(a.Name), wantBasicName)
		}
	case AuthBearer, AuthNone:
		if a.Name != "" {
			c.wrong(path+".name", quote(a.Name), wantNoAuthName)
		}
	}
	if a.Type == AuthNone && (c.isSet(path+".secret") || c.isSet(path+".secret_file")) {
		c.wrong(path+".type", quote(a.Type), wantAuthType)
	}
}

// checkServiceSecret notes a secret that can't be sent, or that is too short to be recognised.
func (c *checker) checkServiceSecret(path string, secret Secret) {
	switch text := secret.Reveal(); {
	case text == "":
	case len(text) < minServiceSecret || len(text) > maxServiceSecret || text != strings.TrimSpace(text) ||
		strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }):
		c.add(path, hidden, wantServiceSecret)
	}
}

// checkServiceHeaders notes headers and parameters that Mews can't send, or that it sets itself.
func (c *checker) checkServiceHeaders(path string, s Service) {
	auth := map[string]string{AuthBearer: "Authorization", AuthBasic: "Authorization", AuthHeader: s.Auth.Name}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		at := join(path+".headers", name)
		c.checkServiceHeader(at, name)
		if strings.EqualFold(name, auth[s.Auth.Type]) {
			c.add(at, gotSecretsPlace, wantSecretsPlace)
		}
	}
	if s.IdempotencyHeader != "" {
		c.checkServiceHeader(path+".idempotency_header", s.IdempotencyHeader)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Params)) {
		at := join(path+".params", name)
		switch {
		case !serviceParam.MatchString(name):
			c.add(at, quote(name)+gotAsName, wantParamName)
		case s.Auth.Type == AuthQuery && strings.EqualFold(name, s.Auth.Name):
			c.add(at, gotSecretsPlace, wantSecretsPlace)
		}
	}
}

func (c *checker) checkServiceHeader(path, name string) {
	own := slices.ContainsFunc(transportHeaders, func(h string) bool { return strings.EqualFold(h, name) })
	if own || !serviceHeader.MatchString(name) {
		c.add(path, quote(name)+gotAsName, wantServiceHeader)
	}
}
