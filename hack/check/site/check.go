// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/net/html"
)

// repository is the address of the files that are not part of the site.
const repository = "https://github.com/broadband-operator/broadband-operator/"

// site is a built site: its folder and its pages.
type site struct {
	folder string
	pages  map[string]page
}

// page is a page, as far as links are concerned.
type page struct {
	links   []string
	anchors map[string]bool
}

// read reads a site.
func read(folder string) (*site, error) {
	built := &site{folder: folder, pages: make(map[string]page)}
	err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(file) != ".html" {
			return err
		}
		name, err := filepath.Rel(folder, file)
		if err == nil {
			built.pages[filepath.ToSlash(name)], err = readPage(file)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the site: %w", err)
	}
	return built, nil
}

func readPage(file string) (page, error) {
	found := page{anchors: make(map[string]bool)}
	text, err := os.Open(file) //nolint:gosec // a file of the site
	if err != nil {
		return found, fmt.Errorf("open a page: %w", err)
	}
	defer text.Close() //nolint:errcheck // it was read
	tree, err := html.Parse(text)
	if err != nil {
		return found, fmt.Errorf("parse %s: %w", file, err)
	}
	for node := range tree.Descendants() {
		found.take(node.Attr)
	}
	return found, nil
}

// take collects the links and the anchor of an element.
func (p *page) take(attributes []html.Attribute) {
	for _, attribute := range attributes {
		switch attribute.Key {
		case "href", "src":
			p.links = append(p.links, attribute.Val)
		case "id":
			p.anchors[attribute.Val] = true
		}
	}
}

// check returns an error for each link that leads nowhere, and how many links there are. A link to
// another host is not followed; one to a file of the repository has to lead to a file of this tree.
func (s *site) check(root string) (broken []error, links int) {
	for name, found := range s.pages {
		for _, link := range found.links {
			links++
			if why := s.wrong(name, link, root); why != "" {
				broken = append(broken, fmt.Errorf("site: %s: the link %s %s", name, link, why))
			}
		}
	}
	if links == 0 {
		broken = append(broken, fmt.Errorf("site: %s has no links: run make site", s.folder))
	}
	return broken, links
}

// wrong says why a link of a page leads nowhere; "" if it leads somewhere.
func (s *site) wrong(from, link, root string) string {
	target, err := url.Parse(link)
	if err != nil {
		return "is no address"
	}
	if file, is := strings.CutPrefix(link, repository); is {
		return wrongFile(file, root)
	}
	if target.IsAbs() || target.Host != "" {
		return ""
	}
	to := from
	if target.Path != "" {
		to = path.Join(path.Dir(from), target.Path)
	}
	if _, err := os.Stat(filepath.Join(s.folder, to)); err != nil {
		return "leads to a page or picture that does not exist"
	}
	if target.Fragment != "" && !s.pages[to].anchors[target.Fragment] {
		return "leads to a heading that does not exist"
	}
	return ""
}

// wrongFile says why a link into the repository leads nowhere. Links to anything but a file, such
// as a release, are not checked.
func wrongFile(link, root string) string {
	link, _, _ = strings.Cut(link, "#")
	file, is := strings.CutPrefix(link, "blob/main/")
	if !is {
		return ""
	}
	if _, err := os.Stat(filepath.Join(root, file)); err != nil {
		return "leads to a file that does not exist"
	}
	return ""
}
