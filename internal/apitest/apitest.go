// Package apitest makes random packages of API types, a kind of packages in each file: those whose names clash, those
// whose markers make schemas, those of which objects are used, and so on. The same arguments always give the same
// text. Only tests import it.
package apitest

import (
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
)

// inline is the tag of embedded structs.
const inline = "`json:\",inline\"`"

// source is the text of a package that is written at random.
type source struct {
	*rand.Rand
	text strings.Builder
}

// newSource returns the source of a seed; each kind of packages has a stream of its own.
func newSource(seed, stream uint64) source { return source{Rand: rand.New(rand.NewPCG(seed, stream))} }

func (s *source) chance(percent int) bool { return s.IntN(100) < percent }

func (s *source) oneOf(choices ...string) string { return choices[s.IntN(len(choices))] }

func (s *source) printf(format string, args ...any) { fmt.Fprintf(&s.text, format, args...) }

// line writes an indented line.
func (s *source) line(indent, format string, args ...any) {
	s.printf(indent+"%s\n", fmt.Sprintf(format, args...))
}

// known are the packages that types refer to by these names.
var known = [][2]string{
	{"corev1", "k8s.io/api/core/v1"},
	{"apiextensionsv1", "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"},
	{"resource", "k8s.io/apimachinery/pkg/api/resource"},
	{"metav1", "k8s.io/apimachinery/pkg/apis/meta/v1"},
	{"runtime", "k8s.io/apimachinery/pkg/runtime"},
	{"schema", "k8s.io/apimachinery/pkg/runtime/schema"},
	{"intstr", "k8s.io/apimachinery/pkg/util/intstr"},
}

// imports writes a package clause and the imports of known packages and others. All may be unused.
func (s *source) imports(name string, others ...string) {
	s.line("", "package %s\n\nimport (", name)
	for _, one := range known {
		switch {
		case one[0] == "schema":
		case one[0] == path.Base(one[1]):
			s.line("\t", "%q", one[1])
		default:
			s.line("\t", "%s %q", one[0], one[1])
		}
	}
	for _, other := range others {
		s.line("\t", "%q", other)
	}
	s.line("",
		")\n\nvar _ corev1.Pod\nvar _ apiextensionsv1.JSON\nvar _ resource.Quantity\nvar _ runtime.RawExtension\nvar _ intstr.IntOrString")
}
