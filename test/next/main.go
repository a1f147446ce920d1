// Command next looks for new versions of the modules that generated code and manifests depend on, and says what changes
// with each of them.
//
//	go run ./next                                        # in the directory test: what is newer than the repository knows
//	go run ./next -from v0.36 -to v0.37.0-rc.1 -facts    # what it would have said of v0.37
//
// The versions that the repository knows are in test/conformance/releases and test/go.mod. For each new version of
// client-go, prereleases included, it makes a module that requires it, and generates the code of client-go itself, once
// for the known release, and once by evidence alone. It compares both with the generated packages of client-go. What
// the first lacks has changed with the version; what the second lacks is missing in kubegen. It also asks for the
// modules that go.mod files of the release name for the first time, and for the same version of code-generator: it
// lists the markers that are new in its source, and runs its tools beside kubegen for all verbs and markers. Then it
// generates the CronTab example by evidence alone, and builds it with consistency and fakeapi. It updates the .mod file
// of the release, and the releases that kubegen knows, in the working tree, and runs tests of test/conformance with
// them. For each new version of controller-gen, it compares markers and manifests.
//
// It writes logs and differences into the directory of -out. The exit code is 0 if nothing is new, 1 if something is,
// or if something failed, and 2 for mistakes in the command line.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kubegen/kubegen/internal/terms/model"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// next is one run of the command.
type next struct {
	root  string // of the repository
	out   string // for logs and differences
	work  string // for modules; removed in the end
	bin   string // with the commands of kubegen
	known versions

	last    string // the newest version of client-go to look at, or ""
	facts   bool   // nothing is built
	history bool   // the known versions were given, so nothing in the working tree changes

	stdout io.Writer
	news   bool // something is new or has failed
}

func run(args []string, stdout, stderr io.Writer) int {
	n := &next{stdout: stdout}
	fs := flag.NewFlagSet("next", flag.ContinueOnError)
	fs.SetOutput(stderr)
	from := fs.String("from", "", "the release of client-go, such as v0.36, that counts as the newest known one")
	fs.StringVar(&n.last, "to", "", "the newest version of client-go to look at")
	fs.BoolVar(&n.facts, "facts", false, "compare versions, but build nothing")
	fs.StringVar(&n.out, "out", "", "the directory for logs and differences; a new one if empty")
	fs.StringVar(&n.root, "root", "..", "the root directory of the repository")
	given := versions{}
	fs.Func("known", "MODULE@VERSION that counts as the newest known version; may be repeated", func(text string) error {
		modulePath, version, ok := strings.Cut(text, "@")
		if !ok || !semver.IsValid(version) {
			return fmt.Errorf("write it as MODULE@VERSION")
		}
		given.add(modulePath, version)
		return nil
	})
	if err := fs.Parse(args); err != nil {
		return 2
	}
	upTo, err := model.PreviewRelease, error(nil)
	if *from != "" {
		upTo, err = model.ParseRelease(*from)
	}
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if err == nil && n.last != "" && !semver.IsValid(n.last) {
		err = fmt.Errorf("-to: %q is not a version", n.last)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	n.history = *from != "" || len(given) > 0
	if err := n.look(upTo, given); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	if n.news {
		return 1
	}
	fmt.Fprintln(stdout, "nothing is new")
	return 0
}

func (n *next) look(upTo model.Release, given versions) (err error) {
	if n.root, err = filepath.Abs(n.root); err != nil {
		return err
	}
	releases := filepath.Join(n.root, "test", "conformance", "releases")
	if n.known, err = known(releases, filepath.Join(n.root, "test", "go.mod"), upTo); err != nil {
		return err
	}
	for modulePath, list := range given {
		n.known[modulePath] = list
	}
	if n.work, err = os.MkdirTemp("", "kubegen-next-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(n.work) }()
	n.bin = filepath.Join(n.work, "bin")
	if n.out == "" {
		n.out, err = os.MkdirTemp("", "next-")
	} else if n.out, err = filepath.Abs(n.out); err == nil {
		err = os.MkdirAll(n.out, 0o755)
	}
	if err != nil {
		return err
	}

	fresh := map[string][]string{}
	for _, modulePath := range n.modules() {
		found, err := n.fresh(modulePath)
		if err != nil {
			return err
		}
		fresh[modulePath] = found
		if len(found) > 0 {
			n.news = true
			fmt.Fprintf(n.stdout, "%s: known %s, new %s\n", modulePath, cmp.Or(n.known.newest(modulePath), "none"), strings.Join(found, " "))
		}
	}
	return errors.Join(n.clients(fresh[clientGo]), n.controllerGens(fresh[controllerTools]))
}

// modules returns the paths of the modules to look for: of structured-merge-diff, those of the newest known major
// version and of the next one.
func (n *next) modules() []string {
	major := 0
	for modulePath := range n.known {
		text, ok := strings.CutPrefix(modulePath, mergeDiff)
		if m, err := strconv.Atoi(text); ok && err == nil {
			major = max(major, m)
		}
	}
	return []string{
		machinery, clientGo, openAPI, mergeDiff + strconv.Itoa(major), mergeDiff + strconv.Itoa(major+1), controllerRuntime, controllerTools,
	}
}

// fresh returns the new versions of a module.
func (n *next) fresh(modulePath string) ([]string, error) {
	published, err := goCommand{dir: n.work}.published(modulePath)
	if len(n.known[modulePath]) == 0 { // the next major version
		if err != nil {
			return nil, nil // there is none
		}
		return published, nil
	}
	if err != nil {
		return nil, err
	}
	if modulePath == clientGo || modulePath == machinery {
		return candidates(n.known[modulePath], published, true, n.last), nil
	}
	return candidates(n.known[modulePath], published, false, ""), nil
}

// clients looks at new versions of client-go.
func (n *next) clients(fresh []string) error {
	if len(fresh) == 0 {
		return nil
	}
	_, err := goCommand{dir: n.root}.run("build", "-o", n.bin+string(filepath.Separator), "./cmd/...")
	if err != nil {
		return err
	}
	read := map[string]*clientVersion{}
	earlier := append([]string{}, n.known[clientGo]...)
	var errs []error
	for _, version := range fresh {
		release, _ := model.ReleaseOf(baseOf(version, n.known[clientGo]))
		base := baseOf(version, earlier)
		for _, v := range []string{base, version} {
			if key := v + " " + release.String(); read[key] == nil {
				c, err := n.readClient(v, release)
				if err != nil {
					errs = append(errs, fmt.Errorf("%s %s: %w", clientGo, v, err))
					break
				}
				read[key] = c
			}
		}
		before, after := read[base+" "+release.String()], read[version+" "+release.String()]
		if before == nil || after == nil {
			continue
		}
		earlier = append(earlier, version)
		if err := n.client(before, after, release); err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", clientGo, version, err))
		}
		if err := n.classicTools(after); err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", codeGenerator, version, err))
		}
	}
	return errors.Join(errs...)
}

// client reports on a new version of client-go.
func (n *next) client(before, after *clientVersion, release model.Release) error {
	changes, err := compareClients(before, after, release)
	if err != nil {
		return err
	}
	named, err := compareNamed(before, after)
	if err != nil {
		return err
	}
	changes[requirements] = append(changes[requirements], named...)
	bodies, unified, err := compareCode(before, after)
	if err != nil {
		return err
	}
	changes[code] = bodies
	fmt.Fprintf(n.stdout, "\n%s %s, after %s\n", clientGo, after.version, before.version)
	total := 0
	for _, subject := range subjects {
		if len(changes[subject]) == 0 {
			continue
		}
		fmt.Fprintf(n.stdout, "  %s:\n", subject)
		for _, c := range changes[subject] {
			total++
			fmt.Fprintf(n.stdout, "    %s %s\n", c.sign, c.text)
		}
	}
	if total == 0 {
		fmt.Fprintln(n.stdout, "  no changes")
	}
	if len(unified) > 0 {
		name := filepath.Join(n.out, after.version+"-code.diff")
		if err := writeFile(name, string(unified)); err != nil {
			return err
		}
		fmt.Fprintf(n.stdout, "  the code is in %s\n", name)
	}
	fmt.Fprintf(n.stdout, "  by evidence alone, kubegen generates for %s\n", after.shown.Release())
	if n.facts {
		return nil
	}
	return n.try(after)
}
