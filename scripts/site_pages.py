"""Pages of the site that are not files of docs/, and links that leave docs/. A hook of MkDocs (mkdocs.yml).

The start page, contributing, security and the changelog are files of the project's root. The reference of the command
line is the program's own help (STRATA_PROGRAM), that of Python comes from the docstrings, that of C++ is Doxygen's.
"""

import os
import pathlib
import re
import subprocess

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
FROM_ROOT = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md",
             "CHANGELOG.md": "changelog.md"}
# What the Python reference describes: the parameters of the estimators are put together when they are imported, so the package
# must be installed in .venv (scripts/wheel) for their full list.
PYTHON = ["StrataRegressor", "StrataClassifier", "Model", "load_model", "train", "TrainingResult", "Objective", "to_frame", "schemes"]


def help_of(*command):
    program = os.environ.get("STRATA_PROGRAM", str(ROOT / "build/release/apps/strata/strata"))
    return subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout


def commands_page():
    overview = help_of()
    names = re.findall(r"^  ([a-z]+) {2,}", overview.split("Commands:")[1], re.MULTILINE)
    pages = [f"# Commands\n\nWhat `strata --help` prints.\n\n```text\n{overview}```\n"]
    pages += [f"## strata {name}\n\n```text\n{help_of(name)}```\n" for name in names]
    return "\n".join(pages)


def python_page():
    return "# Python\n\n" + "\n".join(f"::: strata.{name}\n" for name in PYTHON)


def cpp_page():
    return ("# C++\n\nEvery public header, from the comments in it: <a href=\"../doxygen/index.html\">classes and "
            "functions</a>. [C++](../cpp.md) shows how they are used.\n")


def on_files(files, config):
    pages = {name: (ROOT / source).read_text(encoding="utf-8") for source, name in FROM_ROOT.items()}
    pages |= {"reference/commands.md": commands_page(), "reference/python.md": python_page(), "reference/cpp.md": cpp_page()}
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """Links as they stand in the repository become links of the site; a link to a source file becomes its name."""
    def link(match):
        text, target = match.groups()
        path, _, anchor = target.partition("#")
        place = os.path.normpath(path if page.file.src_uri in FROM_ROOT.values() else os.path.join("docs", path))
        if place in FROM_ROOT:
            return f"[{text}]({FROM_ROOT[place]}{'#' + anchor if anchor else ''})"
        if place.startswith("docs/"):
            return f"[{text}]({place.removeprefix('docs/')}{'#' + anchor if anchor else ''})"
        if (ROOT / place).exists():
            return text
        raise SystemExit(f"{page.file.src_uri}: there is no {target}")

    if page.file.src_uri.startswith("reference/"):
        return markdown
    blocks = re.split(r"(^```.*?^```$|`[^`\n]+`)", markdown, flags=re.MULTILINE | re.DOTALL)  # code has no links
    blocks[::2] = [re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|#|mailto:)([^)\s]+)\)", link, text) for text in blocks[::2]]
    return "".join(blocks)
