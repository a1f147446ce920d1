package plan

import (
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
)

// CRDs says where CustomResourceDefinitions are written, and what they contain.
type CRDs struct {
	Dir string
	crd.Options
}

// CRDFlags are the flags for CustomResourceDefinitions.
type CRDFlags struct {
	Dir                   string
	DescriptionLimit      int // -1 for none
	EmbeddedMeta          bool
	Floats                bool
	IgnoreUnexported      bool
	HeaderFile, Year      string
	PreserveUnknownFields string // true, false, or "" to leave it out
}

// crds returns what the flags say; nil if no directory is given, or --only selects others.
func (p *Plan) crds() (*CRDs, error) {
	f := p.flags.CRDs
	if f.Dir == "" || !p.flags.selects(manifests) {
		return nil, nil
	}
	c := &CRDs{Dir: p.At(f.Dir)}
	if p.flags.Manifests != "" && p.At(p.flags.Manifests) == c.Dir {
		return nil, diag.Failf("%s: the manifests in %s are those that %s writes from the types; remove it", diag.Setting("crds"), f.Dir, diag.Setting("with-crds"))
	}
	c.Tool = crd.Tool
	c.Floats, c.EmbeddedMeta, c.IgnoreUnexported = f.Floats, f.EmbeddedMeta, f.IgnoreUnexported
	if f.DescriptionLimit >= 0 {
		c.DescriptionLimit = &f.DescriptionLimit
	}
	if f.HeaderFile != "" {
		text, err := readInput(p.At(f.HeaderFile), maxHeader)
		if err != nil {
			return nil, diag.Failf("%s: %w", diag.Setting("crd-header-file"), err)
		}
		c.Header = strings.ReplaceAll(string(text), " YEAR", " "+f.Year)
	}
	if f.PreserveUnknownFields != "" {
		preserve, err := strconv.ParseBool(f.PreserveUnknownFields)
		if err != nil {
			return nil, diag.Failf("%s: %q is neither true nor false", diag.Setting("crd-preserve-unknown-fields"), f.PreserveUnknownFields)
		}
		c.PreserveUnknownFields = &preserve
	}
	return c, p.CheckInside(c.Dir, diag.Textf("remove it, or choose a directory there with %s", diag.Setting("with-crds")))
}
