package plan

import (
	"cmp"
	"errors"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/input"
	"github.com/kubegen/kubegen/internal/markers"
)

// ManifestGenerator is a generator of manifests: YAML files for a server, written without a template.
type ManifestGenerator struct {
	Name    string // value of --only, and prefix of its flags
	Flag    string // name of the flag with its directory
	Default string // directory in a module, as in kubebuilder's projects; "" if Flag must name one
	Objects string // kinds of the manifests, for messages
	Help    string // of Flag
	// Reads is the effect of the markers that it reads in comments of files, or 0.
	Reads markers.Effect
	// Flags returns the flags that it shares with the others.
	Flags func(*Flags) *ManifestFlags
}

// ManifestFlags are the flags that each generator of manifests has.
type ManifestFlags struct {
	Dir              string // or "true" for the default directory in the module; "" or "false" for none
	HeaderFile, Year string
}

// CRD generates CustomResourceDefinitions.
var CRD = &ManifestGenerator{
	Name: "crd", Flag: "with-crds", Default: "config/crd/" + bases, Objects: "CustomResourceDefinitions",
	Help:  "also write the CustomResourceDefinitions of all kinds, whether marked +genclient or not, into config/crd/bases of the module or into this `directory`",
	Flags: func(f *Flags) *ManifestFlags { return &f.CRDs.ManifestFlags },
}

// RBAC generates roles.
var RBAC = &ManifestGenerator{
	Name: "rbac", Flag: "with-rbac", Default: "config/rbac", Objects: "roles",
	Help:  "also write the roles of the +kubebuilder:rbac markers in all packages, into config/rbac of the module or into this `directory`",
	Reads: markers.Roles,
	Flags: func(f *Flags) *ManifestFlags { return &f.RBAC.ManifestFlags },
}

// Webhook generates the configurations of admission webhooks.
var Webhook = &ManifestGenerator{
	Name: "webhook", Flag: "with-webhooks", Default: "config/webhook", Objects: "webhooks",
	Help:  "also write the configurations of the +kubebuilder:webhook markers in all packages, into config/webhook of the module or into this `directory`",
	Reads: markers.Webhooks,
	Flags: func(f *Flags) *ManifestFlags { return &f.Webhooks },
}

// SchemaPatch replaces the schemas in existing CustomResourceDefinitions.
var SchemaPatch = &ManifestGenerator{
	Name: "schemapatch", Flag: "patch-crds", Objects: "CustomResourceDefinitions",
	Help:  "also replace the schemas in the CustomResourceDefinitions of this `directory`, which are written by hand except for these",
	Flags: func(f *Flags) *ManifestFlags { return &f.Patches.ManifestFlags },
}

// ManifestGenerators lists the generators of manifests in the order of their flags.
var ManifestGenerators = []*ManifestGenerator{CRD, RBAC, Webhook, SchemaPatch}

// ManifestTarget is a generator of manifests and its output.
type ManifestTarget struct {
	*ManifestGenerator
	Dir    string // absolute
	Header string // text above each manifest
}

// CRDs determines the directory and contents of CustomResourceDefinitions.
type CRDs struct {
	ManifestTarget
	crd.Options
	Sets []GateSet // the first one has the directory of the target, and no name
}

// Patch determines the manifests with new schemas.
type Patch struct {
	Templates []*crd.Template
	crd.Options
	Gates          markers.Gates
	All, AfterCRDs bool // as in PatchFlags
}

// SchemaFlags are the flags for schemas in new and in existing manifests.
type SchemaFlags struct {
	DescriptionLimit int // in bytes; -1 for no limit
	EmbeddedMeta     bool
}

func (f SchemaFlags) options() (o crd.Options) {
	if o.EmbeddedMeta = f.EmbeddedMeta; f.DescriptionLimit >= 0 {
		o.DescriptionLimit = &f.DescriptionLimit
	}
	return o
}

// PatchFlags are the flags for schemas in existing manifests.
type PatchFlags struct {
	ManifestFlags
	// All means that all manifests in the directory Templates are written into the directory of the output, with or
	// without new schemas, and that SchemaFlags are for these. Otherwise, the manifests with new schemas are written
	// where they are, with the flags for CustomResourceDefinitions.
	All       bool
	Templates string
	// AfterCRDs means that the CustomResourceDefinitions of the run are in the directory Templates before it is read.
	AfterCRDs bool
	SchemaFlags
}

// CRDFlags are the flags for CustomResourceDefinitions.
type CRDFlags struct {
	ManifestFlags
	SchemaFlags
	Gates                 []string // of the form GATE or SET:GATE, or SET: for a set without gates
	Floats                bool
	IgnoreUnexported      bool
	PreserveUnknownFields string // "true", "false", or "" to omit it
	NoAnnotation          bool   // with the name of the tool
}

func (f CRDFlags) options() crd.Options {
	o := f.SchemaFlags.options()
	o.Floats, o.IgnoreUnexported = f.Floats, f.IgnoreUnexported
	return o
}

// RBACFlags are the flags for roles.
type RBACFlags struct {
	ManifestFlags
	RoleName string // of roles whose markers name no other
	FileName string
}

// manifestGenerator returns the generator with a name, or nil.
func manifestGenerator(name string) *ManifestGenerator {
	if i := slices.IndexFunc(ManifestGenerators, func(g *ManifestGenerator) bool { return g.Name == name }); i >= 0 {
		return ManifestGenerators[i]
	}
	return nil
}

// manifestsDir returns the directory for the manifests of a generator, or "" if none are written.
func (p *Plan) manifestsDir(g *ManifestGenerator) (string, error) {
	dir := g.Flags(p.Flags).Dir
	if dir == "" && slices.Contains(p.Flags.Only, g.Name) {
		dir = "true"
	}
	switch {
	case dir == "" || dir == "false" || !p.Flags.selects(g.Name):
		return "", nil
	case dir == "true" && g.Default == "":
		return "", diag.Errorf("%s=DIRECTORY is required", diag.Setting(g.Flag))
	case strings.Contains(dir, "..."):
		return "", diag.Errorf("%s: %s is a pattern of packages, not a directory", diag.Setting(g.Flag), diag.Value(dir))
	case dir != "true":
		return p.At(dir), nil
	}
	root, _, ok := p.FindModule(".")
	if !ok {
		return "", diag.Errorf("no go.mod with a module path here or in a directory above: choose the directory of the manifests with %s=DIRECTORY", diag.Setting(g.Flag))
	}
	return filepath.Join(root, filepath.FromSlash(g.Default)), nil
}

// manifestTarget returns the output of a generator of manifests. Its directory is "" if none are written.
func (p *Plan) manifestTarget(g *ManifestGenerator) (t ManifestTarget, err error) {
	t.ManifestGenerator = g
	if t.Dir, err = p.manifestsDir(g); t.Dir == "" || err != nil {
		return t, err
	}
	if f := g.Flags(p.Flags); f.HeaderFile != "" {
		text, err := input.Named(p.At(f.HeaderFile), maxHeader)
		if err != nil {
			return t, diag.Errorf("%s: %w", diag.Setting(g.Name+"-header-file"), err)
		}
		year := f.Year
		if !p.OwnYears {
			year = cmp.Or(year, p.Flags.Year)
		}
		t.Header = strings.ReplaceAll(string(text), " YEAR", " "+year)
	}
	return t, p.CheckOutput(t.Dir, g.Flag)
}

// crds returns the options for CustomResourceDefinitions.
func (p *Plan) crds(t ManifestTarget) (*CRDs, error) {
	f := p.Flags.CRDs
	sets, err := gateSets(t.Dir, f.Gates)
	if err != nil {
		return nil, err
	}
	c := &CRDs{t, f.options(), sets}
	c.Options.Header = t.Header
	c.Floats = c.Floats || len(p.Flags.Import.Manifests) > 0 // users cannot change the numbers of an imported manifest
	if !f.NoAnnotation {
		c.Tool = crd.Tool
	}
	if f.PreserveUnknownFields != "" {
		preserve, err := strconv.ParseBool(f.PreserveUnknownFields)
		if err != nil {
			return nil, diag.Errorf("%s: %q is neither true nor false", diag.Setting("crd-preserve-unknown-fields"), diag.Value(f.PreserveUnknownFields))
		}
		c.PreserveUnknownFields = &preserve
	}
	var errs []error
	for _, s := range sets[1:] {
		errs = append(errs, p.CheckOutput(s.Dir, t.Flag))
	}
	return c, errors.Join(errs...)
}

// patch reads the manifests with schemas to replace. It adds errors in them to diags.
func (p *Plan) patch(t ManifestTarget, diags *diag.List) (*Patch, error) {
	f, dir, setting := p.Flags.Patches, t.Dir, diag.Setting(t.Flag)
	patch := &Patch{Options: p.Flags.CRDs.options(), All: f.All, AfterCRDs: f.AfterCRDs}
	if f.All {
		dir, setting, patch.Options = p.At(f.Templates), diag.Setting("schemapatch-manifests"), f.options()
		patch.SkipValidation = true
	}
	sets, err := gateSets(dir, p.Flags.CRDs.Gates)
	if err != nil {
		return nil, err
	}
	patch.Gates = sets[0].Gates
	entries, err := os.ReadDir(dir)
	if err != nil && !(f.AfterCRDs && errors.Is(err, fs.ErrNotExist)) {
		return nil, diag.Errorf("%s: %w", setting, err)
	}
	for _, entry := range entries {
		if entry.IsDir() || filepath.Ext(entry.Name()) != ".yaml" {
			continue
		}
		name := filepath.Join(dir, entry.Name())
		text, err := input.Named(name, MaxManifest)
		if err != nil {
			return nil, diag.Errorf("%s: %w", setting, err)
		}
		if t := crd.ReadTemplate(name, text, diags); t != nil {
			patch.Templates = append(patch.Templates, t)
			if f.All && t.Mistake != nil {
				*diags = append(*diags, t.Mistake)
			}
		}
	}
	if len(patch.Templates) == 0 && !f.AfterCRDs {
		diags.Warnf(token.Position{}, "%s: no .yaml file in directory %s has a CustomResourceDefinition", setting, p.Name(dir))
	}
	return patch, nil
}

// manifests decides which manifests the run writes. It adds errors in existing ones to diags.
func (p *Plan) manifests(diags *diag.List) error {
	var errs []error
	for _, g := range ManifestGenerators {
		t, err := p.manifestTarget(g)
		if err == nil && t.Dir != "" {
			p.ManifestTargets = append(p.ManifestTargets, t)
			switch g {
			case CRD:
				p.CRDs, err = p.crds(t)
			case SchemaPatch:
				p.Patch, err = p.patch(t, diags)
			}
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
