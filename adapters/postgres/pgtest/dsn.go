package pgtest

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// with is dsn, a URL or a keyword string, with parameters replaced. "dbname" and
// "host" replace the URL's own.
func with(dsn string, parameters map[string]string) string {
	parsed, err := url.Parse(dsn)
	if err != nil || !strings.HasPrefix(parsed.Scheme, "postgres") {
		return dsn + keywords(parameters) // of a repeated keyword the last one counts
	}
	query := parsed.Query()
	for name, value := range parameters {
		query.Del(name)
		switch name {
		case "dbname":
			parsed.Path = "/" + value
		case "host":
			parsed.Host = ""
			query.Set(name, value)
		default:
			query.Set(name, value)
		}
	}
	parsed.RawQuery = query.Encode()
	return parsed.String()
}

func keywords(parameters map[string]string) string {
	var out strings.Builder
	quote := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		out.WriteString(" " + name + "='" + quote.Replace(parameters[name]) + "'")
	}
	return out.String()
}
