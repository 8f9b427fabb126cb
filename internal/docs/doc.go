// Package docs checks the README and the pages beside it: links resolve, and code on them
// is code that is compiled, or read by the parser of its language.
package docs
