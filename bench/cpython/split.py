"""Makes programs of the test methods of CPython's own test files: one a method, with what of its file it needs.

usage: split.py FOLDER NAME...    prints a JSON object a line: {"file", "test", "program"}
"""
import ast
import json
import os
import sys

SUPPORT = ('test.support', 'test.test_support')


class Names(ast.NodeVisitor):
    """The names that a piece of code asks for, and those that it sets."""

    def __init__(self, node):
        self.used, self.set = set(), set()
        self.visit(node)

    def visit_Name(self, node):
        (self.used if isinstance(node.ctx, ast.Load) else self.set).add(node.id)

    def visit_alias(self, node):
        self.set.add((node.asname or node.name).split('.')[0])

    def visit_FunctionDef(self, node):
        self.set.add(node.name)
        self.generic_visit(node)

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef


class Flat(ast.NodeTransformer):
    """`list_tests.CommonTest` is `CommonTest`, where that file's own code stands beside."""

    def __init__(self, modules):
        self.modules = modules

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id in self.modules:
            return ast.copy_location(ast.Name(node.attr, node.ctx), node)
        return node


class File:
    def __init__(self, folder):
        self.folder = folder
        self.inlined = set()
        self.flat = set()

    def path(self, name):
        for path in (name.replace('.', '/') + '.py', name.replace('.', '/') + '/__init__.py'):
            if os.path.exists(os.path.join(self.folder, path)):
                return os.path.join(self.folder, path)
        return None

    def statements(self, name):
        """Top-level statements, those of other test files that they import before them."""
        self.inlined.add(name)
        with open(self.path(name), encoding='utf-8') as file:
            tree = ast.parse(file.read())
        found = []
        for node in tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                found += self.imported(node)
            elif not isinstance(node, ast.Expr) and not is_main(node):
                found.append(node)
        return found

    def imported(self, node):
        made = []
        module = getattr(node, 'module', None)
        for alias in node.names:
            name = alias.asname or alias.name
            inner = None
            if module == 'test':
                inner = alias.name
            elif module and module.startswith('test.'):
                inner = module[5:]
            if module == '__future__':
                made.append(node)
                break
            if inner is not None and not inner.startswith('support') and self.path(inner):
                if module == 'test':
                    self.flat.add(name)
                made += [] if inner in self.inlined else self.statements(inner)
            elif inner is not None or module == 'unittest' or alias.name.startswith('test.'):
                made += parse(f'{name.split(".")[0]} = from_test({module or "test"!r}, {alias.name!r})')
            elif alias.name != 'unittest':
                made += parse(
                    f'try:\n  {ast.unparse(type(node)(**{**vars(node), "names": [alias]}))}\n'
                    f'except ImportError:\n  {name.split(".")[0]} = Missing({module or alias.name!r})'
                    if alias.name != '*'
                    else f'try:\n  {ast.unparse(node)}\nexcept ImportError: pass'
                )
        return made


def parse(text):
    return ast.parse(text).body


def is_main(node):
    return isinstance(node, ast.If) and '__name__' in Names(node.test).used


def bare(node, keep):
    """A class without its other tests; code without its docstrings."""
    if not isinstance(node, ast.ClassDef):
        return node
    body = [one for one in node.body if keep in tests_in(one) or not (tests_in(one) or isinstance(one, ast.Expr))]
    return ast.ClassDef(**{**vars(node), 'body': body or [ast.Pass()]})


def tests_in(node):
    """Names of the tests that a statement of a class defines."""
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name) and target.id.startswith('test_')}
    return {node.name} if is_test(node) else set()


def is_test(node):
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith('test')


def tests_of(name, classes, seen=()):
    """Names of the test methods of a class, with those of its bases, and whether it is a case."""
    node = classes.get(name)
    if node is None or name in seen:
        return [], name == 'TestCase'
    found, is_case = [one.name for one in node.body if is_test(one)], False
    for base in node.bases:
        last = base.attr if isinstance(base, ast.Attribute) else getattr(base, 'id', '')
        # A file may have a class of that name, too.
        is_own = ast.unparse(base) != 'unittest.TestCase'
        more, case = tests_of(last, classes, (*seen, name)) if is_own else ([], True)
        found += more
        is_case = is_case or case
    return list(dict.fromkeys(found)), is_case


def needed(statements, keep, name):
    """The statements that a class needs, in order."""
    nodes = [bare(node, keep) for node in statements]
    names = [Names(node) for node in nodes]
    wanted, taken = {name, '*'}, set()
    changed = True
    while changed:
        changed = False
        for i, found in enumerate(names):
            if i not in taken and found.set & wanted and sets(nodes[i]) & wanted:
                taken.add(i)
                wanted |= found.used
                changed = True
    return [nodes[i] for i in sorted(taken)]


def sets(node):
    """The names that a top-level statement sets for others."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    return Names(node).set


def main(folder, names):
    for name in names:
        file = File(folder)
        statements = file.statements(name)
        statements = [ast.fix_missing_locations(Flat(file.flat).visit(node)) for node in statements]
        classes = {node.name: node for node in statements if isinstance(node, ast.ClassDef)}
        own = {node.name for node in ast.parse(open(file.path(name), encoding='utf-8').read()).body if isinstance(node, ast.ClassDef)}
        for case in classes:
            methods, is_case = tests_of(case, classes)
            if not is_case or (case not in own and own):
                continue
            for method in methods:
                code = '\n'.join(ast.unparse(node) for node in needed(statements, method, case))
                future = [line for line in code.split('\n') if line.startswith('from __future__')]
                code = '\n'.join(line for line in code.split('\n') if not line.startswith('from __future__'))
                program = {'future': '\n'.join(future), 'code': f'{code}\ndef run():\n    return run_test({case}, {method!r})\n'}
                print(json.dumps({'file': name, 'test': f'{case}.{method}', **program}))


main(sys.argv[1], sys.argv[2:])
