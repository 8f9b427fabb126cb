package completion

import (
	"slices"

	"github.com/alecthomas/kong"
)

// Words are lists of values by name. A flag or an argument with the tag complete:"NAME" is
// completed with the list of that name; one with an enum needs no tag. All others are
// completed with file names.
type Words map[string][]string

// command is a command with what can follow it.
type command struct {
	path   string // such as "client new"; "" for the program itself
	next   []word // its subcommands
	flags  []flag
	values [][]string // of its arguments, in their order
}

type word struct{ name, help string }

type flag struct {
	word

	values []string
	bare   bool // no value follows
}

// commands returns the command of a node and of all nodes below it.
func commands(n *kong.Node, words Words) []command {
	c := command{path: n.Path()}
	for _, f := range slices.Concat(n.AllFlags(true)...) {
		c.flags = append(c.flags, flag{word{f.Name, f.Help}, values(f.Value, words), f.IsBool()})
	}
	for _, p := range n.Positional {
		c.values = append(c.values, values(p, words))
	}
	all := []command{c}
	for _, child := range n.Children {
		all[0].next = append(all[0].next, word{child.Name, child.Help})
		all = append(all, commands(child, words)...)
	}
	return all
}

func values(v *kong.Value, words Words) []string {
	if v.Enum != "" {
		return v.EnumSlice()
	}
	return words[v.Tag.Get("complete")]
}

func names(all []word) (list []string) {
	for _, w := range all {
		list = append(list, w.name)
	}
	return list
}
