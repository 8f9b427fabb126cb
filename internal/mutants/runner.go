package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const module = "github.com/corridor-go/corridor/"

// goPackage is a package to be mutated.
type goPackage struct {
	path, folder string
	files        []string // non-test files
}

// listPackages returns the packages that match the go command's patterns.
func listPackages(ctx context.Context, patterns []string) (packages []goPackage, err error) {
	lines, err := goList(ctx, append([]string{"-f", `{{.ImportPath}}|{{.Dir}}|{{join .GoFiles " "}}`}, patterns...)...)
	for _, line := range lines {
		fields := strings.Split(line, "|")
		packages = append(packages, goPackage{fields[0], fields[1], strings.Fields(fields[2])})
	}
	return packages, err
}

func goList(ctx context.Context, args ...string) ([]string, error) {
	list := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}

// mutations returns the package's mutations in the order of drawing: by a hash of the
// seed and the key.
func (p goPackage) mutations(seed uint64) (all []mutation, err error) {
	for _, base := range p.files {
		source, err := os.ReadFile(filepath.Join(p.folder, base))
		if err != nil {
			return nil, err
		}
		found, err := mutations(strings.TrimPrefix(p.path, module)+"/"+base, filepath.Join(p.folder, base), source)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	rank := func(m mutation) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, m.key))
		return string(sum[:])
	}
	slices.SortFunc(all, func(a, b mutation) int { return cmp.Compare(rank(a), rank(b)) })
	return all, nil
}

// outcome is the result of running the tests on a mutant.
type outcome int

const (
	killed outcome = iota
	survived
	notCompiled
)

// tally counts a package's mutants.
type tally struct{ killed, survived, equivalents int }

func (t *tally) sampled() int { return t.killed + t.survived + t.equivalents }

func (t *tally) score() float64 {
	if t.killed+t.survived == 0 {
		return 100
	}
	return 100 * float64(t.killed) / float64(t.killed+t.survived)
}

// runner measures packages. It prints survivors and wrong entries of equivalents.txt as
// it finds them.
type runner struct {
	out         io.Writer
	seed        uint64
	n, parallel int
	floor       time.Duration
	also        []string
	known       equivalents
}

func (r *runner) measure(ctx context.Context, p goPackage) (tally, error) {
	rest, err := p.mutations(r.seed)
	if err != nil {
		return tally{}, err
	}
	suites, err := r.suites(ctx, p)
	if err != nil {
		return tally{}, err
	}
	for _, key := range r.known.unmatched(rest) {
		fmt.Fprintln(r.out, "listed as equivalent, but no such mutation: "+key)
	}
	var total tally
	for total.sampled() < r.n && len(rest) > 0 {
		batch := rest[:min(r.n-total.sampled(), r.parallel, len(rest))]
		rest = rest[len(batch):]
		outcomes, errs := make([]outcome, len(batch)), make([]error, len(batch))
		var running sync.WaitGroup
		for i := range batch {
			running.Go(func() { outcomes[i], errs[i] = batch[i].try(ctx, suites) })
		}
		running.Wait()
		if err := errors.Join(errs...); err != nil {
			return tally{}, err
		}
		for i := range batch {
			r.count(&total, &batch[i], outcomes[i])
		}
	}
	return total, nil
}

func (r *runner) count(t *tally, m *mutation, o outcome) {
	_, listed := r.known[m.key]
	switch {
	case o == notCompiled:
	case o == killed:
		t.killed++
		if listed {
			fmt.Fprintln(r.out, "listed as equivalent, but a test fails: "+m.key)
		}
	case listed:
		t.equivalents++
	default:
		t.survived++
		fmt.Fprintf(r.out, "%s:%d%s\n", m.file(), m.line, m.key[len(m.file()):])
	}
}

// suite is the tests of some packages with their time limit.
type suite struct {
	args  []string
	limit time.Duration
}

// suites returns the tests of p and of the packages of -also. It runs them on the
// unchanged code, which must pass, to set their time limits.
func (r *runner) suites(ctx context.Context, p goPackage) (suites []suite, err error) {
	for _, packages := range [][]string{{p.path}, r.also} {
		if len(packages) == 0 {
			break
		}
		s := suite{args: packages, limit: 10 * time.Minute}
		linked, err := goList(ctx, append([]string{"-deps", "-test"}, packages...)...)
		if err != nil {
			return nil, err
		}
		if slices.Contains(linked, "pgregory.net/rapid") {
			s.args = append(slices.Clone(packages), "-rapid.nofailfile") // the file would stay in the tree
		}
		began := time.Now()
		if o, err := s.run(ctx, ""); err != nil || o != survived {
			return nil, errors.Join(fmt.Errorf("the tests of %s fail on the unchanged code", strings.Join(packages, " ")), err)
		}
		s.limit = max(3*time.Since(began), r.floor)
		suites = append(suites, s)
	}
	return suites, nil
}

// try runs the suites until one kills the mutant.
func (m *mutation) try(ctx context.Context, suites []suite) (outcome, error) {
	folder, err := os.MkdirTemp("", "corridor-mutant")
	if err != nil {
		return killed, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	mutant, overlay := filepath.Join(folder, "mutant.go"), filepath.Join(folder, "overlay.json")
	spec, err := json.Marshal(map[string]any{"Replace": map[string]string{m.path: mutant}})
	if err := errors.Join(err, os.WriteFile(mutant, m.mutated(), 0o600), os.WriteFile(overlay, spec, 0o600)); err != nil {
		return killed, err
	}
	for _, s := range suites {
		if o, err := s.run(ctx, overlay); o != survived || err != nil {
			return o, err
		}
	}
	return survived, nil
}

// bounded runs a test program within 8 GiB, because a mutant may allocate endlessly.
const bounded = `-exec=sh -c 'ulimit -v 8388608; exec "$0" "$@"'`

var (
	buildFails = regexp.MustCompile(`(?m)^FAIL\t.*\[(build|setup) failed\]$`)
	testFails  = regexp.MustCompile(`(?m)^FAIL\t`)
)

// run runs the tests with an overlay; "" means none.
func (s suite) run(ctx context.Context, overlay string) (outcome, error) {
	args := append([]string{"test", "-count=1", "-failfast", "-vet=off", "-overlay=" + overlay, "-timeout=" + s.limit.String(), bounded}, s.args...)
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	switch {
	case err == nil:
		return survived, nil
	case ctx.Err() != nil:
		return killed, ctx.Err()
	case buildFails.Match(out):
		return notCompiled, nil
	case testFails.Match(out):
		return killed, nil
	default:
		return killed, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
}
