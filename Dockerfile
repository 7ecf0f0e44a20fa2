# The App, its worker, and the command line. Nothing here installs by itself: both environments come from the
# hash-locked lists, by the same make targets a machine of your own would use. Two images, whose layers are shared:
#
#   docker build --tag assay .                    web server, worker and commands, with every tool they call
#   docker build --tag assay-web --target web .   the web server alone, without git and analyzers

FROM debian:trixie-slim AS base

# The newest of what the distribution ships: its security updates are worth more than a pinned version that vanishes.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates python3 \
 && rm -rf /var/lib/apt/lists/*

FROM base AS build

# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends binutils make python3-venv \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/assay
COPY Makefile pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY requirements requirements
COPY assay assay
RUN make install-app install-sast
COPY deploy/image/trim.sh ./
RUN sh trim.sh

FROM base AS web

RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin assay \
 && install --directory --owner=assay --group=assay --mode=0700 /data

COPY --from=build /opt/assay/.venv /opt/assay/.venv

# GIT_PYTHON_REFRESH: GitPython is imported where there is no git.
# ASSAY_DEBUG: a traceback goes to the log; a file in /tmp would be lost with the container.
ENV PATH=/opt/assay/.venv/bin:$PATH \
    PYTHONSAFEPATH=1 \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    GIT_PYTHON_REFRESH=quiet \
    HOME=/tmp \
    ASSAY_DEBUG=1 \
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
CMD ["serve", "--no-worker"]

FROM web

USER 0
# git fetches what is validated; bubblewrap is for the operator who allows local runs.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap git \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/assay/.venv-sast /opt/assay/.venv-sast
COPY --from=build /opt/assay/for-workers /opt/assay/.venv
USER 10001
CMD ["serve"]
