package main

import (
	"fmt"
	"os"
	"path"
	"strings"
)

// equivalents maps the keys of mutants that behave like the original to reasons.
type equivalents map[string]string

// readEquivalents reads lines with file, function, before → after, count and reason,
// separated by tabs. It skips empty lines and lines that begin with #.
func readEquivalents(name string) (equivalents, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	known := equivalents{}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		at := strings.LastIndexByte(line, '\t') + 1
		if strings.Count(line, "\t") != 4 || line[at:] == "" {
			return nil, fmt.Errorf("%s:%d: want file, function, before → after, count and reason, separated by tabs", name, i+1)
		}
		known[line[:at-1]] = line[at:]
	}
	return known, nil
}

// unmatched returns the keys of entries that are about the package of all but match none
// of its mutations, because the code has changed.
func (e equivalents) unmatched(all []mutation) (found []string) {
	keys, folders := map[string]bool{}, map[string]bool{}
	for _, m := range all {
		keys[m.key], folders[path.Dir(m.file())] = true, true
	}
	for key := range e {
		if m := (mutation{key: key}); folders[path.Dir(m.file())] && !keys[key] {
			found = append(found, key)
		}
	}
	return found
}
