# docker build --build-arg REVISION=$(git rev-parse HEAD) --tag broadband-operator .
# make dist builds the image of a release, without a daemon and from the same flags.
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY VERSION *.go ./
COPY api api
COPY controllers controllers
COPY pkg pkg
ARG TARGETOS TARGETARCH REVISION=unknown
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
    -ldflags "-s -w -X main.version=$(cat VERSION) -X main.revision=$REVISION" -o /manager .

# The certificates of public authorities, the time zones, and the user nonroot; no shell.
FROM gcr.io/distroless/static:nonroot
COPY --from=build /manager /manager
USER 65532:65532
ENTRYPOINT ["/manager"]
