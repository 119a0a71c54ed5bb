"""Tests that lint finds the variables of classes that another file can write."""

import subprocess

import pytest

from service import ROOT


@pytest.fixture
def findings(tmp_path):
    """Returns a function that checks a file, and returns the line and the text of each finding."""
    def check(source: str) -> list[str]:
        file = tmp_path / "File.swift"
        file.write_text(source)
        checked = subprocess.run(
            [ROOT / "scripts" / "check-variables"], input=f"{file}\n", capture_output=True, text=True, timeout=60)
        lines = checked.stdout.splitlines()
        assert checked.stderr == "" and checked.returncode == (1 if lines else 0), checked
        return [line.removeprefix(f"{file}:") for line in lines]
    return check


CLOSED = '''
import Foundation

/// A class Comment { with a brace.
@MainActor @Observable
public final class Model<Value: Sendable>: Base where Value: Equatable {
    private var a = 1
    public private(set) var b: [String: Int] = [:]
    fileprivate var c: Int? { didSet { print("}") } }
    @ObservationIgnored private weak var d: Model?
    let e = "{ \\("\\(1)") \\\\"
    static let f = """
        class Text { var x = 1
        """
    public var g: Int { b.count }
    var h: (Int, [Int]) {
        get { (a, []) }
        set { a = newValue.0 }
    }
    class var i: Int { 1 }
    @TaskLocal static var j: Int?

    init() { var local = 1; class Local { var x = 1 }; local += 1 }

    struct State { var x = 1 }
    private final class Held { var x = 1 }
    enum Kind: Int { case one = 1; var y: Int { rawValue } }
}

protocol Counted: AnyObject { var count: Int { get set } }
private extension Model { class Inner { var x = 1 } }
extension Model { var k: Int { 1 } }
struct Value { var x = 1 }
'''


def test_private_and_computed_variables_structs_and_local_classes_are_right(findings):
    assert findings(CLOSED) == []


OPEN = [
    "var x = 1", "public var x: Int", "var x: Int { didSet { print(x) } }", "weak var x: Box?", "lazy var x = { 1 }()",
    "@Published var x = 1", "@available(macOS 12, *) package var x: (Int, Int)", "static var x = 1",
    "var x: () -> Bool = { false }", "nonisolated(unsafe) var x = 1", "var x: [String: Int] = [:] { willSet {} }",
]


@pytest.mark.parametrize("kind", ["class", "public final class", "actor", "@MainActor @Observable final class"])
def test_a_stored_variable_that_another_file_can_write_is_found(findings, kind):
    boxes = [
        f"{kind} Box{number}: Base {{\n    private var y = 1\n    {declaration}\n    private var z = 1\n}}\n"
        for number, declaration in enumerate(OPEN)]
    lines = sorted(f"{5 * number + 4}: another file can write Box{number}.x" for number in range(len(OPEN)))
    assert sorted(findings("let a = 1\n" + "".join(boxes))) == lines
    assert sorted(findings("extension Outer {\n" + "".join(boxes) + "}\n")) == lines


def test_a_file_that_cannot_be_read_is_found(findings):
    assert findings("class Box {\n    var x = 1\n") == [
        "1: a brace is not closed, so its variables cannot be checked"]
