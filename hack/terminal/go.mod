module github.com/broadband-operator/broadband-operator/hack/terminal

go 1.26.0
