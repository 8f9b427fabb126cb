package connectortest

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// requiredScenario is a file that every connector has.
type requiredScenario struct {
	name    string
	offline bool   // also for a connector without an upstream
	must    string // what it must show
	shows   func(s scenario, last sentResponse) bool
}

var requiredScenarios = []requiredScenario{
	{"found", true, "expect the kind found", func(s scenario, _ sentResponse) bool {
		return s.Expect.Kind == ports.AnswerFound
	}},
	{"not_found", true, "expect the kind not_found", func(s scenario, _ sentResponse) bool {
		return s.Expect.Kind == ports.AnswerNotFound
	}},
	{"try_later", false, "answer 429 with a Retry-After in seconds and expect try_later after a while", func(s scenario, last sentResponse) bool {
		_, err := strconv.Atoi(retryAfter(last))
		return waits(s, last) && err == nil
	}},
	{"try_later_date", false, "answer 429 with a Retry-After that is an HTTP date and expect try_later after a while", func(s scenario, last sentResponse) bool {
		_, err := http.ParseTime(retryAfter(last))
		return waits(s, last) && err == nil
	}},
	{"unauthorized", false, "answer 401 and expect the error configuration", func(s scenario, last sentResponse) bool {
		return last.Status == http.StatusUnauthorized && s.Expect.Error == errcodes.Configuration
	}},
	{"forbidden", false, "answer 403 and expect the error configuration", func(s scenario, last sentResponse) bool {
		return last.Status == http.StatusForbidden && s.Expect.Error == errcodes.Configuration
	}},
}

func waits(s scenario, last sentResponse) bool {
	a, err := s.Expect.answer()
	return err == nil && last.Status == http.StatusTooManyRequests && a.Kind == ports.AnswerTryLater && a.After > 0
}

func retryAfter(r sentResponse) string {
	for name, value := range r.Headers {
		if strings.EqualFold(name, "Retry-After") {
			return value
		}
	}
	return ""
}

// check demands the file.
func (r requiredScenario) check(k *connectorKit) {
	for _, s := range k.scenarios {
		if s.name != r.name {
			continue
		}
		var last sentResponse
		if n := len(s.Exchanges); n > 0 {
			last = s.Exchanges[n-1].Response
		}
		if !r.shows(s, last) {
			k.Fatalf("%s.json must %s", r.name, r.must)
		}
		return
	}
	k.Fatalf("%s.json is missing: a scenario that must %s", r.name, r.must)
}

// foundIn demands an account of the market that is found.
func (k *connectorKit) foundIn(m ports.Market) {
	for _, s := range k.found() {
		if s.lookup().Market == m {
			return
		}
	}
	k.Fatalf("the connector claims %s, and no scenario has an account there that is found", m)
}
