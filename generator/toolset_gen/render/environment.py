"""Where the templates are, and the Jinja environment that reads them."""

# Maintainers: the one place that knows where templates lie: in the wheel next to this package, in a
# checkout in the folder `templates` of the repository. Undefined names are errors, the last newline
# stays, and a block's own line leaves nothing behind.

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

from toolset_gen.errors import GeneratorError
from toolset_gen.render import markdown

__all__ = ["TemplatesMissingError", "fill", "template_folder"]


class TemplatesMissingError(GeneratorError):
    """The templates are neither packaged nor in a checkout.

    Args:
        tried: The folders that were looked at.
    """

    def __init__(self, tried: tuple[Path, ...]) -> None:
        self.tried = tried
        super().__init__(
            f"no templates in {' nor '.join(repr(str(path)) for path in tried)}; "
            "the installation is incomplete: reinstall cordis-toolset with its extra `generator`"
        )


def template_folder() -> Path:
    """Find the folder of the templates.

    Returns:
        The packaged folder, else the checkout's.

    Raises:
        TemplatesMissingError: Neither exists.
    """
    package = Path(__file__).resolve().parents[1]
    tried = (package / "templates", package.parents[1] / "templates")
    for folder in tried:
        if (folder / "services.md.j2").is_file():
            return folder
    raise TemplatesMissingError(tried)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(template_folder()),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - the pages are Markdown; `markdown` escapes what HTML would eat
    )
    environment.filters.update(
        {
            "cell": markdown.cell,
            "code": markdown.code,
            "prose": markdown.prose,
            "slug": markdown.slug,
        }
    )
    return environment


def fill(template: str, **values: object) -> str:
    """Fill one template.

    Args:
        template: Its name, such as `services.md.j2`.
        **values: What it refers to.

    Returns:
        The text; of Markdown without trailing spaces and with one final newline.
    """
    text = _environment().get_template(template).render(values)
    return markdown.tidy(text) if template.endswith(".md.j2") else text
