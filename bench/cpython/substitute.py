class LeftOut(BaseException):
    """Error of a test that needs a missing feature. It is not an Exception, so that tests do not catch it."""
class SkipTest(Exception): pass
__file__ = '/nowhere/test.py'
class Missing:
    # A closed module, or one of its attributes. It is false, like None after a failed import. A test that uses it is
    # left out.
    running = False
    def __new__(cls, name, how='needs '): return Warnings() if name == 'warnings' else object.__new__(cls)
    def __init__(self, name, how='needs '): self.__dict__['_reason'] = how + name
    def __getattr__(self, name):
        if name.startswith('__') and not Missing.running: raise AttributeError(name)
        return self()
    def __call__(self, *args, **named):
        # Before the test runs, statements of the file can use the module for other tests.
        if Missing.running: raise LeftOut(self._reason)
        return self
    def __bool__(self): return False
    def __iter__(self): return iter(self() or ())
    def __get__(self, object, kind=None): return self()
    def __eq__(self, other): return self is other or self()
    __hash__ = object.__hash__
    def __mro_entries__(self, bases): raise LeftOut(self._reason)
    def __index__(self): raise LeftOut(self._reason)
    __add__ = __radd__ = __getitem__ = __enter__ = __or__ = __ror__ = __call__
def same(x): return x
def skip(reason):
    def wrap(thing):
        if isinstance(thing, type):
            thing.skipped = reason
            return thing
        def skipped(*args, **named): raise SkipTest(reason)
        return skipped
    return wrap
class Raises:
    def __init__(self, case, expected, pattern=None):
        self.case, self.expected, self.pattern = case, expected, pattern
        if isinstance(expected, Missing): expected()
    def __enter__(self): return self
    def __exit__(self, kind, value, traceback):
        if kind is None: raise AssertionError(f'{self.expected} was not raised')
        if not issubclass(kind, self.expected): return False
        self.exception = value.with_traceback(None)
        if self.pattern is not None: self.case.assertRegex(str(value), self.pattern)
        return True
class NullContext:
    def __init__(self, *args, **named): pass
    def __enter__(self): return self
    def __exit__(self, *error): return False
    __call__ = staticmethod(same)
class Warnings:
    def catch_warnings(self, *, record=False, **named):
        if record: raise LeftOut('needs warnings')
        return NullContext()
    def simplefilter(self, *args, **named): pass
    filterwarnings = resetwarnings = warn = simplefilter
    def __getattr__(self, name): raise LeftOut('needs warnings')
class TestCase:
    failureException = AssertionError
    maxDiff = longMessage = skipped = None
    def __init__(self, methodName='run'): self.cleanups = []; self._testMethodName = methodName
    def setUp(self): pass
    def tearDown(self): pass
    @classmethod
    def setUpClass(cls): pass
    @classmethod
    def tearDownClass(cls): pass
    def id(self): return self._testMethodName
    def addCleanup(self, call, /, *args, **named): self.cleanups.append((call, args, named))
    def addTypeEqualityFunc(self, kind, call): pass
    def enterContext(self, manager):
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value
    def skipTest(self, reason): raise SkipTest(reason)
    def fail(self, msg=None): raise AssertionError(msg)
    def subTest(self, msg=None, **named): return NullContext()
    def _assert_or_fail(self, holds, *message):
        if not holds: raise AssertionError(' '.join(x if isinstance(x, str) else repr(x)[:80] for x in message))
    def assertTrue(self, x, msg=None): self._assert_or_fail(x, x, 'is not true', msg or '')
    def assertFalse(self, x, msg=None): self._assert_or_fail(not x, x, 'is true', msg or '')
    def assertEqual(self, a, b, msg=None): self._assert_or_fail(a == b, a, '!=', b, msg or '')
    assertListEqual = assertTupleEqual = assertSetEqual = assertDictEqual = assertMultiLineEqual = assertEquals = assertEqual
    def assertSequenceEqual(self, a, b, msg=None, seq_type=None): self._assert_or_fail(list(a) == list(b), a, '!=', b)
    def assertNotEqual(self, a, b, msg=None): self._assert_or_fail(a != b, a, '==', b)
    def assertIs(self, a, b, msg=None): self._assert_or_fail(a is b, a, 'is not', b)
    def assertIsNot(self, a, b, msg=None): self._assert_or_fail(a is not b, a, 'is', b)
    def assertIsNone(self, a, msg=None): self._assert_or_fail(a is None, a, 'is not None')
    def assertIsNotNone(self, a, msg=None): self._assert_or_fail(a is not None, 'it is None')
    def assertIn(self, a, b, msg=None): self._assert_or_fail(a in b, a, 'not in', b)
    def assertNotIn(self, a, b, msg=None): self._assert_or_fail(a not in b, a, 'in', b)
    def assertIsInstance(self, a, b, msg=None): self._assert_or_fail(isinstance(a, b), a, 'is no', b)
    def assertNotIsInstance(self, a, b, msg=None): self._assert_or_fail(not isinstance(a, b), a, 'is', b)
    def assertIsSubclass(self, a, b, msg=None): self._assert_or_fail(issubclass(a, b), a, 'is no', b)
    def assertNotIsSubclass(self, a, b, msg=None): self._assert_or_fail(not issubclass(a, b), a, 'is', b)
    def assertHasAttr(self, a, b, msg=None): self._assert_or_fail(hasattr(a, b), a, 'has no', b)
    def assertNotHasAttr(self, a, b, msg=None): self._assert_or_fail(not hasattr(a, b), a, 'has', b)
    def assertStartsWith(self, a, b, msg=None): self._assert_or_fail(a.startswith(b), a, 'begins not with', b)
    def assertEndsWith(self, a, b, msg=None): self._assert_or_fail(a.endswith(b), a, 'ends not with', b)
    def assertNotStartsWith(self, a, b, msg=None): self._assert_or_fail(not a.startswith(b), a, 'begins with', b)
    def assertNotEndsWith(self, a, b, msg=None): self._assert_or_fail(not a.endswith(b), a, 'ends with', b)
    def assertLess(self, a, b, msg=None): self._assert_or_fail(a < b, a, 'not <', b)
    def assertLessEqual(self, a, b, msg=None): self._assert_or_fail(a <= b, a, 'not <=', b)
    def assertGreater(self, a, b, msg=None): self._assert_or_fail(a > b, a, 'not >', b)
    def assertGreaterEqual(self, a, b, msg=None): self._assert_or_fail(a >= b, a, 'not >=', b)
    def assertCountEqual(self, a, b, msg=None):
        a, b = list(a), list(b)
        for x in a:
            self._assert_or_fail(x in b, x, 'not in', b)
            b.remove(x)
        self._assert_or_fail(not b, b, 'too many')
    def assertAlmostEqual(self, a, b, places=None, msg=None, delta=None):
        if a == b: return
        self._assert_or_fail(abs(a - b) <= delta if delta is not None else round(abs(a - b), 7 if places is None else places) == 0, a, '!=', b)
    def assertNotAlmostEqual(self, a, b, places=None, msg=None, delta=None):
        self._assert_or_fail(a != b and (abs(a - b) > delta if delta is not None else round(abs(a - b), 7 if places is None else places) != 0), a, '==', b)
    def assertRegex(self, text, pattern, msg=None):
        import re
        self._assert_or_fail(re.search(pattern, text), text, 'does not match', pattern)
    def assertNotRegex(self, text, pattern, msg=None):
        import re
        self._assert_or_fail(not re.search(pattern, text), text, 'matches', pattern)
    def assertRaises(self, expected, call=None, /, *args, **named):
        raises = Raises(self, expected)
        if call is None: return raises
        with raises: call(*args, **named)
    def assertRaisesRegex(self, expected, pattern, call=None, /, *args, **named):
        raises = Raises(self, expected, pattern)
        if call is None: return raises
        with raises: call(*args, **named)
    def assertWarns(self, *args, **named): raise LeftOut('needs warnings')
    assertWarnsRegex = assertWarns
    def assertLogs(self, *args, **named): raise LeftOut('needs logging')
    assertNoLogs = assertLogs
class unittest:
    SkipTest, skip, TestCase = SkipTest, staticmethod(skip), TestCase
    skipIf = staticmethod(lambda holds, reason: skip(reason) if holds else same)
    skipUnless = staticmethod(lambda holds, reason: same if holds else skip(reason))
    expectedFailure = staticmethod(lambda call: skip('is expected to fail')(call))
    mock = Missing('unittest.mock')
class Always:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
class Never:
    def __eq__(self, other): return False
    def __ne__(self, other): return True
    def __hash__(self): return 1
class Ordered:
    def __init__(self, largest): self.largest = largest
    def __eq__(self, other): return isinstance(other, Ordered)
    def __lt__(self, other): return not self.largest and not self == other
    def __gt__(self, other): return self.largest and not self == other
    def __le__(self, other): return not self > other
    def __ge__(self, other): return not self < other
def import_fresh_module(name, fresh=(), blocked=(), **named):
    module = import_module(name)
    if not blocked: return module
    pure = Missing('', 'is for the library without its C code')
    pure.__dict__.update((key, value) for key, value in vars(module).items() if key.isupper() and isinstance(value, (str, int)))
    return pure
def import_module(name, **named):
    try: return __import__(name, fromlist=['x'])
    except ImportError: return Missing(name)
class Captured:
    def __enter__(self):
        import sys, io
        self.before, sys.stdout = sys.stdout, io.StringIO()
        return sys.stdout
    def __exit__(self, *error):
        import sys
        sys.stdout = self.before
def leaves(reason): return lambda *args, **named: skip(reason)
class SupportNames:
    cpython_only = requires_IEEE_754 = no_tracing = skip_if_pgo_task = staticmethod(same)
    refcount_test = staticmethod(skip('counts references'))
    gc_collect = staticmethod(lambda: None)
    check_impl_detail = staticmethod(lambda **named: True)
    impl_detail = skip_emscripten_stack_overflow = skip_wasi_stack_overflow = staticmethod(lambda *args, **named: same)
    requires_docstrings = staticmethod(skip('needs docstrings'))
    bigmemtest, bigaddrspacetest = staticmethod(leaves('needs gigabytes')), staticmethod(skip('needs gigabytes'))
    requires_resource = requires_limited_api = staticmethod(leaves('needs another resource'))
    infinite_recursion = set_recursion_limit = NullContext
    captured_stdout = Captured
    ALWAYS_EQ, NEVER_EQ, LARGEST, SMALLEST = Always(), Never(), Ordered(True), Ordered(False)
    is_emscripten, is_wasi, is_apple, verbose, HAVE_DOCSTRINGS, HAVE_ASAN_FORK_BUG = True, False, False, 0, False, False
    MISSING_C_DOCSTRINGS, Py_DEBUG, Py_GIL_DISABLED, MAX_Py_ssize_t, NHASHBITS, _1G, _2G, _4G = True, False, False, 2**31 - 1, 32, 2**30, 2**31, 2**32
    import_fresh_module, import_module = staticmethod(import_fresh_module), staticmethod(import_module)
    TESTFN = '/nowhere'
class Support:
    def __getattr__(self, name):
        if name.endswith('_helper'): return self
        return getattr(SupportNames, name) if hasattr(SupportNames, name) else Missing('test.support.' + name)
support = Support()
class test: support = support
def from_test(module, name):
    if module == 'unittest': return Missing('unittest.' + name) if name == 'mock' else getattr(unittest, name)
    if name == 'support' or name.endswith('_helper') or module == 'test' and name.startswith('test.support'): return support
    return getattr(support, name) if module.startswith('test.support') else Missing(module + '.' + name)
def run_test(kind, name):
    try:
        globals().get('setUpModule', list)()
        Missing.running = True
        if kind.skipped: return ['left out', str(kind.skipped)]
        kind.setUpClass()
        case = kind(name)
        case.setUp()
        result = getattr(case, name)()
        if hasattr(result, '__await__'): return ['left out', 'needs asyncio']
        case.tearDown()
        while case.cleanups:
            call, args, named = case.cleanups.pop()
            call(*args, **named)
    except SkipTest as error: return ['left out', str(error)]
    except LeftOut as error: return ['left out', str(error)]
    return ['passed', '']
