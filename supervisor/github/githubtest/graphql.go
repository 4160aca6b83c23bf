package githubtest

import (
	"fmt"
	"strings"
)

// object is a GraphQL object with a type and fields. A field may be a function of its arguments.
type object map[string]any

// queryError is an error in the answer to a query, as GitHub words it.
type queryError struct{ kind, code, message string }

func (e *queryError) Error() string { return e.message }

func (e *queryError) json() any {
	v := map[string]any{"message": e.message}
	if e.kind != "" {
		v["type"] = e.kind
	}
	if e.code != "" {
		v["extensions"] = map[string]any{"code": e.code}
	}
	return v
}

// graphql answers a query. Even a refusal has status 200.
func graphql(s *Server, r *request) answer {
	var asked struct {
		Query     string
		Variables map[string]any
	}
	if !r.into(&asked) {
		return refuse(400, "Problems parsing JSON")
	}
	list, err := readQuery(asked.Query, asked.Variables)
	var data any
	if err == nil {
		data, err = resolve(s.root(r), list)
	}
	if err == nil {
		return good(map[string]any{"data": data})
	}
	said, ok := err.(*queryError)
	if !ok {
		said = &queryError{message: err.Error()}
	}
	return good(map[string]any{"data": nil, "errors": []any{said.json()}})
}

// resolve returns the selected fields of a value.
func resolve(value any, list []selection) (any, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case []any:
		made := []any{}
		for _, item := range v {
			one, err := resolve(item, list)
			if err != nil {
				return nil, err
			}
			made = append(made, one)
		}
		return made, nil
	case object:
		made := map[string]any{}
		return made, v.resolve(list, made)
	}
	return value, nil
}

func (o object) resolve(list []selection, into map[string]any) error {
	for _, s := range list {
		if s.on != "" {
			if kinds, _ := o["__kinds"].(string); o["__typename"] == s.on || strings.Contains(kinds, s.on) {
				if err := o.resolve(s.sub, into); err != nil {
					return err
				}
			}
			continue
		}
		field, ok := o[s.name]
		if !ok {
			return &queryError{code: "undefinedField", message: fmt.Sprintf("Field '%s' doesn't exist on type '%v'", s.name, o["__typename"])}
		}
		if ask, ok := field.(func(map[string]any) (any, error)); ok {
			var err error
			if field, err = ask(s.args); err != nil {
				return err
			}
		}
		value, err := resolve(field, s.sub)
		if err != nil {
			return err
		}
		into[s.as] = value
	}
	return nil
}

// connection returns the page of a list that the arguments first and after select.
func connection(args map[string]any, all []any) object {
	first, ok := args["first"].(float64)
	if !ok || first > 100 {
		first = 100
	}
	from := 0
	if after, ok := args["after"].(string); ok {
		from = min(atoi(after), len(all))
	}
	to := min(from+int(first), len(all))
	return object{"__typename": "Connection", "nodes": append([]any{}, all[from:to]...), "totalCount": len(all),
		"pageInfo": object{"__typename": "PageInfo", "hasNextPage": to < len(all), "endCursor": itoa(to)}}
}

func listed(all []any) func(map[string]any) (any, error) {
	return func(args map[string]any) (any, error) { return connection(args, all), nil }
}

// actor returns a user. Unlike in REST, a bot's login does not end in [bot].
func actor(login string) any {
	if login == "" {
		return nil
	}
	name, bot := strings.CutSuffix(login, "[bot]")
	kind := "User"
	if bot {
		kind = "Bot"
	}
	return object{"__typename": kind, "login": name}
}

// root returns the object with all queries and mutations.
func (s *Server) root(r *request) object {
	return object{"__typename": "Query",
		"viewer": actor(r.grant.login),
		"repository": func(args map[string]any) (any, error) {
			full := fmt.Sprintf("%v/%v", args["owner"], args["name"])
			repo := s.repos[strings.ToLower(full)]
			if repo == nil || r.grant.repos != nil && !contains(r.grant.repos, full) {
				return nil, &queryError{kind: "NOT_FOUND", message: "Could not resolve to a Repository with the name '" + full + "'."}
			}
			return repo.object(r), nil
		},
		"addProjectV2ItemById": s.addToProject(r),
	}
}

func (r *Repo) object(by *request) object {
	return object{"__typename": "Repository", "nameWithOwner": r.name,
		"object":      r.blob,
		"pullRequest": r.pullObject,
		"projectsV2":  r.s.projectsOf(by, r.name),
		"owner":       r.ownerObject(by),
	}
}

func (r *Repo) ownerObject(by *request) object {
	owner, _, _ := strings.Cut(r.name, "/")
	return object{"__typename": "User", "__kinds": "ProjectV2Owner", "login": owner, "projectsV2": r.s.projectsOf(by, owner)}
}

// blob returns the file that an expression like ref:path names.
func (r *Repo) blob(args map[string]any) (any, error) {
	commit, path, ok := strings.Cut(fmt.Sprint(args["expression"]), ":")
	sha := r.CommitSHA(commit)
	if !ok || sha == "" {
		return nil, nil
	}
	kind, err := r.try(nil, nil, "cat-file", "-t", sha+":"+path)
	if err != nil || strings.TrimSpace(string(kind)) != "blob" {
		return nil, nil
	}
	data := r.git(nil, nil, "cat-file", "blob", sha+":"+path)
	o := object{"__typename": "Blob", "byteSize": len(data), "isTruncated": len(data) > maxContent/2, "isBinary": false, "text": string(data[:min(len(data), maxContent/2)])}
	if strings.Contains(string(data), "\x00") {
		o["isBinary"], o["text"] = true, nil
	}
	return o, nil
}

func (r *Repo) pullObject(args map[string]any) (any, error) {
	number, _ := args["number"].(float64)
	i := r.issues[int(number)]
	if i == nil || i.pull == nil {
		return nil, &queryError{kind: "NOT_FOUND", message: fmt.Sprintf("Could not resolve to a PullRequest with the number of %v.", number)}
	}
	threads := []any{}
	for _, t := range i.pull.threads {
		threads = append(threads, t.object())
	}
	return object{"__typename": "PullRequest", "number": i.number, "headRefOid": i.pull.headSHA, "reviewThreads": listed(threads)}, nil
}

func (t *thread) object() object {
	comments := []any{}
	for _, c := range t.comments {
		comments = append(comments, c.object())
	}
	var start any
	if t.line > 0 && t.start > 0 {
		start = t.start + t.line - t.original
	}
	return object{"__typename": "PullRequestReviewThread", "id": nodeID("PRRT", t.id), "path": t.path, "line": orNull(t.line), "startLine": start,
		"originalLine": t.original, "diffSide": t.side, "isResolved": t.resolved, "isOutdated": t.line == 0, "resolvedBy": actor(t.resolvedBy),
		"comments": listed(comments)}
}

func (c *comment) object() object {
	var of any
	if c.review != 0 {
		of = object{"__typename": "PullRequestReview", "databaseId": c.review}
	}
	return object{"__typename": "PullRequestReviewComment", "databaseId": c.id, "body": c.body, "createdAt": stamp(c.created), "author": actor(c.author),
		"pullRequestReview": of, "reactions": func(args map[string]any) (any, error) {
			content := fmt.Sprint(args["content"])
			list := []any{}
			for _, given := range c.reactions[map[string]string{"THUMBS_DOWN": "-1", "THUMBS_UP": "+1"}[content]] {
				list = append(list, object{"__typename": "Reaction", "content": content, "user": actor(given.by),
					"createdAt": stamp(given.at)})
			}
			return connection(args, list), nil
		}}
}

// project is a project with items.
type project struct {
	id, of, title string
	items         []string // node ids of the issues in the project
}

// CreateProject creates a project. of is a repository, as owner/name, or an owner.
func (s *Server) CreateProject(of, title string) {
	s.change(func() { s.projects = append(s.projects, &project{id: nodeID("PVT", s.id()), of: of, title: title}) })
}

// IssuesInProject returns the numbers of the repository's issues in a project, oldest first.
func (r *Repo) IssuesInProject(title string) []int {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	var numbers []int
	for _, b := range r.s.projects {
		for _, item := range b.items {
			for _, i := range r.issues {
				if b.title == title && nodeID("I", i.id) == item {
					numbers = append(numbers, i.number)
				}
			}
		}
	}
	return numbers
}

func (s *Server) projectsOf(r *request, of string) func(map[string]any) (any, error) {
	return func(args map[string]any) (any, error) {
		if !r.grant.allows("organization_projects=read") {
			return nil, &queryError{kind: "FORBIDDEN", message: "Resource not accessible by integration"}
		}
		found := []any{}
		for _, b := range s.projects {
			if query, _ := args["query"].(string); strings.EqualFold(b.of, of) && strings.Contains(strings.ToLower(b.title), strings.ToLower(query)) {
				found = append(found, object{"__typename": "ProjectV2", "id": b.id, "title": b.title, "closed": false})
			}
		}
		return connection(args, found), nil
	}
}

func (s *Server) addToProject(r *request) func(map[string]any) (any, error) {
	return func(args map[string]any) (any, error) {
		input, _ := args["input"].(map[string]any)
		if !r.grant.allows("organization_projects=write") {
			return nil, &queryError{kind: "FORBIDDEN", message: "Resource not accessible by integration"}
		}
		for _, b := range s.projects {
			if b.id != input["projectId"] {
				continue
			}
			content := fmt.Sprint(input["contentId"])
			if !contains(b.items, content) {
				b.items = append(b.items, content)
			}
			return object{"__typename": "AddProjectV2ItemByIdPayload", "item": object{"__typename": "ProjectV2Item", "id": "PVTI_" + content}}, nil
		}
		return nil, &queryError{kind: "NOT_FOUND", message: fmt.Sprintf("Could not resolve to a node with the global id of '%v'.", input["projectId"])}
	}
}
