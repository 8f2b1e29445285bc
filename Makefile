# SPDX-License-Identifier: Apache-2.0
# Thin: every target forwards to tools/, tests/ or meson.
#
#   make               build/heddle              make test        all quick tests
#   make run           a short demonstration     make test-long   the slow ones too
#   make t T=name      the tests whose names contain T
#   make bless T=name  accept their output as the expected one
#   make san           the tests under ASan and UBSan
#   make fuzz T=trace  fuzz one reader for S=60 seconds
#   make bench         timings beside the recorded ones
#   make eval-fusion   predicting violations in the programs of a paper, with its table
#   make eval-swan     heddle verify against fixes that are not enough
#   make eval-pfix     heddle fix on the 23 programs of PFix, its table 3 beside ours
#   make eval-more     the same on programs of our own, 100 schedules each
#   make eval          all of those and the timings, written to docs/results.md
#   make eval-families heddle fix and verify on thirty families: bug, half a fix, the right one
#   make corpus        real packages, their own tests (docs/corpus.md); T=nng: one; D=DIR: builds there
#   make fmt  hooks  install PREFIX=/usr/local  uninstall  deb (in build-deb)  clean
#
# B=DIR picks the build directory: build, build-san or build-release.
B ?= build
S ?= 60
D ?= build-corpus
PREFIX ?= /usr/local
werror := $(if $(filter true,$(CI)),-Dwerror=true)
options_build := $(werror)
options_build-san := $(werror) -Db_sanitize=address,undefined -Db_lundef=false
options_build-release := --buildtype=release --prefix=$(abspath $(PREFIX))
again := $(MAKE) --no-print-directory

build:
	@tools/build $(B) $(options_$(B))
run: build
	@tools/demo $(B)/heddle
test: build
	@tools/setup tests
	@tests/run --build $(B)
test-long: build
	@tools/setup tests
	@tests/run --build $(B) --long
t: need-T build
	@tests/run --build $(B) $(T)
bless: need-T build
	@tests/run --build $(B) --bless $(T)
san:
	@$(again) test B=build-san
fuzz: need-T
	@tools/fuzz $(T) $(S)
bench: build
	@tests/bench/run --build $(B) $(T)
eval-fusion: build
	@HEDDLE=$(abspath $(B))/heddle BUILD=$(abspath $(B)) tests/fusion/eval
eval-swan: build
	@HEDDLE=$(abspath $(B))/heddle tests/swan/eval --html $(B)/eval-swan.html $(T)
eval-pfix: build
	@HEDDLE=$(abspath $(B))/heddle tests/pfix/eval $(T)
eval-more: build
	@HEDDLE=$(abspath $(B))/heddle tests/pfix/eval --more --runs 100 $(T)
eval-families: build
	@HEDDLE=$(abspath $(B))/heddle tests/pfix/families/run $(T)
eval: build
	@tools/eval $(T)
corpus: build
	@HEDDLE=$(abspath $(B))/heddle tests/corpus/check --dir $(D) $(T)
install:
	@$(again) build B=build-release
	@meson install -C build-release --no-rebuild --quiet
# What the last install put there, by its list; empty directories of ours go too.
uninstall:
	@test -f build-release/meson-logs/install-log.txt || { echo "nothing was installed from here"; exit 1; }
	@grep -v '^#' build-release/meson-logs/install-log.txt | while read -r file; do \
	    if [ -d "$$file" ] && [ ! -L "$$file" ]; then continue; fi; rm -f "$$file"; done
	@grep '/heddle\(/\|$$\)' build-release/meson-logs/install-log.txt | sed 's|\(.*/heddle\)\(/.*\)*$$|\1|' | sort -u | \
	    while read -r dir; do [ ! -d "$$dir" ] || find "$$dir" -depth -type d -empty -delete; done
deb: build
	@tools/deb build-deb
fmt:
	@tools/setup
	@tools/fmt
hooks:
	@install -D -m 755 tools/hooks/pre-commit "$$(git rev-parse --git-path hooks)/pre-commit"
clean:
	@rm -rf build build-san build-fuzz build-release build-deb
need-T:
	@$(if $(T),:,$(error say which, like this: make $(MAKECMDGOALS) T=name))

.PHONY: build run test test-long t bless san fuzz bench eval-fusion eval-swan eval-pfix eval-more eval-families eval corpus install uninstall deb fmt hooks clean need-T
