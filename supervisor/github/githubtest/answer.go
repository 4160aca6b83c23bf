package githubtest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

const docsURL = "https://docs.github.com/rest"

// answer is the response to a request.
type answer struct {
	code   int
	body   any // a value for JSON, or a string to send unchanged
	header map[string]string
}

func good(body any) answer    { return answer{code: http.StatusOK, body: body} }
func created(body any) answer { return answer{code: http.StatusCreated, body: body} }

// refuse returns an error response in GitHub's JSON. errors are texts or objects.
func refuse(code int, message string, errors ...any) answer {
	body := map[string]any{"message": message, "documentation_url": docsURL, "status": strconv.Itoa(code)}
	if len(errors) > 0 {
		body["errors"] = errors
	}
	return answer{code: code, body: body}
}

func notFound() answer { return refuse(http.StatusNotFound, "Not Found") }

// unprocessable returns a 422 with texts, as GitHub sends for reviews.
func unprocessable(words ...any) answer {
	return refuse(http.StatusUnprocessableEntity, "Unprocessable Entity", words...)
}

// invalid returns a 422 that names the wrong field.
func invalid(resource, field, code string) answer {
	return refuse(http.StatusUnprocessableEntity, "Validation Failed", map[string]any{"resource": resource, "field": field, "code": code})
}

func (a answer) bytes() []byte {
	switch body := a.body.(type) {
	case nil:
		return nil
	case string:
		return []byte(body)
	}
	data, err := json.Marshal(a.body)
	if err != nil {
		panic(err) // maps can always be encoded
	}
	return data
}

// tagged adds an ETag to an answer. If the client already knows the answer, it becomes a 304.
func (a answer) tagged(r *request) answer {
	if r.Method != http.MethodGet || a.code != http.StatusOK {
		return a
	}
	tag := fmt.Sprintf(`W/"%x"`, sha256.Sum256(a.bytes()))
	if a.header == nil {
		a.header = map[string]string{}
	}
	a.header["ETag"] = tag
	if r.Header.Get("If-None-Match") == tag {
		return answer{code: http.StatusNotModified, header: a.header}
	}
	return a
}

func (a answer) write(rw http.ResponseWriter) {
	body := a.bytes()
	kind := "application/json; charset=utf-8"
	if _, ok := a.body.(string); ok {
		kind = "application/vnd.github.v3.diff; charset=utf-8"
	}
	rw.Header().Set("Content-Type", kind)
	rw.Header().Set("Content-Length", strconv.Itoa(len(body)))
	for name, value := range a.header {
		rw.Header().Set(name, value)
	}
	if a.code == http.StatusNotModified || a.code == http.StatusNoContent {
		rw.Header().Del("Content-Length")
	}
	rw.WriteHeader(a.code)
	_, _ = rw.Write(body) // an error means that the client has left
}

// paged returns the requested page of a list, with links to the other pages.
func paged[T any](r *request, all []T, make func(T) any) answer {
	per, page := r.number("per_page", 30), r.number("page", 1)
	per, page = min(max(per, 1), 100), max(page, 1)
	from := min((page-1)*per, len(all))
	part := []any{}
	for _, item := range all[from:min(from+per, len(all))] {
		part = append(part, make(item))
	}
	a := good(part)
	if from+per < len(all) {
		next := *r.URL
		q := next.Query()
		q.Set("page", strconv.Itoa(page+1))
		next.RawQuery = q.Encode()
		a.header = map[string]string{"Link": fmt.Sprintf(`<http://%s%s>; rel="next"`, r.Host, next.String())}
	}
	return a
}
