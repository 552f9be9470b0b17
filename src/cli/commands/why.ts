import { ruleTitle } from '../../credit/ruleFacts.ts';
import { comparedRule } from '../../environments/watchedTurns.ts';
import { detect, detectionLine } from '../../experiments/detectors.ts';
import { type DecidedUpdate, type WhySpan, watchedIn, whyRows, whySpans } from '../../experiments/why.ts';
import { type RuleTitles, whySentences } from '../../experiments/whySentences.ts';
import { readRunFile } from '../../storage/runFile.ts';
import { StorageError } from '../../storage/runStore.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT, UsageError } from '../framework/errors.ts';
import { textOf } from '../framework/inputs.ts';
import { show } from '../framework/policyFiles.ts';
import { alignedTable } from '../framework/terminal.ts';

/** Command that explains the behaviour of a run by the mean advantages of its turns, grouped by result of the turn. */
export const whyCommand = defineCommand({
  name: 'why',
  summary: 'print the mean advantages of turns in a run, by result of the turn',
  description:
    'Reads the metrics of a run (train --out) or a saved run (train --save, or a file of the page). For each period between ' +
    'two changes of the rule it prints mean advantages by kind of turn: in search executed searches, malformed calls and ' +
    'skipped searches, in repair first programs and repairs, in repo steps that helped, harmed or did neither. Each value is ' +
    'the mean advantage under the active rule, and under the rule that it is compared with on the same rollouts. In search, ' +
    'where one token decides, it also prints the direction in which the updates moved the probability of this token, and ' +
    'whether the probability followed. The events of the run come first, for example a skill that was lost or came back. ' +
    'docs/learn/why.md has the derivation.',
  operands: { placeholder: 'FILE', help: 'Metrics as JSON Lines, or a saved run.', least: 1, maximum: 1 },
  flags: {},
  parameters: [],
  examples: ['run.jsonl', 'kept.json'],
  async run({ operands: [file] }, terminal) {
    const updates = readUpdates(file);
    const watched = watchedIn(updates);
    if (!watched) {
      throw new UsageError(
        `${show(file)} has no advantages by kind of turn: its environment does not report them, or an earlier version wrote the file`,
      );
    }
    const spans = whySpans(watched, updates);
    const events = detect(watched.lines, updates).map((detection) => `${detectionLine(detection)}\n`);
    const sections = spans
      .map((span) => {
        const titles = { active: ruleTitle(span.rule), compared: ruleTitle(comparedRule(watched, span.rule)) };
        return spanText(span, watched.watchedTurns.counted, titles);
      })
      .join('\n');
    terminal.out(`${events.join('')}${events.length > 0 ? '\n' : ''}${sections}`);
    return EXIT.done;
  },
});

/**
 * Reads the updates of a file of metrics or of a saved run.
 * @throws {UsageError} for any other file, with the line and the reason
 */
function readUpdates(file: string): readonly DecidedUpdate[] {
  const text = textOf(file, show(file));
  const lines = text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [{ line, number: index + 1 }]));
  const [first] = lines;
  if (!first) throw new UsageError(`${show(file)} has no line`);
  const isUpdate = (entry: unknown) =>
    typeof entry === 'object' && entry !== null && 'step' in entry && 'rule' in entry && !('checkpoint' in entry);
  if (lines.length === 1 && !isUpdate(parsed(first, file))) return readSavedRun(text, file);
  return lines.map((line) => {
    const entry = parsed(line, file);
    if (isUpdate(entry)) return entry as DecidedUpdate;
    throw new UsageError(`${show(file)}, line ${line.number}: not an update; an update has a step and a rule`);
  });
}

function parsed({ line, number }: { readonly line: string; readonly number: number }, file: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new UsageError(`${show(file)}, line ${number}: ${(error as Error).message}`);
  }
}

function readSavedRun(text: string, file: string): readonly DecidedUpdate[] {
  try {
    return readRunFile(text).metrics;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new UsageError(`${show(file)} is neither the metrics of a run nor a saved run: ${error.message}`);
  }
}

function spanText(span: WhySpan, counted: string, titles: RuleTitles): string {
  const number = (value: number) => (Number.isFinite(value) ? value.toFixed(2) : '-');
  const rows = whyRows(span).map(({ label, sum, count, share, meanAdvantage, compared }) => [
    sum ? label : `  ${label}`,
    String(count),
    Number.isFinite(share) ? share.toFixed(3) : '-',
    number(meanAdvantage),
    number(compared),
  ]);
  const table = alignedTable(['', counted, 'share', titles.active, titles.compared], rows);
  const { updates = 0, agreed = 0 } = span.decided ?? {};
  const signs =
    updates > 0
      ? [`Move and change had the same sign in ${agreed} of ${updates} updates that sampled both choices.`]
      : [];
  return `${[...whySentences(span, counted, titles), ...signs].join('\n')}\n\n${table}\n`;
}
