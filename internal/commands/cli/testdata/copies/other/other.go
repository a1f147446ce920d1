// Package other has types of another package, with and without DeepCopy methods.
package other

import "slices"

type Plain struct{ A, B int }

type Open struct {
	Names []string
	Next  **Plain
}

type Copied struct{ names []string }

func (in *Copied) DeepCopyInto(out *Copied) { out.names = slices.Clone(in.names) }

func (in *Copied) DeepCopy() *Copied {
	if in == nil {
		return nil
	}
	out := new(Copied)
	in.DeepCopyInto(out)
	return out
}
