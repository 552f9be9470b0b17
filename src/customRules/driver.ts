/**
 * Python code around a rule in the sandbox. It reads the parameters of the rule, calls `credit` with each group, and
 * reports the location of an error. A rule shares its interpreter with this code, so its output is not reliable and the
 * host checks it (results.ts). A rule is compiled once and called repeatedly. Before the next batch, the sandbox
 * restores the memory to its state after the rule was loaded.
 */
const DRIVER = `
import builtins, json, math, random, typing

def load(core, file, source):
    turnwise = type(math)('turnwise')
    exec(core, turnwise.__dict__)
    def imports(name, globals=None, locals=None, fromlist=(), level=0):
        # turnwise is the name of the package before its first release.
        known = name in ('turnwise_rl', 'turnwise')
        return turnwise if known else __import__(name, globals, locals, fromlist, level)
    names = {'__name__': 'turnwise_rule', '__file__': file, '__builtins__': {**vars(builtins), '__import__': imports}}
    try:
        code = compile(source, file, 'exec')
    except SyntaxError as error:
        return turnwise, names, {'problem': 'does not parse: ' + str(error.msg), 'line': error.lineno}
    except ValueError as error:
        return turnwise, names, {'problem': 'does not parse: ' + str(error)}
    try:
        exec(code, names)
    except BaseException as error:
        return turnwise, names, failure(error, names, 0)
    if not hasattr(names.get('credit'), '__code__'):
        return turnwise, names, {'problem': 'there is no function credit(group, ...)'}
    return turnwise, names, None

def failure(error, names, turns):
    line, turn, trace = None, None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals is names:
            line, at = trace.tb_lineno, trace.tb_frame.f_locals.get('turn')
            turn = at if type(at) is int and 0 <= at < turns else turn
        trace = trace.tb_next
    messages = {RecursionError: 'calls itself too deeply', MemoryError: 'needs more memory than there is'}
    problem = messages.get(type(error)) or type(error).__name__ + ': ' + str(error)[:300]
    return {'problem': problem, 'line': line, 'turn': turn}

def positional(function):
    code = function.__code__
    return code.co_varnames[:code.co_argcount]

def parameters(turnwise, function):
    code, names = function.__code__, positional(function)
    given = function.__defaults__ or ()
    keyword = code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]
    default = {**dict(zip(names[len(names) - len(given):], given)), **(function.__kwdefaults__ or {})}
    hints = typing.get_type_hints(function, include_extras=True)
    if not names:
        raise TypeError('credit must take the group as its first argument')
    return [parameter(turnwise, name, default.get(name), hints.get(name)) for name in (*names[1:], *keyword)]

def parameter(turnwise, keyword, default, hint):
    if type(default) not in (bool, int, float, str):
        raise TypeError('parameter ' + keyword + ' of credit needs a default that is a number, True, False or a text')
    made = {'name': keyword.rstrip('_'), 'keyword': keyword, 'default': default, 'help': ''}
    annotated = typing.get_origin(hint) is typing.Annotated
    for mark in typing.get_args(hint)[1:] if annotated else ():
        if type(mark) is turnwise.Range:
            kind = 'whole' if type(default) is int and typing.get_args(hint)[0] is int else 'number'
            return {**made, 'kind': kind, 'low': float(mark.low), 'high': float(mark.high), 'help': str(mark.help)}
        if type(mark) is turnwise.ListOf:
            return {**made, 'kind': 'list', 'low': float(mark.longest), 'high': float(mark.largest)}
        if type(mark) is turnwise.NormalizationOptions:
            return {**made, 'kind': 'text', 'options': list(turnwise.PROFILES)}
        if type(mark) is str:
            made['help'] = mark
    hint = typing.get_args(hint)[0] if annotated else hint
    if typing.get_origin(hint) is typing.Literal:
        return {**made, 'kind': 'choice', 'options': list(typing.get_args(hint))}
    kinds = {bool: 'boolean', str: 'text', int: 'whole' if hint is int else 'number', float: 'number'}
    return {**made, 'kind': kinds[type(default)]}

def about(turnwise, names):
    line = names['credit'].__code__.co_firstlineno
    try:
        doc, explains = str(names.get('__doc__') or ''), hasattr(names.get('worked'), '__code__')
        made = parameters(turnwise, names['credit'])
        return {'line': line, 'doc': doc, 'parameters': made, 'explains': explains}
    except Exception as error:
        return {'problem': str(error), 'line': line}

def value(made, text):
    if made['kind'] == 'boolean':
        return text == 'true'
    return int(text) if made['kind'] == 'whole' else float(text) if made['kind'] == 'number' else str(text)

def made_of(turnwise, record):
    name, turns, total = record
    return turnwise.Group(name, [dict(turn) for turn in turns], total)

def one(turnwise, names, keywords, record, seeded):
    group = made_of(turnwise, record)
    if seeded:
        random.seed('turnwise ' + group.id)
    try:
        return {'returned': names['credit'](group, **keywords)}
    except turnwise.GroupError as error:
        return {'refused': str(error.problem), 'turn': error.turn, 'field': error.field}
    except BaseException as error:
        return failure(error, names, len(record[1]))

def ready(turn):
    turn['reward'] = float(turn['reward'])
    for name in ('outcome', 'logProb', 'answerLogProb', 'stateValue'):
        if name in turn:
            turn[name] = float(turn[name])
    if 'values' in turn:
        turn['values'] = [float(one) for one in turn['values']]
    return turn

def asked(given, text):
    groups = [(name, [ready(turn) for turn in turns], total) for name, turns, total in json.loads(text)]
    known = {made['name']: made for made in head.get('parameters', ())}
    keywords = {known[name]['keyword']: value(known[name], text) for name, text in json.loads(given).items()}
    return keywords, groups

def credits(given, text, again):
    if 'problem' in head:
        return head, [], []
    keywords, groups = asked(given, text)
    made = []
    for group in groups:
        made.append(one(turnwise, names, keywords, group, seeded))
        if 'returned' not in made[-1]:
            return head, made, []
    return head, made, [one(turnwise, names, keywords, group, seeded) for group in reversed(groups[:again])]

def explained(given, text):
    if 'problem' in head:
        return head
    keywords, (record,) = asked(given, text)
    made = one(turnwise, names, keywords, record, seeded)
    if 'returned' not in made:
        return made
    advantage = made['returned']
    if type(advantage) is tuple and len(advantage) == 2 and type(advantage[1]) is dict:
        advantage = advantage[0]
    return {'lines': [lines(turnwise, names, record, turn, advantage[turn]) for turn in range(len(record[1]))]}

def lines(turnwise, names, record, turn, advantage):
    group = made_of(turnwise, record)
    try:
        return names['worked'](group, turn, advantage)
    except BaseException as error:
        return {**failure(error, names, len(record[1])), 'turn': turn}

def answer(question, *given):
    return {'described': lambda: head, 'credits': credits, 'explained': explained}[question](*given)
`;

/** Kind of a request to the driver. */
export type Question = 'described' | 'credits' | 'explained';

/**
 * Returns the program that loads a rule. Its function `answer` receives a request and its data.
 * @param library source of the package's core.py
 */
export function ruleProgram(library: string, file: string, source: string): string {
  const required = importsAll(source) ? library : selectRequiredLibrary(library, [source, DRIVER]);
  // A JSON string is also a valid Python string.
  const [core, name, text] = [required, file, source].map((part) => JSON.stringify(part));
  return `${DRIVER}
turnwise, names, problem = load(${core}, ${name}, ${text})
head = problem or about(turnwise, names)
seeded = ${/random/.test(source) ? 'True' : 'False'}
`;
}

/** Returns true if a rule can read any name of the module `turnwise_rl`. */
function importsAll(source: string): boolean {
  return /\bimport\s+turnwise(_rl)?\b|\bimport\s*\*|__import__|eval|exec/.test(source);
}

/** Top-level function, class or constant of the library, with the lines up to the next definition. */
interface Block {
  readonly names: readonly string[];
  readonly text: string;
}

const blocks = new Map<string, readonly Block[]>();

/**
 * Returns the part of the library that a rule can use, according to the identifiers in its text. Compiling the rest
 * would take longer than the rule itself. Blank lines replace the omitted parts, so that line numbers do not change.
 */
export function selectRequiredLibrary(library: string, texts: readonly string[]): string {
  const all = blocks.get(library) ?? blocksOf(library);
  blocks.set(library, all);
  const required = new Set<Block>(all.filter(({ names }) => names.length === 0));
  const identifiers = new Set([...texts, ...[...required].map(({ text }) => text)].flatMap(findIdentifiers));
  for (let before = -1; before < required.size; ) {
    before = required.size;
    for (const block of all) {
      if (required.has(block) || !block.names.some((name) => identifiers.has(name))) continue;
      required.add(block);
      for (const identifier of findIdentifiers(block.text)) identifiers.add(identifier);
    }
  }
  return all.map((block) => (required.has(block) ? block.text : block.text.replace(/[^\n]/g, ''))).join('');
}

function findIdentifiers(text: string): string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

/**
 * Splits a library at lines that start a definition, or the decorators of a definition. Any other line belongs to the
 * definition before it.
 */
function blocksOf(library: string): Block[] {
  const segments: { names: string[]; text: string }[] = [{ names: [], text: '' }];
  let isDecorated = false;
  for (const line of library.split(/(?<=\n)/)) {
    const name = /^(?:(?:async )?def|class) (\w+)|^(\w+)(?:: .+)? = /.exec(line);
    const decorates = line.startsWith('@');
    if ((name || decorates) && !isDecorated) segments.push({ names: [], text: '' });
    const segment = segments[segments.length - 1];
    if (name) segment.names.push(name[1] ?? name[2]);
    segment.text += line;
    // Lines of a decorator with several lines also belong to the definition that follows.
    isDecorated = decorates || (isDecorated && !name);
  }
  return segments;
}
