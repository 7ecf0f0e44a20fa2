"""Ruby: RSpec, Rake's tests and RuboCop, by Bundler where there is a Gemfile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import text_of
from assay.validators.report.model import ToolKind
from assay.validators.tools.tool import Ecosystem, Setup, SetupStep, Task

_TEST_TASK = re.compile(r"Rake::TestTask|(task|namespace)[ (]:?[\"']?test\b|minitest", re.IGNORECASE)


class Ruby(Ecosystem):
    """Gemfile and Rakefile."""

    name = "ruby"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return the tests by rails, RSpec or rake; RuboCop where it is configured."""
        by = "bundle exec " if "Gemfile" in tree else ""
        if not by and "Rakefile" not in tree:
            return
        if any(path.startswith("spec/") and path.endswith("_spec.rb") for path in tree.paths):
            yield Task("rspec", ToolKind.test, f"{by}rspec", ".rspec" if ".rspec" in tree else "spec/", inferred=True)
        elif "bin/rails" in tree and any(path.startswith("test/") for path in tree.paths):
            yield Task("rails test", ToolKind.test, "bin/rails test", "bin/rails", inferred=True)
        elif _TEST_TASK.search(text_of(tree, "Rakefile")):
            yield Task("rake test", ToolKind.test, f"{by}rake test", "Rakefile", inferred=True)
        if ".rubocop.yml" in tree:
            yield Task("rubocop", ToolKind.lint, f"{by}rubocop", ".rubocop.yml", inferred=True)

    def setup(self, tree: SourceTree, tasks: Sequence[Task]) -> Setup | None:  # noqa: ARG002
        """Return the installation of Gemfile.lock's gems into this tree's folder: a gemspec may point at the tree."""
        if "Gemfile" not in tree:
            return None
        frozen = "BUNDLE_FROZEN=1 " if "Gemfile.lock" in tree else ""
        line = f'{frozen}BUNDLE_PATH="$ASSAY_PREFIX/gems" bundle install --quiet'
        keep_path = 'bundle config set --local path "$ASSAY_PREFIX/gems"'
        source = "Gemfile.lock" if "Gemfile.lock" in tree else "Gemfile"
        return Setup(install=(SetupStep(keep_path, source), SetupStep(line, source)))


ruby = Ruby()
