"""What the tests of results folders share.

Standard library only.
"""

from program import ProgramTest

# What may differ from a folder that was never stopped: clocks, and claims about them.
MAY_DIFFER = {"timing.csv", "timing.jsonl", "seconds.csv", "claims.csv", "provenance.json", "command.txt", "report.html",
              "table.tex"}


class ResultsTest(ProgramTest):
    def contents(self, out):
        """Every file that the settings determine, and the names of the others."""
        folder = self.folder / out
        return {str(path.relative_to(folder)): None if path.name in MAY_DIFFER else path.read_bytes()
                for path in folder.rglob("*") if path.is_file()}

    def check_same(self, out, wanted):
        found = self.contents(out)
        self.assertEqual(sorted(found), sorted(wanted))
        self.assertEqual([name for name, content in wanted.items() if found[name] != content], [])
