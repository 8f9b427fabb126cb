package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLinksResolve(t *testing.T) {
	all := pages(t)
	anchors := map[string][]string{}
	for _, p := range all {
		anchors[p.path] = p.anchors(t)
	}
	checked := 0
	for _, p := range all {
		for i, line := range p.prose(t) {
			for _, target := range links(line) {
				if relative(target) {
					checked++
					if trouble := resolve(p.path, target, anchors); trouble != "" {
						t.Errorf("%s:%d: %s: %s", p.path, i+1, target, trouble)
					}
				}
			}
		}
	}
	require.Greater(t, checked, 50)
}

// resolve returns why a link of a page leads nowhere, or "".
func resolve(from, target string, anchors map[string][]string) string {
	path, anchor, hasAnchor := strings.Cut(target, "#")
	to := from
	if path != "" {
		to = filepath.Join(filepath.Dir(from), path)
		if _, err := os.Stat(filepath.Join(root, to)); err != nil {
			return "no such file"
		}
	}
	if known, isPage := anchors[to]; hasAnchor && (!isPage || !slices.Contains(known, anchor)) {
		return "no such heading"
	}
	return ""
}

var (
	heading = regexp.MustCompile(`^#{1,6} (.*)$`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N}\p{M}_\- ]`)
)

// anchors returns the anchors of the page's headings as GitHub makes them.
func (p page) anchors(t *testing.T) (all []string) {
	t.Helper()
	seen := map[string]int{}
	for _, line := range p.prose(t) {
		m := heading.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		text := linkTarget.ReplaceAllString(m[1], "]")
		anchor := strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(text), ""), " ", "-")
		if n := seen[anchor]; n > 0 {
			all = append(all, fmt.Sprintf("%s-%d", anchor, n))
		} else {
			all = append(all, anchor)
		}
		seen[anchor]++
	}
	return all
}

// Each page can be reached from the README in two steps.
func TestEveryPageIsTwoStepsFromTheReadme(t *testing.T) {
	all := pages(t)
	steps := map[string]int{"README.md": 0}
	for step := range 2 {
		for _, p := range all {
			if at, reached := steps[p.path]; !reached || at != step {
				continue
			}
			for _, line := range p.lines {
				for _, target := range links(line) {
					path, _, _ := strings.Cut(target, "#")
					to := filepath.Join(filepath.Dir(p.path), path)
					if _, reached := steps[to]; !reached && relative(target) {
						steps[to] = step + 1
					}
				}
			}
		}
	}
	for _, p := range all {
		require.Contains(t, steps, p.path)
	}
}
