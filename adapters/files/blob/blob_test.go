package blob_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/memblob"

	corridorblob "github.com/corridor-go/corridor/adapters/files/blob"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/reporttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const report = "rep_1/report.csv"

func open(tb testing.TB, bucket *blob.Bucket) *corridorblob.Files {
	tb.Helper()
	tb.Cleanup(func() { _ = bucket.Close() })
	files, err := corridorblob.New(bucket)
	require.NoError(tb, err)
	return files
}

func openDir(tb testing.TB, dir string) *corridorblob.Files {
	tb.Helper()
	bucket, err := fileblob.OpenBucket(dir, &fileblob.Options{NoTempDir: true})
	require.NoError(tb, err)
	return open(tb, bucket)
}

const rangesAgain = "after a Seek the rest is requested again, and the file is gone: see TestReadingAfterTheFileIsGone"

var except = map[string]string{
	"an open file survives its removal":     rangesAgain,
	"an open file survives its replacement": rangesAgain,
}

func exceptOfDirectories() map[string]string {
	all := maps.Clone(except)
	all["the folder of a file is not a file"] = "fileblob treats a directory as an object that cannot be removed"
	return all
}

func TestMemoryConforms(t *testing.T) {
	reporttest.ReportFiles(t, reporttest.FilesHarness{
		Except: except,
		Open: func(tb testing.TB) reporttest.Files {
			return reporttest.Files{ReportFiles: open(tb, memblob.OpenBucket(nil))}
		},
	})
}

func TestDirectoryConforms(t *testing.T) {
	reporttest.ReportFiles(t, reporttest.FilesHarness{
		Except: exceptOfDirectories(),
		Open: func(tb testing.TB) reporttest.Files {
			dir, fill := disk(tb)
			return reporttest.Files{ReportFiles: openDir(tb, dir), Fill: fill}
		},
	})
}

func put(tb testing.TB, files ports.ReportFiles, data string) {
	tb.Helper()
	f, err := files.Create(tb.Context(), report)
	require.NoError(tb, err)
	_, err = io.WriteString(f, data)
	require.NoError(tb, err)
	require.NoError(tb, f.Commit(tb.Context()))
}

func requireCode(tb testing.TB, want errcodes.Code, err error) {
	tb.Helper()
	require.Equal(tb, want, errcodes.Of(err), "%v", err)
}

func TestNewRequiresABucket(t *testing.T) {
	_, err := corridorblob.New(nil)
	requireCode(t, errcodes.Configuration, err)
}

func TestReadingAfterTheFileIsGone(t *testing.T) {
	data := strings.Repeat("0123456789", 50_000)
	for name, c := range map[string]struct {
		gone func(t *testing.T, files ports.ReportFiles)
		want errcodes.Code
	}{
		"it was removed": {func(t *testing.T, files ports.ReportFiles) { require.NoError(t, files.Remove(t.Context(), report)) }, errcodes.NotFound},
		"it was replaced by one of the same size": {func(t *testing.T, files ports.ReportFiles) { put(t, files, strings.Repeat("x", len(data))) }, errcodes.Conflict},
		"it was replaced by a shorter one":        {func(t *testing.T, files ports.ReportFiles) { put(t, files, data[:400_000]) }, errcodes.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			files := open(t, memblob.OpenBucket(nil))
			put(t, files, data)
			f, err := files.Open(t.Context(), report)
			require.NoError(t, err)
			head := make([]byte, 10)
			_, err = io.ReadFull(f, head)
			require.NoError(t, err)
			c.gone(t, files)
			rest, err := io.ReadAll(f)
			require.NoError(t, err)
			require.Equal(t, data, string(head)+string(rest), "the open reader reads to the end")
			_, err = f.Seek(5, io.SeekStart)
			require.NoError(t, err)
			n, err := f.Read(head)
			requireCode(t, c.want, err)
			require.Zero(t, n, "no byte of another file")
			require.NoError(t, f.Close())
			_, err = f.Read(head)
			require.Error(t, err)
			require.NoError(t, f.Close())
		})
	}
}

func TestServeContentServesRanges(t *testing.T) {
	files := open(t, memblob.OpenBucket(nil))
	data := strings.Repeat("0123456789", 50_000)
	put(t, files, data)
	for ranges, want := range map[string]string{
		"":                 data,
		"bytes=0-4":        data[:5],
		"bytes=499990-":    data[499_990:],
		"bytes=-3":         data[len(data)-3:],
		"bytes=1000-99999": data[1000:100_000],
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		if ranges != "" {
			r.Header.Set("Range", ranges)
		}
		f, err := files.Open(r.Context(), report)
		require.NoError(t, err)
		http.ServeContent(w, r, "report.csv", f.ModTime(), f)
		require.NoError(t, f.Close())
		require.Equal(t, want, w.Body.String(), ranges)
	}
}

func TestTheContextOfCreateEndsTheUpload(t *testing.T) {
	files := open(t, memblob.OpenBucket(nil))
	put(t, files, "old")
	ctx, cancel := context.WithCancel(t.Context())
	f, err := files.Create(ctx, report)
	require.NoError(t, err)
	_, err = io.WriteString(f, "new")
	require.NoError(t, err)
	cancel()
	requireCode(t, errcodes.Canceled, f.Commit(t.Context()))
	require.NoError(t, f.Abort())
	r, err := files.Open(t.Context(), report)
	require.NoError(t, err)
	require.EqualValues(t, 3, r.Size())
	require.NoError(t, r.Close())
}

func TestErrorsDoNotShowTheProvidersMessage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "of-a-secret-owner")
	require.NoError(t, os.Mkdir(dir, 0o700))
	files := openDir(t, dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rep_1"), nil, 0o600)) // where the directory should be
	f, err := files.Create(t.Context(), report)
	if err == nil {
		_, err = io.WriteString(f, "new")
		require.NoError(t, f.Abort())
	}
	requireCode(t, errcodes.StorageUnavailable, err)
	require.NotContains(t, err.Error(), "secret")
	var path *os.PathError
	require.ErrorAs(t, err, &path, "errors.As finds the cause")
}

func TestAClosedBucketIsStorageUnavailable(t *testing.T) {
	bucket := memblob.OpenBucket(nil)
	files := open(t, bucket)
	put(t, files, "data")
	require.NoError(t, bucket.Close())
	_, err := files.Create(t.Context(), report)
	requireCode(t, errcodes.StorageUnavailable, err)
	_, err = files.Open(t.Context(), report)
	requireCode(t, errcodes.StorageUnavailable, err)
	requireCode(t, errcodes.StorageUnavailable, files.Remove(t.Context(), report))
}

func ExampleNew() {
	ctx := context.Background()
	bucket := memblob.OpenBucket(nil)
	defer bucket.Close()
	files, err := corridorblob.New(bucket)
	if err != nil {
		panic(err)
	}
	f, err := files.Create(ctx, "rep_1/report.csv")
	if err != nil {
		panic(err)
	}
	defer func() { _ = f.Abort() }() // does nothing after Commit
	fmt.Fprintln(f, "id,amount")
	if err := f.Commit(ctx); err != nil {
		panic(err)
	}
	r, err := files.Open(ctx, "rep_1/report.csv")
	if err != nil {
		panic(err)
	}
	defer r.Close()
	fmt.Println(r.Size(), r.ModTime().After(time.Unix(0, 0)))
	// Output: 10 true
}
