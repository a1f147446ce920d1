package chart

import (
	"fmt"
	"html"
	"strings"
)

// Caches holds the figures of caches of informers that contain the same Pods in different forms.
type Caches struct {
	Origin
	ClientGo string  `json:"clientGo"` // version of k8s.io/client-go
	Pods     int     `json:"pods"`
	Size     int     `json:"size"`    // bytes of a Pod as JSON
	Managed  int     `json:"managed"` // bytes of its managedFields
	Caches   []Cache `json:"caches"`
}

// Cache holds the figures of a cache.
type Cache struct {
	Form Form   `json:"form"`
	Heap Figure `json:"heap"` // megabytes
	Sync Figure `json:"sync"` // seconds until it is full
}

// Form is the form of the Pods in a cache, a command-line argument.
type Form string

// The forms, in the order of the chart.
const (
	Full                 Form = "full"
	WithoutManagedFields Form = "without-managed-fields"
	Slice                Form = "slice"
)

// Forms returns all forms.
func Forms() []Form { return []Form{Full, WithoutManagedFields, Slice} }

var formLabels = map[Form]string{Full: "all fields", WithoutManagedFields: "without managedFields", Slice: "five fields"}

// Filled holds the figures of a run.
type Filled struct {
	Heap, Sync          float64
	Pods, Size, Managed int
}

func (c Cache) figures() string {
	return fmt.Sprintf("%.3g MB", c.Heap.Median) + " in " + seconds(c.Sync.Median)
}

// summary describes the chart in words.
func (c *Caches) summary() string {
	var parts []string
	for _, cache := range c.Caches {
		parts = append(parts, formLabels[cache.Form]+" "+cache.figures())
	}
	return c.title() + ": " + strings.Join(parts, "; ") + "."
}

func (c *Caches) title() string {
	return fmt.Sprintf("Memory of a cache with %d,%03d Pods, and time to fill it", c.Pods/1000, c.Pods%1000)
}

// source describes the origin of the figures.
func (c *Caches) source() string {
	return fmt.Sprintf("Medians of %d runs: Pods of %.1f kB as JSON, %.1f kB of it managedFields, client-go %s, %s.",
		c.Runs, float64(c.Size)/1e3, float64(c.Managed)/1e3, c.ClientGo, c.machine())
}

// markdown returns the text between the comments in the page.
func (c *Caches) markdown() string {
	return fmt.Sprintf("![%s](caches.svg)\n\n%s\n`make bench BENCH='-case cache -chart'` measures again.\n", c.summary(), c.source())
}

// svg returns the chart.
func (c *Caches) svg() string {
	var s strings.Builder
	const top, pitch = 8, 26
	open(&s, top+pitch*len(c.Caches), c.title(), c.summary()+" "+c.source())
	for i, cache := range c.Caches {
		y, long := top+i*pitch, max(1, barWidth*cache.Heap.Median/c.Caches[0].Heap.Median)
		class := "kubegen"
		if cache.Form == Full {
			class = "classic"
		}
		fmt.Fprintf(&s, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", barX-10, y+12, html.EscapeString(formLabels[cache.Form]))
		fmt.Fprintf(&s, `<rect class="%s" x="%d" y="%d" width="%.1f" height="%d"/><text x="%.1f" y="%d">%s</text>`+"\n",
			class, barX, y, long, barHeight, barX+long+6, y+12, cache.figures())
	}
	s.WriteString("</svg>\n")
	return s.String()
}
