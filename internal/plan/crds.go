package plan

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/input"
)

// CRDs determines the directory and contents of CustomResourceDefinitions.
type CRDs struct {
	Dir string
	crd.Options
}

// CRDFlags are the flags for CustomResourceDefinitions.
type CRDFlags struct {
	Dir                   string // or "true" for DefaultManifests in the module; "" or "false" for none
	DescriptionLimit      int    // in bytes; -1 for no limit
	EmbeddedMeta          bool
	Floats                bool
	IgnoreUnexported      bool
	HeaderFile, Year      string
	PreserveUnknownFields string // "true", "false", or "" to omit it
}

// DefaultManifests is the default directory of CustomResourceDefinitions in a module, as in kubebuilder's projects.
const DefaultManifests = "config/crd/bases"

// manifestsDir returns the directory for CustomResourceDefinitions, or "" if none are written.
func (p *Plan) manifestsDir() (string, error) {
	dir := p.flags.CRDs.Dir
	if dir == "" && slices.Contains(p.flags.Only, manifests) {
		dir = "true"
	}
	switch {
	case dir == "" || dir == "false" || !p.flags.selects(manifests):
		return "", nil
	case strings.Contains(dir, "..."):
		return "", diag.Errorf("%s: %s is a pattern of packages, not a directory", diag.Setting("with-crds"), dir)
	case dir != "true":
		return p.At(dir), nil
	}
	root, _, ok := p.FindModule(".")
	if !ok {
		return "", diag.Errorf("no go.mod with a module path here or in a directory above: choose the directory of the manifests with %s=DIRECTORY", diag.Setting("with-crds"))
	}
	return filepath.Join(root, filepath.FromSlash(DefaultManifests)), nil
}

// crds returns the options for CustomResourceDefinitions, or nil if none are written.
func (p *Plan) crds() (*CRDs, error) {
	f := p.flags.CRDs
	dir, err := p.manifestsDir()
	if dir == "" || err != nil {
		return nil, err
	}
	c := &CRDs{Dir: dir}
	c.Tool = crd.Tool
	c.Floats, c.EmbeddedMeta, c.IgnoreUnexported = f.Floats, f.EmbeddedMeta, f.IgnoreUnexported
	if f.DescriptionLimit >= 0 {
		c.DescriptionLimit = &f.DescriptionLimit
	}
	if f.HeaderFile != "" {
		text, err := input.Named(p.At(f.HeaderFile), maxHeader)
		if err != nil {
			return nil, diag.Errorf("%s: %w", diag.Setting("crd-header-file"), err)
		}
		c.Header = strings.ReplaceAll(string(text), " YEAR", " "+cmp.Or(f.Year, p.flags.Year))
	}
	if f.PreserveUnknownFields != "" {
		preserve, err := strconv.ParseBool(f.PreserveUnknownFields)
		if err != nil {
			return nil, diag.Errorf("%s: %q is neither true nor false", diag.Setting("crd-preserve-unknown-fields"), f.PreserveUnknownFields)
		}
		c.PreserveUnknownFields = &preserve
	}
	return c, p.CheckOutput(c.Dir, "with-crds")
}

// WritesManifests reports whether the run itself writes the manifests in a directory. Clients then agree with them
// without a comparison.
func (p *Plan) WritesManifests(dir string) bool {
	return p.CRDs != nil && dir != "" && p.At(dir) == p.CRDs.Dir
}
