module github.com/corridor-go/corridor

go 1.26.0

require (
	github.com/benbjohnson/clock v1.3.5
	github.com/cockroachdb/apd/v3 v3.2.1
	github.com/stretchr/testify v1.10.0
	go.uber.org/goleak v1.3.0
	go.uber.org/mock v0.5.0
	golang.org/x/sync v0.10.0
	golang.org/x/text v0.21.0
	pgregory.net/rapid v1.2.0
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/kr/text v0.2.0 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
