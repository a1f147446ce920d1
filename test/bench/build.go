//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"
)

// printBuild builds kubegen and the four upstream tools n times in turn. Each build starts with an empty build cache,
// as on a new CI machine, and is followed by a build with the cached packages, which only links. Modules are downloaded
// beforehand. It prints the times and the sizes of the binaries.
func printBuild(table *tabwriter.Writer, n int, temp string) error {
	var build, link sides
	var size [2]int64
	commands := [2][]string{
		{"go", "build", "-C", "../..", "-o", "", "./cmd/kubegen"},
		append([]string{"go", "build", "-C", ".", "-o", ""}, upstreamTools[:4]...),
	}
	for i := range n {
		for side, command := range commands {
			dir := filepath.Join(temp, fmt.Sprintf("build-%d-%d", i, side))
			cache := []string{"env", "GOCACHE=" + filepath.Join(dir, "cache")}
			var spent [2]usage // build and link, and link only
			for j := range spent {
				command[5] = filepath.Join(dir, fmt.Sprint(j)) + string(filepath.Separator)
				if err := os.MkdirAll(command[5], 0o755); err != nil {
					return err
				}
				var err error
				if spent[j], err = spend(".", [][]string{append(cache[:2:2], command...)}); err != nil {
					return err
				}
			}
			built, err := sizeOf(command[5])
			if err != nil {
				return err
			}
			size[side] = built
			if side == 0 {
				build.kubegen, link.kubegen = append(build.kubegen, spent[0]), append(link.kubegen, spent[1])
			} else {
				build.upstream, link.upstream = append(build.upstream, spent[0]), append(link.upstream, spent[1])
			}
			if err := os.RemoveAll(dir); err != nil { // a build cache has hundreds of megabytes
				return err
			}
		}
	}
	row(table, "build", "wall s", build, func(u usage) float64 { return u.wall.Seconds() })
	row(table, "", "CPU s", build, func(u usage) float64 { return u.cpu.Seconds() })
	row(table, "", "linking alone: CPU s", link, func(u usage) float64 { return u.cpu.Seconds() })
	_, err := fmt.Fprintf(
		table, "\tbinaries MB\t%.3g\t%.3g\t%.1f\t\n", float64(size[0])/1e6, float64(size[1])/1e6, float64(size[1])/float64(size[0]),
	)
	return err
}

// sizeOf returns the total size of the files in a directory, in bytes.
func sizeOf(dir string) (size int64, err error) {
	err = fs.WalkDir(os.DirFS(dir), ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
