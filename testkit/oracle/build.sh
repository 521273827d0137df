#!/bin/sh
# Builds the oracle of renders: `build.sh <folder>` leaves `helm-oracle` there. Needs Go 1.26 and the Go module proxy;
# `testkit/components/install helm-oracle` calls it and puts the program where the benchmarks look for it.
set -eu
folder=${1:?name a folder}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")"
# Templates see how Helm was built: as the release that is installed beside this.
package=helm.sh/helm/v4/internal/version
release="-X $package.version=v4.2.3 -X $package.gitCommit=43e8b7feece8beb0fcba47059ec9b522fd929a64"
release="$release -X $package.gitTreeState=clean -X runtime.buildVersion=go1.26.5"
GOFLAGS=-mod=readonly CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w $release" -o "$folder/helm-oracle" .
