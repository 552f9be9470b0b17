"""Makes programs of the test methods of CPython's own test files: one a method, with what of its file it needs.

`programs(FOLDER, NAME)` gives {"file", "test", "future", "code"} for each method of a file.
"""
import ast
import functools
import json
import os
import re
import symtable

WORD = re.compile(r'[^\W\d]\w*')
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Names:
    """The names that a statement of a file sets for others, those that it asks for, and the words in its texts: they may be code."""

    def __init__(self, node, text):
        self.used, self.set = set(), set()
        self.look(symtable.symtable(text, '<test>', 'exec'), top=True)
        if any(isinstance(one, ast.alias) and one.name == '*' for one in ast.walk(node)):
            self.set.add('*')
        docs = {id(one.value) for one in ast.walk(node) if isinstance(one, ast.Expr)}
        texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in docs]
        self.words = {word for text in texts for word in WORD.findall(text)}
        self.starts = tuple(word for word in self.words if len(word) > 3 and word.endswith('_'))

    def look(self, table, top=False):
        for symbol in table.get_symbols():
            if top and (symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()):
                self.set.add(symbol.get_name())
            # A class asks its own names first, and then the file.
            is_free = symbol.is_global() or top or table.get_type() == 'class'
            if is_free and symbol.is_referenced():
                self.used.add(symbol.get_name())
        for child in table.get_children():
            self.look(child)


class Flat(ast.NodeTransformer):
    """`list_tests.CommonTest` is a name, where that file's own code stands beside."""

    def __init__(self, modules, aliases):
        self.modules, self.aliases = modules, aliases

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id in self.modules:
            alias = f'{self.modules[node.value.id]}__{node.attr}'
            return ast.copy_location(ast.Name(alias if alias in self.aliases else node.attr, node.ctx), node)
        return node


class File:
    def __init__(self, folder):
        self.folder = folder
        self.inlined = set()
        # Files of tests by the names that they have in others, and their classes: those of two files may have one name.
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
        """Top-level statements, those of other test files that they import before them."""
        self.inlined.add(name)
        found = []
        for node in self.body(name):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                found += self.imported(node)
            elif not (is_doc(node) or is_main(node) or isinstance(node, ast.Delete)):
                found.append(node)
        return found

    def imported(self, node):
        made = []
        module = getattr(node, 'module', None)
        for alias in node.names:
            name = (alias.asname or alias.name).split('.')[0]
            inner = None
            if module == 'test':
                inner = alias.name
            elif module and module.startswith('test.'):
                inner = module[5:]
            if module == '__future__':
                made.append(node)
                break
            if inner is not None and module != 'test' and self.path(f'{inner}.{alias.name}') and not inner.startswith('support'):
                made += parse(f'{name} = Missing("a module of the tests")')
            elif inner is not None and self.path(inner) and (inner == 'support.testcase' or not inner.startswith('support')):
                if module == 'test':
                    self.flat[name] = inner
                if inner in self.inlined:
                    continue
                made += self.statements(inner)
                for one in [one for one in made if isinstance(one, ast.ClassDef)]:
                    alias = f'{inner}__{one.name}'
                    if module == 'test' and one not in self.aliases.values():
                        self.aliases[alias] = one
                        made += parse(f'{alias} = {one.name}')
            elif inner is not None or module == 'unittest' or alias.name.startswith('test.'):
                made += parse(f'{name} = from_test({module or "test"!r}, {alias.name!r})')
            elif alias.name.split('.')[0] != 'unittest':
                made += parse(
                    f'try:\n  {ast.unparse(type(node)(**{**vars(node), "names": [alias]}))}\n'
                    f'except ImportError:\n  {name} = Missing({module or alias.name!r})'
                    if alias.name != '*'
                    else f'try:\n  {ast.unparse(node)}\nexcept ImportError: pass'
                )
        return made


class Pieces:
    """The statements of a file, each with those of its tests that are asked for."""

    def __init__(self, statements):
        self.statements = statements
        self.tests = [tests_in(node) for node in statements]
        self.values = {name for node in statements if isinstance(node, ast.Assign) for name in self.piece(node)[0].set}
        self.own = self.values | {name for node in statements if isinstance(node, (ast.ClassDef, *FUNCTIONS)) for name in self.piece(node)[0].set}

    @functools.cache
    def piece(self, node, keep=frozenset()):
        node = bare(node, keep)
        text = ast.unparse(node)
        return Names(node, text), text

    def needed(self, keep, name):
        """The code that a class needs, in order."""
        pieces = [self.piece(node, keep & tests) for node, tests in zip(self.statements, self.tests)]
        wanted, words, starts, taken = {name, 'setUpModule'}, set(), (), set()

        def is_needed(node, found):
            # What is neither assigned nor defined works on names that are: it registers a class, or fills a dict.
            if isinstance(node, (ast.Expr, ast.For)):
                return found.used & wanted & (self.own if isinstance(node, ast.Expr) else self.values)
            if '*' in found.set or found.set & wanted:
                return True
            return not isinstance(node, ast.ClassDef) and (found.set & words or any(one.startswith(starts) for one in found.set))

        changed = True
        while changed:
            changed = False
            for i, (node, (found, _)) in enumerate(zip(self.statements, pieces)):
                if i not in taken and is_needed(node, found):
                    taken.add(i)
                    wanted |= found.used
                    words |= found.words
                    starts += found.starts
                    changed = True
        return '\n'.join(pieces[i][1] for i in sorted(taken))


def parse(text):
    return ast.parse(text).body


def is_doc(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_main(node):
    return isinstance(node, ast.If) and not node.orelse and any(isinstance(one, ast.Name) and one.id == '__name__' for one in ast.walk(node.test))


def bare(node, keep):
    """A class of tests without its other tests and its docstring."""
    if not isinstance(node, ast.ClassDef) or not tests_in(node):
        return node
    body = [one for one in node.body if (tests_of_part(one) & keep if tests_of_part(one) else not is_doc(one))]
    return ast.ClassDef(**{**vars(node), 'body': body or [ast.Pass()]})


def tests_in(node):
    """Names of the tests of a class."""
    return frozenset(name for one in node.body for name in tests_of_part(one)) if isinstance(node, ast.ClassDef) else frozenset()


def tests_of_part(node):
    """Names of the tests that a statement of a class defines."""
    if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Name, ast.Attribute, ast.Call)):
        return {target.id for target in node.targets if isinstance(target, ast.Name) and target.id.startswith('test_')}
    return {node.name} if is_test(node) else set()


def is_test(node):
    return isinstance(node, FUNCTIONS) and node.name.startswith('test')


def called(method, classes):
    """A test method with the other ones that it calls."""
    found, ahead = set(), {method}
    while ahead:
        name = ahead.pop()
        found.add(name)
        for node in classes.values():
            for one in node.body:
                if name in tests_of_part(one):
                    uses = {part.attr for part in ast.walk(one) if isinstance(part, ast.Attribute)}
                    ahead |= {use for use in uses if use.startswith('test')} - found
    return frozenset(found)


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
    # `test_x = None` takes the base's test away.
    none = [one for one in node.body if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant) and one.value.value is None]
    hidden = {target.id for one in none for target in one.targets if isinstance(target, ast.Name)}
    return [name for name in dict.fromkeys(found) if name not in hidden], is_case


def programs(folder, name):
    file = File(folder)
    statements = [ast.fix_missing_locations(Flat(file.flat, file.aliases).visit(node)) for node in file.statements(name)]
    classes = {**{node.name: node for node in statements if isinstance(node, ast.ClassDef)}, **file.aliases}
    own = {node.name for node in file.body(name) if isinstance(node, ast.ClassDef)}
    pieces = Pieces(statements)
    made = []
    for case in classes:
        methods, is_case = tests_of(case, classes)
        if not is_case or (case not in own and own):
            continue
        for method in methods:
            lines = pieces.needed(called(method, classes), case).split('\n')
            future = [line for line in lines if line.startswith('from __future__')]
            code = '\n'.join(line for line in lines if line not in future)
            made.append({'file': name, 'test': f'{case}.{method}', 'future': '\n'.join(future),
                         'code': f'{code}\ndef run():\n    return run_test({case}, {method!r})\n'})
    return json.dumps(made)
