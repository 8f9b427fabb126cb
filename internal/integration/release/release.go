package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// Release commits the repository in the form that users get at the version, tags that
// commit for each module, and packs the modules into the proxy. It returns the tags. The
// working tree must be clean and is left at that commit.
func Release(ctx context.Context, repository, version string, proxy Proxy) ([]string, error) {
	if semver.Canonical(version) != version || semver.Major(version) != "v0" && semver.Major(version) != "v1" {
		return nil, fmt.Errorf("version %q: want vX.Y.Z with a major version of 0 or 1", version)
	}
	changes, err := git(ctx, repository, "status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if changes != "" {
		return nil, errors.New("the working tree has uncommitted changes")
	}
	modules, err := Modules(repository)
	if err != nil {
		return nil, err
	}
	if err := untaken(ctx, repository, modules, version); err != nil {
		return nil, err
	}
	if _, err := git(ctx, repository, "checkout", "--quiet", "--detach"); err != nil {
		return nil, err
	}
	env, err := proxyEnv(ctx, proxy)
	if err != nil {
		return nil, err
	}
	for i := range modules {
		if err := prepare(ctx, repository, &modules[i], version, env); err != nil {
			return nil, fmt.Errorf("%s: %w", modules[i].Path, err)
		}
		if err := proxy.Add(repository, &modules[i], version); err != nil {
			return nil, fmt.Errorf("%s: %w", modules[i].Path, err)
		}
	}
	var tags []string
	for i := range modules {
		tag := modules[i].tag(version)
		if _, err := git(ctx, repository, "tag", "--annotate", "--message", tag, tag); err != nil {
			return nil, err
		}
		tags = append(tags, tag)
	}
	return tags, nil
}

// untaken returns an error if a module already has a tag for the version.
func untaken(ctx context.Context, repository string, modules []Module, version string) error {
	listed, err := git(ctx, repository, "tag", "--list")
	if err != nil {
		return err
	}
	tags := strings.Fields(listed)
	for i := range modules {
		if tag := modules[i].tag(version); slices.Contains(tags, tag) {
			return fmt.Errorf("tag %s exists", tag)
		}
	}
	return nil
}

// prepare commits the module in the form that users get.
func prepare(ctx context.Context, repository string, m *Module, version string, env []string) error {
	if err := m.at(version); err != nil {
		return err
	}
	text, err := m.File.Format()
	if err != nil {
		return err
	}
	dir := filepath.Join(repository, m.Dir)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o644); err != nil {
		return err
	}
	if _, err := command(ctx, dir, env, "go", "mod", "tidy"); err != nil {
		return err
	}
	if _, err := git(ctx, repository, "add", "--all"); err != nil {
		return err
	}
	_, err = git(ctx, repository, "commit", "--quiet", "--allow-empty", "--message", "release: "+m.tag(version))
	return err
}

// proxyEnv returns the environment in which the go command looks for modules in the
// proxy, then among this machine's downloads, then in the usual proxy. It has a new
// module cache, so that a rehearsal is never mistaken for a release later.
func proxyEnv(ctx context.Context, proxy Proxy) ([]string, error) {
	known, err := command(ctx, ".", nil, "go", "env", "GOMODCACHE", "GOPROXY", "GONOSUMDB")
	if err != nil {
		return nil, err
	}
	values := strings.Split(known, "\n") // one per line
	cache, usual, unsummed := values[0], values[1], values[2]
	folder, err := filepath.Abs(string(proxy))
	if err != nil {
		return nil, err
	}
	return []string{
		"GOWORK=off",
		"GOFLAGS=-mod=mod -modcacherw",
		"GOMODCACHE=" + filepath.Join(folder, "modcache"),
		"GOPROXY=file://" + folder + ",file://" + filepath.Join(cache, "cache", "download") + "," + usual,
		"GONOSUMDB=" + strings.Trim(unsummed+","+root+","+root+"/*", ","),
	}, nil
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	return command(ctx, dir, nil, "git", args...)
}

// command runs a program and returns its output; env is added to the environment of this
// process.
func command(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String(), nil
}
