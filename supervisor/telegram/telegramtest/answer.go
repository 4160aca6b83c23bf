package telegramtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// answer is what the server says to one request. The zero value is no answer.
type answer struct {
	code        int // of HTTP and, where it is a refusal, in the body
	result      any
	description string
	retryAfter  int   // seconds
	migrateTo   int64 // the supergroup that a group has become
	file        *File // is served, and nothing else is said; nil for none
}

func good(result any) answer { return answer{code: http.StatusOK, result: result} }

// refuse is a refusal in Telegram's words.
func refuse(code int, format string, args ...any) answer {
	return answer{code: code, description: fmt.Sprintf(format, args...)}
}

// bad is the most frequent refusal.
func bad(format string, args ...any) answer {
	return refuse(http.StatusBadRequest, "Bad Request: "+format, args...)
}

func tooMany(seconds int) answer {
	a := refuse(http.StatusTooManyRequests, "Too Many Requests: retry after %d", seconds)
	a.retryAfter = seconds
	return a
}

func (a answer) ok() bool { return a.code == http.StatusOK }

// body is the answer's JSON, or the file that it is.
func (a answer) body() []byte {
	if a.file != nil {
		return a.file.whole()
	}
	type parameters struct {
		MigrateTo  int64 `json:"migrate_to_chat_id,omitempty"`
		RetryAfter int   `json:"retry_after,omitempty"`
	}
	v := struct {
		OK          bool        `json:"ok"`
		Result      any         `json:"result,omitempty"`
		Code        int         `json:"error_code,omitempty"`
		Description string      `json:"description,omitempty"`
		Parameters  *parameters `json:"parameters,omitempty"`
	}{OK: a.ok(), Description: a.description}
	if a.ok() {
		v.Result = a.result
	} else {
		v.Code = a.code
	}
	if a.retryAfter > 0 || a.migrateTo != 0 {
		v.Parameters = &parameters{a.migrateTo, a.retryAfter}
	}
	return mustMarshal(v)
}

// head writes all of an answer but its body.
func (a answer) head(w http.ResponseWriter, length int) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(length))
	if a.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(a.retryAfter))
	}
	w.WriteHeader(a.code)
}

func (a answer) write(w http.ResponseWriter) {
	if a.file != nil {
		a.file.write(w)
		return
	}
	body := a.body()
	a.head(w, len(body))
	_, _ = w.Write(body) // a client that has gone is no error of the server's
}

// mustMarshal is the JSON of what the package itself, or a test, has put together.
func mustMarshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("telegramtest: marshal %T: %v", v, err))
	}
	return b
}
