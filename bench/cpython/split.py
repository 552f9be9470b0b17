"""Creates a program from each test method of CPython's test files, with the statements of the file that the method needs.

`programs(FOLDER, NAME)` returns a JSON list with {"file", "test", "future", "code"} for each method of a file.
"""
import ast
import functools
import json
import os
import re
import symtable

IDENTIFIER = re.compile(r'[^\W\d]\w*')
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Names:
    """Names that a statement sets, names that it uses, and identifiers in its string constants, which can be code."""

    def __init__(self, node, text):
        self.used, self.set = set(), set()
        self.collect(symtable.symtable(text, '<test>', 'exec'), top=True)
        if any(isinstance(part, ast.alias) and part.name == '*' for part in ast.walk(node)):
            self.set.add('*')
        docs = {id(part.value) for part in ast.walk(node) if isinstance(part, ast.Expr)}
        constants = [part for part in ast.walk(node) if isinstance(part, ast.Constant) and id(part) not in docs]
        texts = [part.value for part in constants if isinstance(part.value, str)]
        self.quoted = {name for text in texts for name in IDENTIFIER.findall(text)}
        self.starts = tuple(name for name in self.quoted if len(name) > 3 and name.endswith('_'))

    def collect(self, table, top=False):
        for symbol in table.get_symbols():
            if top and (symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()):
                self.set.add(symbol.get_name())
            # Python looks up names of a class body in the body first, and then in the file.
            is_free = symbol.is_global() or top or table.get_type() == 'class'
            if is_free and symbol.is_referenced():
                self.used.add(symbol.get_name())
        for child in table.get_children():
            self.collect(child)


class Flat(ast.NodeTransformer):
    """Replaces `list_tests.CommonTest` by a name if the program contains the code of that file."""

    def __init__(self, modules, aliases):
        self.modules, self.aliases = modules, aliases

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id in self.modules:
            alias = f'{self.modules[node.value.id]}__{node.attr}'
            return ast.copy_location(ast.Name(alias if alias in self.aliases else node.attr, node.ctx), node)
        return node


class File:
    """A test file with the test files that it imports."""

    def __init__(self, folder):
        self.folder = folder
        self.inlined = set()
        # Test files by their imported names, and their classes by unique names: two files can have classes of one name.
        self.flat = {}
        self.aliases = {}

    def path(self, name):
        for path in (name.replace('.', '/') + '.py', name.replace('.', '/') + '/__init__.py'):
            if os.path.exists(os.path.join(self.folder, path)):
                return os.path.join(self.folder, path)
        return None

    def body(self, name):
        with open(self.path(name), encoding='utf-8') as file:
            return ast.parse(file.read()).body

    def statements(self, name):
        """Returns the top-level statements of a file, after the statements of the test files that it imports."""
        self.inlined.add(name)
        result = []
        for node in self.body(name):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                result += self.imported(node)
            elif not (is_doc(node) or is_main(node) or isinstance(node, ast.Delete)):
                result.append(node)
        return result

    def imported(self, node):
        result = []
        module = getattr(node, 'module', None)
        for alias in node.names:
            name = (alias.asname or alias.name).split('.')[0]
            inner = None
            if module == 'test':
                inner = alias.name
            elif module and module.startswith('test.'):
                inner = module[5:]
            if module == '__future__':
                result.append(node)
                break
            if inner is not None and module != 'test' and self.path(f'{inner}.{alias.name}') and not inner.startswith('support'):
                result += parse(f'{name} = Missing("a module of the tests")')
            elif inner is not None and self.path(inner) and (inner == 'support.testcase' or not inner.startswith('support')):
                if module == 'test':
                    self.flat[name] = inner
                if inner in self.inlined:
                    continue
                result += self.statements(inner)
                for definition in [statement for statement in result if isinstance(statement, ast.ClassDef)]:
                    alias = f'{inner}__{definition.name}'
                    if module == 'test' and definition not in self.aliases.values():
                        self.aliases[alias] = definition
                        result += parse(f'{alias} = {definition.name}')
            elif inner is not None or module == 'unittest' or alias.name.startswith('test.'):
                result += parse(f'{name} = from_test({module or "test"!r}, {alias.name!r})')
            elif alias.name.split('.')[0] != 'unittest':
                result += parse(
                    f'try:\n  {ast.unparse(type(node)(**{**vars(node), "names": [alias]}))}\n'
                    f'except ImportError:\n  {name} = Missing({module or alias.name!r})'
                    if alias.name != '*'
                    else f'try:\n  {ast.unparse(node)}\nexcept ImportError: pass'
                )
        return result


class Pieces:
    """The statements of a file, each with the tests that it defines."""

    def __init__(self, statements):
        self.statements = statements
        self.tests = [tests_in(node) for node in statements]
        self.values = {name for node in statements if isinstance(node, ast.Assign) for name in self.piece(node)[0].set}
        self.defined = self.values | {name for node in statements if isinstance(node, (ast.ClassDef, *FUNCTIONS)) for name in self.piece(node)[0].set}

    @functools.cache
    def piece(self, node, tests=frozenset()):
        node = bare(node, tests)
        text = ast.unparse(node)
        return Names(node, text), text

    def code_for(self, requested, name):
        """Returns the code for a class with the requested tests, in the order of the file."""
        pieces = [self.piece(node, requested & tests) for node, tests in zip(self.statements, self.tests)]
        used, quoted, starts, selected = {name, 'setUpModule'}, set(), (), set()

        def is_required(node, names):
            # Expressions and loops define no names. They use names, for example to register a class or to extend a
            # dict.
            if isinstance(node, (ast.Expr, ast.For)):
                return names.used & used & (self.defined if isinstance(node, ast.Expr) else self.values)
            if '*' in names.set or names.set & used:
                return True
            return not isinstance(node, ast.ClassDef) and (names.set & quoted or any(item.startswith(starts) for item in names.set))

        changed = True
        while changed:
            changed = False
            for i, (node, (names, _)) in enumerate(zip(self.statements, pieces)):
                if i not in selected and is_required(node, names):
                    selected.add(i)
                    used |= names.used
                    quoted |= names.quoted
                    starts += names.starts
                    changed = True
        return '\n'.join(pieces[i][1] for i in sorted(selected))


def parse(text):
    return ast.parse(text).body


def is_doc(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_main(node):
    return isinstance(node, ast.If) and not node.orelse and any(isinstance(part, ast.Name) and part.id == '__name__' for part in ast.walk(node.test))


def bare(node, tests):
    """Returns a class with only these tests and without its docstring. Other statements are unchanged."""
    if not isinstance(node, ast.ClassDef) or not tests_in(node):
        return node
    body = [part for part in node.body if (tests_of_part(part) & tests if tests_of_part(part) else not is_doc(part))]
    return ast.ClassDef(**{**vars(node), 'body': body or [ast.Pass()]})


def tests_in(node):
    """Returns the names of the tests of a class."""
    return frozenset(name for part in node.body for name in tests_of_part(part)) if isinstance(node, ast.ClassDef) else frozenset()


def tests_of_part(node):
    """Returns the names of the tests that a statement of a class defines."""
    if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Name, ast.Attribute, ast.Call)):
        return {target.id for target in node.targets if isinstance(target, ast.Name) and target.id.startswith('test_')}
    return {node.name} if is_test(node) else set()


def is_test(node):
    return isinstance(node, FUNCTIONS) and node.name.startswith('test')


def called(method, classes):
    """Returns a test method and the test methods that it calls, directly or not."""
    visited, ahead = set(), {method}
    while ahead:
        name = ahead.pop()
        visited.add(name)
        for node in classes.values():
            for statement in node.body:
                if name in tests_of_part(statement):
                    uses = {part.attr for part in ast.walk(statement) if isinstance(part, ast.Attribute)}
                    ahead |= {use for use in uses if use.startswith('test')} - visited
    return frozenset(visited)


def tests_of(name, classes, visited=()):
    """Returns the names of the test methods of a class and its bases, and True if the class is a test case."""
    node = classes.get(name)
    if node is None or name in visited:
        return [], name == 'TestCase'
    tests, is_case = [statement.name for statement in node.body if is_test(statement)], False
    for base in node.bases:
        last = base.attr if isinstance(base, ast.Attribute) else getattr(base, 'id', '')
        # A test file can define its own class TestCase.
        is_local = ast.unparse(base) != 'unittest.TestCase'
        more, case = tests_of(last, classes, (*visited, name)) if is_local else ([], True)
        tests += more
        is_case = is_case or case
    # `test_x = None` removes the test of the base class.
    assignments = [statement for statement in node.body if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)]
    none = [assignment for assignment in assignments if assignment.value.value is None]
    hidden = {target.id for assignment in none for target in assignment.targets if isinstance(target, ast.Name)}
    return [name for name in dict.fromkeys(tests) if name not in hidden], is_case


def programs(folder, name):
    """Returns a JSON list of the programs of a file: {"file", "test", "future", "code"} for each test method."""
    file = File(folder)
    statements = [ast.fix_missing_locations(Flat(file.flat, file.aliases).visit(node)) for node in file.statements(name)]
    classes = {**{node.name: node for node in statements if isinstance(node, ast.ClassDef)}, **file.aliases}
    local = {node.name for node in file.body(name) if isinstance(node, ast.ClassDef)}
    pieces = Pieces(statements)
    result = []
    for case in classes:
        methods, is_case = tests_of(case, classes)
        if not is_case or (case not in local and local):
            continue
        for method in methods:
            lines = pieces.code_for(called(method, classes), case).split('\n')
            future = [line for line in lines if line.startswith('from __future__')]
            code = '\n'.join(line for line in lines if line not in future)
            result.append({'file': name, 'test': f'{case}.{method}', 'future': '\n'.join(future),
                         'code': f'{code}\ndef run():\n    return run_test({case}, {method!r})\n'})
    return json.dumps(result)
