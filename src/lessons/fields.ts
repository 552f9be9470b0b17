import { parse } from 'yaml';
import type { ParameterValues } from '../parameters/parameters.ts';
import { LessonError } from './lesson.ts';

/** Fields of a file, read sequentially. An invalid value is reported with file and field. */
export class Fields {
  private readonly readNames = new Set<string>();

  private constructor(
    /** File and field, for messages. */
    readonly position: string,
    private readonly values: Readonly<Record<string, unknown>>,
  ) {}

  /**
   * Parses the fields of a YAML file.
   * @throws {LessonError} if the text is not YAML or has no fields
   */
  static of(file: string, text: string): Fields {
    try {
      return Fields.from(file, parse(text) as unknown);
    } catch (error) {
      if (error instanceof LessonError) throw error;
      throw new LessonError(`${file}: ${(error as Error).message}`);
    }
  }

  private static from(position: string, value: unknown): Fields {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new LessonError(`${position}: fields are missing here, such as "title: ..."`);
    }
    return new Fields(position, value as Record<string, unknown>);
  }

  text(name: string): string {
    const value = this.read(name);
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
    throw this.wrong(name, 'a text');
  }

  number(name: string, least: number, maximum: number): number {
    const value = this.read(name);
    if (typeof value === 'number' && value >= least && value <= maximum) return value;
    throw this.wrong(name, `a number from ${least} to ${maximum}`);
  }

  integer(name: string, least: number, maximum: number): number {
    const value = this.number(name, least, maximum);
    if (Number.isInteger(value)) return value;
    throw this.wrong(name, 'a whole number');
  }

  /** Returns one of several names. */
  option<Name extends string>(name: string, options: readonly Name[]): Name {
    const value = this.text(name);
    const option = options.find((candidate) => candidate === value);
    if (option !== undefined) return option;
    throw this.wrong(name, `one of ${options.join(', ')}`);
  }

  texts(name: string): readonly string[] {
    const value = this.read(name);
    if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')) return value;
    throw this.wrong(name, 'a list of texts');
  }

  /** Returns a list of pairs of numbers. */
  points(name: string): readonly (readonly [number, number])[] {
    const value = this.read(name);
    const isPoint = (item: unknown) => Array.isArray(item) && item.length === 2 && item.every(Number.isFinite);
    if (Array.isArray(value) && value.length > 1 && value.every(isPoint)) return value;
    throw this.wrong(name, 'a list of at least two points, each "[step, value]"');
  }

  /** Returns numbers and texts by name. Returns an empty object if the field is missing. */
  parameters(name: string): ParameterValues {
    if (!this.has(name)) return {};
    const { values } = this.fields(name);
    const known = (item: unknown): item is string | number => typeof item === 'number' || typeof item === 'string';
    const entries = Object.entries(values).filter((entry): entry is [string, string | number] => known(entry[1]));
    if (entries.length === Object.keys(values).length) return Object.fromEntries(entries);
    throw this.wrong(name, 'numbers and texts by their names, such as "{ rule: mt-ppo }"');
  }

  has(name: string): boolean {
    return name in this.values;
  }

  fields(name: string): Fields {
    return Fields.from(`${this.position}, ${name}`, this.read(name));
  }

  list(name: string): readonly Fields[] {
    const value = this.read(name);
    if (!Array.isArray(value)) throw this.wrong(name, 'a list');
    return value.map((item, index) => Fields.from(`${this.position}, ${name} ${index + 1}`, item));
  }

  /**
   * Checks that all fields were read. A misspelled field would otherwise have no effect.
   * @throws {LessonError} with a field that was not read
   */
  end(): void {
    const unknownName = Object.keys(this.values).find((name) => !this.readNames.has(name));
    if (unknownName !== undefined) throw new LessonError(`${this.position}: the field "${unknownName}" is not known`);
  }

  wrong(name: string, expected: string): LessonError {
    return new LessonError(`${this.position}: the field "${name}" has to be ${expected}`);
  }

  private read(name: string): unknown {
    this.readNames.add(name);
    if (!(name in this.values)) throw new LessonError(`${this.position}: the field "${name}" is missing`);
    return this.values[name];
  }
}
