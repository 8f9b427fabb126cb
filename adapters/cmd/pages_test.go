package cmd

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every line of a page that runs corridor is accepted by the command's parser. Nothing runs.
func TestTheCommandLinesOfThePagesAreAccepted(t *testing.T) {
	const root = "../.."
	pages := []string{"README.md", "SECURITY.md", "CONTRIBUTING.md"}
	require.NoError(t, fs.WalkDir(os.DirFS(root), "internal/docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	}))
	read := 0
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(root, page))
		require.NoError(t, err)
		for _, line := range shellLines(string(text)) {
			env, args, ok := commandLine(line)
			if !ok {
				continue
			}
			read++
			t.Run(page+": "+line, func(t *testing.T) {
				setenv(t, env)
				require.NoError(t, accepted(t, args))
			})
		}
	}
	require.Greater(t, read, 5, "the pages show the command")
}

// accepted returns the parser's error for a command line.
func accepted(t *testing.T, args []string) error {
	t.Helper()
	printed := -1
	world := &surroundings{t.Context(), strings.NewReader(""), io.Discard, io.Discard, parts()}
	parser, err := newParser(world, func(code int) { printed = code })
	require.NoError(t, err)
	if _, err = parser.Parse(args); printed == 0 {
		return nil // --help
	}
	return err
}

func TestALineOfAPageIsReadAsAShellReadsIt(t *testing.T) {
	page := "text\n```sh\nA=1 B='x y' corridor serve --store \"sqlite:$X\" \\\n  --sandbox   # comment\n" +
		"corridor client new acme --merchant '*' >> clients.json 2>/dev/null\ncorridor normalise - <codes.jsonl | head\n" +
		"corridor serve …\ncurl corridor.example\n  corridor demo && echo done\n```\n```text\ncorridor no\n```\n"
	type line struct {
		env  map[string]string
		args []string
	}
	var got []line
	for _, l := range shellLines(page) {
		if env, args, ok := commandLine(l); ok {
			got = append(got, line{env, args})
		}
	}
	require.Equal(t, []line{
		{map[string]string{"A": "1", "B": "x y"}, []string{"serve", "--store", "sqlite:$X", "--sandbox"}},
		{map[string]string{}, []string{"client", "new", "acme", "--merchant", "*"}},
		{map[string]string{}, []string{"normalise", "-"}},
		{map[string]string{}, []string{"serve"}},
		{map[string]string{}, []string{"demo"}},
	}, got)
}

// shellLines returns the lines in the sh blocks of a page, with continued lines joined.
func shellLines(page string) (lines []string) {
	inside, continued := false, ""
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```sh"
		case !inside:
		case strings.HasSuffix(line, `\`):
			continued += strings.TrimSuffix(line, `\`) + " "
		default:
			lines, continued = append(lines, continued+line), ""
		}
	}
	return lines
}

// commandLine returns the environment and the arguments of a line that runs corridor, up to
// a comment, a pipe, a redirection, another command or an ellipsis.
func commandLine(line string) (env map[string]string, args []string, ok bool) {
	words := shellWords(line)
	env = map[string]string{}
	for len(words) > 0 {
		name, value, assigned := strings.Cut(words[0], "=")
		if !assigned || strings.HasPrefix(name, "-") {
			break
		}
		env[name], words = value, words[1:]
	}
	if len(words) == 0 || words[0] != "corridor" {
		return nil, nil, false
	}
	return env, words[1:], true
}

func shellWords(line string) (words []string) {
	var word strings.Builder
	begun, quote := false, rune(0)
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, r := range line {
		switch {
		case quote == r:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t':
			end()
		case strings.ContainsRune("|<>&;…", r), r == '#' && !begun:
			if word.String() != "2" { // of 2>
				end()
			}
			return words
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	end()
	return words
}
