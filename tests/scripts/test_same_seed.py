"""Same seed, same bytes: whatever the threads, lanes and instruction sets.

RETROPG is the program, RETROPG_SOURCE_DIR the source tree. Standard library only.
"""

import json
import unittest

from program import ProgramTest, simd_targets


class SameSeedSameBytes(ProgramTest):
    ON_POLICY = ("--batch", 37, "--iterations", 12)
    ARGUMENTS = (*ON_POLICY, "--window", 3)

    def check_equal(self, arguments, variants, common=ARGUMENTS):
        names = []
        for number, (extra, changes) in enumerate(variants):
            names.append(f"r{number}")
            self.train(names[-1], *common, *arguments, *extra, **changes)
        expected = self.determined(names[0])
        self.assertGreater(len(expected["progress.csv"]), 500)
        for name, (extra, changes) in zip(names[1:], variants[1:]):
            self.assertEqual(self.determined(name), expected, f"{extra} {changes}")

    def variants(self):
        result = [(("--threads", threads), {}) for threads in (1, 2, 3, 0)]
        result += [(("--set", f"train.lanes={lanes}"), {}) for lanes in (4, 8, 64)]
        for target in simd_targets(self.folder):
            if target != "sse":  # without fused multiply-add the bits are not promised
                result.append((("--threads", 2, "--set", "train.lanes=16"), {"RETROPG_SIMD": target}))
        return result

    def test_rpg_on_cart_pole(self):
        self.check_equal((), self.variants())

    def test_step_evidence(self):
        self.check_equal(("--set", "policy.evidence=steps"), self.variants())

    def test_balance_heuristic(self):
        self.check_equal(("--algo", "bh-pg"), self.variants())

    def test_plain_weights_with_full_reuse(self):
        self.check_equal(("--algo", "miw-pg", "--set", "algo.window=all"), self.variants())

    def test_on_policy(self):
        self.check_equal(("--algo", "reinforce"), self.variants(), self.ON_POLICY)

    def test_linear_quadratic_with_noise(self):
        self.check_equal(("--env", "LQR", "--set", "lqr.process_noise=0.1", "--set", "policy.bias=true"),
                         self.variants())

    def test_the_forced_target_is_in_use(self):
        for target in simd_targets(self.folder):
            self.train(target, "--iterations", 1, RETROPG_SIMD=target)
            provenance = json.loads((self.folder / target / "provenance.json").read_text())
            self.assertEqual(provenance["simd"], target)

    def test_another_seed_gives_other_bytes(self):
        self.train("a", *self.ARGUMENTS, "--seed", 1)
        self.train("b", *self.ARGUMENTS, "--seed", 2)
        self.assertNotEqual(self.determined("a")["progress.csv"], self.determined("b")["progress.csv"])

    def test_table2_does_not_depend_on_threads(self):
        tables = []
        for threads in (1, 2):
            result = self.succeed("reproduce", "table2", "--runs", 2, "--json", "--out", f"t{threads}", "--threads",
                                  threads)
            tables.append(self.object_of(result))
        ratios = [[claim for claim in table["claims"] if claim["statistic"].startswith("ratio")] for table in tables]
        self.assertEqual(len(ratios[0]), 9)
        self.assertEqual(ratios[0], ratios[1])
        self.assertEqual((self.folder / "t1" / "curves.csv").read_bytes(),
                         (self.folder / "t2" / "curves.csv").read_bytes())


if __name__ == "__main__":
    unittest.main(verbosity=1)
