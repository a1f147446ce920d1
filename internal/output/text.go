package output

import (
	"bytes"
	"compress/flate"
	"io"
	"sync"
	"sync/atomic"
	"weak"
)

// Text is the content of a file. The zero Text represents a file that does not exist, as opposed to an empty file.
type Text struct {
	in       *block
	from, to int
}

// TextOf returns a Text with the given content, which must not be modified.
func TextOf(content []byte) Text { return Text{&block{plain: content}, 0, len(content)} }

// Exists reports whether the file exists.
func (t Text) Exists() bool { return t.in != nil }

// Bytes returns the content, which must not be modified. It is nil if the file does not exist.
func (t Text) Bytes() []byte {
	if t.in == nil {
		return nil
	}
	return t.in.bytes()[t.from:t.to:t.to]
}

// Store holds the contents of files with little memory: the first Plain bytes uncompressed, and everything after them
// compressed. Generated files of one package are so similar that together they shrink to a fifteenth of their size.
type Store struct {
	Plain int64 // number of bytes to keep uncompressed

	held atomic.Int64 // number of bytes kept so far
}

// Keep returns Texts for the contents of files in one directory. The contents must not be modified.
func (s *Store) Keep(contents ...[]byte) []Text {
	size := 0
	for _, content := range contents {
		size += len(content)
	}
	texts := make([]Text, len(contents))
	if s.held.Add(int64(size)) <= s.Plain {
		for i, content := range contents {
			texts[i] = TextOf(content)
		}
		return texts
	}
	packed := packers.Get().(*packer)
	defer packers.Put(packed)
	in, end := &block{size: size}, 0
	for i, content := range contents {
		texts[i] = Text{in, end, end + len(content)}
		end += len(content)
		packed.add(content)
	}
	in.packed = packed.end()
	return texts
}

// block holds concatenated contents, compressed or uncompressed.
type block struct {
	plain  []byte // nil if compressed
	packed []byte
	size   int

	lock     sync.Mutex
	unpacked weak.Pointer[[]byte] // survives until the next garbage collection, because other contents of the block are usually needed soon
}

func (b *block) bytes() []byte {
	if b.packed == nil {
		return b.plain
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	if known := b.unpacked.Value(); known != nil {
		return *known
	}
	content := make([]byte, b.size)
	unpacker := unpackers.Get().(io.Reader)
	defer unpackers.Put(unpacker)
	err := unpacker.(flate.Resetter).Reset(bytes.NewReader(b.packed), nil)
	if err == nil {
		_, err = io.ReadFull(unpacker, content)
	}
	if err != nil {
		panic(err) // the data was compressed by packer and is valid
	}
	b.unpacked = weak.Make(&content)
	return content
}

// packer compresses contents.
type packer struct {
	out  bytes.Buffer
	into *flate.Writer
}

func (p *packer) add(content []byte) { _, _ = p.into.Write(content) } // writing to a buffer cannot fail

// end returns the compressed form of the contents since the last call.
func (p *packer) end() []byte {
	_ = p.into.Close()
	packed := bytes.Clone(p.out.Bytes())
	p.out.Reset()
	p.into.Reset(&p.out)
	return packed
}

var (
	packers = sync.Pool{New: func() any {
		p := &packer{}
		p.into, _ = flate.NewWriter(&p.out, 2) // level 1 is no faster here, and its result is a third larger
		return p
	}}
	unpackers = sync.Pool{New: func() any { return flate.NewReader(nil) }}
)
