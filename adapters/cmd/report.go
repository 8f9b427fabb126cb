package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/corridor-go/corridor/adapters/files/folder"
	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/adapters/source/sandbox"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

// reportCmd makes one report on the sandbox's data, in process.
type reportCmd struct {
	Kind    string   `arg:""                                                                       enum:"transactions,unmatched"                  help:"transactions or unmatched."`
	From    string   `help:"The first day, in UTC." placeholder:"YYYY-MM-DD" required:""`
	To      string   `help:"The last day, which is included; default the first day." placeholder:"YYYY-MM-DD"`
	Format  string   `default:"csv"                                                                enum:"${formats}"                              help:"${enum}."`
	Columns []string `help:"Columns of the file; default all." placeholder:"COLUMN"`
	Filter  []string `help:"Only rows that fit: COLUMN=VALUE, COLUMN=VALUE|VALUE or COLUMN=FROM..TO. May be repeated." placeholder:"FILTER" sep:"none"`
	Out     string   `help:"The file to write; default the report's name in the current folder." placeholder:"FILE" type:"path"`
	Sandbox bool     `env:"CORRIDOR_SANDBOX"                                                       help:"Report on the sandbox's data; required."`
}

// errOnlySandbox keeps the sandbox's rows from being mistaken for real ones.
var errOnlySandbox = errors.New("--sandbox is required: reports on your own transactions need a Go program")

// Run makes the report and writes file and manifest.
func (c *reportCmd) Run(world *surroundings) (err error) {
	if !c.Sandbox {
		return service.Reject(errOnlySandbox)
	}
	dir, err := os.MkdirTemp("", "corridor-report")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	reports, closeStore, err := c.service(world, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	job, err := c.make(world, reports)
	if err != nil {
		return err
	}
	return c.deliver(world, reports, job.ID)
}

func (c *reportCmd) service(world *surroundings, dir string) (*report.Service, func() error, error) {
	files, err := folder.New(dir, nil)
	if err != nil {
		return nil, nil, err
	}
	books, err := sandbox.New(nil)
	if err != nil {
		return nil, nil, err
	}
	store, err := service.OpenStore(world.ctx, world.parts, "memory:")
	if err != nil {
		return nil, nil, err
	}
	made, err := service.NewReports(world.parts, service.ReportPorts{
		Reports: store.Reports(), Transactions: books.Transactions(), Settlements: books.Settlements(), Files: files,
	}, nil)
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return made, store.Close, nil
}

// request returns the request of the flags.
func (c *reportCmd) request() (report.Request, error) {
	r := report.Request{
		MerchantID: toolOwner, Name: c.Kind, Columns: c.Columns, StartDate: c.From, EndDate: cmp.Or(c.To, c.From), Format: c.Format,
	}
	for _, text := range c.Filter {
		column, value, ok := strings.Cut(text, "=")
		if !ok {
			return r, fmt.Errorf("--filter %q: want COLUMN=VALUE", text)
		}
		f := ports.Filter{Column: column}
		if from, to, ranged := strings.Cut(value, ".."); ranged {
			f.From, f.To = from, to
		} else {
			f.OneOf = strings.Split(value, "|")
		}
		r.Filters = append(r.Filters, f)
	}
	return r, nil
}

// make creates the report and shows its progress until it has ended.
func (c *reportCmd) make(world *surroundings, reports *report.Service) (ports.ReportJob, error) {
	r, err := c.request()
	if err != nil {
		return ports.ReportJob{}, service.Reject(err)
	}
	create := reports.CreateUnmatched
	if c.Kind == string(ports.ReportTransactions) {
		create = reports.CreateTransactions
		if len(r.Columns) == 0 {
			for _, column := range reports.Columns(ports.ReportTransactions) {
				r.Columns = append(r.Columns, column.Name)
			}
		}
	}
	job, err := create(world.ctx, toolOwner, r)
	if err != nil {
		return job, service.Reject(err)
	}
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(world.ctx)
	defer cancel()
	go func() { ended <- reports.Tick(ctx, time.Now()) }()
	progress := newProgress(world.stderr)
	ticker := time.NewTicker(progress.every)
	defer ticker.Stop()
	for {
		select {
		case err := <-ended:
			return c.result(world, reports, job.ID, progress, err)
		case <-ticker.C:
			if now, err := reports.Get(world.ctx, toolOwner, job.ID); err == nil {
				progress.show(now.Rows)
			}
		}
	}
}

func (c *reportCmd) result(world *surroundings, reports *report.Service, id string, progress *progress, cause error) (ports.ReportJob, error) {
	job, err := reports.Get(context.WithoutCancel(world.ctx), toolOwner, id)
	if err != nil || cause != nil {
		return job, errors.Join(cause, err)
	}
	progress.finish(job.Rows)
	if job.Status != ports.ReportCompleted {
		return job, errcodes.New(errcodes.Code(job.Reason), "the report has failed")
	}
	return job, nil
}

// deliver copies the file and its manifest.
func (c *reportCmd) deliver(world *surroundings, reports *report.Service, id string) error {
	file, err := reports.Open(world.ctx, toolOwner, id)
	if err != nil {
		return err
	}
	out := cmp.Or(c.Out, file.Name)
	if err := errors.Join(copyTo(out, file), file.Close()); err != nil {
		return err
	}
	manifest, err := reports.Manifest(world.ctx, toolOwner, id)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return err
	}
	if err := copyTo(out+".manifest.json", bytes.NewReader(append(text, '\n'))); err != nil {
		return err
	}
	_, err = fmt.Fprintf(world.stdout, "%s\n%s.manifest.json\n", out, out)
	return err
}

func copyTo(path string, from io.Reader) error {
	const perm = 0o600
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// progress shows the progress of a report: on a terminal in one changing line, elsewhere
// in a plain line from time to time.
type progress struct {
	out      io.Writer
	terminal bool
	every    time.Duration
	width    int
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, every: 2 * time.Second}
	if file, ok := out.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.terminal, p.every = true, 100*time.Millisecond
		}
	}
	return p
}

// spinner shows activity, because the total number of rows is unknown.
var spinner = []string{"|", "/", "-", `\`}

func (p *progress) show(rows int64) {
	if !p.terminal {
		_, _ = fmt.Fprintf(p.out, "%d rows so far\n", rows)
		return
	}
	p.width = (p.width + 1) % len(spinner)
	_, _ = fmt.Fprintf(p.out, "\r%s %d rows", spinner[p.width], rows)
}

func (p *progress) finish(rows int64) {
	if p.terminal {
		_, _ = fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", 40))
	}
	_, _ = fmt.Fprintf(p.out, "%d rows\n", rows)
}
