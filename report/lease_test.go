package report_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/report"
)

// over is a service of another process with other ports.
func (r *rig) over(bend func(*report.Ports)) *report.Service {
	r.t.Helper()
	p := r.parts()
	bend(&p)
	s, err := report.New(p, report.Policy{}, &r.config)
	require.NoError(r.t, err)
	return s
}

// kept returns the names of the stored files.
func (r *rig) kept() []string {
	r.t.Helper()
	files, ok := r.files.(*fake.Files)
	require.True(r.t, ok)
	return files.Names()
}

// losses are the ways in which an attempt loses its report.
var losses = map[string]func(r *rig, id string, now time.Time){
	"cancelled": func(r *rig, id string, _ time.Time) {
		_, err := r.service.Cancel(r.t.Context(), owner, id)
		require.NoError(r.t, err)
	},
	"taken over": func(r *rig, _ string, now time.Time) {
		_, err := r.store.Reports().ClaimReport(r.t.Context(), "another", now.Add(2*report.DefaultLease), time.Hour)
		require.NoError(r.t, err)
	},
}

// An attempt that loses its report after storing the file, and learns it only when it
// saves the end, removes the file, because no one else would.
func TestAnAttemptThatLostItsReportRemovesItsFiles(t *testing.T) {
	for name, lose := range losses {
		for how, after := range map[string]error{"goes on": nil, "fails": errcodes.New(errcodes.Unprocessable, "")} {
			t.Run(name+" and "+how, func(t *testing.T) {
				r := newRig(t)
				r.source.rows = transactions(2)
				id := r.create(asked()).ID
				var lost ports.ReportJob
				files := fake.NewFiles()
				files.Fault = func(method, name string) error {
					if method != "Commit" || !strings.HasSuffix(name, "manifest.json") {
						return nil
					}
					require.Len(t, files.Names(), 2, "the report and its rows")
					lose(r, id, r.clock.Now())
					lost = r.get(id)
					return after
				}
				r.files = files
				require.NoError(t, r.another().Tick(t.Context(), r.clock.Now()))
				assert.Empty(t, r.kept())
				assert.Equal(t, lost, r.get(id), "what was stored meanwhile stays")
			})
		}
	}
}

// stuckFiles block before the list of rows is written.
type stuckFiles struct{ ports.ReportFiles }

func (f stuckFiles) Create(ctx context.Context, name string) (ports.NewReportFile, error) {
	if strings.HasSuffix(name, "rows.jsonl") {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return f.ReportFiles.Create(ctx, name)
}

// An attempt that learns from a beat that it has lost the report removes its stored file.
func TestARejectedBeatRemovesTheFiles(t *testing.T) {
	for name, lose := range losses {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, realTime)
				r.source.rows = bubbleRows(2)
				id := r.create(today()).ID
				s := r.over(func(p *report.Ports) { p.Files = stuckFiles{r.files} })
				done := make(chan error, 1)
				go func() { done <- s.Tick(t.Context(), time.Now()) }()
				synctest.Wait()
				require.Equal(t, []string{id + "/1/report.csv"}, r.kept())
				lose(r, id, time.Now())
				lost := r.get(id)
				require.NoError(t, <-done)
				assert.Empty(t, r.kept())
				assert.Equal(t, lost, r.get(id))
			})
		})
	}
}

// An attempt that has lost its report stops at the next beat, a third of the lease later.
// That is not a failure, whatever error the source returns.
func TestAnAttemptThatLostItsReportStops(t *testing.T) {
	for name, lose := range losses {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, realTime)
				r.source.rows = bubbleRows(1000)
				var reached atomic.Int64
				r.source.before = func(ctx context.Context, row int) error {
					reached.Store(int64(row))
					_ = slow(time.Second)(ctx, row)
					return ctx.Err() // instead of its cause
				}
				id := r.create(today()).ID
				var saves atomic.Int64
				s := r.onStore(func(ctx context.Context, to ports.ReportStore, c ports.ReportChange) error {
					saves.Add(1)
					return to.Save(ctx, c)
				})
				done := make(chan error, 1)
				go func() { done <- s.Tick(t.Context(), time.Now()) }()
				<-time.After(15 * time.Second)
				lose(r, id, time.Now())
				lost, ended, at := r.get(id), len(r.ended), time.Now()
				require.NoError(t, <-done)
				assert.LessOrEqual(t, time.Since(at), report.DefaultLease/3)
				assert.LessOrEqual(t, reached.Load(), int64(15+10))
				assert.Equal(t, int64(2), saves.Load(), "the beat that was stored and the one that was refused")
				assert.Equal(t, lost, r.get(id))
				assert.Len(t, r.ended, ended, "who has lost it does not end it")
			})
		})
	}
}

// Exactly AtOnce reports run concurrently.
func TestAtOnceBoundsConcurrentReports(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, realTime, func(c *report.Config) { c.AtOnce, c.Hooks = n, report.Hooks{} })
			r.source.before = slow(time.Minute)
			stop := bubble(t, r)
			ids := make([]string, 5)
			for i := range ids {
				ids[i] = r.create(today()).ID
			}
			<-time.After(10 * time.Second)
			synctest.Wait()
			begun := 0
			for _, id := range ids {
				begun += r.get(id).Attempts
			}
			assert.Equal(t, n, begun)
			<-time.After(10 * time.Minute)
			synctest.Wait()
			for _, id := range ids {
				assert.Equal(t, ports.ReportCompleted, r.get(id).Status)
			}
			require.ErrorIs(t, stop(), context.Canceled)
		})
	}
}
