package reporttest

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

var fileReadChecks = []fileCheck{
	{"an invalid name is rejected", fileNamesRefused},
	{"names that look alike are different files", func(k *fileKit) {
		for _, name := range goodFileNames {
			k.absent(name, fmt.Sprintf("%.40q, among look-alikes", name))
			k.put(name, "of "+name)
		}
		for i, name := range goodFileNames {
			k.contains(name, "of "+name, "a file among look-alikes")
			k.remove(name)
			k.absent(name, "a removed file among look-alikes")
			for _, left := range goodFileNames[i+1:] {
				k.contains(left, "of "+left, "a file whose look-alike was removed")
			}
		}
	}},
	{"a missing file is not found, and removing it succeeds", func(k *fileKit) {
		for range 2 {
			k.absent(aFile, "a file that was never written or was removed")
			k.remove(aFile)
			k.put(aFile, "here\n")
			k.remove(aFile)
			k.remove(aFile)
		}
	}},
	{"the folder of a file is not a file", func(k *fileKit) {
		k.put(aFile, "here\n")
		k.absent("rep_1", "the folder of a file")
		k.remove("rep_1")
		k.contains(aFile, "here\n", "a file after Remove of its folder's name")
		k.remove(aFile)
		k.absent("rep_1", "the folder of a removed file")
		k.put("rep_1", "free\n")
		k.contains("rep_1", "free\n", "a file named like a former folder")
	}},
	{"a large file is read back unchanged", func(k *fileKit) {
		data := manyFileBytes(largeFile)
		f := k.create(aFile)
		for _, piece := range growing(data) {
			k.write(f, piece)
		}
		k.commit(f)
		k.contains(aFile, string(data), "a large file")
	}},
	{"an empty file exists", func(k *fileKit) {
		k.put(aFile, "")
		k.contains(aFile, "", "an empty file")
		f := k.open(aFile)
		defer k.shut(f)
		k.seek(f, 0, io.SeekEnd, 0)
		k.reads(f, "", "the end of an empty file")
	}},
	{"a file can be read from any position", fileSeeks},
	{"each reader has its own position", fileReaders},
	{"an open file survives its removal", func(k *fileKit) { k.outlives(func() { k.remove(aFile) }) }},
	{"an open file survives its replacement", func(k *fileKit) {
		k.outlives(func() { k.put(aFile, strings.Repeat("another\n", 30_000)) })
		k.contains(aFile, strings.Repeat("another\n", 30_000), "the file that replaced another")
	}},
	{"ModTime is the time of Commit", fileDated},
}

var badFileNames = []string{
	"", "/", ".", "..", "a//b", "a/../b", "../a", "/a", "a/", "a/.", "a/..", ".a", "a/.b", "-a", "_a", "a/-b",
	"A", "aB", "a b", " a", "a ", "a\n", "é", "e\u0301", "a\x00", "a\x00b", "\x00", "a\xff", `a\b`, `..\a`, "c:a", "a~b", "a%2fb", "a*", "a?", "a+b",
	strings.Repeat("a", 300), strings.Repeat("a/", 150) + "a",
}

func fileNamesRefused(k *fileKit) {
	k.put("a", "there\n")
	kit.Each(k, badFileNames, kit.Name, func(name string) {
		f, err := k.files.Create(k.Context(), name)
		if err == nil {
			k.abort(f)
		}
		k.Code(err, errcodes.InvalidRequest, fmt.Sprintf("Create of %.40q", name))
		g, err := k.files.Open(k.Context(), name)
		if err == nil {
			k.shut(g)
		}
		k.Code(err, errcodes.InvalidRequest, fmt.Sprintf("Open of %.40q", name))
		k.Code(k.files.Remove(k.Context(), name), errcodes.InvalidRequest, fmt.Sprintf("Remove of %.40q", name))
	})
	k.contains("a", "there\n", "a file after calls with invalid names")
}

// goodFileNames are at the limits of the rule. No name is the folder of another.
var goodFileNames = []string{
	"a", "0", "a.b", "a-b", "a_b", "ab", "a.", "a..b", "a.tmp", "a.b.tmp", "a.attrs1", "con", "d/a", "d/a.csv", "d/e/f/g/h", "d-a", "d.a/d", "d_a",
	"rep_1/report.csv", "rep_10/report.csv", "rep_1/report.csv.gz",
	strings.Repeat("b", ports.MaxReportFileName), strings.Repeat("c/", ports.MaxReportFileName/2-1) + "cc",
}

const largeFile = 5_000_003

// seek moves a reader and checks the returned position.
func (k *fileKit) seek(f io.Seeker, offset int64, whence int, want int64) {
	k.Same(kit.Got(f.Seek(offset, whence)).OK(k, "Seek"), want, "the position that Seek returned")
}

// part reads n bytes of the data from the reader's position.
func (k *fileKit) part(f io.Reader, data string, at int64, n int) {
	got := make([]byte, n)
	kit.Got(io.ReadFull(f, got)).OK(k, fmt.Sprintf("Read of %d bytes at %d", n, at))
	if want := data[at : at+int64(n)]; string(got) != want {
		k.Fatalf("%d bytes at %d: %s", n, at, firstDifference(got, want))
	}
}

func fileSeeks(k *fileKit) {
	data := string(manyFileBytes(700_001))
	k.put(aFile, data)
	f := k.open(aFile)
	defer k.shut(f)
	size := int64(len(data))
	k.seek(f, 0, io.SeekEnd, size) // as http.ServeContent asks for the size
	k.seek(f, 0, io.SeekStart, 0)
	k.part(f, data, 0, 512)
	k.seek(f, 0, io.SeekCurrent, 512)
	k.part(f, data, 512, 100_000)
	k.seek(f, -100, io.SeekCurrent, 100_412)
	k.part(f, data, 100_412, 1000)
	for _, at := range []int64{size - 1, 0, 65_536, 65_535, size / 2, 1} {
		k.seek(f, at, io.SeekStart, at)
		k.part(f, data, at, 1)
		k.seek(f, at-size, io.SeekEnd, at)
		k.reads(f, data[at:], "a file from the middle to its end")
	}
	k.seekEdges(f, size)
}

func (k *fileKit) seekEdges(f io.ReadSeeker, size int64) {
	for _, past := range []int64{size, size + 1, 10 * size} {
		k.seek(f, past, io.SeekStart, past)
		if n, err := f.Read(make([]byte, 8)); n != 0 || !errors.Is(err, io.EOF) {
			k.Fatalf("Read at %d of %d bytes returned %d, %v; want 0, io.EOF", past, size, n, err)
		}
	}
	k.seek(f, 7, io.SeekStart, 7)
	if _, err := f.Seek(-8, io.SeekCurrent); err == nil {
		k.Fatalf("Seek to before the beginning returned no error")
	}
	if _, err := f.Seek(0, 99); err == nil {
		k.Fatalf("Seek with an unknown whence returned no error")
	}
	k.seek(f, 0, io.SeekCurrent, 7)
}

func fileReaders(k *fileKit) {
	data := string(manyFileBytes(200_000))
	k.put(aFile, data)
	a, b := k.open(aFile), k.open(aFile)
	k.part(a, data, 0, 1000)
	k.part(b, data, 0, 10)
	k.seek(a, 150_000, io.SeekStart, 150_000)
	k.reads(b, data[10:], "the second reader")
	k.shut(b)
	k.reads(a, data[150_000:], "the first reader")
	k.shut(a)
	k.RaceOK("one of many readers", func(int) error {
		f, err := k.files.Open(k.Context(), aFile)
		if err != nil {
			return err
		}
		got, err := io.ReadAll(f)
		if err == nil && string(got) != data {
			err = fmt.Errorf("%d bytes: %s", len(got), firstDifference(got, data))
		}
		return errors.Join(err, f.Close())
	})
}

// outlives reads on, and from the beginning, in an open file after its name was
// removed or given to another.
func (k *fileKit) outlives(gone func()) {
	data := string(manyFileBytes(400_000))
	k.put(aFile, data)
	f := k.open(aFile)
	defer k.shut(f)
	k.part(f, data, 0, 10)
	gone()
	k.part(f, data, 10, 200_000)
	k.seek(f, 5, io.SeekStart, 5)
	k.reads(f, data[5:], "a file that was removed or replaced")
	k.Same(f.Size(), int64(len(data)), "Size of a file that was removed or replaced")
}

func fileDated(k *fileKit) {
	before := k.files.Clock.Now().Add(-nearly)
	k.put(aFile, "one\n")
	f := k.open(aFile)
	k.shut(f)
	again := k.open(aFile)
	k.shut(again)
	at := f.ModTime()
	if at.Before(before) || at.After(k.files.Clock.Now().Add(nearly)) {
		k.Fatalf("ModTime is %v, more than an hour from the time of Commit", at)
	}
	k.Same(again.ModTime().UnixNano(), at.UnixNano(), "ModTime when the file is opened again")
	k.put(aFile, "two\n")
	f = k.open(aFile)
	k.shut(f)
	if f.ModTime().Before(at) {
		k.Fatalf("ModTime went back from %v to %v when the file was replaced", at, f.ModTime())
	}
}
