package completion

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Script returns the completion script of a program for bash, zsh or fish.
func Script(shell string, app *kong.Application, words Words) string {
	all := commands(app.Node, words)
	switch shell {
	case "fish":
		return fish(app.Name, all)
	case "zsh":
		return "autoload -Uz compinit bashcompinit\n(( $+functions[compdef] )) || compinit\nbashcompinit\n" + bash(app.Name, all)
	default:
		return bash(app.Name, all)
	}
}

// bash returns a script that follows the words of the line to a command, and counts its
// arguments. bash makes --a=b three words.
func bash(name string, all []command) string {
	var paths, valued, flagValues, after, arguments strings.Builder
	for _, c := range all {
		if c.path != "" {
			writef(&paths, "            %s) path=\"${path:+$path }$word\" ;;\n", bashQuote(parent(c.path)+" "+last(c.path)))
		}
		var own []string
		for _, f := range c.flags {
			own = append(own, "--"+f.name)
			if !f.bare {
				writef(&valued, "            %s) skip=1 ;;\n", bashQuote(c.path+" --"+f.name))
				writef(&flagValues, "        %s) values=(%s) flag=1 ;;\n", bashQuote(c.path+" --"+f.name), bashWords(f.values))
			}
		}
		writef(&after, "        %s) values=(%s) flags=(%s) ;;\n", bashQuote(c.path),
			bashWords(names(c.next)), bashWords(own))
		for i, values := range c.values {
			writef(&arguments, "        %s) values=(%s) ;;\n", bashQuote(fmt.Sprint(c.path, " ", i)), bashWords(values))
		}
	}
	return fmt.Sprintf(`_%[1]s() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path="" flag="" skip="" n=0 word
    local -a values flags
    [[ $cur == = ]] && cur=""
    [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}
    for word in "${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
        [[ $word == = ]] && skip=1 && continue
        [[ -n $skip ]] && skip="" && continue
        case "$path $word" in
%[2]s%[5]s            *" -"*) ;;
            *) n=$((n+1)) ;;
        esac
    done
    case "$path $prev" in
%[3]s    esac
    if [[ -z $flag ]]; then
        case "$path" in
%[4]s        esac
        case "$path $n" in
%[6]s        esac
        [[ $cur == -* ]] && values=("${flags[@]}")
    fi
    COMPREPLY=()
    for word in "${values[@]}"; do
        [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
    done
}
complete -o default -F _%[1]s %[1]s
`, name, paths.String(), flagValues.String(), after.String(), valued.String(), arguments.String())
}

// fish returns a script with one line for each word that can follow a command.
func fish(name string, all []command) string {
	var b strings.Builder
	writef(&b, "function __%s_at\n    set -l path\n    set -l skip\n    set -l n 0\n    for word in (commandline -opc)[2..]\n"+
		"        if test -n \"$skip\"\n            set skip\n            continue\n        end\n        switch \"$path $word\"\n", name)
	for _, c := range all[1:] {
		writef(&b, "            case %s\n                set -a path $word\n", fishQuote(parent(c.path)+" "+last(c.path)))
	}
	for _, c := range all {
		for _, f := range c.flags {
			if !f.bare {
				writef(&b, "            case %s\n                set skip 1\n", fishQuote(c.path+" --"+f.name))
			}
		}
	}
	b.WriteString("            case '* -*'\n            case '*'\n                set n (math $n + 1)\n        end\n    end\n")
	b.WriteString("    contains -- \"$argv\" \"$path\" \"$path $n\"\nend\n")
	for _, c := range all {
		at := fmt.Sprintf("complete -c %s -n %s", name, fishQuote("__"+name+"_at "+c.path))
		for _, w := range c.next {
			writef(&b, "%s -f -a %s -d %s\n", at, w.name, fishQuote(w.help))
		}
		for i, values := range c.values {
			if len(values) > 0 {
				there := fishQuote(fmt.Sprintf("__%s_at %s %d", name, c.path, i))
				writef(&b, "complete -c %s -n %s -f -a %s\n", name, there, fishWords(values))
			}
		}
		for _, f := range c.flags {
			b.WriteString(at + " -l " + f.name + " -d " + fishQuote(f.help))
			switch {
			case len(f.values) > 0:
				b.WriteString(" -x -a " + fishWords(f.values))
			case !f.bare:
				b.WriteString(" -r -F")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func writef(b *strings.Builder, format string, args ...any) { _, _ = fmt.Fprintf(b, format, args...) }

// parent returns the path of the command above, and last the command's own name.
func parent(path string) string { return strings.TrimSuffix(strings.TrimSuffix(path, last(path)), " ") }

func last(path string) string { return path[strings.LastIndex(path, " ")+1:] }

// bashWords returns the elements of an array, in which bash expands nothing.
func bashWords(words []string) string { return joined(words, bashQuote) }

// fishWords returns a list of completions. fish expands the list when it completes, so that
// each word is quoted in it.
func fishWords(words []string) string { return fishQuote(joined(words, fishQuote)) }

func joined(words []string, quote func(string) string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}

func bashQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func fishQuote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
