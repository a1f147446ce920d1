package crd

import (
	"strings"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// maxRequest is the default limit of etcd on the size of requests in bytes.
const maxRequest = 3 << 19

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// checkSizes adds a warning for manifests that are too large for etcd, and one for manifests that are too large for
// kubectl apply, which copies them into an annotation.
func checkSizes(all []*output, options Options, diags *diag.List) {
	var forEtcd, forKubectl []*output
	for _, m := range all {
		switch {
		case m.jsonSize > maxRequest:
			forEtcd = append(forEtcd, m)
		case m.annotationsSize() > maxAnnotations:
			forKubectl = append(forKubectl, m)
		}
	}
	shorter := diag.Textf("leave out descriptions with %s 0", diag.Setting("crd-max-description-length"))
	described := options.DescriptionLimit == nil || *options.DescriptionLimit > 0
	if len(forEtcd) > 0 {
		d := diags.Warnf(forEtcd[0].Versions[0].pos, "etcd refuses %s by default: it accepts %d bytes", manifests(forEtcd), maxRequest).
			In(filesOf(forEtcd)...)
		if described {
			d.Suggest("%s", shorter)
		} else {
			d.Suggest("use fewer versions, or give the kind fewer fields")
		}
	}
	if len(forKubectl) > 0 {
		d := diags.Warnf(
			forKubectl[0].Versions[0].pos, "kubectl apply fails for %s, because all annotations, including the one that it adds, may have %d bytes",
			manifests(forKubectl), maxAnnotations,
		).In(filesOf(forKubectl)...)
		if described {
			d.Suggest("use kubectl apply --server-side, or %s", shorter)
		} else {
			d.Suggest("use kubectl apply --server-side")
		}
	}
}

// annotationsSize returns the size in bytes of the annotations after kubectl apply has added its own.
func (m *output) annotationsSize() int {
	size := len(lastApplied) + m.jsonSize + len("\n")
	for key, value := range m.annotations {
		size += len(key) + len(value)
	}
	return size
}

func filesOf(all []*output) (names []string) {
	for _, m := range all {
		names = append(names, m.file())
	}
	return names
}

// manifests returns the names of manifests for a message.
func manifests(all []*output) string {
	var names []string
	for _, m := range all {
		names = append(names, m.Name())
	}
	if len(names) == 1 {
		return "the manifest of " + names[0]
	}
	return "the manifests of " + strings.Join(names, ", ")
}
