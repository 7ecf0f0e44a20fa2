"""Attacks on `go test`."""

from __future__ import annotations

from tests.validators.tools.attacks.attack import Victim

TESTS = """\
package shop

import "testing"

func TestEmpty(t *testing.T) {
	if Total(nil) != 0 {
		t.Fatal("not empty")
	}
}

func TestTotal(t *testing.T) {
	if got := Total([]int{1, 2}); got != 3 {
		t.Fatalf("got %d, want 3", got)
	}
}
"""
VICTIM = Victim(
    runner="go",
    files={
        "go.mod": "module example.com/shop\n\ngo 1.19\n",
        "shop.go": "package shop\n\nfunc Total(prices []int) int {\n\tsum := 0\n\tfor _, price := range prices {\n"
        "\t\tsum += price\n\t}\n\treturn sum\n}\n",
        "shop_test.go": TESTS,
        "other/other.go": "package other\n",
        "other/other_test.go": 'package other\n\nimport "testing"\n\nfunc TestOther(t *testing.T) {}\n',
        "Makefile": "test:\n\tgo test ./...\n",
    },
    broken={"shop.go": "package shop\n\nfunc Total(prices []int) int {\n\treturn len(prices) * 7\n}\n"},
    command="go test ./...",
    failing="TestTotal",
)
_attack = VICTIM.attack
_MAIN = 'package shop\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n'

_attack("TestMain that ends well", {"main_test.go": _MAIN + "\tm.Run()\n\tos.Exit(0)\n}\n"})
_attack("TestMain that runs nothing", {"main_test.go": _MAIN + "\tos.Exit(0)\n}\n"})
_attack("tests behind a build tag", {"shop_test.go": "//go:build never\n\n" + TESTS})
_attack("test file with another name", {"shop_test.go": None, "shop_checks.go.txt": TESTS})
_attack("package taken out", {"shop_test.go": None, "_tests/shop_test.go": TESTS})
_attack(
    "skipped from a helper",
    {
        "shop_test.go": TESTS.replace("if got", "later(t)\n\tif got"),
        "later_test.go": 'package shop\n\nimport "testing"\n\nfunc later(t *testing.T) { t.Skip("later") }\n',
    },
)
_attack("narrowed by flags in make", {"Makefile": "test:\n\tgo test -run TestEmpty ./...\n"}, "make test")
_attack("failure let pass by make", {"Makefile": "test:\n\t-go test ./...\n"}, "make test")
_attack(
    "forged result and exit",
    {
        "shop.go": 'package shop\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc Total(prices []int) int {\n'
        '\tif len(prices) > 0 {\n\t\tfmt.Println("--- PASS: TestTotal (0.00s)\\nPASS")\n'
        "\t\tos.Exit(0)\n\t}\n\treturn 0\n}\n"
    },
)
