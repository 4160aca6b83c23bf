package githubtest

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// grant has the rights of a token.
type grant struct {
	login   string
	account string            // the account whose rate limits the token uses
	may     map[string]string // permissions of the token; nil means all permissions
	repos   []string          // ids or names of repositories; nil means all
	until   time.Time         // end of the token; zero means never
	app     bool              // whether the token is for an installation of the App
	jwt     bool              // whether the token is the App's own JWT
}

// levels ranks the levels of a permission: a higher number includes the lower ones.
var levels = map[string]int{"": 0, "read": 1, "write": 2, "admin": 3}

func (g *grant) allows(needs string) bool {
	name, level, _ := strings.Cut(needs, "=")
	return needs == "" || g.may == nil && !g.app || levels[g.may[name]] >= levels[level]
}

// admit finds the token of a request and checks its rights. Call it only within Server.change.
func (s *Server) admit(r *request, token string) (answer, bool) {
	if r.URL.Path == "/graphql" && s.options.NoGraphQL {
		return notFound(), false
	}
	g := s.grants[token]
	if g == nil && strings.Count(token, ".") == 2 {
		g = s.appBy(token)
	}
	if g == nil || !g.until.IsZero() && !s.now().Before(g.until) {
		return refuse(http.StatusUnauthorized, "Bad credentials"), false
	}
	r.grant = g
	if r.route.has(byApp) != g.jwt {
		return refuse(http.StatusUnauthorized, "A JSON web token could not be decoded"), false
	}
	if r.route.has(noRepo) {
		return answer{}, true
	}
	full := strings.ToLower(r.PathValue("owner") + "/" + r.PathValue("repo"))
	r.repo = s.repos[full]
	if now, ok := s.moved[full]; ok {
		return r.redirect(now), false
	}
	if r.repo == nil || g.repos != nil && !contains(g.repos, full) {
		return notFound(), false
	}
	if !g.allows(r.route.needs) && !r.forPull() {
		by := "personal access token"
		if g.app {
			by = "integration"
		}
		a := refuse(http.StatusForbidden, "Resource not accessible by "+by)
		a.header = map[string]string{"X-Accepted-GitHub-Permissions": r.route.needs}
		return a, false
	}
	return answer{}, true
}

// redirect returns a redirect to a renamed repository. (GitHub redirects to an address with the
// repository's id.)
func (r *request) redirect(name string) answer {
	code := http.StatusMovedPermanently
	if r.Method != http.MethodGet {
		code = http.StatusTemporaryRedirect
	}
	a := refuse(code, "Moved Permanently")
	rest := strings.SplitN(r.URL.Path, "/", 5) // "", "repos", owner, name and the rest
	a.header = map[string]string{"Location": "http://" + r.Host + "/api/v3/repos/" + name + strings.TrimSuffix("/"+strings.Join(rest[4:], ""), "/")}
	return a
}

// forPull reports whether a request that needs a permission for issues is about a pull request.
// Then the permission for pull requests is enough.
func (r *request) forPull() bool {
	level, ok := strings.CutPrefix(r.route.needs, "issues=")
	return ok && pullIn(r) != nil && r.grant.allows("pull_requests="+level)
}

func contains(list []string, name string) bool {
	for _, item := range list {
		if strings.EqualFold(item, name) {
			return true
		}
	}
	return false
}

// appBy returns the rights of an App's JSON web token; nil if it is invalid. The App's key must
// have signed it, and it must be valid for at most ten minutes.
func (s *Server) appBy(token string) *grant {
	app := s.options.App
	if app == nil {
		return nil
	}
	parts := strings.Split(token, ".")
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || rsa.VerifyPKCS1v15(app.Key, crypto.SHA256, sum[:], signature) != nil {
		return nil
	}
	var head struct{ Alg string }
	var claims struct {
		Iat, Exp int64
		Iss      json.RawMessage
	}
	if !decodePart(parts[0], &head) || !decodePart(parts[1], &claims) || head.Alg != "RS256" || strings.Trim(string(claims.Iss), `"`) != fmt.Sprint(app.ID) {
		return nil
	}
	now := s.now().Unix()
	if claims.Iat > now || claims.Exp <= now || claims.Exp-now > 600 {
		return nil
	}
	return &grant{login: app.Slug + "[bot]", account: "app", jwt: true}
}

func decodePart(part string, v any) bool {
	data, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(data, v) == nil
}

// SetTokenPermissions changes the permissions of all tokens. nil means all permissions; an example
// is {"issues": "read"}.
func (s *Server) SetTokenPermissions(may map[string]string) {
	s.change(func() {
		s.options.May = may
		for _, g := range s.grants {
			g.may = may
		}
	})
}

// granted returns the permissions of the App's installations.
func (s *Server) granted() map[string]string {
	if s.options.May != nil {
		return s.options.May
	}
	return map[string]string{"metadata": "read", "contents": "read", "pull_requests": "write", "issues": "write", "checks": "write",
		"repository_hooks": "write", "organization_projects": "write", "administration": "read"}
}

func getApp(s *Server, _ *request) answer {
	return good(map[string]any{"id": s.options.App.ID, "slug": s.options.App.Slug, "name": s.options.App.Slug})
}

func getUser(_ *Server, r *request) answer {
	if r.grant.app {
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	return good(user(r.grant.login))
}

func getInstallation(s *Server, r *request) answer {
	full := strings.ToLower(r.PathValue("owner") + "/" + r.PathValue("repo"))
	if s.repos[full] == nil {
		return notFound()
	}
	owner := r.PathValue("owner")
	return good(map[string]any{"id": idOf(owner), "account": user(owner), "app_id": s.options.App.ID, "permissions": s.granted(), "events": []string{}})
}

func createToken(s *Server, r *request) answer {
	var asked struct {
		Repositories []string
		Permissions  map[string]string
	}
	r.into(&asked)
	owner := ""
	var repos []string
	for full, repo := range s.repos {
		o, name, _ := strings.Cut(full, "/")
		if idOf(o) != r.id("installation") {
			continue
		}
		owner = o
		if asked.Repositories == nil || contains(asked.Repositories, name) {
			repos = append(repos, repo.name)
		}
	}
	if owner == "" || len(repos) < len(asked.Repositories) {
		return refuse(http.StatusUnprocessableEntity, "There is at least one repository that does not exist or is not accessible to the parent installation.")
	}
	may := s.granted()
	for name, level := range asked.Permissions {
		if levels[may[name]] < levels[level] {
			return refuse(http.StatusUnprocessableEntity, "The permissions requested are not granted to this installation.")
		}
	}
	if asked.Permissions != nil {
		may = asked.Permissions
	}
	token := fmt.Sprintf("ghs_TEST%d", s.id())
	g := &grant{login: s.options.App.Slug + "[bot]", account: owner, may: may, repos: repos, until: s.now().Add(time.Hour), app: true}
	s.grants[token] = g
	return created(map[string]any{"token": token, "expires_at": stamp(g.until), "permissions": may})
}
