"""Links of the documents lead to files and headings that exist; code blocks are closed and say their language."""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
LANGUAGES = {"", "bash", "c", "cmake", "console", "cpp", "json", "python", "text", "toml"}


def without_code(text):
    return re.sub(r"^```.*?^```$|`[^`\n]+`", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(path):
    """Headings as the places of links, in the form that MkDocs and code hosts give them."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL),
                        re.MULTILINE)
    return {re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", title.replace("`", "")).strip().lower()) for title in titles}


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for document in DOCUMENTS:
            for target in re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", without_code(document.read_text(encoding="utf-8"))):
                path, _, anchor = target.partition("#")
                place = (document.parent / path).resolve() if path else document
                with self.subTest(document=document.name, target=target):
                    self.assertTrue(place.exists())
                    if anchor and place.suffix == ".md":
                        self.assertIn(anchor, anchors(place))

    def test_code_blocks_are_closed_and_name_their_language(self):
        for document in DOCUMENTS:
            fences = re.findall(r"^```(.*)$", document.read_text(encoding="utf-8"), re.MULTILINE)
            with self.subTest(document=document.name):
                self.assertEqual(len(fences) % 2, 0)
                self.assertLessEqual(set(fences[::2]), LANGUAGES)
                self.assertEqual(set(fences[1::2]), {""} if fences else set())

    def test_tables_of_benchmarks_are_those_of_the_results(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "bench" / "page.py", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_document_is_in_the_menu_of_the_site(self):
        menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
        for document in ROOT.glob("docs/*.md"):
            with self.subTest(document=document.name):
                self.assertIn(document.name, menu)


if __name__ == "__main__":
    unittest.main()
