import { ENVIRONMENTS } from '../environments/registry.ts';
import { METRICS } from '../metrics/metricTable.ts';
import { ParameterError } from '../parameters/parameters.ts';
import type { ScheduledChange } from '../training/data/configuration.ts';
import { checkConfiguration } from '../training/data/configurationTables.ts';
import { PRESETS } from '../training/data/worlds.ts';
import { isShare, usualWindow } from './expectations.ts';
import { Fields } from './fields.ts';
import {
  type Expectation,
  FIGURES,
  LEVELS,
  type Lesson,
  LessonError,
  type LessonRun,
  type LessonText,
  type Level,
  lessonRun,
  type PredictionChoice,
  UNITS,
} from './lesson.ts';
import { onlySections, type References, sectionAt, sectionsOf, toHtml } from './markdown.ts';
import { readExercises, readFormula, runOf } from './readExercises.ts';

/** Files of a lesson, as texts. */
export interface LessonFiles {
  /** Name of the lesson's folder. */
  readonly name: string;
  /** Content of `lesson.yaml`. */
  readonly data: string;
  /** Files of the folder `en` by name: `lesson.md`, and one file per level. */
  readonly texts: Readonly<Record<string, string>>;
  /** Content of `picture.svg`. undefined if the file does not exist. */
  readonly picture?: string | undefined;
  /** Content of `measured.yaml`. undefined if the file does not exist. */
  readonly measured?: string | undefined;
}

/** Maximum and default number of seeds over which an expectation is counted. */
const MAX_SEEDS = 10;

/** Seed of an experiment if a lesson does not name one. */
const USUAL_SEED = 1;

/** Maximum bound of a line that is not a share. */
const MAX_COUNTED = 1000;

/** Maximum length of a level's text [words]. A lesson takes a few minutes. */
const MAX_TEXT_LENGTH = 450;

/**
 * Reads and checks a lesson.
 * @throws {LessonError} with the file, the field and the expected content
 */
export function readLesson({ name, data, texts, picture: svg, measured }: LessonFiles, references: References): Lesson {
  const fields = Fields.of(`${name}/lesson.yaml`, data);
  const { file, front, body } = split(`${name}/lesson.md`, fileOf(texts, 'lesson.md', name));
  const frontFields = Fields.of(file, front);
  const sections = sectionsOf(body, 2, file);
  const runs = fields.list('runs').map((run, index) => readRun(run, frontFields, index));
  const predict = readPrediction(fields.fields('predict'), frontFields, runs);
  const why = fields.has('why') ? fields.texts('why') : [];
  if (why.some((runName) => runs.every((run) => run.name !== runName)))
    throw fields.wrong('why', 'a list of names of runs');
  const predicted = runs.find((run) => run.name === predict.run) ?? runs[0];
  const html = (title: string) => toHtml(sectionAt(sections, title, file), file, references);
  const exercises = fields.has('exercises') ? readExercises(fields.list('exercises'), runs, predicted, html) : [];
  onlySections(
    sections,
    exercises.flatMap((_, index) => [`Exercise ${index + 1}`, `Hint ${index + 1}`]),
    file,
  );
  const lines = fields.texts('lines').map((line) => checkLine(line, `${name}/lesson.yaml`, runs));
  if (lines[0] !== predict.line)
    throw fields.wrong('lines', `a list that begins with what is predicted, ${predict.line}`);
  const lesson = {
    ...{ name, order: fields.integer('order', 1, 99), unit: fields.option('unit', UNITS) },
    ...{ minutes: fields.integer('minutes', 1, 60), pace: fields.number('pace', 1, 50) },
    ...{ title: frontFields.text('title'), sentence: frontFields.text('sentence') },
    seconds: measured === undefined ? undefined : readMeasured(`${name}/measured.yaml`, measured),
    ...{ runs, predict, lines, why, exercises },
    expects: readExpectations(fields.list('expects'), frontFields, runs),
    formulas: fields.has('formulas') ? fields.list('formulas').map((formula) => readFormula(formula, runs)) : [],
    picture:
      svg === undefined
        ? undefined
        : { svg: readPicture(`${name}/picture.svg`, svg), alt: frontFields.text('picture') },
    figure: fields.has('figure') ? fields.option('figure', FIGURES) : undefined,
    seed: fields.has('seed') ? fields.integer('seed', 0, 0xffffffff) : USUAL_SEED,
    texts: readLevels(name, texts, references),
  };
  frontFields.end();
  fields.end();
  return lesson;
}

function readRun(fields: Fields, frontFields: Fields, index: number): LessonRun {
  const name = fields.text('name');
  const preset = PRESETS.find((candidate) => candidate.name === fields.text('preset'));
  if (!preset) throw fields.wrong('preset', `one of ${PRESETS.map((candidate) => candidate.name).join(', ')}`);
  const steps = fields.integer('steps', 5, 1000);
  const schedule = fields.has('schedule') ? fields.list('schedule').map(readChange) : preset.schedule;
  const changes = schedule.length > 0 ? frontFields.texts('changes') : [];
  if (changes.length !== schedule.length) throw frontFields.wrong('changes', `a list of ${schedule.length} texts`);
  const controls = fields.parameters('controls');
  const run = { name, preset: preset.name, controls, steps, schedule, changes, label: labelOf(frontFields, index) };
  checkRun(run, fields);
  fields.end();
  return run;
}

function readChange(fields: Fields): ScheduledChange {
  const change = { step: fields.integer('step', 1, 1000), changes: { rule: fields.text('rule') } };
  fields.end();
  return change;
}

/**
 * Checks that the environment supports the configuration of a run.
 * @throws {LessonError} with the field and the reason
 */
function checkRun(run: LessonRun, fields: Fields): void {
  try {
    checkConfiguration(lessonRun(run));
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    throw new LessonError(`${fields.position}: ${error.message}`);
  }
}

/** Returns the label of a run. `lesson.md` has the labels in the order of the runs. */
function labelOf(frontFields: Fields, index: number): string {
  const labels = frontFields.texts('runs');
  const label = labels[index];
  if (label === undefined) throw frontFields.wrong('runs', 'a list with a label for each run');
  return label;
}

function readPrediction(fields: Fields, frontFields: Fields, runs: readonly LessonRun[]): Lesson['predict'] {
  const run = runOf(fields, runs);
  const line = checkLine(fields.text('line'), fields.position, runs);
  const labels = frontFields.texts('choices');
  const choices = fields.list('choices').map((choice, index): PredictionChoice => {
    const label = labels[index];
    if (label === undefined) throw frontFields.wrong('choices', 'a list with a label for each choice');
    const points = choice.points('points');
    const rising = points.every(([step], at) => at === 0 || step > (points[at - 1]?.[0] ?? 0));
    const isComplete = points[0]?.[0] === 0 && points.at(-1)?.[0] === run.steps;
    if (!rising || !isComplete || points.some(([, value]) => value < 0 || value > 1)) {
      throw choice.wrong('points', `shares from step 0 to step ${run.steps}, in the order of the steps`);
    }
    const name = choice.text('name');
    choice.end();
    return { name, label, points };
  });
  if (labels.length !== choices.length) throw frontFields.wrong('choices', `a list of ${choices.length} labels`);
  fields.end();
  return { run: run.name, line, choices, question: frontFields.text('question') };
}

function readExpectations(
  list: readonly Fields[],
  frontFields: Fields,
  runs: readonly LessonRun[],
): readonly Expectation[] {
  const texts = frontFields.texts('expects');
  if (texts.length !== list.length) throw frontFields.wrong('expects', `a list of ${list.length} texts`);
  return list.map((fields, index) => {
    const run = runOf(fields, runs);
    const line = checkLine(fields.text('line'), fields.position, runs);
    const is = fields.has('below') ? 'below' : 'above';
    const value = fields.number(is, 0, isShare(environmentOf(run), line) ? 1 : MAX_COUNTED);
    const by = fields.integer('by', 1, run.steps);
    const over = fields.has('over') ? fields.integer('over', 1, by) : usualWindow(line);
    const seeds = fields.has('seeds') ? fields.integer('seeds', 1, MAX_SEEDS) : MAX_SEEDS;
    const requiredSeeds = fields.integer('held', 1, seeds);
    fields.end();
    return { run: run.name, line, is, value, by, over, held: requiredSeeds, seeds, text: texts[index] ?? '' };
  });
}

/**
 * Returns a line after checking that the environment of each run has it.
 * @throws {LessonError} for an unknown line
 */
function checkLine(line: string, position: string, runs: readonly LessonRun[]): string {
  const [kind, fact] = line.includes(':') ? line.split(':') : ['', line];
  for (const run of runs) {
    const environment = environmentOf(run);
    const { facts, heldOut } = ENVIRONMENTS[environment];
    const known =
      kind === 'heldOut'
        ? heldOut.some((entry) => entry.name === fact)
        : kind === 'fact'
          ? facts.some((entry) => entry.name === fact)
          : METRICS.some((row) => row.name === line);
    if (!known) throw new LessonError(`${position}: the environment ${environment} has no line "${line}"`);
  }
  return line;
}

function environmentOf({ preset }: LessonRun) {
  return PRESETS.find((candidate) => candidate.name === preset)?.environment ?? 'search';
}

function readLevels(
  name: string,
  files: Readonly<Record<string, string>>,
  references: References,
): Readonly<Record<Level, LessonText>> {
  const unknownFiles = Object.keys(files).filter(
    (file) => !['lesson.md', 'teacher.md'].includes(file) && !LEVELS.some((level) => file === `${level}.md`),
  );
  if (unknownFiles.length > 0)
    throw new LessonError(
      `${name}/${unknownFiles[0]}: a lesson has lesson.md, teacher.md and ${LEVELS.join('.md, ')}.md`,
    );
  const entries = LEVELS.map((level): [Level, LessonText] => {
    const file = `${name}/${level}.md`;
    const text = fileOf(files, `${level}.md`, name);
    const textLength = text.split(/\s+/).length;
    if (textLength > MAX_TEXT_LENGTH)
      throw new LessonError(`${file}: ${textLength} words; ${MAX_TEXT_LENGTH} are the most`);
    const sections = sectionsOf(text, 2, file);
    onlySections(sections, ['Before', 'After'], file);
    const html = (title: string) => toHtml(sectionAt(sections, title, file), file, references);
    return [level, { before: html('Before'), after: html('After') }];
  });
  return Object.fromEntries(entries) as Record<Level, LessonText>;
}

interface Text {
  readonly file: string;
  /** YAML between the lines `---`. */
  readonly front: string;
  readonly body: string;
}

function split(file: string, text: string): Text {
  const match = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text.replaceAll('\r\n', '\n'));
  if (!match) throw new LessonError(`${file}: it has to begin with fields between two lines "---"`);
  return { file, front: match[1] ?? '', body: match[2] ?? '' };
}

function fileOf(files: Readonly<Record<string, string>>, file: string, lesson: string): string {
  const text = files[file];
  if (text === undefined) throw new LessonError(`${lesson}: the file ${file} is missing`);
  return text;
}

/**
 * Reads `measured.yaml`, which has measured training times of a lesson. The first measurement is the typical one.
 * @returns time of the first measurement [s]
 * @throws {LessonError} with the invalid field
 */
function readMeasured(file: string, text: string): number {
  const fields = Fields.of(file, text);
  const [first] = fields.list('measured').map((row) => {
    row.text('device');
    row.integer('cores', 1, 1000);
    row.number('load', 0, 10_000);
    const seconds = row.number('seconds', 0.1, 100_000);
    row.end();
    return seconds;
  });
  fields.end();
  if (first === undefined) throw fields.wrong('measured', 'a list of at least one measurement');
  return first;
}

/** Elements of a picture. Shapes need no translation, load no files and run no code. */
const ELEMENTS = new Set(['svg', 'g', 'path', 'circle', 'ellipse', 'rect', 'line', 'polyline', 'polygon']);
const ATTRIBUTES = new Set(
  (
    'xmlns viewBox d cx cy r rx ry x y x1 y1 x2 y2 width height points ' +
    'fill stroke stroke-width stroke-linecap stroke-linejoin stroke-dasharray opacity transform'
  ).split(' '),
);
/** Colours of the page's themes, with a fallback colour outside of the page. */
const COLOUR = /^(none|currentColor|var\(--[\w-]+, #[0-9a-f]{3,6}\))$/;

/**
 * Checks the picture of a lesson.
 * @returns the SVG in one line
 * @throws {LessonError} for other content than shapes in the colours of the themes
 */
function readPicture(file: string, svg: string): string {
  const text = svg.replaceAll(/\s+/g, ' ').trim();
  if (!/^<svg [^>]*viewBox="0 0 \d+ \d+"[^>]*>.*<\/svg>$/.test(text)) {
    throw new LessonError(`${file}: a picture is one <svg> with a viewBox that begins at 0 0`);
  }
  for (const [, name = '', attributes = ''] of text.matchAll(/<\/?([^\s/>]+)([^>]*)>/g)) {
    if (!ELEMENTS.has(name)) throw new LessonError(`${file}: <${name}> is no shape`);
    for (const [, key = '', value = ''] of attributes.matchAll(/([^\s=/]+)(?:="([^"]*)")?/g)) {
      if (!ATTRIBUTES.has(key)) throw new LessonError(`${file}: the attribute "${key}" is not known`);
      if ((key === 'fill' || key === 'stroke') && !COLOUR.test(value)) {
        throw new LessonError(
          `${file}: the colour "${value}" has to be currentColor, none or such as "var(--series-1, #1f5fbf)"`,
        );
      }
    }
  }
  return text.replaceAll('> <', '><');
}
