package telegramtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// answer is the response to a request. The zero value means no answer.
type answer struct {
	code        int // the HTTP status and, for a refusal, the code in the body
	result      any
	description string
	retryAfter  int   // seconds until the client may try again
	migrateTo   int64 // id of the supergroup that the group has become
	file        *File // the file to serve instead of JSON; nil if there is none
}

func good(result any) answer { return answer{code: http.StatusOK, result: result} }

// refuse returns a refusal in Telegram's words.
func refuse(code int, format string, args ...any) answer {
	return answer{code: code, description: fmt.Sprintf(format, args...)}
}

// badRequest returns a refusal with 400, the most frequent code.
func badRequest(format string, args ...any) answer {
	return refuse(http.StatusBadRequest, "Bad Request: "+format, args...)
}

func tooMany(seconds int) answer {
	a := refuse(http.StatusTooManyRequests, "Too Many Requests: retry after %d", seconds)
	a.retryAfter = seconds
	return a
}

func (a answer) ok() bool { return a.code == http.StatusOK }

// body returns the answer's JSON, or the bytes of its file.
func (a answer) body() []byte {
	if a.file != nil {
		return a.file.content()
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

// head writes the head of an answer.
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
	_, _ = w.Write(body) // an error only means that the client may have gone
}

// mustMarshal returns the JSON of values that the package or a test has built.
func mustMarshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("telegramtest: marshal %T: %v", v, err))
	}
	return b
}
