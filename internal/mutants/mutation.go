package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// mutation is one small change of a source file.
type mutation struct {
	path       string // of the file
	source     []byte // the unchanged file
	start, end int    // offsets of the replaced source
	text       string
	line       int
	key        string // file, function, before → after, count; without the line number
}

// file returns the name of the mutated file, relative to the repository.
func (m *mutation) file() string {
	file, _, _ := strings.Cut(m.key, "\t")
	return file
}

func (m *mutation) mutated() []byte {
	return slices.Concat(m.source[:m.start], []byte(m.text), m.source[m.end:])
}

// swapped maps operators to their replacements. Negated conditions cover the others.
var swapped = map[string]string{
	"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
	"+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "++": "--", "--": "++",
}

// finder collects the mutations of one file.
type finder struct {
	name, path string // of the file: as in keys, and on disk
	source     []byte
	file       *token.File
	function   string // the visited function, or ""
	seen       map[string]int
	found      []mutation
}

// mutations returns all mutations of a file, including some that do not compile, because
// types are not checked. Generated files have none.
func mutations(name, path string, source []byte) ([]mutation, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(parsed) {
		return nil, err
	}
	f := finder{name: name, path: path, source: source, file: set.File(parsed.FileStart), seen: map[string]int{}}
	for _, d := range parsed.Decls {
		f.function = ""
		if function, ok := d.(*ast.FuncDecl); ok {
			f.function = f.named(function)
		}
		ast.PreorderStack(d, nil, f.visit)
	}
	return f.found, nil
}

// named returns the name of a function, preceded by the type of its receiver if any.
func (f *finder) named(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return function.Name.Name
	}
	return strings.TrimPrefix(f.text(function.Recv.List[0].Type), "*") + "." + function.Name.Name
}

func (f *finder) visit(n ast.Node, stack []ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.IMPORT
	case *ast.Field:
		return n.Tag == nil
	case *ast.FuncDecl:
		if n.Body != nil && len(n.Body.List) > 0 {
			f.replace(n.Body.Lbrace+1, n.Body.Lbrace+1, " return "+f.zeros(n.Type.Results)+";")
		}
	case *ast.IfStmt:
		f.negate(n.Cond)
	case *ast.ForStmt:
		f.negate(n.Cond)
	case *ast.CaseClause:
		if s, ok := stack[len(stack)-2].(*ast.SwitchStmt); ok && s.Tag == nil {
			for _, condition := range n.List {
				f.negate(condition)
			}
		}
		if len(n.Body) > 0 {
			f.replace(n.Colon+1, n.End(), "")
		}
	case *ast.BinaryExpr:
		f.swap(n.OpPos, n.Op)
	case *ast.AssignStmt:
		f.swap(n.TokPos, n.Tok)
		if n.Tok != token.DEFINE {
			f.replace(n.Pos(), n.End(), "")
		}
	case *ast.IncDecStmt:
		f.swap(n.TokPos, n.Tok)
		f.replace(n.Pos(), n.End(), "")
	case *ast.ExprStmt:
		f.replace(n.Pos(), n.End(), "")
	case *ast.ReturnStmt:
		f.dropError(n.Results, stack)
	case *ast.BasicLit:
		f.literal(n)
	case *ast.Ident:
		if value, err := strconv.ParseBool(n.Name); err == nil && len(n.Name) > 1 {
			f.replace(n.Pos(), n.End(), strconv.FormatBool(!value))
		}
	}
	return true
}

// negate skips == and !=, which swap changes.
func (f *finder) negate(condition ast.Expr) {
	if b, ok := condition.(*ast.BinaryExpr); condition == nil || ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		return
	}
	f.replace(condition.Pos(), condition.End(), "!("+f.text(condition)+")")
}

func (f *finder) swap(at token.Pos, operator token.Token) {
	if other, ok := swapped[operator.String()]; ok {
		f.replace(at, at+token.Pos(len(operator.String())), other)
	}
}

// literal increments an integer and empties a string.
func (f *finder) literal(l *ast.BasicLit) {
	if i, err := strconv.ParseInt(l.Value, 0, 64); err == nil && l.Kind == token.INT {
		f.replace(l.Pos(), l.End(), strconv.FormatInt(i+1, 10))
	}
	if l.Kind == token.STRING && len(l.Value) > len(`""`) {
		f.replace(l.Pos(), l.End(), `""`)
	}
}

// dropError replaces a returned error by nil. It recognises errors by the name of their
// type.
func (f *finder) dropError(values []ast.Expr, stack []ast.Node) {
	var results *ast.FieldList
	for _, outer := range stack {
		switch function := outer.(type) {
		case *ast.FuncLit:
			results = function.Type.Results
		case *ast.FuncDecl:
			results = function.Type.Results
		}
	}
	last := len(values) - 1
	if last >= 0 && last+1 == results.NumFields() && f.text(results.List[len(results.List)-1].Type) == "error" && f.text(values[last]) != "nil" {
		f.replace(values[last].Pos(), values[last].End(), "nil")
	}
}

// zeros returns the zero values of a function's results.
func (f *finder) zeros(results *ast.FieldList) string {
	var values []string
	if results != nil {
		for _, field := range results.List {
			for range max(len(field.Names), 1) {
				values = append(values, "*new("+f.text(field.Type)+")")
			}
		}
	}
	return strings.Join(values, ", ")
}

func (f *finder) text(n ast.Node) string {
	return string(f.source[f.offset(n.Pos()):f.offset(n.End())])
}

func (f *finder) offset(p token.Pos) int { return f.file.Offset(p) }

// longest is the maximum length of a change in a key, in bytes.
const longest = 160

func (f *finder) replace(from, to token.Pos, text string) {
	m := mutation{path: f.path, source: f.source, start: f.offset(from), end: f.offset(to), text: text, line: f.file.Line(from)}
	first, last := f.offset(f.file.LineStart(m.line)), len(f.source)
	if f.file.Line(to) < f.file.LineCount() {
		last = f.offset(f.file.LineStart(f.file.Line(to) + 1))
	}
	before, after := oneLine(f.source[first:last]), oneLine(slices.Concat(f.source[first:m.start], []byte(text), f.source[m.end:last]))
	if f.file.Line(to) > m.line {
		before, after = before[:min(len(before), longest)], after[:min(len(after), longest)]
	}
	m.key = strings.Join([]string{f.name, f.function, before + " → " + after}, "\t")
	f.seen[m.key]++
	m.key += "\t" + strconv.Itoa(f.seen[m.key])
	f.found = append(f.found, m)
}

func oneLine(source []byte) string { return strings.Join(strings.Fields(string(source)), " ") }
