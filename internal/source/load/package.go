package load

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/internal/text/parallel"
)

// Package is a Go package as text and syntax. Generated files are parsed only to find a declaration that no other file
// contains.
type Package struct {
	Path, Name string
	Module     string           // directory of its module if that is a main module, or ""
	Foreign    bool             // belongs to a module that users cannot change
	Owner      *packages.Module // its module, or nil for the standard library
	Files      []*File
	Hidden     []*File                    // generated files that count as if they did not exist, see Read
	Ignored    []string                   // files excluded by build constraints
	Decls      map[string]Decl            // nil before it is read
	methods    map[string][]*ast.FuncDecl // by the name of their type
}

// File is one Go file of a package.
type File struct {
	Name   string
	Text   []byte
	Syntax *ast.File // nil before it is parsed
	Err    error

	shared *parsedFile // nil before it is read
	early  bool        // parsed by Read
}

// Decl is a package-level declaration.
type Decl struct {
	File  *File
	Type  *ast.TypeSpec
	Of    ast.Expr // type in the declaration of a variable or constant, if any
	Value ast.Expr // initial value of a variable or constant, if any
	Const bool
	Node  ast.Node
}

// Read reads all files of the packages in parallel, and parses files that are hand-written or contain a text in the
// Config. Then it hides the files with the marks that hidden returns for each package, which the run writes again or
// removes; nil hides none. Afterwards, files of packages do not change.
func (l *Loader) Read(found []*Package, hidden func(*Package) gofile.ToolMarks) {
	var all []*File
	for _, src := range found {
		all = append(all, src.Files...)
	}
	parallel.Each(all, func(f *File) {
		f.shared = l.shared.file(f.Name, l.cfg.ReadFile)
		f.Text, f.Err = f.shared.text, f.shared.readErr
		if f.early = l.shared.toParse(f.shared); f.early {
			l.Parse(f)
		}
	})
	for _, src := range found {
		src.declare()
	}
	if hidden == nil {
		return
	}
	for _, src := range found {
		marks := hidden(src)
		isHidden := func(f *File) bool { return f.Has(marks) }
		if slices.ContainsFunc(src.Files, isHidden) {
			src.Hidden = slices.DeleteFunc(slices.Clone(src.Files), func(f *File) bool { return !isHidden(f) })
			src.Files = slices.DeleteFunc(src.Files, isHidden)
			src.declare()
		}
	}
}

// declare sets the declarations and methods of the package from its parsed files.
func (s *Package) declare() {
	s.Decls, s.methods = map[string]Decl{}, map[string][]*ast.FuncDecl{}
	for _, replaces := range []bool{true, false} {
		for _, f := range s.Files {
			if f.early == replaces {
				s.index(f, replaces)
			}
		}
	}
}

// Parse parses a file that was read.
func (l *Loader) Parse(f *File) { f.Syntax, f.Err = l.shared.syntax(f.Name, f.shared) }

// Mistakes returns errors for the files of packages read so far that cannot be read or parsed, or whose package name
// differs from the name in the first file of the package that can be parsed. Files of Config.Generated have no
// mistakes, because runs replace them, also after a merge with conflicts.
func (l *Loader) Mistakes() (diags diag.List) {
	for _, importPath := range slices.Sorted(maps.Keys(l.Known)) {
		if src := l.Known[importPath]; src != nil && src.Decls != nil {
			diags = append(diags, src.mistakes(l.Fset, l.cfg.Generated)...)
		}
	}
	return diags
}

func (s *Package) mistakes(fset *token.FileSet, generated gofile.ToolMarks) (diags diag.List) {
	var first *File
	for _, f := range s.Files {
		if f.Has(generated) {
			continue
		}
		f.Mistake(&diags)
		switch {
		case f.Syntax == nil || f.Err != nil:
		case first == nil:
			first = f
		case f.Syntax.Name.Name != first.Syntax.Name.Name:
			diags.Errorf(fset.Position(f.Syntax.Name.Pos()), "package %s, but %s in the same directory is package %s",
				f.Syntax.Name.Name, filepath.Base(first.Name), first.Syntax.Name.Name).Suggest("a directory holds one package; move or rename one")
		}
	}
	return diags
}

// Has reports whether a file that was read has one of the marks.
func (f *File) Has(marks gofile.ToolMarks) bool { return marks.On(filepath.Base(f.Name), f.Text) }

// Mistake reports that a file cannot be read or parsed, with the first of its syntax errors.
func (f *File) Mistake(diags *diag.List) {
	var syntax scanner.ErrorList
	switch {
	case errors.As(f.Err, &syntax):
		diags.Errorf(syntax[0].Pos, "syntax error: %s", strings.ReplaceAll(syntax[0].Msg, "\n", `\n`)) // it may quote a multi-line string
	case f.Err != nil:
		why := f.Err
		if inner := errors.Unwrap(why); inner != nil {
			why = inner // without the file's absolute path
		}
		diags.Errorf(token.Position{Filename: f.Name, Line: 1}, "cannot read this file: %v", why)
	}
}

// Dir returns the directory of the package's files, or "" if there are none.
func (s *Package) Dir() string {
	for _, f := range slices.Concat(s.Files, s.Hidden) {
		return filepath.Dir(f.Name)
	}
	for _, name := range s.Ignored {
		return filepath.Dir(name)
	}
	return ""
}

// Mentions reports whether any file of the package contains a text.
func (s *Package) Mentions(text string) bool {
	return slices.ContainsFunc(s.Files, func(f *File) bool { return bytes.Contains(f.Text, []byte(text)) })
}

// Broken reports whether a file of the package could not be parsed; it may contain missing declarations.
func (s *Package) Broken() bool {
	return slices.ContainsFunc(s.Files, func(f *File) bool { return f.Err != nil })
}

// index adds the declarations of a parsed file to Decls and its methods to the ones that Methods returns. replaces says
// whether it replaces declarations of the same names.
func (s *Package) index(f *File, replaces bool) {
	if f.Syntax == nil {
		return
	}
	declare := func(name string, d Decl) {
		if _, declared := s.Decls[name]; replaces || !declared {
			s.Decls[name] = d
		}
	}
	for _, d := range f.Syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				declare(d.Name.Name, Decl{File: f, Node: d})
			} else if d.Recv.NumFields() == 1 {
				receiver := BaseName(d.Recv.List[0].Type)
				s.methods[receiver] = append(s.methods[receiver], d)
			}
		case *ast.GenDecl:
			written := &ast.ValueSpec{}
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					declare(spec.Name.Name, Decl{File: f, Node: spec, Type: spec})
				case *ast.ValueSpec:
					if len(spec.Values) > 0 || d.Tok != token.CONST { // otherwise, the preceding ones are repeated
						written = spec
					}
					for i, name := range spec.Names {
						found := Decl{File: f, Node: name, Const: d.Tok == token.CONST, Of: written.Type}
						if i < len(written.Values) {
							found.Value = written.Values[i]
						}
						declare(name.Name, found)
					}
				}
			}
		}
	}
}

// Methods returns the methods of a type in the parsed files of the package.
func (s *Package) Methods(typ string) []*ast.FuncDecl { return s.methods[typ] }

// BaseName returns the name of an embedded field with the given type, or of the type of a receiver.
func BaseName(expr ast.Expr) string {
	switch expr := ast.Unparen(expr).(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.StarExpr:
		return BaseName(expr.X)
	case *ast.SelectorExpr:
		return expr.Sel.Name
	case *ast.IndexExpr:
		return BaseName(expr.X)
	case *ast.IndexListExpr:
		return BaseName(expr.X)
	}
	return ""
}

// Nodes returns the nodes of a type in a syntax tree, in preorder.
func Nodes[N ast.Node](root ast.Node) iter.Seq[N] {
	return func(yield func(N) bool) {
		for n := range ast.Preorder(root) {
			if of, ok := n.(N); ok && !yield(of) {
				return
			}
		}
	}
}

// Parsed returns the parsed files of the package or, if there are texts, the ones among them that contain one of these.
func (s *Package) Parsed(texts ...string) iter.Seq[*File] {
	return func(yield func(*File) bool) {
		for _, f := range s.Files {
			if f.Syntax != nil && (len(texts) == 0 || containsAny(f.Text, texts)) && !yield(f) {
				return
			}
		}
	}
}

// Comments returns the comments in the parsed files of the package.
func (s *Package) Comments() (groups []*ast.CommentGroup) {
	for f := range s.Parsed() {
		groups = append(groups, f.Syntax.Comments...)
	}
	return groups
}

// ReadOnce reads the files of a package unless they were read before.
func (l *Loader) ReadOnce(s *Package) {
	if s.Decls == nil {
		l.Read([]*Package{s}, nil)
	}
}

// Lookup returns the package-level declaration of name. If necessary, it parses generated files that mention the name.
func (l *Loader) Lookup(s *Package, name string) (Decl, bool) {
	l.ReadOnce(s)
	if d, ok := s.Decls[name]; ok {
		return d, true
	}
	l.ParseMentioning(s, name)
	d, ok := s.Decls[name]
	return d, ok
}

// Predeclared reports whether a name denotes a predeclared type in a package.
func (l *Loader) Predeclared(s *Package, name string) bool {
	l.ReadOnce(s)
	if _, ok := s.Decls[name]; ok {
		return false
	}
	_, ok := types.Universe.Lookup(name).(*types.TypeName)
	return ok
}

// Hides returns the positions of the declarations of a package that have predeclared names, such as len.
func (l *Loader) Hides(s *Package) map[string]token.Position {
	l.ReadOnce(s)
	hidden := map[string]token.Position{}
	for _, name := range types.Universe.Names() {
		if d, ok := s.Decls[name]; ok {
			hidden[name] = l.Fset.Position(d.Node.Pos())
		}
	}
	return hidden
}

// ParseMentioning parses the generated files that contain one of some texts.
func (l *Loader) ParseMentioning(s *Package, texts ...string) {
	l.ParseWhere(s, func(f *File) bool { return containsAny(f.Text, texts) })
}

func containsAny(text []byte, some []string) bool {
	return slices.ContainsFunc(some, func(one string) bool { return bytes.Contains(text, []byte(one)) })
}

// ParseWhere parses the generated files for which needed returns true. Their declarations replace no others: a function
// that was generated until now may be hand-written in the meantime.
func (l *Loader) ParseWhere(s *Package, needed func(*File) bool) {
	for _, f := range s.Files {
		if f.Syntax == nil && f.Err == nil && needed(f) {
			l.Parse(f)
			s.index(f, false)
		}
	}
}

// ImportPath returns the import path for a package name in a file, or "" if no import has this name. If the import
// declares no name, the package clause counts, whatever the directory is called. known returns a package, or nil if it
// cannot be read; then the last element of the path counts.
func (f *File) ImportPath(name string, known func(importPath string) *Package) string {
	var likely, others []string
	for _, spec := range f.Syntax.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		switch {
		case err != nil:
		case spec.Name != nil && spec.Name.Name == name:
			return importPath
		case spec.Name != nil:
		case MayBeCalled(importPath, name) && model.IsStandard(importPath):
			return importPath
		case MayBeCalled(importPath, name):
			likely = append(likely, importPath)
		case !model.IsStandard(importPath):
			others = append(others, importPath)
		}
	}
	guess := ""
	for i, importPath := range append(likely, others...) {
		switch src := known(importPath); {
		case src != nil && src.Name == name:
			return importPath
		case i < len(likely) && guess == "" && (src == nil || src.Name == ""):
			guess = importPath
		}
	}
	return guess
}

// Lacks reports whether a file has no import with a package name, which it needs to compile. It is false if the name of
// an imported package cannot be read.
func (l *Loader) Lacks(f *File, name string) bool {
	return l.ImportPath(f, name) == "" && !slices.ContainsFunc(f.Syntax.Imports, func(spec *ast.ImportSpec) bool {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil || spec.Name != nil || model.IsStandard(importPath) {
			return err != nil
		}
		src := l.Imported(f, importPath)
		return src == nil || src.Name == ""
	})
}

// MayBeCalled reports whether an import path suggests the name of a package: its last element is the name, ends with
// it, or is a version after it.
func MayBeCalled(importPath, name string) bool {
	base := path.Base(importPath)
	return base == name || strings.HasSuffix(base, "-"+name) || strings.HasPrefix(base, name+".") ||
		majorVersion.MatchString(base) && path.Base(path.Dir(importPath)) == name
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// Imports returns the import paths in a file, or nil if it is not parsed.
func (f *File) Imports() (found []string) {
	if f == nil || f.Syntax == nil {
		return nil
	}
	for _, spec := range f.Syntax.Imports {
		if importPath, err := strconv.Unquote(spec.Path.Value); err == nil {
			found = append(found, importPath)
		}
	}
	return found
}

// ImportsIn returns the import paths in the text of a Go file.
func ImportsIn(text []byte) []string {
	syntax, _ := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
	return (&File{Syntax: syntax}).Imports()
}

// ImportsNamed returns the import paths that a file imports with a name, or without a name if name is "". It omits the
// standard library.
func (f *File) ImportsNamed(name string) []string {
	var found []string
	for _, spec := range f.Syntax.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err == nil && !model.IsStandard(importPath) && (spec.Name == nil && name == "" || spec.Name != nil && spec.Name.Name == name) {
			found = append(found, importPath)
		}
	}
	return found
}

// Imports reports whether any hand-written file of the package imports a package.
func (s *Package) Imports(importPath string) bool {
	return slices.ContainsFunc(s.Files, func(f *File) bool { return slices.Contains(f.Imports(), importPath) })
}

// IsBlank reports whether a line of the file is blank.
func (f *File) IsBlank(fset *token.FileSet, line int) bool {
	at := fset.File(f.Syntax.FileStart)
	start := at.Offset(at.LineStart(line))
	rest, _, _ := bytes.Cut(f.Text[start:], []byte("\n"))
	return len(bytes.TrimSpace(rest)) == 0
}

// HasMethod reports whether any file of the package declares a method of a type.
func (s *Package) HasMethod(typ, method string) bool {
	for _, f := range s.Files {
		for m := range f.Methods(method) {
			if m.Receiver == typ && m.Name == method {
				return true
			}
		}
	}
	return false
}

// Method is a method that a file declares.
type Method struct {
	Receiver, Name string
	Pointer        bool          // the receiver is one
	Decl           *ast.FuncDecl // nil if the file is not parsed
}

// Methods returns the methods of a file with a prefix of their names. A generated file that is not parsed is read in
// the layout of gofmt.
func (f *File) Methods(prefix string) iter.Seq[Method] {
	return func(yield func(Method) bool) {
		if f.Syntax != nil {
			for _, d := range f.Syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Recv.NumFields() != 1 || !strings.HasPrefix(fn.Name.Name, prefix) {
					continue
				}
				_, pointer := fn.Recv.List[0].Type.(*ast.StarExpr)
				if !yield(Method{BaseName(fn.Recv.List[0].Type), fn.Name.Name, pointer, fn}) {
					return
				}
			}
			return
		}
		before, after, found := bytes.Cut(f.Text, []byte(") "+prefix))
		for ; found; before, after, found = bytes.Cut(after, []byte(") "+prefix)) {
			receiver, isMethod := bytes.CutPrefix(before[bytes.LastIndexByte(before, '\n')+1:], []byte("func ("))
			if !isMethod {
				continue
			}
			receiver, _, _ = bytes.Cut(receiver, []byte("["))
			rest, _, _ := bytes.Cut(after, []byte("("))
			pointer := bytes.IndexByte(receiver, '*') >= 0
			if !yield(Method{string(receiver[bytes.LastIndexAny(receiver, " *")+1:]), prefix + string(rest), pointer, nil}) {
				return
			}
		}
	}
}
