// Package v1 has the types that the generated shapes of TestApplyShapes refer to, and kinds with features that are
// not part of a shape: tags, markers and embedding.
//
// +groupName=stable.example.com
package v1

import (
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	sharedv1 "example.com/api/apis/shared/v1"
)

type (
	Mode    string
	Modes   []Mode
	Level   int32
	Octets  []byte
	Labels  map[string]string
	Renamed Item
	Item    struct {
		Name string `json:"name"`
	}
	hidden struct {
		Name string `json:"name"`
	}
	Node struct {
		Name  string `json:"name"`
		Nodes []Node `json:"nodes"`
	}
	Digest  [2]byte
	Timeout time.Duration

	Alias[T any] = []T
	Box[T any]   struct {
		Content T `json:"content"`
	}
	Pair[A, B any] struct {
		First  A `json:"first"`
		Second B `json:"second"`
	}
)

// Own writes its own JSON.
//
// +kubebuilder:validation:Type=string
type Own struct{ x, y int }

func (o Own) MarshalJSON() ([]byte, error) { return json.Marshal(fmt.Sprintf("%d/%d", o.x, o.y)) }

func (o *Own) UnmarshalJSON(data []byte) error {
	_, err := fmt.Sscanf(string(data), `"%d/%d"`, &o.x, &o.y)
	return err
}

// +genclient
// +genclient:skipVerbs=list,watch,deleteCollection
type Marked struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// +listType=map
	// +listMapKey=name
	Items []Item `json:"items"`
	// +listType=map
	// +listMapKey=name
	Pointers []*Item `json:"pointers"`
	// +listType=map
	// +listMapKey=port
	// +listMapKey=protocol
	Ports []Port `json:"ports"`
	// +listType=map
	// +listMapKey=name
	Boxes []Sized[intstr.IntOrString] `json:"boxes"`
	// +listType=set
	Set []string `json:"set"`
	// +listType=set
	Modes Modes `json:"modes"`
	// +listType=atomic
	Atomic []Item `json:"atomic"`
	// +mapType=atomic
	AtomicMap map[string]string `json:"atomicMap"`
	// +mapType=granular
	Granular map[string]Item `json:"granular"`
	// +structType=atomic
	AtomicStruct Node `json:"atomicStruct"`
	// +structType=atomic
	AtomicPointer *Node              `json:"atomicPointer,omitempty"`
	Containers    []corev1.Container `json:"containers" patchStrategy:"merge" patchMergeKey:"name"`
	Parts         []sharedv1.Part    `json:"parts" patchStrategy:"merge" patchMergeKey:"key"`
	Lists         map[string][]Item  `json:"lists"`
	OmitEmpty     string             `json:"omitEmpty,omitempty"`
	OmitZero      Item               `json:"omitZero,omitzero"`
	Unnamed       string             `json:",omitempty"`
	Duration      time.Duration      `json:"duration"`
	Time          time.Time          `json:"time"`
	// +default="none"
	Defaulted string `json:"defaulted"`

	Status MarkedStatus `json:"status"`
}

type MarkedStatus struct {
	Phase Mode `json:"phase"`
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions"`
	Observed   *int64             `json:"observed,omitempty"`
}

type Port struct {
	Port int32 `json:"port"`
	// +default="TCP"
	Protocol string `json:"protocol"`
	Name     string `json:"name,omitempty"`
}

type Sized[T any] struct {
	Name string `json:"name"`
	Size T      `json:"size"`
}

// Embedding embeds types of this package and of others, by value and by pointer, with a name in JSON and without.
//
// +genclient
// +genclient:skipVerbs=list,watch,deleteCollection
// +genclient:nonNamespaced
type Embedding struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Base                        `json:",inline"`
	*Optional                   `json:",inline"`
	sharedv1.Part               `json:",inline"`
	Port                        `json:"port"`
	*Node                       `json:"node,omitempty"`
	Sized[string]               `json:"sized"`
	corev1.LocalObjectReference `json:"reference"`
	*metav1.LabelSelector       `json:"selector,omitempty"`
	corev1.ResourceRequirements `json:",inline"`
}

type Base struct {
	Shown  string `json:"shown"`
	Deeper `json:",inline"`
}

type Deeper struct {
	Depth int `json:"depth"`
}

type Optional struct {
	Extra []Item `json:"extra"`
}
