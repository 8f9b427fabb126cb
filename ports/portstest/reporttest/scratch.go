package reporttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// ScratchHarness opens scratch spaces for the suite.
type ScratchHarness struct {
	// Open returns a scratch without spaces. It is called once for each check and
	// cleans up through tb.Cleanup.
	Open func(tb testing.TB) Room
	// Except maps checks that the scratch cannot pass to the reason.
	Except map[string]string
}

// Room is an open scratch, with what the suite needs to observe it.
type Room struct {
	ports.Scratch
	// Files returns the number of stored files of all spaces. If it is nil, the
	// checks that need it are skipped.
	Files func() int
	// Fill leaves room for at most 64 KiB; the returned function makes room again.
	// If Fill is nil, the check that needs it is skipped.
	Fill func() (empty func())
}

// Scratch checks a ports.Scratch.
func Scratch(t *testing.T, h ScratchHarness) {
	t.Helper()
	kit.Run(t, h.Except, scratchChecks, func(t *testing.T) *scratchKit {
		return &scratchKit{kit.Kit{TB: t}, h.Open(t)}
	})
}

type scratchCheck kit.Check[*scratchKit]

var scratchChecks = []scratchCheck{
	{"a file is read back as written", func(k *scratchKit) {
		s := k.space()
		defer k.shut(s, "a space")
		large := manyFileBytes(largeFile)
		k.put(s, "large", growing(large)...)
		k.put(s, "empty")
		k.put(s, "one", []byte("1"))
		k.contains(s, "large", large, "a large file")
		k.contains(s, "empty", nil, "an empty file")
		k.contains(s, "one", []byte("1"), "a file of one byte")
	}},
	{"a file can be opened several times", scratchTwice},
	{"many files can be written and read at the same time", scratchMany},
	{"Write does not keep its argument", func(k *scratchKit) {
		s := k.space()
		defer k.shut(s, "a space")
		f := kit.Got(s.Create("run1")).OK(k, "Create")
		buffer := []byte("aaaa")
		for _, c := range []byte("abc") {
			copy(buffer, bytes.Repeat([]byte{c}, len(buffer)))
			kit.Got(f.Write(buffer)).OK(k, "Write")
		}
		k.shut(f, "a file")
		k.contains(s, "run1", []byte("aaaabbbbcccc"), "a file whose writer reused its buffer")
	}},
	{"a removed file is not found, and its name can be reused", scratchRemoved},
	{"a file that was never written is not found", func(k *scratchKit) {
		s := k.space()
		defer k.shut(s, "a space")
		k.absent(s, "run1", "a file that was never written")
		k.put(s, "run1", []byte("a"))
		k.absent(s, "run", "the beginning of a file's name")
		k.absent(s, "run11", "an extension of a file's name")
	}},
	{"a name with other than letters and digits is rejected", scratchNames},
	{"two spaces are independent", func(k *scratchKit) {
		a := k.space()
		k.put(a, "run1", []byte("of a"))
		b := k.space()
		k.absent(b, "run1", "another space's file")
		k.put(b, "run1", []byte("of b"))
		k.contains(a, "run1", []byte("of a"), "the first space's file")
		k.OK(b.Remove("run1"), "Remove")
		k.contains(a, "run1", []byte("of a"), "the first space's file after Remove in the second")
		k.put(b, "run1", []byte("of b"))
		k.shut(a, "the first space")
		k.contains(b, "run1", []byte("of b"), "the second space's file after Close of the first")
		k.shut(b, "the second space")
	}},
	{"Close removes the space and its files", scratchClosed},
	{"spaces can be used concurrently", func(k *scratchKit) {
		k.RaceOK("one of many concurrent spaces", func(i int) error {
			s, err := k.room.Open(k.Context())
			if err != nil {
				return err
			}
			data := bytes.Repeat([]byte{byte('a' + i)}, 100_000+i)
			err = putScratch(s, "run1", data, data)
			return errors.Join(err, heldScratch(s, "run1", slices.Concat(data, data)), s.Close())
		})
	}},
	{"a done context returns its code and no space", func(k *scratchKit) {
		kit.EachOf(k, kit.Done(k), func(code errcodes.Code, ctx context.Context) {
			s, err := k.room.Open(ctx)
			k.Code(err, code, "Open with a done context")
			k.Same(s == nil, true, "Open with a done context returned no space")
		})
	}},
	{"a full disk returns StorageUnavailable", scratchFull},
}

const maxScratchName = 64

type scratchKit struct {
	kit.Kit
	room Room
}

func (k *scratchKit) space() ports.ScratchSpace {
	return kit.Got(k.room.Open(k.Context())).OK(k, "Open of a space")
}

func (k *scratchKit) shut(c io.Closer, what string) {
	k.OK(c.Close(), "Close of "+what)
}

func (k *scratchKit) put(s ports.ScratchSpace, name string, parts ...[]byte) {
	k.OK(putScratch(s, name, parts...), "writing "+name)
}

func putScratch(s ports.ScratchSpace, name string, parts ...[]byte) error {
	f, err := s.Create(name)
	if err != nil {
		return err
	}
	for _, part := range parts {
		n, writeErr := f.Write(part)
		if writeErr == nil && n != len(part) {
			writeErr = fmt.Errorf("Write wrote %d of %d bytes and returned no error", n, len(part))
		}
		err = errors.Join(err, writeErr)
	}
	return errors.Join(err, f.Close())
}

func (k *scratchKit) contains(s ports.ScratchSpace, name string, want []byte, what string) {
	k.OK(heldScratch(s, name, want), what)
}

func heldScratch(s ports.ScratchSpace, name string, want []byte) error {
	f, err := s.Open(name)
	if err != nil {
		return err
	}
	got, err := io.ReadAll(f)
	if err == nil && !bytes.Equal(got, want) {
		err = fmt.Errorf("%d bytes, want %d: %s", len(got), len(want), firstDifference(got, string(want)))
	}
	return errors.Join(err, f.Close())
}

func (k *scratchKit) absent(s ports.ScratchSpace, name, what string) {
	f, err := s.Open(name)
	if err == nil {
		k.shut(f, what)
	}
	k.Code(err, errcodes.NotFound, "Open of "+what)
}

func scratchTwice(k *scratchKit) {
	s := k.space()
	defer k.shut(s, "a space")
	data := manyFileBytes(300_000)
	k.put(s, "run1", data)
	f := kit.Got(s.Open("run1")).OK(k, "Open")
	head := make([]byte, 1000)
	kit.Got(io.ReadFull(f, head)).OK(k, "Read")
	for range 2 {
		k.contains(s, "run1", data, "a file that is already being read")
	}
	rest := kit.Got(io.ReadAll(f)).OK(k, "Read of the rest")
	k.Same(bytes.Equal(slices.Concat(head, rest), data), true, "the first reader saw the file")
	k.shut(f, "a reader")
}

func scratchMany(k *scratchKit) {
	const files, rounds = 60, 40
	s := k.space()
	defer k.shut(s, "a space")
	part := func(i, round int) []byte { return manyFileBytes(100 + i + round*files) }
	writers := make([]io.WriteCloser, files)
	for i := range writers {
		writers[i] = kit.Got(s.Create(fmt.Sprint("run", i))).OK(k, "Create")
	}
	for round := range rounds {
		for i, w := range writers {
			kit.Got(w.Write(part(i, round))).OK(k, "Write")
		}
	}
	for _, w := range writers {
		k.shut(w, "a file")
	}
	readers := make([]io.ReadCloser, files)
	for i := range readers {
		readers[i] = kit.Got(s.Open(fmt.Sprint("run", i))).OK(k, "Open")
	}
	for round := range rounds {
		for i, r := range readers {
			want := part(i, round)
			got := make([]byte, len(want))
			kit.Got(io.ReadFull(r, got)).OK(k, "Read")
			if !bytes.Equal(got, want) {
				k.Fatalf("file %d, round %d: %s", i, round, firstDifference(got, string(want)))
			}
		}
	}
	for _, r := range readers {
		k.shut(r, "a reader")
	}
}

func scratchRemoved(k *scratchKit) {
	s := k.space()
	defer k.shut(s, "a space")
	for _, data := range []string{"the first, and longer", "2"} {
		k.put(s, "run1", []byte(data))
		k.put(s, "run10", []byte("another"))
		k.contains(s, "run1", []byte(data), "a file whose name was free")
		k.OK(s.Remove("run1"), "Remove")
		k.absent(s, "run1", "a removed file")
		k.contains(s, "run10", []byte("another"), "a file that was not removed")
		k.OK(s.Remove("run10"), "Remove")
	}
	if k.room.Files != nil {
		k.Same(k.room.Files(), 0, "the number of files after all were removed")
	}
}

func scratchNames(k *scratchKit) {
	s := k.space()
	defer k.shut(s, "a space")
	kit.Each(k, []string{
		"", ".", "..", "/", "a/b", "../a", "/a", "a.b", "a b", "a\x00", "a\x00b", "a_b", "a-b", "é", "a\n", "a\xff", `a\b`, strings.Repeat("a", 300),
	}, kit.Name, func(name string) {
		f, err := s.Create(name)
		if err == nil {
			k.shut(f, "a file")
		}
		k.Code(err, errcodes.InvalidRequest, fmt.Sprintf("Create of %.40q", name))
		_, err = s.Open(name)
		k.Code(err, errcodes.InvalidRequest, fmt.Sprintf("Open of %.40q", name))
		k.Code(s.Remove(name), errcodes.InvalidRequest, fmt.Sprintf("Remove of %.40q", name))
	})
	kit.Each(k, []string{"a", "0", "run1", "Run2", "Z9", strings.Repeat("a", maxScratchName)}, kit.Name, func(name string) {
		k.put(s, name, []byte(name))
		k.contains(s, name, []byte(name), "a file with a name at the limit")
	})
}

func scratchClosed(k *scratchKit) {
	s := k.space()
	k.put(s, "run1", []byte("a"))
	k.put(s, "run2", manyFileBytes(300_000))
	left := kit.Got(s.Create("run3")).OK(k, "Create")
	kit.Got(left.Write(manyFileBytes(300_000))).OK(k, "Write")
	k.shut(s, "a space with a file that is being written")
	_ = left.Close() // may fail, but must not bring anything back
	if _, err := s.Create("run4"); err == nil {
		k.Fatalf("Create in a closed space returned no error")
	}
	if f, err := s.Open("run1"); err == nil {
		k.shut(f, "a file")
		k.Fatalf("Open in a closed space returned a file")
	}
	k.shut(s, "a closed space")
	k.Need(k.room.Files != nil, "Files")
	k.Same(k.room.Files(), 0, "the number of files after Close")
}

func scratchFull(k *scratchKit) {
	k.Need(k.room.Fill != nil, "Fill")
	s := k.space()
	defer k.shut(s, "a space")
	empty := k.room.Fill()
	f, err := s.Create("run1")
	if err == nil {
		for n := 0; err == nil && n < 64; n++ {
			_, err = f.Write(manyFileBytes(64 << 10))
		}
		err = errors.Join(err, f.Close())
	}
	k.Code(err, errcodes.StorageUnavailable, "writing to a full disk")
	k.OK(s.Remove("run1"), "Remove on a full disk")
	empty()
	k.put(s, "run1", []byte("a"))
	k.contains(s, "run1", []byte("a"), "a file once there is room again")
}
