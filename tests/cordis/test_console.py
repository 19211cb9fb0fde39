"""What mounted code prints reaches the host's streams, tagged."""

from __future__ import annotations

import io

import pytest

from toolset.cordis.console import Console, Output


@pytest.fixture
def streams() -> tuple[io.StringIO, io.StringIO]:
    """Two streams in memory."""
    return io.StringIO(), io.StringIO()


def test_each_line_is_tagged(streams) -> None:
    """Every line begins with the tag, a line printed in parts once."""
    out, err = streams
    output = Output("dyn-1", out, err)
    output.print("a", 1, sep="-")
    output.print("b\nc")
    output.print("d", end="")
    output.print("e", end="")
    output.print()
    output.print("f")
    assert out.getvalue() == "".join(
        f"[cordis:dyn-1] {line}\n" for line in ("a-1", "b", "c", "de", "f")
    )
    assert err.getvalue() == ""


def test_console_picks_stream(streams) -> None:
    """`log` and `info` go to the output, `warn` and `error` to the errors."""
    out, err = streams
    console = Console(Output("dyn-2", out, err))
    console.log("a", {"b": 1})
    console.info("c")
    console.warn("d")
    console.error("e")
    assert out.getvalue() == "[cordis:dyn-2] a {'b': 1}\n[cordis:dyn-2] c\n"
    assert err.getvalue() == "[cordis:dyn-2] d\n[cordis:dyn-2] e\n"


def test_own_file_is_untagged(streams) -> None:
    """What is printed to a file of the code's own is left as it is."""
    out, err = streams
    own = io.StringIO()
    Output("dyn-1", out, err).print("a", file=own)
    assert (own.getvalue(), out.getvalue()) == ("a\n", "")


def test_host_streams_are_current(capsys) -> None:
    """Without streams of its own the output goes wherever the host's go at that moment."""
    Output("dyn-1").print("a")
    assert capsys.readouterr().out == "[cordis:dyn-1] a\n"


def test_unprintable_text_is_escaped() -> None:
    """Text that the stream cannot encode is escaped, not an error."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    Output("dyn-1", stream).print("é\ud800", flush=True)
    assert raw.getvalue() == b"[cordis:dyn-1] \\xe9\\ud800\n"
