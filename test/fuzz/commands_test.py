"""The random tester itself: it finds a fault that it can see, and shrinks the command."""

import pathlib
import re
import subprocess
import sys

TESTER = pathlib.Path(__file__).with_name("commands.py")


def tried(tmp_path, script, commands=150):
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n" + script)
    tool.chmod(0o755)
    return subprocess.run([sys.executable, TESTER, "--tool", tool, "--commands", str(commands), "--jobs", "1"],
                          capture_output=True, text=True)


def test_all_is_well(tmp_path):
    done = tried(tmp_path, "exit 0\n", 20)
    assert done.returncode == 0
    assert "20 commands: 20 right" in done.stdout


def test_refusals_are_counted(tmp_path):
    done = tried(tmp_path, 'echo "error: no [not-supported]" >&2; exit 1\n', 20)
    assert done.returncode == 0
    assert "20 commands: 20 not-supported" in done.stdout


def test_a_wrong_result_is_shrunk(tmp_path):
    done = tried(tmp_path, 'case $2 in *select*) echo "check FAILED"; exit 1;; esac\nexit 0\n')
    assert done.returncode == 1
    least = re.search(r"^  unravel (\S+) '([^']*)'", done.stdout, re.M)
    assert "select(" in least[2]
    assert len(least[2]) < 50
    assert " -s " not in least[0] and "--index" not in least[0]


def test_crashes_and_misuse_are_failures(tmp_path):
    assert "signal 6" in tried(tmp_path, "kill -ABRT $$\n", 1).stdout
    assert "exit code 3: error: _ broke" in tried(tmp_path, 'echo "error: \\`a\\` broke [internal]"; exit 3\n', 1).stdout
    assert "exit code 2" in tried(tmp_path, "exit 2\n", 1).stdout
