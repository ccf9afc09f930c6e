"""The file: alone it is whole, and what a picture says stays text."""

import html
import json
import re
from html.parser import HTMLParser

import pytest

from levee.page.document import hash_of, page, policy_of, shipped
from levee.page.picture.whole import picture
from tests.page.views import AT, NASTY, view

TEXT = page(picture(AT, view())).decode()


class Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside, self.texts = "", dict[str, str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.inside = dict(attrs).get("id") or tag

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        self.texts[self.inside] = self.texts.get(self.inside, "") + data


def parsed(text: str) -> Seen:
    seen = Seen()
    seen.feed(text)
    return seen


def test_the_picture_comes_out_as_it_went_in() -> None:
    assert json.loads(parsed(TEXT).texts["picture"]) == picture(AT, view())


@pytest.mark.parametrize(
    "nasty", [NASTY, "</div><script>1</script>", "{{picture}} {{policy}}", "\x00\ud800\u2028", "]]>", "<!--", "&lt;&quot;"]
)
def test_no_text_ends_the_element_that_it_stands_in(nasty: str) -> None:
    told = picture(AT, view(state=nasty))
    found = parsed(page(told).decode())
    assert json.loads(found.texts["picture"]) == told
    assert [tag for tag, _ in found.tags] == [tag for tag, _ in parsed(TEXT).tags]


def test_it_loads_nothing_and_has_one_script_and_one_style_of_its_own() -> None:
    tags = parsed(TEXT).tags
    assert [tag for tag, _ in tags].count("script") == [tag for tag, _ in tags].count("style") == 1
    linked = [value for _, attributes in tags for name, value in attributes.items() if name in {"src", "href", "srcset", "action", "data"}]
    assert linked == ["data:,"]
    assert not [name for _, attributes in tags for name in attributes if name.startswith("on") or name == "style"]
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", TEXT)
    assert not re.findall(r"@import|url\((?!#)", TEXT)


def test_no_text_is_ever_made_markup_or_code_by_the_script() -> None:
    script = parsed(TEXT).texts["script"]
    ways = (
        r"innerHTML|outerHTML\s*=|insertAdjacent|document\.write|eval|new Function|setTimeout\(\"|DOMParser|srcdoc|createContextualFragment"
    )
    assert not re.findall(ways, script)


def test_the_policy_allows_what_stands_in_the_file_and_nothing_else() -> None:
    found = parsed(TEXT)
    [told] = [attributes["content"] for tag, attributes in found.tags if attributes.get("http-equiv") == "Content-Security-Policy"]
    assert told == shipped().policy
    assert told.startswith("default-src 'none'; ")
    assert "unsafe" not in told
    assert f"script-src {hash_of(found.texts['script'])};" in told
    assert f"style-src {hash_of(found.texts['style'])};" in told
    assert "require-trusted-types-for 'script'; trusted-types 'none'" in told


def test_another_script_is_another_policy() -> None:
    assert policy_of("<script>1</script>") != policy_of("<script>2</script>")


def test_a_hash_is_that_of_the_standard() -> None:
    """The example of the Content Security Policy's own text."""
    assert hash_of("alert('Hello, world.');") == "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"


def test_what_is_escaped_is_what_html_wants() -> None:
    assert html.escape("</div>") in page(picture(AT, view(state="</div>"))).decode()
