package connectortest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// stage plays the exchanges of scenarios, each once or, if it repeats, any number of times.
type stage struct {
	exchanges []exchange
	repeats   bool

	mu      sync.Mutex
	played  map[int]bool
	strange []string // requests without a matching exchange, and why
}

func newStage(repeats bool, exchanges ...exchange) *stage {
	return &stage{exchanges: exchanges, repeats: repeats, played: map[int]bool{}}
}

func (s *stage) serve(w http.ResponseWriter, r *http.Request) {
	x, ok := s.next(r)
	if !ok {
		http.Error(w, "no such exchange", http.StatusTeapot)
		return
	}
	x.Response.send(w)
}

// next returns the exchange that matches a request.
func (s *stage) next(r *http.Request) (exchange, bool) {
	body := new(bytes.Buffer)
	_, _ = body.ReadFrom(r.Body) // which is in memory
	s.mu.Lock()
	defer s.mu.Unlock()
	why := "no exchange is left"
	for i, x := range s.exchanges {
		if s.played[i] && !s.repeats {
			continue
		}
		if why = x.Request.differs(r, body.Bytes()); why == "" {
			s.played[i] = true
			return x, true
		}
	}
	s.strange = append(s.strange, fmt.Sprintf("%s %s: %s", r.Method, r.URL.EscapedPath(), why))
	return exchange{}, false
}

// trouble describes how the requests differed from the exchanges, or returns "".
func (s *stage) trouble() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.strange) > 0 {
		return "unexpected request: " + strings.Join(s.strange, "; ")
	}
	for i, x := range s.exchanges {
		if !s.played[i] {
			return fmt.Sprintf("the connector did not request %s %s", x.Request.Method, x.Request.Path)
		}
	}
	return ""
}

// differs describes how a request differs from the one expected, or returns "".
func (w wantRequest) differs(r *http.Request, body []byte) string {
	switch {
	case r.Method != w.Method:
		return "the method is not " + w.Method
	case r.URL.EscapedPath() != w.Path:
		return "the path is not " + w.Path
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || !sameValues(query, w.Query) {
		return fmt.Sprintf("the query is %q, want %v", r.URL.RawQuery, w.Query)
	}
	for name, want := range w.Headers {
		if got := strings.Join(r.Header.Values(name), ", "); !matches(got, want) {
			return fmt.Sprintf("the header %s is %q, want %q", name, got, want)
		}
	}
	return w.bodyDiffers(body)
}

func (w wantRequest) bodyDiffers(body []byte) string {
	var same bool
	wanted := w.Text
	switch {
	case w.Body != nil:
		got, err := decode(body)
		want, _ := decode(w.Body) // valid: it was decoded before
		same = err == nil && sameJSON(got, want)
		wanted = compact(w.Body)
	case w.Form != nil:
		wanted = fmt.Sprint(w.Form)
		form, err := url.ParseQuery(string(body))
		same = err == nil && sameValues(form, w.Form)
	default:
		same = string(body) == w.Text
	}
	if !same {
		return fmt.Sprintf("the body is %.300q, want %.300q", body, wanted)
	}
	return ""
}

// compact returns valid JSON in one line.
func compact(data []byte) string {
	var line bytes.Buffer
	_ = json.Compact(&line, data)
	return line.String()
}

func decode(data []byte) (any, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err := d.Decode(&v)
	return v, err
}

// sameJSON compares decoded JSON; strings of want may contain placeholders.
func sameJSON(got, want any) bool {
	switch want := want.(type) {
	case string:
		if want == anything {
			return true
		}
		text, ok := got.(string)
		return ok && matches(text, want)
	case []any:
		list, ok := got.([]any)
		return ok && slices.EqualFunc(list, want, sameJSON)
	case map[string]any:
		object, ok := got.(map[string]any)
		return ok && maps.EqualFunc(object, want, sameJSON)
	default:
		return reflect.DeepEqual(got, want)
	}
}

func sameValues(got url.Values, want map[string]string) bool {
	return maps.EqualFunc(got, want, func(got []string, want string) bool { return len(got) == 1 && matches(got[0], want) })
}

const anything = "{{any}}"

var placeholders = strings.NewReplacer(
	"{{secret}}", canarySecret,
	"{{secret2}}", canarySecret2,
	"{{userID}}", canaryUserID,
	"{{basic}}", base64.StdEncoding.EncodeToString([]byte(canaryUserID+":"+canarySecret)),
)

func matches(got, want string) bool {
	return want == anything || got == placeholders.Replace(want)
}

// everyValue changes each value of a JSON object that is neither a list nor an object.
func everyValue(body string, change func(any) any) (string, bool) {
	v, err := decode([]byte(body))
	if err != nil {
		return "", false
	}
	text, err := json.Marshal(leaves(v, change))
	return string(text), err == nil
}

// withoutNested replaces each list and object in a JSON object with null.
func withoutNested(body string) (string, bool) {
	v, err := decode([]byte(body))
	object, ok := v.(map[string]any)
	if err != nil || !ok {
		return "", false
	}
	changed := false
	for name, value := range object {
		switch value.(type) {
		case map[string]any, []any:
			object[name], changed = nil, true
		}
	}
	text, err := json.Marshal(object)
	return string(text), changed && err == nil
}

func leaves(v any, change func(any) any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = leaves(v[name], change)
		}
		return v
	case []any:
		for i := range v {
			v[i] = leaves(v[i], change)
		}
		return v
	default:
		return change(v)
	}
}

func otherType(v any) any {
	switch v := v.(type) {
	case string:
		return len(v)
	case nil:
		return []any{}
	default:
		return fmt.Sprint(v)
	}
}
