package api

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/go-github/v66/github"
)

// renewal is the remaining life at which a token is replaced.
const renewal = 5 * time.Minute

// need is the group of permissions that a call needs. Each token of an App is for one need and one
// repository.
type need string

const (
	needContent  need = ""         // permissions for reviews, triage and notices
	needHooks    need = "hooks"    // permissions for the webhooks of a repository
	needProjects need = "projects" // permissions for the projects of an organisation
	needApp      need = "app"      // permissions of the App itself; the call uses no installation
)

// permissions has the permissions of each need. A token gets only those that the installation has
// too.
var permissions = map[need]map[string]string{
	needContent: {"metadata": "read", "contents": "read", "pull_requests": "write", "issues": "write",
		"checks": "write"},
	needHooks:    {"metadata": "read", "repository_hooks": "write"},
	needProjects: {"metadata": "read", "issues": "read", "organization_projects": "write"},
}

// authorizer adds the header Authorization to requests.
type authorizer struct {
	gh    *github.Client
	token func() string // returns the token; nil for an App
	app   int64
	key   func() string // returns the App's private key in PEM; nil without an App
	now   func() time.Time

	// guards minted; also locked while a token is created, so that two calls don't create the same
	// token
	mu     sync.Mutex
	minted map[mintKey]minted
}

// lowerRepo returns a repository's name in lower case, because GitHub ignores case.
func lowerRepo(repo string) string { return strings.ToLower(repo) }

type mintKey struct {
	repo string
	need need
}

// minted is a token of an installation.
type minted struct {
	token secret
	until time.Time
	lacks []string // requested permissions that the installation lacks
}

func newAuthorizer(o Options) (*authorizer, error) {
	a := &authorizer{token: o.Token, now: o.Now, minted: map[mintKey]minted{}}
	if o.App == nil {
		if o.Token == nil {
			return nil, errors.New("github needs a token or an app")
		}
		return a, nil
	}
	a.token, a.app, a.key = nil, o.App.ID, o.App.Key
	_, err := readKey(a.key())
	return a, err
}

// readKey reads a private key in GitHub's form (PKCS #1) or in PKCS #8. Errors contain no part of
// the key.
func readKey(text string) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("github's app: the private key is not in PEM")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		if key, ok := parsed.(*rsa.PrivateKey); ok {
			return key, nil
		}
	}
	return nil, errors.New("github's app: the private key is no RSA key")
}

// scope returns the account whose rate limits a request counts against.
func (a *authorizer) scope(repo string) string {
	if a.key == nil {
		return ""
	}
	owner, _, _ := strings.Cut(strings.ToLower(repo), "/")
	return owner
}

// authorization returns the value of a call's header Authorization.
func (a *authorizer) authorization(ctx context.Context, k *call) (string, error) {
	switch {
	case a.key == nil:
		return "Bearer " + a.token(), nil
	case k.need == needApp:
		token, err := a.jwt()
		return "Bearer " + token, err
	case k.repo == "":
		return "", newError(Forbidden, k.action, 0, "", errors.New("an app has tokens for repositories alone"))
	}
	token, err := a.installation(ctx, mintKey{lowerRepo(k.repo), k.need})
	if err != nil {
		return "", err
	}
	return "Bearer " + token.token.reveal(), nil
}

// jwt returns the App's own token, valid for ten minutes, which is GitHub's maximum. The token
// counts as valid from a minute earlier, in case GitHub's clock is behind. (RFC 7519 with RS256.)
func (a *authorizer) jwt() (string, error) {
	now := a.now()
	claims, err := json.Marshal(map[string]any{
		"iat": now.Add(-time.Minute).Unix(), "exp": now.Add(9 * time.Minute).Unix(), "iss": fmt.Sprint(a.app),
	})
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + encode(claims)
	sum := sha256.Sum256([]byte(signed))
	key, err := readKey(a.key())
	if err != nil {
		return "", err
	}
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	return signed + "." + encode(signature), err
}

// installation returns a token for one repository. If the current token ends soon, it creates a new
// one.
func (a *authorizer) installation(ctx context.Context, key mintKey) (minted, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if m, ok := a.minted[key]; ok && a.now().Add(renewal).Before(m.until) {
		return m, nil
	}
	m, err := a.mint(ctx, key)
	if err == nil {
		a.minted[key] = m
	}
	return m, err
}

// mint creates a token with the permissions of one need, except those that the installation lacks.
func (a *authorizer) mint(ctx context.Context, key mintKey) (minted, error) {
	k := &call{action: "have a token for " + key.repo, need: needApp, isRead: true}
	ctx = context.WithValue(ctx, callKey{}, k)
	owner, name, _ := strings.Cut(key.repo, "/")
	found, _, err := a.gh.Apps.FindRepositoryInstallation(ctx, owner, name)
	if err != nil {
		return minted{}, err
	}
	granted, err := granted(found.Permissions)
	if err != nil {
		return minted{}, err
	}
	ask, m := map[string]string{}, minted{}
	for name, level := range permissions[key.need] {
		switch has := granted[name]; {
		case has == "":
			m.lacks = append(m.lacks, name+"="+level)
		case has == "read":
			ask[name] = "read"
			if level != "read" {
				m.lacks = append(m.lacks, name+"="+level)
			}
		default:
			ask[name] = level
		}
	}
	slices.Sort(m.lacks)
	body := map[string]any{"repositories": []string{name}, "permissions": ask}
	req, err := a.gh.NewRequest(http.MethodPost, fmt.Sprintf("app/installations/%d/access_tokens", found.GetID()), body)
	if err != nil {
		return minted{}, err
	}
	var made struct {
		Token   string    `json:"token"`
		Expires time.Time `json:"expires_at"`
	}
	if _, err := a.gh.Do(ctx, req, &made); err != nil {
		return minted{}, err
	}
	m.token, m.until = keep(made.Token), made.Expires
	return m, nil
}

// granted returns the permissions of an installation by name.
func granted(p *github.InstallationPermissions) (map[string]string, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	byName := map[string]string{}
	return byName, json.Unmarshal(data, &byName)
}

// The method refused forgets a token that GitHub has rejected. So the next call creates a new
// token.
func (a *authorizer) refused(k *call, status int) {
	if status != http.StatusUnauthorized || a.key == nil || k.need == needApp {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.minted, mintKey{lowerRepo(k.repo), k.need})
}

// redact removes the token of the header Authorization from GitHub's text.
func redact(text, header string) string {
	if token := strings.TrimPrefix(header, "Bearer "); token != "" {
		return strings.ReplaceAll(text, token, "***")
	}
	return text
}
