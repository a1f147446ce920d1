package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	goparser "go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/generators/applyconfiguration"
	"github.com/kubegen/kubegen/internal/apitest"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "run TestRandomAPIs with this seed alone, and print its API")
	seedsFlag = flag.Uint64("seeds", 300, "run TestRandomAPIs with so many seeds, from 1")
)

// TestRandomAPIs generates everything, DeepCopy methods and registration included, for APIs whose names and shapes
// are chosen at random, and type-checks what comes out. An error is allowed where it says, at its place, what no code
// could be generated for.
//
//	go test ./internal/commands/cli -run TestRandomAPIs -args -seeds 2000
//	go test ./internal/commands/cli -run TestRandomAPIs -args -seed 17
func TestRandomAPIs(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it compiles what is generated for many APIs")
	}
	from, to := uint64(1), *seedsFlag
	if *seedFlag > 0 {
		from, to = *seedFlag, *seedFlag
	}
	lab := newLab(t)
	var lock sync.Mutex
	var refusals []string
	failures := map[uint64]string{}
	var group sync.WaitGroup
	work := make(chan uint64)
	for range runtime.GOMAXPROCS(0) {
		group.Add(1)
		go func() {
			defer group.Done()
			for seed := range work {
				diags, err := lab.try(seed)
				lock.Lock()
				if diags.HasErrors() {
					refusals = append(refusals, fmt.Sprintf("seed %d is refused: %v", seed, checkMessages(diags, regexp.MustCompile("^$"))))
				}
				if err != nil {
					failures[seed] = err.Error()
				}
				lock.Unlock()
			}
		}()
	}
	for seed := from; seed <= to; seed++ {
		work <- seed
	}
	close(work)
	group.Wait()
	for _, seed := range slices.Sorted(maps.Keys(failures)) {
		t.Errorf("seed %d: %s", seed, failures[seed])
	}
	t.Logf("%d seeds, %d of them refused, %d failures", to-from+1, len(refusals), len(failures))
	if many := (to - from + 1) / 3; len(refusals) > int(many) && from != to {
		t.Errorf("%d of %d seeds are refused, more than a third", len(refusals), to-from+1)
	}
	if from == to {
		t.Log(refusals)
		api := apitest.Names(from, labModule)
		for _, name := range slices.Sorted(maps.Keys(api)) {
			t.Logf("-- %s --\n%s", name, api[name])
		}
	}
}

const labModule = "example.com/api"

// lab generates code for one API after the other, without asking the go command about each.
type lab struct {
	dir     string
	foreign map[string]*packages.Package // of the modules that the API requires; nil for packages that there are not
	known   map[string]string            // if set, the packages that the go command is asked about
	lock    sync.Mutex
}

func newLab(t testing.TB) *lab {
	dir := t.TempDir()
	moduletest.Write(t, dir, []byte("module "+labModule))
	return &lab{dir: dir, foreign: map[string]*packages.Package{}}
}

// list is what load.Config.List is for an API whose files are in dir.
func (l *lab) list(dir string) func(context.Context, []string) ([]*packages.Package, error) {
	return func(ctx context.Context, patterns []string) ([]*packages.Package, error) {
		var found []*packages.Package
		for _, pattern := range patterns {
			local, ok := strings.CutPrefix(pattern, "./")
			if !ok {
				local, ok = strings.CutPrefix(pattern, labModule+"/")
			}
			if !ok {
				pkg, err := l.lookUp(ctx, pattern)
				if err != nil {
					return nil, err
				}
				found = append(found, pkg)
				continue
			}
			pkg := &packages.Package{ID: labModule + "/" + local, PkgPath: labModule + "/" + local, Name: path.Base(local)}
			pkg.Module = &packages.Module{Path: labModule, Main: true, Dir: dir, GoMod: filepath.Join(l.dir, "go.mod")}
			pkg.GoFiles, _ = filepath.Glob(filepath.Join(dir, filepath.FromSlash(local), "*.go"))
			for _, name := range pkg.GoFiles {
				if file, err := goparser.ParseFile(token.NewFileSet(), name, nil, goparser.PackageClauseOnly); err == nil {
					pkg.Name = file.Name.Name
				}
			}
			if len(pkg.GoFiles) == 0 {
				pkg.Errors = []packages.Error{{Pos: "-", Msg: "there is no package " + pkg.PkgPath, Kind: packages.ListError}}
			}
			found = append(found, pkg)
		}
		return found, nil
	}
}

// lookUp asks the go command about a package, once.
func (l *lab) lookUp(ctx context.Context, importPath string) (*packages.Package, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if pkg, ok := l.foreign[importPath]; ok {
		return pkg, nil
	}
	if l.known != nil && l.known[importPath] == "" {
		return &packages.Package{ID: importPath, PkgPath: importPath, Errors: []packages.Error{{Pos: "-", Msg: "there is no package " + importPath}}}, nil
	}
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: l.dir, Mode: packages.NeedName | packages.NeedFiles | packages.NeedModule,
	}, importPath)
	if err != nil || len(loaded) != 1 {
		return nil, errors.Join(err, fmt.Errorf("%d packages match %s", len(loaded), importPath))
	}
	l.foreign[importPath] = loaded[0]
	return loaded[0], nil
}

// impossible matches the errors of what nothing could be generated for. Clashes of apply configurations are not among
// them.
var impossible = regexp.MustCompile(`declares? .* in the (clientset|informer|lister) code for|the generated packages of .* would be in|has no apply configuration|hides the method of that name|embeds a pointer to|has the name of a method that is generated|is not embedded|which is tagged json|has two indexes|more than once|cannot be the name of an index|declares [a-z0-9]+ as something else, but`)

// try generates everything for the API of a seed. It returns what was said, and an error if that or the code is wrong.
func (l *lab) try(seed uint64) (diag.List, error) {
	api := apitest.Names(seed, labModule)
	dir := filepath.Join(l.dir, fmt.Sprint("seed", seed))
	defer os.RemoveAll(dir)
	sources := map[string][]byte{}
	for name, text := range api {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			return nil, err
		}
		sources[labModule+"/"+name] = []byte(text)
	}
	if err := checkTypes(sources); err != nil {
		return nil, fmt.Errorf("the API itself does not compile: %w", err)
	}
	diags, err := l.generate(dir, sources)
	if err != nil {
		return diags, err
	}
	if diags.HasErrors() {
		return diags, checkMessages(diags, impossible)
	}
	return diags, checkTypes(sources)
}

// checkMessages returns an error for errors that have no position or hint, or are about something else than allowed.
func checkMessages(diags diag.List, allowed *regexp.Regexp) error {
	var wrong []error
	for _, d := range diags {
		if d.Severity == diag.Error && (!d.Pos.IsValid() || strings.Contains(d.Message, "\n") || !allowed.MatchString(d.Message)) {
			wrong = append(wrong, fmt.Errorf("%v: error: %s (%s)", d.Pos, d.Message, d.Hint))
		}
	}
	return errors.Join(wrong...)
}

// uncopied matches the errors of types that have no DeepCopy methods.
var uncopied = regexp.MustCompile("^cannot copy ")

// generate adds all that kubegen makes of the API in dir to the sources, by import path and file name. Where types
// cannot be copied, it does without DeepCopy methods.
func (l *lab) generate(dir string, sources map[string][]byte) (diag.List, error) {
	diags, err := l.generateWith(dir, sources, true)
	if slices.ContainsFunc(diags, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error && uncopied.MatchString(d.Message) }) {
		return l.generateWith(dir, sources, false)
	}
	return diags, err
}

func (l *lab) generateWith(dir string, sources map[string][]byte, deepCopy bool) (diags diag.List, err error) {
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("panic: %v", bug)
		}
	}()
	dirs := map[string]bool{}
	for name := range sources {
		dirs["./"+strings.TrimPrefix(path.Dir(name), labModule+"/")] = true
	}
	p := &plan.Plan{
		Environment: load.Environment{Dir: dir}, Command: plan.Command{Consistent: true}, Flags: &plan.Flags{},
		Needs: plan.Needs{Kinds: true, Scheme: true, Types: true, Indexes: true},
	}
	cfg := facts.Config{Output: products.Output{Plan: p, Files: map[string]products.Files{}}}
	for _, g := range generators.All {
		if f := g.Info(); f.Name == products.Registration || f.Name == products.Copies && deepCopy {
			cfg.Files[f.Name] = products.Files{Marks: gofile.ToolMarks{{Line: f.GeneratedBy()}}}
		}
	}
	const root = labModule + "/generated"
	opts := render.Options{Options: plan.Options{Roots: map[string]plan.Root{}, ClientOptions: plan.ClientOptions{APIPath: "/apis", Fake: true}}}
	opts.HandWritten = func(dir string) map[string][]byte {
		beside := map[string][]byte{}
		for name, text := range sources {
			if path.Dir(name) == dir && !strings.HasPrefix(path.Base(name), "zz_generated.") {
				beside[name] = text
			}
		}
		return beside
	}
	var targets []run.Target
	for _, g := range generators.All {
		if f := g.Info(); g.Info().HasPackages() {
			opts.Roots[f.Templates] = plan.Root{Path: path.Join(root, f.Templates), KeepsCase: f.KeepsCase}
		}
		targets = append(targets, run.Target{Target: plan.Target{Of: g.Info()}, Generator: g, Options: opts})
	}
	loading := cfg.Loading(applyconfiguration.Published)
	loading.List = l.list(dir)
	loader := load.NewLoader(context.Background(), loading)
	patterns := slices.Sorted(maps.Keys(dirs))
	found, reported := loader.Find(patterns)
	known, reported := facts.Read(loader, found, patterns, cfg, reported)
	parts, reported := known.Together(reported)
	part := parts[0]
	var api *model.API
	for again := true; again; {
		reader := part.Reader()
		structs, ofStructs := applyconfiguration.Read(reader, &render.Options{})
		named, ofNames := part.API(structs, nil)
		all := slices.Concat(reported, ofStructs, reader.Mistakes(), ofNames)
		var off diag.List
		if again = false; !all.HasErrors() {
			off, again = run.SwitchOff(targets, model.Client{}, named)
		}
		if diags = append(diags, off...); !again {
			api, reported = named, all
		}
	}
	reported = known.Check(parts, []*model.API{api}, false, nil, nil, reported)
	if diags = append(reported, diags...); diags.HasErrors() {
		return diags, nil
	}
	run.LeaveOutInformers(api, &diags)
	if run.CheckDirectories(targets, api, false, &diags); diags.HasErrors() {
		return diags, nil
	}
	rendered := map[string][]byte{}
	for _, g := range generators.All {
		files, wrong := render.Files(g, api, &opts)
		diags = append(diags, wrong...)
		for _, file := range files {
			name := file.Path
			if !g.Info().InPackages() {
				name = path.Join(root, g.Info().Templates, name)
			}
			rendered[name] = file.Content
			err = errors.Join(err, unformatted(name, rendered[name]))
		}
	}
	if !diags.HasErrors() {
		maps.Copy(sources, rendered)
	}
	return diags, err
}

// FuzzTypes generates everything for arbitrary types.go files. What is wrong has to be told at a place, and nothing
// may panic or never end; what comes without errors must compile if the file itself does.
func FuzzTypes(f *testing.F) {
	if testing.Short() {
		f.Skip("-short: it compiles what is generated for many APIs")
	}
	for seed := range uint64(12) {
		for name, text := range apitest.Names(seed, labModule) {
			if strings.HasPrefix(name, "apis/") {
				f.Add(text)
			}
		}
	}
	archives, err := filepath.Glob("testdata/golden/mistake-*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if path.Base(file.Name) == "types.go" {
				f.Add(string(file.Data))
			}
		}
	}
	exports, err := compiled()
	if err != nil {
		f.Fatal(err)
	}
	l := newLab(f)
	l.known = exports.files
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		const name = "apis/stable/v1/types.go"
		writeFile(t, filepath.Join(dir, name), []byte(text))
		sources := map[string][]byte{labModule + "/" + name: []byte(text)}
		valid := checkTypes(sources) == nil
		diags, err := l.generate(dir, sources)
		switch {
		case err != nil:
			t.Error(err)
		case diags.HasErrors():
			if err := checkMessages(diags, regexp.MustCompile("")); err != nil && !strings.Contains(err.Error(), "nothing to generate") {
				t.Error(err)
			}
		case valid:
			if err := checkTypes(sources); err != nil {
				t.Error(err)
			}
		}
	})
}

// checkTypes type-checks sources, which are by import path and file name.
func checkTypes(sources map[string][]byte) error {
	check := newChecker()
	for name, text := range sources {
		importPath := path.Dir(name)
		if check.texts[importPath] == nil {
			check.texts[importPath] = map[string][]byte{}
		}
		check.texts[importPath][name] = text
	}
	var errs []error
	for _, importPath := range slices.Sorted(maps.Keys(check.texts)) {
		if _, err := check.Import(importPath); err != nil {
			errs = append(errs, fmt.Errorf("%s does not compile: %w", importPath, err))
		}
	}
	return errors.Join(errs...)
}
