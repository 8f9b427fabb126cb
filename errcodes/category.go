package errcodes

// Category is what an HTTP status means to a caller, whatever the body (SPEC 7.1).
type Category struct {
	Name  string // client error, auth, state, business rule, throttling, server
	Retry bool   // with exponential backoff; on 429 not before Retry-After
	Then  string // what to do instead of retrying
}

var categories = map[int]Category{
	400: {"client error", false, "correct the request"},
	401: {"auth", false, "re-authenticate"},
	403: {"auth", false, "ask for the permission"},
	404: {"client error", false, "correct the address or id"},
	409: {"state", false, "re-fetch the state"},
	422: {"business rule", false, "adjust the request"},
	429: {"throttling", true, ""},
}

// CategoryOf returns the category of an HTTP status. A 5xx is a server problem,
// to be retried. A 4xx outside the table of SPEC 7.1 is a client error. Below 400
// CategoryOf returns the zero Category.
func CategoryOf(status int) Category {
	if c, ok := categories[status]; ok {
		return c
	}
	switch {
	case status >= 500:
		return Category{"server", true, ""}
	case status >= 400:
		return categories[400]
	default:
		return Category{}
	}
}
