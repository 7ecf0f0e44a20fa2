# The App, its worker, and the command line, with every tool they call. Nothing here installs by itself: both
# environments come from the hash-locked lists, by the same make targets a machine of your own would use.

FROM python:3.13-slim-trixie AS build

# The newest of what the distribution ships: its security updates are worth more than a pinned version that vanishes.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends make \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/assay
COPY Makefile pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY requirements requirements
COPY assay assay
# Compiled here once: the file system is read-only later, so each start would compile everything anew.
RUN UV_COMPILE_BYTECODE=1 make install-app install-sast

FROM python:3.13-slim-trixie

# git fetches what is validated; bubblewrap is for the operator who allows local runs.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin assay \
 && install --directory --owner=assay --group=assay --mode=0700 /data

COPY --from=build /opt/assay/.venv /opt/assay/.venv
COPY --from=build /opt/assay/.venv-sast /opt/assay/.venv-sast

ENV PATH=/opt/assay/.venv/bin:$PATH \
    PYTHONSAFEPATH=1 \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/tmp \
    ASSAY_DATA_DIR=/data \
    ASSAY_HOST=0.0.0.0 \
    ASSAY_PORT=8080

# By number, so that a cluster can see that it is not root.
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8080

# Only /data and /tmp are written: start it with a read-only file system and a tmpfs on /tmp.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["python", "-P", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ['ASSAY_PORT'] + '/healthz', timeout=4)"]

ENTRYPOINT ["assay"]
CMD ["serve"]
