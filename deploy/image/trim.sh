# Remove from the image's environments what a running App does not use, set apart what only workers use, and compile
# the rest. The Dockerfile runs it in the folder of .venv and .venv-sast; `for-workers` is laid over .venv later.
set -eu

app=$(echo .venv/lib/python3*/site-packages)
sast=$(echo .venv-sast/lib/python3*/site-packages)

# What installed the packages; and a downloader of models, which nothing here asks for.
VIRTUAL_ENV=.venv .venv/bin/uv pip uninstall --quiet hatchling hf-xet pip setuptools
# jscpd's second name is a copy of it.
rm .venv/bin/cpd

# Packages' own tests, and sources of what is compiled.
find "$app" "$sast" -type d -name tests -prune -exec rm -rf {} +
find "$app" "$sast" -type f \( -name '*.c' -o -name '*.h' -o -name '*.pxd' -o -name '*.pyi' -o -name '*.pyx' \) -delete

# Symbols for debuggers; libraries that packages bring along have none, and are left as their authors linked them.
find "$app" "$sast" -type f -name '*.so' ! -path '*.libs/*' -exec strip --strip-debug {} +
# Not semgrep-core: without its symbols it does not start.
strip .venv/bin/squawk .venv/bin/zizmor

# Here once: the file system is read-only later, so each start would compile everything anew.
python3 -m compileall -q -j 0 "$app" "$sast"

# A web server validates nothing and asks no model (tests/test_container.py).
mkdir -p for-workers/bin "for-workers/${app#.venv/}"
for name in ast-grep jscpd sg squawk uv uvx zizmor; do mv ".venv/bin/$name" for-workers/bin/; done
for name in anthropic sqlglot; do mv "$app/$name" "for-workers/${app#.venv/}/"; done
