/**
 * Modules that programs can import, in addition to `sys`, `time`, `io` and `builtins`. The prelude removes the unsafe
 * parts of `sys` and `builtins`, and replaces `time.sleep`.
 */
export const MODULES = [
  'abc', 'array', 'bisect', 'cmath', 'collections', 'collections.abc', 'contextlib', 'copy', 'dataclasses', 'datetime', 'decimal', 'enum',
  'fractions', 'functools', 'hashlib', 'heapq', 'itertools', 'json', 'json.decoder', 'json.encoder', 'math', 'numbers', 'operator', 'random', 're',
  'statistics', 'string', 'textwrap', 'typing', 'unicodedata', '__future__',
] as const; // biome-ignore format: a list of words

/**
 * Python code of the sandbox, which runs once before any program. It imports the library, and removes all means to stop
 * the fuel meter from the interpreter. The host reads the objects that it requires from the dict `kept`. Afterwards, no
 * part of this code is reachable.
 */
export const PRELUDE = `
import sys, signal, gc, warnings, types, builtins, io, time
names = NAMES
kept = {}
def prepare():
    import importlib
    # Everything that the library imports late, or makes at its first use, exists before the first program.
    for late in ('_strptime', 'calendar', 'locale', 'traceback', 'linecache', 'annotationlib', 'inspect', 'copyreg', 'string.templatelib',
                 'ast', 'tokenize', 'bisect', 'weakref', 'reprlib', 'unicodedata', 'encodings.latin_1', 'encodings.ascii',
                 'encodings.idna', 'encodings.utf_16', 'encodings.utf_32', 'encodings.unicode_escape', 'encodings.raw_unicode_escape',
                 '_colorize', 'contextvars', 'json.scanner', '_py_warnings', 'fnmatch'):
        try:
            importlib.import_module(late)
        except ImportError:
            pass
    import codecs
    # No codec can be loaded later.
    for codec in ('ascii', 'latin-1', 'iso8859-15', 'cp1252', 'cp437', 'mac-roman', 'idna', 'punycode', 'utf-7', 'utf-8', 'utf-8-sig', 'utf-16', 'utf-16-le',
                  'utf-16-be', 'utf-32', 'utf-32-le', 'utf-32-be', 'unicode-escape', 'raw-unicode-escape', 'rot13', 'hex', 'base64'):
        codecs.lookup(codec)
    modules = {name: importlib.import_module(name) for name in names}
    import dataclasses, typing, re, random, decimal, datetime, string, statistics, fractions, json, enum, functools, collections, abc, _abc
    import inspect, copy, textwrap
    warnings.resetwarnings()
    warnings.simplefilter('ignore')
    @dataclasses.dataclass(order=True, frozen=True)
    class Sample:
        a: int = 0
        b: typing.ClassVar[int] = 1
        c: list = dataclasses.field(default_factory=list)
    repr(Sample(1))
    class Named(typing.NamedTuple):
        a: int
        b: 'list[int]' = ()
    class Typed(typing.TypedDict, total=False):
        a: int
    @typing.runtime_checkable
    class Shaped(typing.Protocol):
        def go(self) -> int: ...
    T = typing.TypeVar('T')
    class Held(typing.Generic[T]):
        x: T
    class Slotted: __slots__ = ('a',)
    copied = copy.deepcopy(Held()), copy.copy(Named(1)), copy.deepcopy([{1: (2, Slotted())}]), isinstance(3, Shaped), Held[int](), Typed(a=1)
    dataclasses.asdict(Sample()), dataclasses.replace(Sample(), a=2), dataclasses.fields(Sample)
    @functools.singledispatch
    def dispatched(x): return x
    dispatched.register(int)(lambda x: x)
    dispatched.register(list, lambda x: x)
    @functools.total_ordering
    class Ordered:
        def __lt__(self, other): return False
    class Lazy:
        @functools.cached_property
        def x(self): return 1
        @functools.partialmethod
        def y(self): return 1
    dispatched(3), dispatched([]), Lazy().x, random.choices([1, 2], k=2), random.gauss(0, 1), textwrap.fill('a b', 1)
    enum.IntFlag('I', 'A B').A | 2, statistics.mode([1]), statistics.quantiles([1, 2, 3]), decimal.Decimal(2).sqrt(), datetime.datetime.now()
    datetime.datetime.strptime('2020-01-02', '%Y-%m-%d').strftime('%A %B')
    string.Template('$a').substitute(a=1)
    string.capwords('a b'); re.sub(r'(?i)a+', 'b', 'aa'); json.loads(json.dumps({'a': [1, 2.5, None]}, indent=1))
    statistics.median([1, 2]); statistics.stdev([1, 2.5]); fractions.Fraction('1/3') + 1; f"{fractions.Fraction(1, 3):.2f}"
    typing.NamedTuple('P', [('x', int)])(1); enum.Enum('E', 'A B').A; collections.namedtuple('Q', 'a b')(1, 2)
    enum.Flag('F', 'A B').A

    del Sample, Named, Typed, Shaped, T, Held, Slotted, copied, dispatched, Ordered, Lazy
    inside = gc.get_referents(decimal.Context.__dict__)[0]
    for name in [name for name in inside if name.startswith('_unsafe')]:
        del inside[name]

    kept['modules'] = {name: sys.modules[name] for name in (*names, 'sys', 'time', 'io', 'builtins')}
    kept['reModules'] = {name[3:]: module for name, module in sys.modules.items() if name.startswith('re.')}
    kept['dicts'] = [vars(module) for name, module in sys.modules.items() if isinstance(module, types.ModuleType) and name != '__main__']
    kept['StringIO'], kept['code'] = io.StringIO, types.CodeType
    kept['getvalue'] = io.StringIO.getvalue
    kept['write'] = vars(type(io.StringIO())).get('write') or io.StringIO.write
    random.seed(0)
prepare()

# Nothing can be loaded from here on.
for loaders in (sys.path, sys.meta_path, sys.path_hooks, sys.path_importer_cache):
    loaders.clear()
# Everything that could stop the meter, make code of bytes, or wait on a clock that never advances is removed from the interpreter.
def take_out(module, *names):
    for name in names:
        vars(module).pop(name, None)
code = gc.get_referents(types.CodeType.__dict__)[0]
for name in ('replace', '__replace__'):
    del code[name]
vars(sys.monitoring).clear()
NEEDED = {
    '__name__', '__doc__', '__package__', '__spec__', '__loader__', '_clear_type_descriptors', '_getframe', '_getframemodulename', '_git', 'abiflags', 'api_version', 'argv',
    'builtin_module_names', 'byteorder', 'copyright', 'displayhook', 'dont_write_bytecode', 'exc_info', 'exception', 'excepthook', 'executable', 'exit',
    'flags', 'float_info', 'float_repr_style', 'get_int_max_str_digits', 'getdefaultencoding', 'getfilesystemencodeerrors', 'getfilesystemencoding',
    'getrecursionlimit', 'getrefcount', 'getsizeof', 'hash_info', 'hexversion', 'implementation', 'int_info', 'intern', 'is_finalizing', 'last_exc',
    'maxsize', 'maxunicode', 'meta_path', 'modules', 'orig_argv', 'path', 'path_hooks', 'path_importer_cache', 'platform', 'prefix', 'ps1', 'ps2',
    'stdlib_module_names', 'thread_info', 'version', 'version_info', 'warnoptions', '_is_gil_enabled', '_xoptions', 'base_prefix', 'exec_prefix',
    'base_exec_prefix', 'pycache_prefix', 'tracebacklimit', 'float_repr_style', '_stdlib_dir', '_framework', 'platlibdir',
}
take_out(sys, *(set(vars(sys)) - NEEDED))
sys.argv = ['']
def sleep(seconds, /):
    """Does not wait."""
    if seconds < 0:
        raise ValueError('sleep length must be non-negative')
time.sleep = sleep
take_out(builtins, 'open', 'breakpoint', 'help', 'copyright', 'credits', 'license', '_')
builtins.exit = builtins.quit = sys.exit
for name in ('_imp', 'marshal', '_signal', 'signal', 'faulthandler'):
    if name in sys.modules:
        vars(sys.modules[name]).clear()
take_out(sys.modules['_thread'], 'start_new_thread', 'start_new', 'start_joinable_thread', 'interrupt_main')
# "from package import name" imports a name behind a dot without a check.
for name in list(sys.modules):
    if '.' in name and name not in names and not name.startswith('encodings.'):
        del sys.modules[name]
collect = gc.collect
gc.disable()
freeze = gc.freeze
vars(gc).clear()
for name in [name for name in globals() if name not in ('kept', 'collect', 'freeze', '__builtins__')]:
    del globals()[name]
del name
collect()
freeze()
`;
