package crd

import (
	"cmp"
	"encoding/json"
	"go/token"
	"strings"

	"github.com/kubegen/kubegen/internal/text/diag"
)

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// checkSizes adds a warning for manifests that are too large for kubectl apply, which copies them into an annotation.
func checkSizes(all []*output, options Options, diags *diag.List) {
	var names, files []string
	var first token.Position
	for _, m := range all {
		if len(m.content) > maxAnnotations && m.annotationsSize() > maxAnnotations { // in YAML, it is larger than in JSON
			names, files, first = append(names, m.Name()), append(files, m.file()), cmp.Or(first, m.Versions[0].pos)
		}
	}
	if len(names) == 0 {
		return
	}
	d := diags.Warnf(
		first, "kubectl apply fails for the %s of %s, because all annotations, including the one that it adds, may have %d bytes",
		map[bool]string{true: "manifest", false: "manifests"}[len(names) == 1], strings.Join(names, ", "), maxAnnotations,
	).In(files...).Suggest("use kubectl apply --server-side")
	if options.DescriptionLimit == nil || *options.DescriptionLimit > 0 {
		d.Or("leave out descriptions with %s 0", diag.Setting("crd-max-description-length"))
	}
}

// annotationsSize returns the size in bytes of the annotations after kubectl apply has added its own.
func (m *output) annotationsSize() int {
	text, _ := json.Marshal(m.object()) // cannot fail
	size := len(lastApplied) + len(text) + len("\n")
	for key, value := range m.annotations {
		size += len(key) + len(value)
	}
	return size
}
